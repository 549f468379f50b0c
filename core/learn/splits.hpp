// What a split is, and how it deals the values of its variable out to branches. The twin of
// src/learnac/learn/splits.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/scopes.hpp"

namespace learnac {

// How the values of a split's variable are dealt out to its branches.
enum class SplitKind : std::uint8_t {
  complete,  // one branch for each value
  binary,  // two branches: one value against the rest, or, of an ordered variable, those up to a value and those above
};

struct Split {
  LeafId leaf{};
  VariableId variable{};
  std::uint32_t value =
      0;  // of a binary split: the only value of branch 0, or the last one, if the variable is ordered

  friend bool operator==(const Split&, const Split&) = default;
};

// Which splits there can be.
class SplitSpace {
 public:
  // `ordered` has a byte for each variable, or none if no variable is ordered.
  SplitSpace(std::span<const std::uint32_t> arities, SplitKind kind, std::span<const std::uint8_t> ordered = {})
      : domain_(arities), kind_(kind), is_ordered_(ordered.begin(), ordered.end()) {
    is_ordered_.resize(arities.size(), 0);
  }

  const Domain& domain() const { return domain_; }
  SplitKind kind() const { return kind_; }
  bool is_ordered(VariableId variable) const { return is_ordered_[index(variable)] != 0; }
  std::uint32_t n_branches(VariableId variable) const {
    return kind_ == SplitKind::complete ? domain_.arity(variable) : 2;
  }
  // Whether some branch of a split on the variable holds several values. Two values against each other are a complete
  // split, whichever value is named.
  bool groups_values(VariableId variable) const { return kind_ == SplitKind::binary && domain_.arity(variable) > 2; }
  // The branch that a value of the split's variable goes to.
  std::uint32_t branch_of(VariableId variable, std::uint32_t split_value, std::uint32_t value) const {
    if (!groups_values(variable)) return value;
    return is_ordered(variable) ? value > split_value : value != split_value;
  }
  // Whether the split parts the values at all: above its last value there is nothing.
  bool parts_values(VariableId variable, std::uint32_t split_value) const {
    return !groups_values(variable) || !is_ordered(variable) || split_value + 1 < domain_.arity(variable);
  }

 private:
  Domain domain_;
  SplitKind kind_;
  std::vector<std::uint8_t> is_ordered_;
};

}  // namespace learnac
