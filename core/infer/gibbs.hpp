// Gibbs sampling in a network of trees: approximate, slow, and here only to be compared with (section 5.3 of the
// paper).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "infer/tree_scores.hpp"

namespace learnac {

struct GibbsSettings {
  std::uint32_t n_chains;   // of each row
  std::uint32_t n_burn_in;  // iterations of each chain that do not count
  std::uint32_t n_samples;  // iterations of each chain that do
};

// Codes are (variables x n_rows), -1 where nothing is known or asked. Each row has a seed of its own.
struct GibbsRows {
  std::span<const std::int32_t> evidence;
  std::span<const std::int32_t> query;
  std::span<const std::uint64_t> seeds;
};

struct GibbsCounts {
  std::vector<std::uint64_t> matches;    // of each row: samples that agree with its query
  std::vector<std::uint64_t> of_values;  // samples of all rows with each value of each variable
};

// The trees of a network, and which of them ask which variables. A node with several branches is a chain of nodes here
// that have two. A slot stands for a variable and a tree that asks it; the slots of a variable are next to each other.
class GibbsSampler {
 public:
  // Logarithms of parameters may be -infinity.
  explicit GibbsSampler(const TreeScores::Arrays& arrays);

  std::size_t n_variables() const { return trees_.size(); }
  std::uint32_t arity(std::size_t variable) const { return trees_[variable].arity; }

  // An iteration draws each variable without evidence in turn, given all others. Every chain starts at a random state,
  // and draws what it would draw alone.
  GibbsCounts run(const GibbsRows& rows, const GibbsSettings& settings, const std::function<bool()>& should_stop) const;

 private:
  friend class GibbsChains;

  static constexpr std::uint32_t leaf = ~std::uint32_t{0};

  struct Tree {
    std::uint32_t arity;
    std::uint32_t first_indicator;  // of its child's values, among those of all variables
    std::uint32_t root;
  };
  // Goes to `yes` if the variable has one of the values, else to `no`.
  struct Node {
    std::uint32_t variable;  // or `leaf`
    std::uint32_t first_value, n_values;
    std::uint32_t yes, no;
    std::size_t first_parameter;  // of a leaf
  };
  struct Slot {
    std::uint32_t tree;
    std::size_t first_above;  // where `is_above_` has the nodes of the tree
  };

  std::size_t n_indicators() const { return trees_.empty() ? 0 : trees_.back().first_indicator + trees_.back().arity; }
  void add_tree(const TreeScores::Arrays& arrays, std::uint32_t tree, std::size_t first_parameter);
  void add_slots(std::uint32_t tree, std::vector<std::vector<Slot>>& slots_of);

  std::vector<Tree> trees_;
  std::vector<Node> nodes_;            // of one tree after the other, parents before their children
  std::vector<std::uint32_t> values_;  // indicators
  std::vector<double> log_parameters_;
  std::vector<std::uint32_t> first_slot_;  // of each variable, and one more
  std::vector<Slot> slots_;
  std::vector<std::uint8_t> is_above_;  // nodes that ask the variable of a slot, or have one below that does
};

}  // namespace learnac
