// The passes over a program, for a block of rows at a time: which nodes are alive, values upwards, derivatives
// downwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "infer/lanes.hpp"
#include "infer/program.hpp"

namespace learnac {

// The indicators of some rows, one row a lane, and what the passes have found for them.
template <class Lanes>
struct Block {
  explicit Block(const Program& program)
      : program(program),
        indicators(program.n_indicators()),
        is_open(program.n_indicators()),
        n_open(program.n_variables()),
        n_open_before(program.n_indicators() + 1),
        is_alive((program.n_nodes() + 63) / 64),
        values(program.n_nodes()) {
    alive.reserve(program.n_nodes());
  }

  void open_everything() {
    for (Lanes& indicator : indicators) fill(indicator, {1, 0});
    count_open();
  }

  // To be called whenever the indicators have changed.
  void count_open();

  // Finds the nodes that some row needs: from the root down, leaving out the terms that are zero in all rows because of
  // the variable that their node decides.
  void mark();
  // After that, if no evidence is soft and all lanes have the same.
  void mark_terms();

  bool is_node_alive(std::uint32_t node) const { return (is_alive[node / 64] >> (node % 64) & 1) != 0; }

  // Whether some gate of a term is open, as far as they are known.
  bool may_count(const Term& term) const {
    return term.n_gates == 0 || n_open_before[term.gate + term.n_gates] > n_open_before[term.gate];
  }

  // Whether a term of a node that is alive counts. One without a single gate may count even if it is zero: then all
  // that it needs is alive for another's sake.
  bool is_term_alive(const Term& term) const {
    if (term.n_gates == 1) return is_open[term.gate] != 0;
    if (!may_count(term)) return false;
    const std::uint32_t* edges = program.edges(term);
    for (std::uint32_t e = term.n_indicators; e < term.n_edges; ++e)
      if (!is_node_alive(edges[e])) return false;
    return true;
  }

  const Program& program;
  // Of terms, where each lane has its own, as components of a mixture do; otherwise those of the program are used.
  const Lanes* constants = nullptr;
  // Where lanes have constants of their own and the same evidence, none of it soft: which terms of nodes that are alive
  // have no indicator that is 0. All of theirs are 1, and need not be multiplied.
  bool indicators_are_one = false;
  std::vector<std::uint8_t> term_counts;
  std::vector<Lanes> indicators;
  std::vector<std::uint8_t> is_open;         // whether an indicator is not zero in all rows
  std::vector<std::uint32_t> n_open;         // open indicators of each variable
  std::vector<std::uint32_t> n_open_before;  // open indicators of smaller number than each, and than the end
  std::vector<std::uint64_t> is_alive;
  std::vector<std::uint32_t> alive;  // nodes, from the root down
  std::vector<Lanes> values;
  std::vector<Lanes> derivatives;            // of the root by each node's value; made by the first downward pass
  std::vector<Lanes> indicator_derivatives;  // of the root by each indicator
  std::vector<Lanes> prefixes;               // of the term at hand
};

template <class Lanes>
void Block<Lanes>::count_open() {
  for (std::uint32_t v = 0; v < program.n_variables(); ++v) {
    n_open[v] = 0;
    for (std::uint32_t i = program.first_indicator(v); i < program.first_indicator(v + 1); ++i) {
      bool is_nonzero = false;
      for (int l = 0; l < Lanes::n_lanes; ++l) is_nonzero |= indicators[i].mantissa[l] != 0;
      is_open[i] = is_nonzero;
      n_open[v] += is_nonzero;
      n_open_before[i + 1] = n_open_before[i] + is_nonzero;
    }
  }
}

template <class Lanes>
void Block<Lanes>::mark_terms() {
  indicators_are_one = true;
  term_counts.resize(program.n_terms());
  for (const std::uint32_t i : alive) {
    const ProgramNode& node = program.node(i);
    for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
      const Term& term = program.term(t);
      const std::uint32_t* edges = program.edges(term);
      bool counts = is_term_alive(term);
      for (std::uint32_t e = 0; e < term.n_indicators; ++e) counts &= is_open[edges[e]] != 0;
      term_counts[t] = counts;
    }
  }
}

template <class Lanes>
void Block<Lanes>::mark() {
  indicators_are_one = false;
  const auto set = [&](std::uint32_t node) { is_alive[node / 64] |= std::uint64_t{1} << (node % 64); };
  const auto needs = [&](const Term& term) {
    const std::uint32_t* edges = program.edges(term);
    for (std::uint32_t e = term.n_indicators; e < term.n_edges; ++e) set(edges[e]);
  };
  std::fill(is_alive.begin(), is_alive.end(), 0);
  alive.clear();
  set(program.root());
  for (std::size_t word = is_alive.size(); word-- > 0;) {
    std::uint64_t below = ~std::uint64_t{0};  // Children have smaller numbers: bits yet to come lie below.
    while (const std::uint64_t bits = is_alive[word] & below) {
      const int bit = 63 - std::countl_zero(bits);
      below = (std::uint64_t{1} << bit) - 1;
      const std::uint32_t i = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(bit));
      alive.push_back(i);
      const ProgramNode& node = program.node(i);
      std::uint32_t n_through = 0;
      bool has_others = false;
      for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
        const Term& term = program.term(t);
        has_others |= term.n_gates != 1;
        if (term.n_gates != 1 || !is_open[term.gate]) continue;
        needs(term);
        ++n_through;
      }
      // The terms of such a sum have disjoint values: what is open belongs to no two of them.
      if (has_others && (node.decided == nothing || n_through < n_open[node.decided]))
        for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t)
          if (program.term(t).n_gates != 1 && may_count(program.term(t))) needs(program.term(t));
    }
  }
}

// For each kind of lanes:
// - `upward` finds the values of all nodes that are alive, the root's being the probability of what the indicators
// allow;
// - `upward_maximum` does so with maxima for sums: the probability of the most probable world they allow;
// - `downward` finds, after `upward`, the derivatives of the root by each indicator, only through nodes that are in
//   `within` if that is given;
// - `add_downward` does so with a weight for each lane, and adds what it finds to the derivatives by indicators;
// - `add_expected_terms` adds, after both passes, each term times its derivative to `counts`, summed over the lanes
// with
//   their scales: with one over the root, the probability of the term given the evidence;
// - `term_value` is the value of one term, after an upward pass.
#define LEARNAC_DECLARE_PASSES(Lanes)                                                                                \
  void upward(const Program& program, Block<Lanes>& block);                                                          \
  void upward_maximum(const Program& program, Block<Lanes>& block);                                                  \
  void downward(const Program& program, Block<Lanes>& block, const std::uint64_t* within);                           \
  void add_downward(const Program& program, Block<Lanes>& block, const std::uint64_t* within, const Lanes& weights); \
  void add_expected_terms(const Program& program, const Block<Lanes>& block, const Lanes& scales,                    \
                          std::span<double> counts);                                                                 \
  Lanes term_value(const Program& program, const Block<Lanes>& block, std::uint32_t term);

LEARNAC_DECLARE_PASSES(Linear<1>)
LEARNAC_DECLARE_PASSES(Linear<2>)
LEARNAC_DECLARE_PASSES(Linear<8>)
LEARNAC_DECLARE_PASSES(Linear<16>)
LEARNAC_DECLARE_PASSES(Wide<1>)
LEARNAC_DECLARE_PASSES(Wide<8>)
LEARNAC_DECLARE_PASSES(Wide<16>)

#undef LEARNAC_DECLARE_PASSES

}  // namespace learnac
