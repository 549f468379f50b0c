// A network of tree CPDs, compiled in a given order of its variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/conditioning.hpp"
#include "compile/finish.hpp"

namespace learnac {

// As `TreeScores::Arrays`, with probabilities.
struct NetworkArrays {
  std::span<const std::uint32_t> arities;
  std::span<const std::uint32_t> first_nodes;
  std::span<const std::int32_t> variables;
  std::span<const std::uint32_t> first_route;
  std::span<const std::uint32_t> routes;
  std::span<const double> parameters;
};

struct CompiledNetwork {
  CompileEnd end;
  bool is_impossible;                 // what is given has probability zero
  std::size_t n_edges;                // that were made, some of which may not be in the circuit
  std::size_t n_parts;                // different parts of the network that were met
  CompiledArrays circuit;             // empty unless the end is `done`
  std::vector<std::int32_t> origins;  // of its parameters: variable, node of its tree, value
};

// `order` has the variables in the order in which they are decided. `given` are codes, -1 where nothing is known: the
// circuit is then that of P(the rest and what is given). Parameters of one tree that are equal become one parameter,
// and what is multiplied by zero is left out.
CompiledNetwork compile_network(const NetworkArrays& network, std::span<const std::uint32_t> order,
                                std::span<const std::int32_t> given, const CompileBudget& budget);

}  // namespace learnac
