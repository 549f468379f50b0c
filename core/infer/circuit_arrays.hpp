// The arrays of a frozen circuit, and whether they are one.
#pragma once

#include <cstdint>
#include <span>

#include "node_kind.hpp"

namespace learnac {

// Where a number stands for no node, term, variable or value.
inline constexpr std::uint32_t nothing = 0xffffffffu;

// As Python holds them: children before parents, the root last.
struct CircuitArrays {
  std::span<const std::uint32_t> arities;
  std::span<const std::uint8_t> kinds;           // NodeKind
  std::span<const std::uint32_t> labels;         // its number, its parameter, the variable it decides, nothing
  std::span<const std::uint64_t> child_offsets;  // one more than there are nodes
  std::span<const std::uint32_t> children;
  std::span<const double> parameters;

  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(kinds.size()); }
  NodeKind kind(std::uint32_t node) const { return static_cast<NodeKind>(kinds[node]); }
  bool is_leaf(std::uint32_t node) const {
    return kind(node) == NodeKind::indicator || kind(node) == NodeKind::parameter;
  }
  std::span<const std::uint32_t> children_of(std::uint32_t node) const {
    return children.subspan(child_offsets[node], child_offsets[node + 1] - child_offsets[node]);
  }
};

// Throws std::invalid_argument for arrays that are no circuit. Cost: a pass over the edges.
void check(const CircuitArrays& arrays);

}  // namespace learnac
