#include "learn/look_ahead.hpp"

#include <algorithm>

namespace learnac {
namespace {

// Splits are priced to find out which is best: as many as this for each leaf, and no more.
constexpr std::size_t most_priced_a_leaf = 8;
constexpr int most_halvings = 2;

constexpr auto later = [](const auto& a, const auto& b) {
  return a.score != b.score ? a.score < b.score : comes_before(b.split, a.split);
};

}  // namespace

std::vector<Split> LookAhead::best(std::size_t n_leaves, double edge_penalty, bool may_be_halved) {
  std::uint32_t n_all = 0;
  for (const Candidate& candidate : candidates_) n_all = std::max(n_all, index(candidate.split.leaf) + 1);
  is_chosen_.assign(n_all, 0);
  std::vector<Split> chosen;
  for (int n = 0; n <= (may_be_halved ? most_halvings : 0); ++n, edge_penalty /= 2)
    choose(n_leaves, edge_penalty, chosen);
  return chosen;
}

void LookAhead::choose(std::size_t n_leaves, double edge_penalty, std::vector<Split>& chosen) {
  const auto rescore = [&](Candidate& candidate) {
    candidate.score = candidate.net_gain - edge_penalty * static_cast<double>(candidate.cost);
  };
  std::vector<Candidate> heap;
  for (Candidate& candidate : candidates_) {
    rescore(candidate);
    if (candidate.score > 0 && !is_chosen_[index(candidate.split.leaf)]) heap.push_back(candidate);
  }
  std::ranges::make_heap(heap, later);
  const std::size_t most_priced = most_priced_a_leaf * n_leaves;
  for (std::size_t n_priced = 0; !heap.empty() && chosen.size() < n_leaves && n_priced < most_priced;) {
    std::ranges::pop_heap(heap, later);
    Candidate candidate = heap.back();
    heap.pop_back();
    std::uint8_t& is_chosen = is_chosen_[index(candidate.split.leaf)];
    if (is_chosen) continue;
    if (candidate.is_priced) {
      is_chosen = 1;
      chosen.push_back(candidate.split);
      continue;
    }
    ++n_priced;
    const auto most = edge_penalty > 0 ? candidate.net_gain / edge_penalty : 1e18;
    candidate.cost = region_.edge_cost(candidate.split, static_cast<std::int64_t>(std::min(most, 1e18)));
    candidate.is_priced = true;
    rescore(candidate);
    if (candidate.score <= 0) continue;
    heap.push_back(candidate);
    std::ranges::push_heap(heap, later);
  }
}

}  // namespace learnac
