#include "greedy_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace learnac {
namespace {

constexpr std::uint64_t never_priced = ~std::uint64_t{0};
constexpr double never = -std::numeric_limits<double>::infinity();

constexpr auto later = [](const auto& a, const auto& b) {
  return a.score != b.score ? a.score < b.score : a.queue > b.queue;
};

}  // namespace

GreedySchedule::GreedySchedule(const GrowingCircuit& circuit, double edge_penalty)
    : circuit_(circuit),
      edge_penalty_(edge_penalty),
      ancestry_(circuit.domain().n_variables()),
      region_(circuit),
      loss_(circuit) {}

void GreedySchedule::add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
                         std::span<const double> net_gains) {
  if (variables.empty()) return;
  n_candidates_ += variables.size();
  Queue queue;
  queue.leaf = leaf;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const VariableId variable{variables[i]};
    queue.entries.push_back({variable, values[i], net_gains[i], 0, region_.v_side_floor(variable), never_priced});
  }
  queues_.push_back(std::move(queue));
}

void GreedySchedule::find_best(Queue& queue, std::int64_t most_edges) const {
  queue.best_score = never;
  for (std::size_t i = 0; i < queue.entries.size(); ++i) {
    const double found = score(queue.entries[i]);
    if (found <= queue.best_score || queue.entries[i].bound() > most_edges) continue;
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
  heads_.clear();
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    find_best(queues_[i], most_edges);
    push_head(i);
  }
  double best_known = 0;
  while (!heads_.empty()) {
    const std::uint32_t position = heads_.front().queue;
    std::ranges::pop_heap(heads_, later);
    heads_.pop_back();
    Queue& queue = queues_[position];
    Entry& entry = queue.entries[queue.best];
    if (!ancestry_.may_be_parent(entry.variable, circuit_.leaf(queue.leaf).child)) {
      queue.entries.erase(queue.entries.begin() + static_cast<std::ptrdiff_t>(queue.best));
    } else if (entry.priced_at == circuit_.version()) {
      return ChosenSplit{{queue.leaf, entry.variable, entry.value}, entry.net_gain, entry.bound()};
    } else {
      if (++n_evaluations_ % 256 == 0 && should_stop && should_stop()) return std::nullopt;
      price(queue, entry, best_known, most_edges);
      if (region_.is_exact() && entry.bound() <= most_edges) best_known = std::max(best_known, score(entry));
    }
    find_best(queue, most_edges);
    push_head(position);
  }
  return std::nullopt;
}

// Exactly, if it may come to be chosen soon: a bound that only just excludes it now would have to be computed again when
// a few better splits are gone.
void GreedySchedule::price(const Queue& queue, Entry& entry, double best_known, std::int64_t most_edges) {
  const double most = (entry.net_gain - 0.5 * best_known) / edge_penalty_;
  const std::int64_t limit =
      most < static_cast<double>(most_edges) ? static_cast<std::int64_t>(std::floor(most)) : most_edges;
  const std::int64_t cost = region_.edge_cost({queue.leaf, entry.variable, entry.value}, limit);
  entry.d_bound = region_.d_side_bound();
  entry.v_bound = cost - entry.d_bound;
  entry.priced_at = region_.is_exact() ? circuit_.version() : never_priced;
}

void GreedySchedule::applying(const Split& split) {
  lower_bounds();
  region_.edge_cost(split);
  loss_.assess(split, region_);
  applied_ = split;
  std::erase_if(queues_, [&](const Queue& queue) { return queue.leaf == split.leaf || queue.entries.empty(); });
  ancestry_.add_arc(split.variable, circuit_.leaf(split.leaf).child);
}

// Once the circuit has changed, because the floors are those of the new one. Leaves that the split made are new.
void GreedySchedule::lower_bounds() {
  if (!applied_) return;
  for (Queue& queue : queues_)
    if (index(queue.leaf) < loss_.n_leaves())
      for (Entry& entry : queue.entries) lower_bound(entry, queue.leaf);
  applied_.reset();
}

void GreedySchedule::lower_bound(Entry& entry, LeafId leaf) const {
  const bool is_same = entry.variable == applied_->variable;
  const std::int64_t floor = region_.v_side_floor(entry.variable);
  // Where V itself was decided, mutual ancestors may have come closer, and there is less between them and V.
  entry.v_bound = is_same ? floor : std::max(floor, entry.v_bound - loss_.v_side_loss(entry.variable));
  entry.d_bound = is_same && loss_.is_below_region(leaf)
                      ? 0
                      : std::max<std::int64_t>(0, entry.d_bound - loss_.d_side_loss(leaf, entry.variable));
}

void GreedySchedule::set_edge_penalty(double edge_penalty) { edge_penalty_ = edge_penalty; }

}  // namespace learnac
