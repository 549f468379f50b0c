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
  std::uint32_t n_chains;
  std::uint32_t n_burn_in;  // iterations of each chain that do not count
  std::uint32_t n_samples;  // iterations of each chain that do
};

struct GibbsCounts {
  std::uint64_t n_matches = 0;           // samples that agree with the query
  std::vector<std::uint64_t> of_values;  // samples with each value of each variable
};

// The trees of a network, and which of them ask which variables. A slot stands for a variable and a tree that asks it;
// the slots of a variable are next to each other, in the order of their trees.
class GibbsSampler {
 public:
  // Of the arrays of a `TreeScores`, with probabilities in place of their logarithms.
  explicit GibbsSampler(const TreeScores::Arrays& arrays);

  std::size_t n_variables() const { return arities_.size(); }
  std::uint32_t arity(std::size_t variable) const { return arities_[variable]; }

  // An iteration draws each variable without evidence in turn, given all others. Codes are -1 where nothing is known or
  // asked. Every chain starts at a random state.
  GibbsCounts run(std::span<const std::int32_t> evidence, std::span<const std::int32_t> query,
                  const GibbsSettings& settings, std::uint64_t seed, const std::function<bool()>& should_stop) const;

 private:
  friend class GibbsChain;

  struct Node {
    std::int32_t variable;  // -1 at a leaf
    std::uint32_t first_route;
    std::uint32_t slot;
  };
  struct Slot {
    std::uint32_t tree;
    std::size_t first_leaf;  // where its leaves begin, one for each value of the variable
  };
  struct Tree {
    std::uint32_t first_node;
    std::size_t first_parameter;
  };

  std::vector<std::uint32_t> arities_;
  std::vector<Tree> trees_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> routes_;
  std::vector<double> parameters_;
  std::vector<std::uint32_t> first_slot_;  // of each variable, and one more
  std::vector<Slot> slots_;
  std::size_t n_leaves_ = 0;  // of all slots
};

}  // namespace learnac
