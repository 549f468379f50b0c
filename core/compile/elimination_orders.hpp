// Orders in which the variables of a network can be eliminated, and how many states they imply.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace learnac {

enum class EliminationRule : std::uint8_t {
  fewest_fill = 0,    // the variable whose neighbours lack the fewest links between each other
  lightest_fill = 1,  // the same, each link counted by the values of its ends
  fewest_states = 2,  // the variable with the fewest states together with its neighbours
  dissection = 3,     // halves of the graph first, then the variables that hold them together
};

struct EliminationOrder {
  std::vector<std::uint32_t> variables;
  double log2_states;  // of all cliques together
};

// The variables of each family (a child and its parents) are neighbours: family i has those from first_members[i] to
// first_members[i + 1]. Ties are broken at random, by the seed.
EliminationOrder elimination_order(std::span<const std::uint32_t> arities, std::span<const std::uint32_t> first_members,
                                   std::span<const std::uint32_t> members, EliminationRule rule, std::uint64_t seed);

}  // namespace learnac
