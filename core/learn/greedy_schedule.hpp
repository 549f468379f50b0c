// AC-Greedy: the truly best split, every time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/ancestry.hpp"
#include "learn/candidates.hpp"
#include "learn/growing_circuit.hpp"
#include "learn/split_loss.hpp"
#include "learn/split_region.hpp"
#include "learn/waiting_leaves.hpp"

namespace learnac {

// Keeps for every candidate a lower bound on its edge cost, so that its score is known from above, and prices only
// candidates that could be the best. A split lowers the bounds of others by no more than it may have saved them
// (SplitLoss); the rest stay as they are, however the costs have grown.
class GreedySchedule {
 public:
  // What it can: src/learnac/learn/schedule.py.
  static constexpr bool remembers_costs = false;
  static constexpr bool takes_losses = true;

  // It keeps every candidate, whether or not the penalty may change.
  GreedySchedule(const GrowingCircuit& circuit, SplitRegion& region, double edge_penalty, bool may_change_penalty);

  // Candidates of one leaf, ascending by variable and value.
  void add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
           std::span<const double> net_gains);
  // A leaf whose candidates will be added later, none with more net gain than this.
  void wait(LeafId leaf, double most_gain) { waiting_.add(leaf, most_gain); }
  // Whether no split was chosen because one of a waiting leaf may be better.
  bool needs_counts() const { return needs_counts_; }
  // The best splits by what is known of them, one for each of so many leaves: those that may soon be chosen.
  std::vector<Split> promising(std::size_t n_leaves);
  // The best split that pays and adds at most `most_edges`; none if there is none or `should_stop` said so.
  std::optional<ChosenSplit> best_split(std::int64_t most_edges, const ShouldStop& should_stop);
  // Whether it is a split of a leaf that there is, and would close no cycle.
  bool may_apply(const Split& split) const { return may_split(circuit_, ancestry_, split); }
  // To be called before the circuit changes by this split.
  void applying(const Split& split);
  void set_edge_penalty(double edge_penalty);

  // Its choices depend on the circuit alone: there is nothing to remember or replay.
  std::vector<std::int64_t> known_costs() const { return {}; }
  void forget_costs() {}
  void replay(const std::vector<std::int64_t>&) {}

  // When no split will be asked for any more.
  void drop_candidates();

  // Whether some split that may pay was left out because it did not fit.
  bool has_unfitting() const { return has_unfitting_; }
  ScheduleWork work() const { return {n_candidates_, n_evaluations_, n_visits_}; }

 private:
  struct Entry {
    VariableId variable{};
    std::uint32_t value = 0;
    double net_gain = 0;
    CostBound bound;
    std::uint64_t priced_at = 0;  // the circuit's version when the bound was the cost itself
  };
  struct Queue {
    LeafId leaf{};
    std::vector<Entry> entries;
    std::size_t best = 0;
    double best_score = 0;
  };
  struct Head {
    double score;
    std::uint32_t queue;
  };

  double score(const Entry& entry) const {
    return entry.net_gain - edge_penalty_ * static_cast<double>(entry.bound.total());
  }
  double most_waiting() const;
  void find_best(Queue& queue, std::int64_t most_edges);
  void push_head(std::uint32_t queue);
  std::uint32_t pop_head();
  bool has_valid_head(std::int64_t most_edges);
  std::int64_t limit(const Entry& entry, std::int64_t most_edges) const;
  void price_head(std::int64_t most_edges);
  void lower_bounds();

  const GrowingCircuit& circuit_;
  double edge_penalty_;
  bool may_change_penalty_;
  Ancestry ancestry_;
  SplitRegion& region_;
  SplitLoss loss_;
  std::optional<Split> applied_;  // its losses are not taken off the bounds yet
  std::vector<Queue> queues_;     // by leaf, ascending
  std::vector<Head> heads_;       // heap of the queues whose best may pay
  WaitingLeaves waiting_;
  bool needs_counts_ = false;
  bool has_unfitting_ = false;
  std::uint64_t n_candidates_ = 0;
  std::uint64_t n_evaluations_ = 0;
  std::uint64_t n_visits_ = 0;
  AskingInterval interval_;
};

}  // namespace learnac
