// Candidate splits: what a schedule chooses from.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>

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

}  // namespace learnac
