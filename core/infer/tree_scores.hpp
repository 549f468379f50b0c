// Complete rows need no circuit: their log-likelihood is a sum of one entry from each tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace learnac {

// Nodes of all trees, one tree after the other, its root first. An inner node sends a row to
// routes[first_route + code of its variable]; a leaf has log_parameters[first_parameter + code of the tree's child].
class TreeScores {
 public:
  struct Arrays {
    std::span<const std::uint32_t> arities;      // of the variables; tree i is that of variable i
    std::span<const std::uint32_t> first_nodes;  // one more than there are trees
    std::span<const std::int32_t> variables;     // of each node, -1 at a leaf
    std::span<const std::uint32_t> first_route;  // of each inner node
    std::span<const std::uint32_t> routes;       // nodes, numbered within their tree
    std::span<const double> log_parameters;      // (nodes x arity) of each tree
  };

  // Throws std::invalid_argument for arrays that are no trees.
  explicit TreeScores(const Arrays& arrays);

  std::size_t n_variables() const { return trees_.size(); }
  std::uint32_t arity(std::size_t variable) const { return trees_[variable].arity; }

  // Codes are (variables x n_rows), each below its arity. Scores rows first to end, 64 at a time: a word says which of
  // them are at a node, so that a node without rows, and all below it, costs nothing.
  template <class Code>
  void score(const Code* codes, std::size_t n_rows, std::size_t first, std::size_t end, double* scores) const;

 private:
  struct Tree {
    std::uint32_t first_node;
    std::uint32_t arity;
    std::size_t first_parameter;
  };
  // A leaf has no branches.
  struct Node {
    std::uint32_t first_branch;
    std::uint32_t n_branches;
  };
  // Where rows with one of these values go. The last branch of a node has no values: it takes all rows that are left.
  struct Branch {
    std::uint32_t to;
    std::uint32_t first_value;
    std::uint32_t n_values;
  };
  struct Rows {
    std::uint32_t node;
    std::uint64_t which;
  };

  void add_branches(const Arrays& arrays, std::uint32_t node);
  void score_word(const std::uint64_t* rows_with, std::vector<Rows>& pending, double* scores) const;

  std::vector<std::uint32_t> first_indicator_;
  std::vector<Tree> trees_;
  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  std::vector<std::uint32_t> values_;  // indicators
  std::vector<double> log_parameters_;
};

}  // namespace learnac
