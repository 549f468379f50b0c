// The trees while they grow: what each leaf has counted, what its path leaves open, and its parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/splits.hpp"

namespace learnac {

// How parameters are read off counts: count + pseudo-count + shrinkage * parameter of the parent, normalised.
struct Estimate {
  std::function<double(std::size_t arity, double mass)> pseudo_count;
  double shrinkage = 0;
};

// Log-likelihood of counted values under a leaf's parameters; what has parameter zero is counted apart.
struct LeafLikelihood {
  double finite = 0;
  double impossible = 0;
};

// One tree for each variable, grown split by split. Leaves keep their numbers when they become inner nodes: those of
// the whole table come first, one for each variable, and every split numbers its branches on from there.
class GrowingTrees {
 public:
  struct Node {
    VariableId child{};
    LeafId parent{};           // itself, at the root
    std::uint32_t branch = 0;  // which one of the parent's
    double mass = 1;           // share of all parent configurations
    std::size_t first_cell = 0;
    bool is_split = false;
    VariableId variable{};  // of the split
    std::uint32_t value = 0;
    LeafId first_branch{};
  };

  GrowingTrees(SplitSpace space, Estimate estimate);

  const SplitSpace& space() const { return space_; }
  const Domain& domain() const { return space_.domain(); }
  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Node& node(LeafId leaf) const { return nodes_[index(leaf)]; }
  std::span<const double> counts(LeafId leaf) const { return {counts_.data() + node(leaf).first_cell, arity(leaf)}; }
  std::span<const double> parameters(LeafId leaf) const {
    return {parameters_.data() + node(leaf).first_cell, arity(leaf)};
  }
  std::span<const double> all_counts() const { return counts_; }

  // The root of the next variable's tree.
  LeafId add_root(std::span<const double> counts);
  // Splits a leaf; counts are (branches x values of the child). The first of the new leaves.
  LeafId split(const Split& split, std::span<const double> counts);

  LeafLikelihood log_likelihood(LeafId leaf, std::span<const double> counts) const;

  // Calls visit(variable, value) for every value that the path of a leaf excludes.
  template <class Visit>
  void for_each_excluded(LeafId leaf, Visit visit) const {
    for (; node(leaf).parent != leaf; leaf = node(leaf).parent) {
      const Node& parent = node(node(leaf).parent);
      for (std::uint32_t value = 0; value < domain().arity(parent.variable); ++value)
        if (branch_of(parent, value) != node(leaf).branch) visit(parent.variable, value);
    }
  }

 private:
  std::uint32_t arity(LeafId leaf) const { return domain().arity(node(leaf).child); }
  std::uint32_t branch_of(const Node& split, std::uint32_t value) const {
    return space_.branch_of(split.variable, split.value, value);
  }
  void add_leaf(const Node& node, std::span<const double> counts, std::span<const double> towards);

  SplitSpace space_;
  Estimate estimate_;
  std::vector<Node> nodes_;
  std::vector<double> counts_;      // of all nodes, one after the other
  std::vector<double> parameters_;  // likewise
};

}  // namespace learnac
