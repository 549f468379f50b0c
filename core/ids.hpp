// The ids that cross every border of the core: 32-bit, each with its own type.
#pragma once

#include <cstdint>

namespace learnac {

enum class NodeId : std::uint32_t {};
enum class LeafId : std::uint32_t {};
enum class ScopeId : std::uint32_t {};
enum class VariableId : std::uint32_t {};
// One per (variable, value), numbered variable by variable.
enum class IndicatorId : std::uint32_t {};
// One per (leaf, value of its child variable), numbered leaf by leaf.
enum class ParameterId : std::uint32_t {};

template <class AnyId>
constexpr std::uint32_t index(AnyId id) {
  return static_cast<std::uint32_t>(id);
}

inline constexpr NodeId no_node{0xffffffffu};

// A child link: to an inner node or parameter node, or to an indicator. Indicators need no node of their own,
// because nothing ever walks up from one.
class Ref {
 public:
  Ref() = default;
  constexpr Ref(NodeId node) : bits_(index(node)) {}
  constexpr Ref(IndicatorId indicator) : bits_(index(indicator) | indicator_bit) {}

  constexpr bool is_indicator() const { return (bits_ & indicator_bit) != 0; }
  constexpr NodeId node() const { return NodeId{bits_}; }
  constexpr IndicatorId indicator() const { return IndicatorId{bits_ & ~indicator_bit}; }
  constexpr std::uint32_t bits() const { return bits_; }
  static constexpr Ref from_bits(std::uint32_t bits) {
    Ref ref;
    ref.bits_ = bits;
    return ref;
  }
  friend constexpr bool operator==(Ref, Ref) = default;

 private:
  static constexpr std::uint32_t indicator_bit = 0x80000000u;
  std::uint32_t bits_ = 0;
};

}  // namespace learnac
