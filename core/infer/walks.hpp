// Ways down a program after an upward pass: one term of each node from the root on, which together are a world.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "infer/evidence.hpp"
#include "infer/passes.hpp"
#include "random.hpp"

namespace learnac {

template <class Lanes>
Scalar root_of(const Block<Lanes>& block, int l) {
  return lane(block.values[block.program.root()], l);
}

// Writes the world of the terms that `choose` takes into a row of a table; `variable_of` is that of each indicator.
template <class Lanes, class Choose>
void write_world(const Block<Lanes>& block, std::vector<std::uint32_t>& stack, Choose choose, const WorldTable& worlds,
                 std::size_t row, std::span<const std::uint32_t> variable_of) {
  const Program& program = block.program;
  stack.assign(1, program.root());
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    const Term& term = program.term(choose(node));
    const std::uint32_t* edges = program.edges(term);
    for (std::uint32_t e = 0; e < term.n_indicators; ++e) {
      const std::uint32_t v = variable_of[edges[e]];
      worlds.set(v, row, edges[e] - program.first_indicator(v));
    }
    stack.insert(stack.end(), edges + term.n_indicators, edges + term.n_edges);
  }
}

// The largest term of a node; of several the first.
template <class Lanes>
std::uint32_t best_term(const Block<Lanes>& block, int l, std::uint32_t i) {
  const ProgramNode& node = block.program.node(i);
  std::uint32_t best = node.first_term;
  if (node.n_terms == 1) return best;
  Scalar best_value{};
  for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
    if (!block.is_term_alive(block.program.term(t))) continue;
    const Scalar value = lane(term_value(block.program, block, t), l);
    if (!is_less(best_value, value)) continue;
    best = t;
    best_value = value;
  }
  return best;
}

// A term of a node in proportion to its value.
template <class Lanes>
std::uint32_t random_term(const Block<Lanes>& block, int l, std::uint32_t i, Random& random) {
  const ProgramNode& node = block.program.node(i);
  if (node.n_terms == 1) return node.first_term;
  const Scalar total = lane(block.values[i], l);
  double left = random.uniform();
  std::uint32_t chosen = node.first_term;
  for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms && left >= 0; ++t) {
    if (!block.is_term_alive(block.program.term(t))) continue;
    const double share = ratio(lane(term_value(block.program, block, t), l), total);
    if (share == 0) continue;
    chosen = t;
    left -= share;
  }
  return chosen;
}

}  // namespace learnac
