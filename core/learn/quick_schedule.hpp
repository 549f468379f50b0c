// AC-Quick (section 4.3): the last known edge cost is taken for a lower bound on the present one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "learn/ancestry.hpp"
#include "learn/candidates.hpp"
#include "learn/growing_circuit.hpp"
#include "learn/split_region.hpp"
#include "learn/waiting_leaves.hpp"

namespace learnac {

// Most candidates are priced once and found too dear. So those not yet priced wait in a small heap of their leaf, and
// only the best of each leaf in a heap of leaves: what is touched often stays in cache.
class QuickSchedule {
 public:
  // What it can: src/learnac/learn/schedule.py.
  static constexpr bool remembers_costs = true;
  static constexpr bool takes_losses = false;

  // Without `may_change_penalty`, candidates that do not pay are forgotten.
  QuickSchedule(const GrowingCircuit& circuit, SplitRegion& region, double edge_penalty, bool may_change_penalty);

  // Candidates of one leaf, ascending by variable and value.
  void add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
           std::span<const double> net_gains);
  // A leaf whose candidates will be added later, none with more net gain than this.
  void wait(LeafId leaf, double most_gain) { waiting_.add(leaf, most_gain); }
  // Whether no split was chosen because one of a waiting leaf may come first.
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

  // All edge costs so far, in the order in which they were asked for. A search over the same table with the
  // same settings that replays them comes to the same state without computing them.
  std::vector<std::int64_t> known_costs() const { return {known_costs_.begin(), known_costs_.end()}; }
  // For a search that nobody will resume: there may be more costs than there is memory.
  void forget_costs();
  void replay(std::vector<std::int64_t> costs) { replayed_costs_ = std::move(costs); }

  // When no split will be asked for any more.
  void drop_candidates();

  // Whether some split that may pay was left out because it did not fit.
  bool has_unfitting() const { return has_unfitting_; }
  ScheduleWork work() const { return {n_candidates_, n_evaluations_, n_visits_}; }

 private:
  // Not yet priced: taken to cost nothing.
  struct Fresh {
    double net_gain;
    std::uint32_t variable;
    std::uint32_t value;
  };
  struct Queue {
    LeafId leaf{};
    std::vector<Fresh> heap;
  };
  struct Head {
    double score;
    LeafId leaf;
    std::uint32_t queue;
  };
  struct Priced {
    Split split;
    double net_gain;
    std::int64_t cost;
    std::uint32_t epoch;
    double score;
    // What the cost was allowed to be when it was computed, and after how many splits that was.
    std::int64_t limit = 0;
    std::uint32_t priced_at = 0;
  };

  // What did not pay, or did not fit: the same, in as little room as will do, because most candidates end here.
  struct Aside {
    double net_gain;
    Split split;
    std::int32_t cost;
    std::int32_t limit;
    std::uint32_t priced_at;
  };
  static_assert(sizeof(Aside) == 32);

  bool is_valid(const Split& split) const;
  double score(double net_gain, std::int64_t cost) const {
    return net_gain - edge_penalty_ * static_cast<double>(cost);
  }
  std::int64_t limit(double net_gain, std::int64_t most_edges) const;
  // Whether its cost would come out the same: the circuit is, and so is the limit, unless the cost kept within it.
  bool is_known(const Priced& candidate, std::int64_t limit) const {
    return candidate.priced_at == n_applied_ && (candidate.cost <= candidate.limit || candidate.limit == limit);
  }
  void set_aside(const Priced& candidate);
  Priced taken_up(const Aside& aside) const;
  void take_up_what_pays();
  bool has_fresh_first() const;
  Priced pop_fresh();
  Priced pop_priced();
  void push_head(std::uint32_t queue);
  void empty_queue(LeafId leaf);
  void push_priced(const Priced& candidate);
  bool is_empty() const { return heads_.empty() && priced_.empty(); }
  bool must_wait() const;
  std::int64_t cost(const Split& split, std::int64_t limit);
  void know_cost(std::int64_t cost);
  void file(const Priced& candidate, std::int64_t most_edges);

  const GrowingCircuit& circuit_;
  double edge_penalty_;
  bool may_change_penalty_;
  Ancestry ancestry_;
  SplitRegion& region_;
  std::uint32_t epoch_ = 1;
  std::uint32_t n_applied_ = 1;  // splits, and one
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> queue_of_;  // by leaf
  WaitingLeaves waiting_;
  bool needs_counts_ = false;
  std::vector<Head> heads_;     // heap of the queues that are not empty
  std::vector<Priced> priced_;  // heap of what paid when last priced
  std::deque<Aside> set_aside_;
  std::deque<std::int64_t> known_costs_;
  std::size_t n_known_costs_ = 0;
  bool keeps_costs_ = true;
  std::vector<std::int64_t> replayed_costs_;
  bool has_unfitting_ = false;
  std::uint64_t n_candidates_ = 0;
  std::uint64_t n_evaluations_ = 0;
  std::uint64_t n_visits_ = 0;
  AskingInterval interval_;
};

}  // namespace learnac
