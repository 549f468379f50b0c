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
  // Only the second branch of value-against-rest can hold several values; those keep their indicators.
  bool is_singleton(std::uint32_t branch) const { return !has_rest_ || branch == 0; }
  bool has_rest() const { return has_rest_; }
  // The branches that the scope has values in; the scope must hold some value of V.
  bool is_in_all(ScopeId scope) const;
  bool is_in(ScopeId scope, std::uint32_t branch) const;
  // The one branch of a scope that is not in all of them.
  std::uint32_t only_branch(ScopeId scope) const;
  // The indicator that stands for a singleton branch.
  IndicatorId indicator(std::uint32_t branch) const;
  // Only a sum that decides V can cost less than nothing when V is split on: its copies are spliced out, and so may be
  // the products below. docs/decisions/0002-edge-cost-bounds.md says why it is no more than this.
  std::int64_t most_saved_at_a_sum() const { return has_rest_ ? 5 : 3 * std::int64_t{size_}; }

 private:
  const Domain& domain_;
  const Scopes& scopes_;
  VariableId variable_;
  std::uint32_t value_;
  std::uint32_t size_;
  bool has_rest_;
};

inline Branches::Branches(const GrowingCircuit& circuit, const Split& split)
    : domain_(circuit.domain()),
      scopes_(circuit.scopes()),
      variable_(split.variable),
      value_(split.value),
      size_(circuit.n_branches(split.variable)),
      has_rest_(circuit.split_kind() == SplitKind::value_against_rest && domain_.arity(split.variable) > 2) {
  // Two values against each other are a complete split, whichever value is named.
  if (!has_rest_) value_ = 0;
}

inline bool Branches::is_in_all(ScopeId scope) const {
  if (scopes_.holds_all(scope, variable_)) return true;
  return has_rest_ && is_in(scope, 0) && is_in(scope, 1);
}

inline bool Branches::is_in(ScopeId scope, std::uint32_t branch) const {
  if (!has_rest_) return scopes_.holds(scope, domain_.indicator(variable_, branch));
  if (branch == 0) return scopes_.holds(scope, domain_.indicator(variable_, value_));
  return scopes_.holds_other(scope, domain_.indicator(variable_, value_));
}

inline std::uint32_t Branches::only_branch(ScopeId scope) const {
  if (has_rest_) return is_in(scope, 0) ? 0 : 1;
  return scopes_.first_value(scope, variable_);
}

inline IndicatorId Branches::indicator(std::uint32_t branch) const {
  return domain_.indicator(variable_, has_rest_ ? value_ : branch);
}

}  // namespace learnac
