// From the nodes that a compilation made to the arrays of a circuit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/shared_nodes.hpp"

namespace learnac {

struct CompiledArrays {
  std::vector<std::uint8_t> kinds;
  std::vector<std::uint32_t> labels;
  std::vector<std::uint64_t> child_offsets;
  std::vector<std::uint32_t> children;
  std::vector<std::uint32_t> parameters;  // the number of each that is used
};

// The circuit whose root is the product of `factors`, without the nodes that it does not reach. Products that several
// nodes need are multiplied once: of two factors that most products have in common, a product is made, over and over.
CompiledArrays finish(const SharedNodes& nodes, std::span<const std::uint32_t> factors, std::uint32_t n_indicators);

}  // namespace learnac
