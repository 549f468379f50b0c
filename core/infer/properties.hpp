// Whether a frozen circuit is smooth, decomposable and deterministic (Definition 3 of the paper).
#pragma once

#include <cstdint>
#include <span>

#include "infer/circuit_arrays.hpp"

namespace learnac {

struct Properties {
  bool is_smooth = true;            // the children of each sum speak of the same variables
  bool is_decomposable = true;      // no two children of a product speak of the same variable
  bool has_all_variables = true;    // the root speaks of every variable, by its indicators
  bool is_labelled_rightly = true;  // as is_deterministic, of the sums that say which variable they decide
  bool is_deterministic = true;     // the children of each sum have disjoint, non-empty sets of values of one variable
};

// The arrays must be those of a circuit, as `check` finds them. A circuit speaks of a variable by its indicators, and
// apart from that by its parameters: `variable_of_parameter` has that of each, or -1 where it is not known. Cost: a
// pass over the edges for each 64 variables, and one for each 64 indicators.
Properties properties_of(const CircuitArrays& arrays, std::span<const std::int32_t> variable_of_parameter);

}  // namespace learnac
