// AC-Greedy: the truly best split, every time, with few edge costs computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ancestry.hpp"
#include "candidates.hpp"
#include "growing_circuit.hpp"
#include "split_region.hpp"

namespace learnac {

class GreedySchedule {
 public:
  GreedySchedule(const GrowingCircuit& circuit, double edge_penalty);

  void add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
           std::span<const double> net_gains);
  std::optional<ChosenSplit> best_split(std::int64_t most_edges, const ShouldStop& should_stop);
  // To be called before the circuit changes by this split: lowers the bounds it may invalidate.
  void applying(const Split& split);
  void set_edge_penalty(double edge_penalty);
  ScheduleWork work() const { return {n_candidates_, n_evaluations_, region_.n_visits()}; }

 private:
  struct Entry {
    VariableId variable{};
    std::uint32_t value = 0;
    double net_gain = 0;
    std::int64_t d_bound = 0;
    std::int64_t v_bound = 0;
    bool is_exact = false;
  };
  struct LeafEntries {
    LeafId leaf{};
    std::vector<Entry> entries;
    double best = 0;
    std::uint32_t best_entry = 0;
  };

  std::int64_t v_floor(VariableId variable) const;
  double score(const Entry& entry) const {
    return entry.net_gain - edge_penalty_ * static_cast<double>(entry.d_bound + entry.v_bound);
  }
  void find_best(LeafEntries& leaf, std::int64_t most_edges) const;
  void price(LeafEntries& leaf, Entry& entry, double best_known, std::int64_t most_edges);
  void mark_below(const std::vector<NodeId>& start);

  const GrowingCircuit& circuit_;
  double edge_penalty_;
  Ancestry ancestry_;
  SplitRegion region_;
  std::vector<LeafEntries> leaves_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t seen_epoch_ = 0;
  std::vector<NodeId> stack_;
  std::vector<std::uint8_t> is_below_;  // by LeafId
  std::uint64_t n_candidates_ = 0;
  std::uint64_t n_evaluations_ = 0;
};

}  // namespace learnac
