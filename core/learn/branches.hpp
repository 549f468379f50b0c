// The branches of a split, and which of them a part of the circuit belongs to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learn/growing_circuit.hpp"

namespace learnac {

// Which branches of a split a node takes part in, read off the values of V in its scope.
class Branches {
 public:
  Branches(const GrowingCircuit& circuit, const Split& split);

  std::uint32_t size() const { return size_; }
  std::size_t n_words() const { return (size_ + 63) / 64; }
  // Whether some branch holds several values. There are two branches then, and those values keep their indicators.
  bool groups_values() const { return groups_values_; }
  bool is_singleton(std::uint32_t branch) const { return !groups_values_ || is_singleton_[branch]; }
  std::uint32_t n_singletons() const { return groups_values_ ? is_singleton_[0] + is_singleton_[1] : size_; }
  // The branch of a value of V.
  std::uint32_t branch_of(std::uint32_t value) const { return space_.branch_of(variable_, value_, value); }
  // The branches that the scope has values in; the scope must hold some value of V.
  bool is_in_all(ScopeId scope) const;
  bool is_in(ScopeId scope, std::uint32_t branch) const;
  // The one branch of a scope that is not in all of them.
  std::uint32_t only_branch(ScopeId scope) const;
  // Whether a scope lies inside a branch that keeps its indicators: there is nothing to condition on.
  bool keeps(ScopeId scope) const {
    if (!groups_values_) return false;
    return is_in(scope, 0) ? !is_singleton_[0] && !is_in(scope, 1) : !is_singleton_[1];
  }
  // The indicator that stands for a singleton branch.
  IndicatorId indicator(std::uint32_t branch) const;
  // Only a sum that decides V can cost less than nothing when V is split on: its copies are spliced out, and so may be
  // the products below. docs/decisions/0002-edge-cost-bounds.md says why it is no more than this.
  std::int64_t most_saved_at_a_sum() const {
    return groups_values_ ? 4 + std::int64_t{n_singletons()} : 3 * std::int64_t{size_};
  }

 private:
  const SplitSpace& space_;
  const Domain& domain_;
  const Scopes& scopes_;
  VariableId variable_;
  std::uint32_t value_;
  std::uint32_t size_;
  bool groups_values_;
  bool is_ordered_ = false;
  bool is_singleton_[2] = {true, false};  // if values are grouped
};

inline Branches::Branches(const GrowingCircuit& circuit, const Split& split)
    : space_(circuit.space()),
      domain_(circuit.domain()),
      scopes_(circuit.scopes()),
      variable_(split.variable),
      value_(split.value),
      size_(circuit.n_branches(split.variable)),
      groups_values_(space_.groups_values(split.variable)) {
  // Two values against each other are a complete split, whichever value is named.
  if (!groups_values_) {
    value_ = 0;
  } else if (space_.is_ordered(variable_)) {
    is_ordered_ = true;
    is_singleton_[0] = value_ == 0;
    is_singleton_[1] = value_ + 2 == domain_.arity(variable_);
  }
}

inline bool Branches::is_in_all(ScopeId scope) const {
  if (scopes_.holds_all(scope, variable_)) return true;
  return groups_values_ && is_in(scope, 0) && is_in(scope, 1);
}

inline bool Branches::is_in(ScopeId scope, std::uint32_t branch) const {
  if (!groups_values_) return scopes_.holds(scope, domain_.indicator(variable_, branch));
  if (is_ordered_) {
    const std::uint32_t first = domain_.first(variable_), above = first + value_ + 1;
    return branch == 0 ? scopes_.holds_some(scope, first, above)
                       : scopes_.holds_some(scope, above, first + domain_.arity(variable_));
  }
  if (branch == 0) return scopes_.holds(scope, domain_.indicator(variable_, value_));
  return scopes_.holds_other(scope, domain_.indicator(variable_, value_));
}

inline std::uint32_t Branches::only_branch(ScopeId scope) const {
  if (groups_values_) return is_in(scope, 0) ? 0 : 1;
  return scopes_.first_value(scope, variable_);
}

inline IndicatorId Branches::indicator(std::uint32_t branch) const {
  return domain_.indicator(variable_, groups_values_ ? value_ + branch : branch);
}

}  // namespace learnac
