#include "learn/quick_schedule.hpp"

#include <algorithm>
#include <limits>

#include "learn/look_ahead.hpp"

namespace learnac {
namespace {

// The greatest 32-bit number stands for all that are not below it.
constexpr std::int64_t too_much = std::numeric_limits<std::int32_t>::max();

constexpr std::uint32_t no_queue = std::numeric_limits<std::uint32_t>::max();

std::int32_t shortened(std::int64_t n) { return static_cast<std::int32_t>(std::min(n, too_much)); }

// Orders of heaps: what should come out last is smallest.
constexpr auto later_fresh = [](const auto& a, const auto& b) {
  return a.net_gain != b.net_gain ? a.net_gain < b.net_gain
                                  : std::tuple(a.variable, a.value) > std::tuple(b.variable, b.value);
};
constexpr auto later_head = [](const auto& a, const auto& b) {
  return a.score != b.score ? a.score < b.score : index(a.leaf) > index(b.leaf);
};
constexpr auto later_priced = [](const auto& a, const auto& b) {
  return a.score != b.score ? a.score < b.score : comes_before(b.split, a.split);
};

}  // namespace

QuickSchedule::QuickSchedule(const GrowingCircuit& circuit, SplitRegion& region, double edge_penalty,
                             bool may_change_penalty)
    : circuit_(circuit),
      edge_penalty_(edge_penalty),
      may_change_penalty_(may_change_penalty),
      ancestry_(circuit.domain().n_variables()),
      region_(region) {}

void QuickSchedule::add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
                        std::span<const double> net_gains) {
  waiting_.remove(leaf);
  if (variables.empty()) return;
  n_candidates_ += variables.size();
  Queue queue;
  queue.leaf = leaf;
  queue.heap.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) queue.heap.push_back({net_gains[i], variables[i], values[i]});
  std::ranges::make_heap(queue.heap, later_fresh);
  queue_of_.resize(std::max<std::size_t>(queue_of_.size(), index(leaf) + 1), no_queue);
  queue_of_[index(leaf)] = static_cast<std::uint32_t>(queues_.size());
  queues_.push_back(std::move(queue));
  push_head(queue_of_[index(leaf)]);
}

void QuickSchedule::push_head(std::uint32_t queue) {
  if (queues_[queue].heap.empty()) return;
  heads_.push_back({queues_[queue].heap.front().net_gain, queues_[queue].leaf, queue});
  std::ranges::push_heap(heads_, later_head);
}

void QuickSchedule::push_priced(const Priced& candidate) {
  priced_.push_back(candidate);
  std::ranges::push_heap(priced_, later_priced);
}

QuickSchedule::Priced QuickSchedule::pop_fresh() {
  std::ranges::pop_heap(heads_, later_head);
  const std::uint32_t index = heads_.back().queue;
  heads_.pop_back();
  Queue& queue = queues_[index];
  std::ranges::pop_heap(queue.heap, later_fresh);
  const Fresh fresh = queue.heap.back();
  queue.heap.pop_back();
  if (queue.heap.size() < queue.heap.capacity() / 4) queue.heap.shrink_to_fit();
  push_head(index);
  return {{queue.leaf, VariableId{fresh.variable}, fresh.value}, fresh.net_gain, 0, 0, fresh.net_gain};
}

QuickSchedule::Priced QuickSchedule::pop_priced() {
  std::ranges::pop_heap(priced_, later_priced);
  const Priced candidate = priced_.back();
  priced_.pop_back();
  return candidate;
}

bool QuickSchedule::has_fresh_first() const {
  if (heads_.empty() || priced_.empty()) return priced_.empty();
  const Queue& queue = queues_[heads_.front().queue];
  if (heads_.front().score != priced_.front().score) return heads_.front().score > priced_.front().score;
  const Fresh& fresh = queue.heap.front();
  return comes_before({queue.leaf, VariableId{fresh.variable}, fresh.value}, priced_.front().split);
}

bool QuickSchedule::is_valid(const Split& split) const {
  const Leaf& leaf = circuit_.leaf(split.leaf);
  return !leaf.is_split && ancestry_.may_be_parent(split.variable, leaf.child);
}

// The greatest cost at which the split still pays.
std::int64_t QuickSchedule::limit(double net_gain, std::int64_t most_edges) const {
  const double most = net_gain / edge_penalty_;
  return most < static_cast<double>(most_edges) ? static_cast<std::int64_t>(most) : most_edges;
}

// Whether a candidate of a waiting leaf, which is taken to cost nothing at first, may come before all that are known.
bool QuickSchedule::must_wait() const {
  if (waiting_.most_gain() <= 0) return false;
  if (is_empty()) return true;
  return waiting_.most_gain() >= (has_fresh_first() ? heads_.front().score : priced_.front().score);
}

