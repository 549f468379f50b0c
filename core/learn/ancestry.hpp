// Which variables descend from which in the network: a split that would close a cycle is not valid (Definition 2).
#pragma once

#include <cstdint>
#include <vector>

#include "learn/growing_circuit.hpp"

namespace learnac {

class Ancestry {
 public:
  explicit Ancestry(std::uint32_t n_variables)
      : n_variables_(n_variables),
        n_words_((n_variables + 63) / 64),
        descendants_(std::size_t{n_variables} * n_words_, 0) {
    for (std::uint32_t v = 0; v < n_variables; ++v) row(v)[v / 64] |= std::uint64_t{1} << (v % 64);
  }

  // Whether `variable` may become a parent of `child`. Every variable counts as its own descendant.
  bool may_be_parent(VariableId variable, VariableId child) const {
    return !is_descendant(index(variable), index(child));
  }

  void add_arc(VariableId parent, VariableId child) {
    if (is_descendant(index(child), index(parent))) return;
    const std::uint64_t* below = row(index(child));
    for (std::uint32_t v = 0; v < n_variables_; ++v) {
      if (!is_descendant(index(parent), v)) continue;
      std::uint64_t* bits = row(v);
      for (std::size_t w = 0; w < n_words_; ++w) bits[w] |= below[w];
    }
  }

 private:
  std::uint64_t* row(std::uint32_t v) { return descendants_.data() + v * n_words_; }
  bool is_descendant(std::uint32_t variable, std::uint32_t of) const {
    return (descendants_[of * n_words_ + variable / 64] >> (variable % 64)) & 1;
  }

  std::uint32_t n_variables_;
  std::size_t n_words_;
  std::vector<std::uint64_t> descendants_;  // n_variables x n_words
};

// Whether a split is of a leaf and a variable that there are, and would close no cycle.
inline bool may_split(const GrowingCircuit& circuit, const Ancestry& ancestry, const Split& split) {
  if (index(split.leaf) >= circuit.n_leaves() || index(split.variable) >= circuit.domain().n_variables()) return false;
  const Leaf& leaf = circuit.leaf(split.leaf);
  return !leaf.is_split && leaf.child != split.variable && ancestry.may_be_parent(split.variable, leaf.child);
}

}  // namespace learnac
