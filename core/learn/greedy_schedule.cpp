#include "learn/greedy_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "learn/look_ahead.hpp"

namespace learnac {
namespace {

constexpr std::uint64_t never_priced = ~std::uint64_t{0};
constexpr double never = -std::numeric_limits<double>::infinity();

constexpr auto later = [](const auto& a, const auto& b) {
  return a.score != b.score ? a.score < b.score : a.queue > b.queue;
};

}  // namespace

GreedySchedule::GreedySchedule(const GrowingCircuit& circuit, SplitRegion& region, double edge_penalty,
                               bool may_change_penalty)
    : circuit_(circuit),
      edge_penalty_(edge_penalty),
      may_change_penalty_(may_change_penalty),
      ancestry_(circuit.domain().n_variables()),
      region_(region),
      loss_(circuit) {}

void GreedySchedule::add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
                         std::span<const double> net_gains) {
  waiting_.remove(leaf);
  if (variables.empty()) return;
  n_candidates_ += variables.size();
  Queue queue;
  queue.leaf = leaf;
  queue.entries.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const VariableId variable{variables[i]};
    const CostBound bound{0, region_.v_side_floor(variable)};
    queue.entries.push_back({variable, values[i], net_gains[i], bound, never_priced});
  }
  const auto place = std::ranges::upper_bound(queues_, index(leaf), {}, [](const Queue& q) { return index(q.leaf); });
  queues_.insert(place, std::move(queue));
}

// The greatest score that a split of a waiting leaf may have: the one with the most gain, where it costs least.
double GreedySchedule::most_waiting() const {
  if (waiting_.empty()) return never;
  std::int64_t least_cost = 0;
  for (std::uint32_t v = 0; v < circuit_.domain().n_variables(); ++v)
    least_cost = std::min(least_cost, region_.v_side_floor(VariableId{v}));
  return waiting_.most_gain() - edge_penalty_ * static_cast<double>(least_cost);
}

void GreedySchedule::find_best(Queue& queue, std::int64_t most_edges) {
  queue.best_score = never;
  for (std::size_t i = 0; i < queue.entries.size(); ++i) {
    const double found = score(queue.entries[i]);
    if (found <= queue.best_score) continue;
    if (queue.entries[i].bound.total() > most_edges) {
      has_unfitting_ |= found > 0;
      continue;
    }
    queue.best_score = found;
    queue.best = i;
  }
}

void GreedySchedule::push_head(std::uint32_t queue) {
  if (queues_[queue].best_score <= 0) return;
  heads_.push_back({queues_[queue].best_score, queue});
  std::ranges::push_heap(heads_, later);
}

std::optional<ChosenSplit> GreedySchedule::best_split(std::int64_t most_edges, const ShouldStop& should_stop) {
  lower_bounds();
  has_unfitting_ = false;
  heads_.clear();
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    find_best(queues_[i], most_edges);
    push_head(i);
  }
  const double most_waiting = this->most_waiting();
  needs_counts_ = false;
  while (has_valid_head(most_edges) && heads_.front().score > most_waiting) {
    const Queue& queue = queues_[heads_.front().queue];
    const Entry& entry = queue.entries[queue.best];
    if (entry.priced_at == circuit_.version())
      return ChosenSplit{{queue.leaf, entry.variable, entry.value}, entry.net_gain, entry.bound.total()};
    if (interval_.is_over(n_visits_) && should_stop && should_stop()) return std::nullopt;
    price_head(most_edges);
  }
  needs_counts_ = most_waiting > 0;
  return std::nullopt;
}

// Drops splits from the top that would close a cycle; they will not be valid again.
bool GreedySchedule::has_valid_head(std::int64_t most_edges) {
  while (!heads_.empty()) {
    Queue& queue = queues_[heads_.front().queue];
    if (ancestry_.may_be_parent(queue.entries[queue.best].variable, circuit_.leaf(queue.leaf).child)) return true;
    const std::uint32_t position = pop_head();
    queue.entries.erase(queue.entries.begin() + static_cast<std::ptrdiff_t>(queue.best));
    find_best(queue, most_edges);
    push_head(position);
  }
  return false;
}

std::uint32_t GreedySchedule::pop_head() {
  const std::uint32_t queue = heads_.front().queue;
  std::ranges::pop_heap(heads_, later);
  heads_.pop_back();
  return queue;
}

// A bound that is sharper than need be does no harm.
void GreedySchedule::price_head(std::int64_t most_edges) {
  const std::uint32_t position = pop_head();
  Queue& queue = queues_[position];
  Entry& entry = queue.entries[queue.best];
  const std::uint64_t n_before = region_.n_visits();
  const std::int64_t cost = region_.edge_cost({queue.leaf, entry.variable, entry.value}, limit(entry, most_edges));
  n_visits_ += region_.n_visits() - n_before;
  ++n_evaluations_;
  if (region_.is_exact() || cost > entry.bound.total())
    entry.bound = {region_.d_side_bound(), cost - region_.d_side_bound()};
  entry.priced_at = region_.is_exact() ? circuit_.version() : never_priced;
  find_best(queue, most_edges);
  push_head(position);
}

// Well beyond the point where it stops to pay: later splits will lower the bound, and with a bound that only just
// excludes it now it would have to be priced again after each of them.
std::int64_t GreedySchedule::limit(const Entry& entry, std::int64_t most_edges) const {
  constexpr double slack = 600;
  const double most = entry.net_gain / edge_penalty_ + slack;
  return most < static_cast<double>(most_edges) ? static_cast<std::int64_t>(std::floor(most)) : most_edges;
}

void GreedySchedule::applying(const Split& split) {
  lower_bounds();
  region_.edge_cost(split);
  loss_.assess(split, region_);
  applied_ = split;
  waiting_.remove(split.leaf);
  std::erase_if(queues_, [&](const Queue& queue) { return queue.leaf == split.leaf || queue.entries.empty(); });
  ancestry_.add_arc(split.variable, circuit_.leaf(split.leaf).child);
}

// Once the circuit has changed, because the floors are those of the new one. Leaves that the split made are new.
void GreedySchedule::lower_bounds() {
  if (!applied_) return;
  for (Queue& queue : queues_)
    if (index(queue.leaf) < loss_.n_leaves())
      for (Entry& entry : queue.entries) {
        const std::int64_t floor = region_.v_side_floor(entry.variable);
        entry.bound = loss_.lowered(entry.bound, queue.leaf, entry.variable, floor);
      }
  applied_.reset();
}

std::vector<Split> GreedySchedule::promising(std::size_t n_leaves) {
  LookAhead ahead(region_);
  for (const Queue& queue : queues_) {
    const Leaf& leaf = circuit_.leaf(queue.leaf);
    for (const Entry& entry : queue.entries)
      if (!leaf.is_split && ancestry_.may_be_parent(entry.variable, leaf.child))
        ahead.offer({queue.leaf, entry.variable, entry.value}, entry.net_gain, entry.bound.total());
  }
  return ahead.best(n_leaves, edge_penalty_, may_change_penalty_);
}

void GreedySchedule::drop_candidates() {
  waiting_.clear();
  queues_ = {};
  heads_ = {};
}

void GreedySchedule::set_edge_penalty(double edge_penalty) { edge_penalty_ = edge_penalty; }

}  // namespace learnac
