// A circuit made smaller without a change of what it says.
#pragma once

#include "compile/finish.hpp"
#include "infer/circuit_arrays.hpp"

namespace learnac {

// The same circuit with equal nodes as one, and what products have in common multiplied once. The arrays must be those
// of a circuit, with indicators and parameters first.
CompiledArrays shared(const CircuitArrays& arrays);

}  // namespace learnac
