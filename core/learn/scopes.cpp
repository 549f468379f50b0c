#include "learn/scopes.hpp"

#include <algorithm>
#include <cassert>

namespace learnac {

Domain::Domain(std::span<const std::uint32_t> arities) : first_(1, 0) {
  for (std::uint32_t variable = 0; variable < arities.size(); ++variable) {
    first_.push_back(first_.back() + arities[variable]);
    variable_.insert(variable_.end(), arities[variable], VariableId{variable});
  }
}

Scopes::Scopes(const Domain& domain)
    : domain_(domain),
      n_words_((domain.n_indicators() + 63) / 64),
      any_(domain.n_variables()),
      all_(domain.n_variables()) {}

static std::uint64_t hash_of(std::span<const Word> bits) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const Word word : bits) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

ScopeId Scopes::acquire(std::span<const Word> wanted) {
  const std::uint64_t hash = hash_of(wanted);
  for (auto [it, end] = by_hash_.equal_range(hash); it != end; ++it) {
    if (std::ranges::equal(bits(it->second), wanted)) {
      ++users_[index(it->second)];
      return it->second;
    }
  }
  const std::uint32_t slot = take_slot();
  const ScopeId scope{slot};
  std::ranges::copy(wanted, bits_.begin() + static_cast<std::ptrdiff_t>(slot * n_words_));
  users_[slot] = 1;
  hash_[slot] = hash;
  by_hash_.emplace(hash, scope);
  describe(scope);
  return scope;
}

void Scopes::release(ScopeId scope) {
  assert(users_[index(scope)] > 0);
  if (--users_[index(scope)] > 0) return;
  for (auto [it, end] = by_hash_.equal_range(hash_[index(scope)]); it != end; ++it) {
    if (it->second == scope) {
      by_hash_.erase(it);
      break;
    }
  }
  undescribe(scope);
  free_.push_back(index(scope));
}

std::uint32_t Scopes::take_slot() {
  if (!free_.empty()) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  const auto slot = static_cast<std::uint32_t>(users_.size());
  users_.push_back(0);
  hash_.push_back(0);
  bits_.resize(bits_.size() + n_words_);
  if (slot % 64 == 0) {
    for (auto& plane : any_) plane.push_back(0);
    for (auto& plane : all_) plane.push_back(0);
  }
  return slot;
}

// Bits first, first + 1, ..., first + count - 1 of a set: how many are there?
static std::uint32_t count_bits(std::span<const Word> bits, std::uint32_t first, std::uint32_t count) {
  std::uint32_t total = 0;
  for (std::uint32_t bit = first; bit < first + count;) {
    const std::uint32_t offset = bit % 64;
    const std::uint32_t width = std::min(64 - offset, first + count - bit);
    const Word mask = (width == 64 ? ~Word{0} : (Word{1} << width) - 1) << offset;
    total += static_cast<std::uint32_t>(__builtin_popcountll(bits[bit / 64] & mask));
    bit += width;
  }
  return total;
}

// Calls visit(variable, number of its values that are held) for the variables of a scope: most hold few of them.
template <class Visit>
void Scopes::for_each_variable(ScopeId scope, Visit visit) const {
  const auto held = bits(scope);
  std::uint32_t end = 0;
  for (std::uint32_t bit = next_bit(scope, 0); bit < domain_.n_indicators(); bit = next_bit(scope, end)) {
    const VariableId variable = domain_.variable(IndicatorId{bit});
    end = domain_.first(variable) + domain_.arity(variable);
    visit(variable, count_bits(held, bit, end - bit));
  }
}

// The planes say nothing of a scope that has no users.
void Scopes::describe(ScopeId scope) {
  const Word bit = Word{1} << (index(scope) % 64);
  const std::size_t word = index(scope) / 64;
  for_each_variable(scope, [&](VariableId variable, std::uint32_t n_held) {
    any_[index(variable)][word] |= bit;
    if (n_held == domain_.arity(variable)) all_[index(variable)][word] |= bit;
  });
}

void Scopes::undescribe(ScopeId scope) {
  const Word bit = Word{1} << (index(scope) % 64);
  const std::size_t word = index(scope) / 64;
  for_each_variable(scope, [&](VariableId variable, std::uint32_t) {
    any_[index(variable)][word] &= ~bit;
    all_[index(variable)][word] &= ~bit;
  });
}

std::uint32_t Scopes::first_value(ScopeId scope, VariableId variable) const {
  return next_bit(scope, domain_.first(variable)) - domain_.first(variable);
}

}  // namespace learnac
