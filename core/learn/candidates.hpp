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

// Of two splits with the same score the one with the smaller leaf, variable, value goes first.
inline bool comes_before(const Split& a, const Split& b) {
  return std::tuple(index(a.leaf), index(a.variable), a.value) < std::tuple(index(b.leaf), index(b.variable), b.value);
}

}  // namespace learnac
