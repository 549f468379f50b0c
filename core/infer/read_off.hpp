// What is read off when the passes are done, of one circuit or of components together.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "infer/passes.hpp"

namespace learnac {

// Posteriors of the values of some variables, from `joint(indicator)`, the probability of the evidence and the value;
// NaN where the evidence is impossible. By smoothness, the sum over a variable's values is the root: dividing by it
// leaves no rounding in the total.
template <class Joint>
void write_posteriors(const Program& program, std::span<const std::uint32_t> variables, Scalar root, Joint joint,
                      double* out) {
  for (const std::uint32_t v : variables) {
    const std::uint32_t first = program.first_indicator(v), arity = program.arity(v);
    double total = 0;
    for (std::uint32_t k = 0; k < arity; ++k)
      total += out[k] = root.mantissa == 0 ? std::numeric_limits<double>::quiet_NaN() : ratio(joint(first + k), root);
    for (std::uint32_t k = 0; k < arity; ++k) out[k] /= total;
    out += arity;
  }
}

// What is impossible has no part in a mean.
inline double log_or_zero(Scalar x) { return x.mantissa == 0 ? 0 : log_of(x); }

// The mean of the logarithm of the worlds' terms in one lane, after both passes. A world's term is a product of
// constants: each counts as often as it is expected to be in the term.
template <class Lanes>
double mean_log_of_terms(const Block<Lanes>& block, int l, Scalar root) {
  const Program& program = block.program;
  double mean = 0;
  for (const std::uint32_t i : block.alive)
    for (std::uint32_t t = program.node(i).first_term; t < program.node(i).first_term + program.node(i).n_terms; ++t) {
      const Scalar constant = block.constants == nullptr ? program.constant(t) : lane(block.constants[t], l);
      if (constant.mantissa == 0 || !block.is_term_alive(program.term(t))) continue;
      const Scalar joint = product(lane(term_value(program, block, t), l), lane(block.derivatives[i], l));
      mean += ratio(joint, root) * log_of(constant);
    }
  return mean;
}

}  // namespace learnac
