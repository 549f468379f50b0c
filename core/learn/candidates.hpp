// Candidate splits: what a schedule chooses from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "learn/growing_circuit.hpp"

namespace learnac {

struct ChosenSplit {
  Split split;
  double net_gain = 0;
  std::int64_t edge_cost = 0;
};

// What a schedule did, for reports and benchmarks.
struct ScheduleWork {
  std::uint64_t n_candidates = 0;
  std::uint64_t n_evaluations = 0;
  std::uint64_t n_visits = 0;
};

// Asked from time to time during long searches.
using ShouldStop = std::function<bool()>;

// When it is time to ask again: after so many splits were priced, or fewer that took long.
class AskingInterval {
 public:
  // Takes note of a split that is about to be priced, and of all nodes visited so far.
  bool is_over(std::uint64_t n_visits) {
    if (++n_priced_ < most_priced && n_visits - n_visits_ < most_visits) return false;
    n_priced_ = 0;
    n_visits_ = n_visits;
    return true;
  }

 private:
  static constexpr std::uint32_t most_priced = 256;
  static constexpr std::uint64_t most_visits = std::uint64_t{1} << 20;

  std::uint32_t n_priced_ = 0;
  std::uint64_t n_visits_ = 0;
};

// Of two splits with the same score the one with the smaller leaf, variable, value goes first.
inline bool comes_before(const Split& a, const Split& b) {
  return std::tuple(index(a.leaf), index(a.variable), a.value) < std::tuple(index(b.leaf), index(b.variable), b.value);
}

// The best split of each leaf, of all that are offered.
class BestOfLeaves {
 public:
  void offer(const Split& split, double score) {
    const auto [found, is_new] = best_.try_emplace(index(split.leaf), split, score);
    if (is_new || score < found->second.second) return;
    if (score > found->second.second || comes_before(split, found->second.first)) found->second = {split, score};
  }
  // The splits of so many leaves, best first.
  std::vector<Split> first(std::size_t n_leaves) const {
    std::vector<std::pair<Split, double>> found;
    for (const auto& [leaf, best] : best_) found.push_back(best);
    std::ranges::sort(found, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : comes_before(a.first, b.first);
    });
    std::vector<Split> splits;
    for (std::size_t i = 0; i < std::min(n_leaves, found.size()); ++i) splits.push_back(found[i].first);
    return splits;
  }

 private:
  std::unordered_map<std::uint32_t, std::pair<Split, double>> best_;
};

}  // namespace learnac
