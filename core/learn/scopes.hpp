// Scopes: which indicators lie below a node. Equal scopes are shared: a circuit of 10^5 nodes has a few thousand.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ids.hpp"

namespace learnac {

using Word = std::uint64_t;

// Where the indicators of each variable stand in the numbering of all indicators.
class Domain {
 public:
  explicit Domain(std::span<const std::uint32_t> arities);

  std::uint32_t n_variables() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  std::uint32_t n_indicators() const { return first_.back(); }
  std::uint32_t arity(VariableId variable) const { return first_[index(variable) + 1] - first_[index(variable)]; }
  std::uint32_t first(VariableId variable) const { return first_[index(variable)]; }
  IndicatorId indicator(VariableId variable, std::uint32_t value) const {
    return IndicatorId{first_[index(variable)] + value};
  }
  VariableId variable(IndicatorId indicator) const { return variable_[index(indicator)]; }
  std::uint32_t value(IndicatorId indicator) const { return index(indicator) - first(variable(indicator)); }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<VariableId> variable_;
};

// Interned, reference-counted bit sets over indicators. For each variable two planes of bits over scope ids answer
// in one load what walks ask most: does this scope hold any, or every, value of the variable?
class Scopes {
 public:
  explicit Scopes(const Domain& domain);

  // Makes room for so many.
  void reserve(std::size_t n) { bits_.reserve(n * n_words_); }
  // Returns the id of the scope with these bits, counting one more user of it.
  ScopeId acquire(std::span<const Word> bits);
  void acquire(ScopeId scope) { ++users_[index(scope)]; }
  void release(ScopeId scope);

  std::span<const Word> bits(ScopeId scope) const { return {bits_.data() + index(scope) * n_words_, n_words_}; }
  bool holds(ScopeId scope, VariableId variable) const { return test(any_[index(variable)], scope); }
  bool holds_all(ScopeId scope, VariableId variable) const { return test(all_[index(variable)], scope); }
  bool holds(ScopeId scope, IndicatorId indicator) const {
    return (bits(scope)[index(indicator) / 64] >> (index(indicator) % 64)) & 1;
  }
  // Whether it holds a value of the indicator's variable other than that.
  bool holds_other(ScopeId scope, IndicatorId indicator) const {
    const VariableId variable = domain_.variable(indicator);
    const std::uint32_t first = domain_.first(variable), end = first + domain_.arity(variable);
    const std::uint32_t before = next_bit(scope, first);
    return before < end && (before != index(indicator) || next_bit(scope, before + 1) < end);
  }
  // Whether it holds an indicator from `first` on, before `end`.
  bool holds_some(ScopeId scope, std::uint32_t first, std::uint32_t end) const { return next_bit(scope, first) < end; }
  // The plane of bits over scope ids that `holds` reads, for loops that ask about one variable many times.
  std::span<const Word> plane(VariableId variable) const { return any_[index(variable)]; }
  // The only value of the variable in a scope that holds some but not all of a complete split's values.
  std::uint32_t first_value(ScopeId scope, VariableId variable) const;

  std::size_t n_words() const { return n_words_; }
  std::uint32_t n_ids() const { return static_cast<std::uint32_t>(users_.size()); }

 private:
  // The first bit of a scope that is `from` or later; some bit past all indicators if there is none.
  std::uint32_t next_bit(ScopeId scope, std::uint32_t from) const {
    const auto held = bits(scope);
    std::size_t w = from / 64;
    if (w >= n_words_) return from;
    Word word = held[w] & (~Word{0} << (from % 64));
    while (word == 0 && ++w < n_words_) word = held[w];
    return static_cast<std::uint32_t>(w * 64) + (word == 0 ? 0 : static_cast<std::uint32_t>(__builtin_ctzll(word)));
  }
  static bool test(const std::vector<Word>& plane, ScopeId scope) {
    return (plane[index(scope) / 64] >> (index(scope) % 64)) & 1;
  }
  std::uint32_t take_slot();
  template <class Visit>
  void for_each_variable(ScopeId scope, Visit visit) const;
  void describe(ScopeId scope);
  void undescribe(ScopeId scope);

  const Domain& domain_;
  std::size_t n_words_;
  std::vector<Word> bits_;            // n_words_ per scope
  std::vector<std::uint32_t> users_;  // 0: the slot is free
  std::vector<std::uint64_t> hash_;
  std::vector<std::uint32_t> free_;
  std::unordered_multimap<std::uint64_t, ScopeId> by_hash_;
  std::vector<std::vector<Word>> any_;  // per variable, a bit per scope
  std::vector<std::vector<Word>> all_;
};

}  // namespace learnac