std::optional<ChosenSplit> QuickSchedule::best_split(std::int64_t most_edges, const ShouldStop& should_stop) {
  needs_counts_ = false;
  while (!is_empty() || !waiting_.empty()) {
    if (must_wait()) {
      needs_counts_ = true;
      break;
    }
    if (is_empty()) break;
    Priced candidate = has_fresh_first() ? pop_fresh() : pop_priced();
    if (candidate.score <= 0) {
      push_priced(candidate);
      break;
    }
    if (!is_valid(candidate.split)) continue;
    if (candidate.epoch == epoch_ && candidate.cost <= most_edges)
      return ChosenSplit{candidate.split, candidate.net_gain, candidate.cost};
    const std::int64_t most = limit(candidate.net_gain, most_edges);
    if (!is_known(candidate, most)) {
      ++n_evaluations_;
      if (interval_.is_over(n_visits_) && should_stop && should_stop()) {
        push_priced(candidate);
        break;
      }
      const bool is_replayed = n_known_costs_ < replayed_costs_.size();
      candidate.cost = is_replayed ? replayed_costs_[n_known_costs_] : cost(candidate.split, most);
      candidate.limit = most;
      candidate.priced_at = n_applied_;
    }
    know_cost(candidate.cost);
    candidate.epoch = epoch_;
    candidate.score = score(candidate.net_gain, candidate.cost);
    file(candidate, most_edges);
  }
  return std::nullopt;
}

std::int64_t QuickSchedule::cost(const Split& split, std::int64_t limit) {
  const std::uint64_t n_before = region_.n_visits();
  const std::int64_t cost = region_.edge_cost(split, limit);
  n_visits_ += region_.n_visits() - n_before;
  return cost;
}

void QuickSchedule::know_cost(std::int64_t cost) {
  ++n_known_costs_;
  if (keeps_costs_) known_costs_.push_back(cost);
}

void QuickSchedule::forget_costs() {
  keeps_costs_ = false;
  known_costs_ = {};
}

void QuickSchedule::file(const Priced& candidate, std::int64_t most_edges) {
  const bool fits = candidate.cost <= most_edges;
  if (candidate.score > 0 && fits)
    push_priced(candidate);
  else if (may_change_penalty_)
    set_aside(candidate);
  has_unfitting_ |= candidate.score > 0 && !fits;
}

void QuickSchedule::set_aside(const Priced& candidate) {
  set_aside_.push_back({candidate.net_gain, candidate.split, shortened(candidate.cost), shortened(candidate.limit),
                        candidate.priced_at});
}

// A number that was cut short is not known: it will be worked out again.
QuickSchedule::Priced QuickSchedule::taken_up(const Aside& aside) const {
  const bool is_whole = aside.cost < too_much && aside.limit < too_much;
  return {.split = aside.split,
          .net_gain = aside.net_gain,
          .cost = aside.cost,
          .epoch = 0,
          .score = score(aside.net_gain, aside.cost),
          .limit = aside.limit,
          .priced_at = is_whole || aside.cost < aside.limit ? aside.priced_at : 0};
}

// They may be tens of millions: room is made for as many as there are, and given back from the front as they leave.
void QuickSchedule::take_up_what_pays() {
  const auto pays = [this](const Aside& aside) { return score(aside.net_gain, aside.cost) > 0; };
  std::erase_if(priced_, [this](const Priced& candidate) { return !is_valid(candidate.split); });
  priced_.reserve(priced_.size() + static_cast<std::size_t>(std::ranges::count_if(set_aside_, [&](const Aside& aside) {
                    return is_valid(aside.split) && pays(aside);
                  })));
  for (std::size_t n_left = set_aside_.size(); n_left > 0; --n_left) {
    const Aside aside = set_aside_.front();
    set_aside_.pop_front();
    if (!is_valid(aside.split)) continue;
    if (pays(aside))
      priced_.push_back(taken_up(aside));
    else
      set_aside_.push_back(aside);
  }
}

void QuickSchedule::applying(const Split& split) {
  ++epoch_;
  ++n_applied_;
  waiting_.remove(split.leaf);
  empty_queue(split.leaf);
  ancestry_.add_arc(split.variable, circuit_.leaf(split.leaf).child);
}

// Its head may be waiting among the others: that one stays, and will be found to be invalid.
void QuickSchedule::empty_queue(LeafId leaf) {
  if (index(leaf) >= queue_of_.size() || queue_of_[index(leaf)] == no_queue) return;
  Queue& queue = queues_[queue_of_[index(leaf)]];
  if (!queue.heap.empty()) queue.heap = std::vector<Fresh>(1, queue.heap.front());
}

std::vector<Split> QuickSchedule::promising(std::size_t n_leaves) {
  LookAhead ahead(region_);
  const auto offer = [&](const Split& split, double net_gain, std::int64_t cost) {
    if (is_valid(split)) ahead.offer(split, net_gain, cost);
  };
  for (const Queue& queue : queues_)
    for (const Fresh& fresh : queue.heap)
      offer({queue.leaf, VariableId{fresh.variable}, fresh.value}, fresh.net_gain, 0);
  for (const Priced& candidate : priced_) offer(candidate.split, candidate.net_gain, candidate.cost);
  for (const Aside& aside : set_aside_) offer(aside.split, aside.net_gain, aside.cost);
  return ahead.best(n_leaves, edge_penalty_, may_change_penalty_);
}

void QuickSchedule::drop_candidates() {
  queue_of_ = {};
  waiting_.clear();
  queues_ = {};
  heads_ = {};
  priced_ = {};
  set_aside_ = {};
}

void QuickSchedule::set_edge_penalty(double edge_penalty) {
  edge_penalty_ = edge_penalty;
  has_unfitting_ = false;
  // What was too dear may only be known from below: it has to be priced again before it is chosen.
  ++epoch_;
  for (Priced& candidate : priced_) candidate.score = score(candidate.net_gain, candidate.cost);
  take_up_what_pays();
  std::ranges::make_heap(priced_, later_priced);
}

}  // namespace learnac
