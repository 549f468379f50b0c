// From the circuit that grows to the arrays that answer.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/growing_circuit.hpp"

namespace learnac {

// Children before parents, the root last. Leaves of the circuit that are used come first: indicators, then parameters.
struct FrozenArrays {
  std::vector<std::uint8_t> kinds;           // NodeKind
  std::vector<std::uint32_t> labels;         // IndicatorId, number of the parameter, decided variable, 0
  std::vector<std::uint64_t> child_offsets;  // one more than there are nodes
  std::vector<std::uint32_t> children;
  std::vector<std::uint32_t> parameter_origins;  // per parameter: its leaf, and the value of the leaf's child
};

FrozenArrays freeze(const GrowingCircuit& circuit);

}  // namespace learnac
