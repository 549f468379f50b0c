// A frozen circuit, made ready to answer: checked, its parameters folded into its products, the rest in one order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lanes.hpp"

namespace learnac {

// The arrays of a frozen circuit, as Python holds them.
struct CircuitArrays {
  std::span<const std::uint32_t> arities;
  std::span<const std::uint8_t> kinds;           // 0 indicator, 1 parameter, 2 sum, 3 product
  std::span<const std::uint32_t> labels;         // its number, its parameter, the variable it decides, nothing
  std::span<const std::uint64_t> child_offsets;  // one more than there are nodes
  std::span<const std::uint32_t> children;
  std::span<const double> parameters;
};

inline constexpr std::uint32_t nothing = 0xffffffffu;

// A sum's edges are its children. A product's edges are its indicators, then its children; its parameters are
// multiplied into one constant.
struct ProgramNode {
  std::uint32_t first_edge;
  std::uint32_t n_edges;
  std::uint32_t n_indicators;
  std::uint32_t decided;  // the variable that a sum decides; nothing for other sums
  bool is_sum;
  double constant;  // of a product; 0 where it underflows
};

// Nodes have children of smaller number, and the last one is the root.
class Program {
 public:
  // Throws std::invalid_argument for arrays that are no circuit.
  explicit Program(const CircuitArrays& arrays);

  std::uint32_t n_variables() const { return static_cast<std::uint32_t>(first_indicator_.size() - 1); }
  std::uint32_t n_indicators() const { return first_indicator_.back(); }
  std::uint32_t first_indicator(std::uint32_t variable) const { return first_indicator_[variable]; }
  std::uint32_t arity(std::uint32_t variable) const {
    return first_indicator_[variable + 1] - first_indicator_[variable];
  }

  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t root() const { return n_nodes() - 1; }
  const ProgramNode& node(std::uint32_t i) const { return nodes_[i]; }
  Scalar constant(std::uint32_t i) const { return constants_[i]; }
  const std::uint32_t* edges(const ProgramNode& node) const { return edges_.data() + node.first_edge; }
  // For each child of a sum: the indicator of the decided variable without which it is zero, or nothing.
  const std::uint32_t* gates(const ProgramNode& node) const { return gates_.data() + node.first_edge; }
  // Edges of the circuit that this node stands for, its parameters included.
  std::uint32_t n_circuit_edges(std::uint32_t i) const { return n_circuit_edges_[i]; }

  // Which nodes have an indicator of one of these variables below them, as bits.
  std::vector<std::uint64_t> nodes_above(std::span<const std::uint32_t> variables) const;

  // A linear pass whose root is at least this large is exact: whatever underflowed on the way is less than 2^-200 of
  // it. Infinite where a linear pass could overflow.
  double smallest_linear_root() const { return smallest_linear_root_; }

 private:
  class Builder;
  void find_smallest_linear_root();

  std::vector<std::uint32_t> first_indicator_;
  std::vector<ProgramNode> nodes_;
  std::vector<Scalar> constants_;
  std::vector<std::uint32_t> n_circuit_edges_;
  std::vector<std::uint32_t> edges_;
  std::vector<std::uint32_t> gates_;
  double smallest_linear_root_ = 0;
};

}  // namespace learnac
