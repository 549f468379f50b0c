// AC-Quick (section 4.3): the last known edge cost is taken for a lower bound on the present one.
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

class QuickSchedule {
 public:
  QuickSchedule(const GrowingCircuit& circuit, double edge_penalty);

  // Candidates of one leaf, ascending by variable and value.
  void add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
           std::span<const double> net_gains);
  // The best split that pays and adds at most `most_edges`; none if there is none or `should_stop` said so.
  std::optional<ChosenSplit> best_split(std::int64_t most_edges, const ShouldStop& should_stop);
  // To be called before the circuit changes by this split.
  void applying(const Split& split);
  void set_edge_penalty(double edge_penalty);

  bool has_candidates() const { return !heap_.empty() || !parked_.empty(); }
  ScheduleWork work() const { return {n_candidates_, n_evaluations_, region_.n_visits()}; }

 private:
  struct Entry {
    double score;
    std::uint32_t candidate;
  };

  bool is_below(const Entry& a, const Entry& b) const;
  void push(std::uint32_t candidate);
  std::uint32_t pop();
  bool is_valid(const Split& split) const;
  double score(const Candidate& candidate) const {
    return candidate.net_gain - edge_penalty_ * static_cast<double>(candidate.cost);
  }
  std::int64_t limit(const Candidate& candidate, std::int64_t most_edges) const;

  const GrowingCircuit& circuit_;
  double edge_penalty_;
  Ancestry ancestry_;
  SplitRegion region_;
  std::uint32_t epoch_ = 1;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> free_;
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> parked_;  // do not pay at the present penalty
  std::uint64_t n_candidates_ = 0;
  std::uint64_t n_evaluations_ = 0;
};

}  // namespace learnac
