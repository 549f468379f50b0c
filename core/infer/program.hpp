// A frozen circuit, made ready to answer: checked, parameters folded into products, and products into sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "infer/circuit_arrays.hpp"
#include "infer/lanes.hpp"

namespace learnac {

// A constant times some indicators times some nodes: its edges are its indicators, then its nodes. The parameters of a
// product are multiplied into its constant.
struct Term {
  double constant;  // 0 where it underflows
  std::uint32_t first_edge;
  std::uint32_t n_edges;
  std::uint32_t n_indicators;
  // Indicators next to each other, of the variable that the node decides: if all of them are 0, so is the term. None if
  // that is not known.
  std::uint32_t gate = 0;
  std::uint32_t n_gates = 0;
};

// A sum of terms. A product is a sum of one term; a product below one sum alone is a term of that sum.
struct ProgramNode {
  std::uint32_t first_term;
  std::uint32_t n_terms;
  std::uint32_t decided;  // the variable that a sum decides; nothing for other sums, and for products
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
  std::uint32_t n_terms() const { return static_cast<std::uint32_t>(terms_.size()); }
  std::uint32_t root() const { return n_nodes() - 1; }
  const ProgramNode& node(std::uint32_t i) const { return nodes_[i]; }
  const Term& term(std::uint32_t i) const { return terms_[i]; }
  std::span<const Term> terms(const ProgramNode& node) const { return {terms_.data() + node.first_term, node.n_terms}; }
  Scalar constant(std::uint32_t term) const { return constants_[term]; }
  const std::uint32_t* edges(const Term& term) const { return edges_.data() + term.first_edge; }
  // Edges of the circuit that a term stands for, those to its parameters included.
  std::uint32_t n_circuit_edges(std::uint32_t term) const { return n_circuit_edges_[term]; }

  // The parameters that are multiplied into a term's constant.
  std::span<const std::uint32_t> parameters(std::uint32_t term) const {
    return {parameters_.data() + first_parameter_[term], first_parameter_[term + 1] - first_parameter_[term]};
  }
  std::uint32_t n_parameters() const { return n_parameters_; }

  // The most edges that a term has.
  std::uint32_t most_edges() const { return most_edges_; }

  // Which nodes have an indicator of one of these variables below them, as bits.
  std::vector<std::uint64_t> nodes_above(std::span<const std::uint32_t> variables) const;

  // A linear pass whose root is at least this large is exact: whatever underflowed on the way is less than 2^-200 of
  // it. Infinite where a linear pass could overflow.
  double smallest_linear_root() const { return smallest_linear_root_; }

 private:
  class Builder;
  void find_wide_gates();
  void find_wide_gates_of(std::uint32_t variable, std::span<const std::uint32_t> sums);
  void find_smallest_linear_root();

  std::vector<std::uint32_t> first_indicator_;
  std::vector<ProgramNode> nodes_;
  std::vector<Term> terms_;
  std::vector<Scalar> constants_;               // of terms
  std::vector<std::uint32_t> n_circuit_edges_;  // of terms
  std::vector<std::uint32_t> edges_;
  std::vector<std::size_t> first_parameter_{0};  // of terms
  std::vector<std::uint32_t> parameters_;
  std::uint32_t n_parameters_ = 0;
  std::uint32_t most_edges_ = 0;
  double smallest_linear_root_ = 0;
};

}  // namespace learnac
