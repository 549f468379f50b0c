#include "quick_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace learnac {

QuickSchedule::QuickSchedule(const GrowingCircuit& circuit, double edge_penalty)
    : circuit_(circuit), edge_penalty_(edge_penalty), ancestry_(circuit.domain().n_variables()), region_(circuit) {}

void QuickSchedule::add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
                        std::span<const double> net_gains) {
  n_candidates_ += variables.size();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Candidate candidate{{leaf, VariableId{variables[i]}, values[i]}, net_gains[i], 0, 0};
    if (free_.empty()) {
      candidates_.push_back(candidate);
      push(static_cast<std::uint32_t>(candidates_.size() - 1));
    } else {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      candidates_[slot] = candidate;
      push(slot);
    }
  }
}

bool QuickSchedule::is_below(const Entry& a, const Entry& b) const {
  if (a.score != b.score) return a.score < b.score;
  return comes_before(candidates_[b.candidate].split, candidates_[a.candidate].split);
}

void QuickSchedule::push(std::uint32_t candidate) {
  heap_.push_back({score(candidates_[candidate]), candidate});
  std::ranges::push_heap(heap_, [this](const Entry& a, const Entry& b) { return is_below(a, b); });
}

std::uint32_t QuickSchedule::pop() {
  std::ranges::pop_heap(heap_, [this](const Entry& a, const Entry& b) { return is_below(a, b); });
  const std::uint32_t candidate = heap_.back().candidate;
  heap_.pop_back();
  return candidate;
}

bool QuickSchedule::is_valid(const Split& split) const {
  const Leaf& leaf = circuit_.leaf(split.leaf);
  return !leaf.is_split && ancestry_.may_be_parent(split.variable, leaf.child);
}

// The greatest cost at which the split still pays.
std::int64_t QuickSchedule::limit(const Candidate& candidate, std::int64_t most_edges) const {
  const double most = candidate.net_gain / edge_penalty_;
  return most < static_cast<double>(most_edges) ? static_cast<std::int64_t>(most) : most_edges;
}

std::optional<ChosenSplit> QuickSchedule::best_split(std::int64_t most_edges, const ShouldStop& should_stop) {
  while (!heap_.empty() && heap_.front().score > 0) {
    const std::uint32_t slot = pop();
    Candidate& candidate = candidates_[slot];
    if (!is_valid(candidate.split)) {
      free_.push_back(slot);
      continue;
    }
    if (candidate.epoch == epoch_ && candidate.cost <= most_edges) {
      const ChosenSplit chosen{candidate.split, candidate.net_gain, candidate.cost};
      free_.push_back(slot);
      return chosen;
    }
    if (++n_evaluations_ % 256 == 0 && should_stop && should_stop()) {
      push(slot);
      return std::nullopt;
    }
    candidate.cost = region_.edge_cost(candidate.split, limit(candidate, most_edges));
    candidate.epoch = epoch_;
    if (score(candidate) > 0 && candidate.cost <= most_edges)
      push(slot);
    else
      parked_.push_back(slot);
  }
  return std::nullopt;
}

void QuickSchedule::applying(const Split& split) {
  ++epoch_;
  ancestry_.add_arc(split.variable, circuit_.leaf(split.leaf).child);
}

void QuickSchedule::set_edge_penalty(double edge_penalty) {
  edge_penalty_ = edge_penalty;
  std::vector<std::uint32_t> all = std::move(parked_);
  parked_.clear();
  for (const Entry& entry : heap_) all.push_back(entry.candidate);
  heap_.clear();
  for (const std::uint32_t slot : all) push(slot);
}

}  // namespace learnac
