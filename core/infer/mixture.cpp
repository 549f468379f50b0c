#include "infer/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "infer/parallel.hpp"
#include "infer/read_off.hpp"
#include "infer/walks.hpp"

namespace learnac {
namespace {

// Lanes from the first to the last, so that the sum is always rounded alike.
Scalar sum_of(const Linear<component_lanes>& x) {
  double sum = 0;
  for (const double value : x.mantissa) sum += value;
  return {sum, 0};
}

Scalar sum_of(const Wide<component_lanes>& x) {
  Wide<1> sum, one;
  fill(sum, {0, 0});
  for (int l = 0; l < component_lanes; ++l) {
    one.mantissa[0] = x.mantissa[l];
    one.exponent[0] = x.exponent[l];
    add(sum, one);
  }
  return lane(sum, 0);
}

}  // namespace

// What a row's passes over all components leave: the workspace of a thread, in one kind of numbers.
template <class Lanes>
struct MixtureEvaluator::Components {
  Components(const MixtureEvaluator& mixture, const Lanes* constants, const Lanes* weights)
      : mixture(mixture), block(mixture.program_), constants(constants), weights(weights), roots(mixture.n_blocks()) {}

  // Evidence of a row, alike in all lanes.
  void load_row(const Evidence& evidence, std::size_t row) {
    load(block, evidence, std::span<const std::size_t>(&row, 1));
    block.mark();
    if (evidence.soft_variables.empty()) block.mark_terms();
  }

  void choose(std::size_t b) { block.constants = constants + b * mixture.program_.n_terms(); }

  // Does a pass for each block of components, then something with it; returns the weighted sum of their roots.
  template <class Pass, class Then>
  Scalar each(Pass pass, Then then) {
    Lanes total;
    fill(total, {0, 0});
    for (std::size_t b = 0; b < roots.size(); ++b) {
      choose(b);
      pass(mixture.program_, block);
      roots[b] = block.values[mixture.program_.root()];
      multiply(roots[b], weights[b]);
      add(total, roots[b]);
      then(b);
    }
    return sum_of(total);
  }

  // Of the root, by component: its weight times its probability.
  Scalar joint(std::size_t component) const {
    return lane(roots[component / component_lanes], static_cast<int>(component % component_lanes));
  }

  const MixtureEvaluator& mixture;
  Block<Lanes> block;
  const Lanes* constants;
  const Lanes* weights;
  std::vector<Lanes> roots;  // times the weights
  std::vector<std::uint32_t> stack;
};

struct MixtureEvaluator::Workspace {
  explicit Workspace(const MixtureEvaluator& mixture)
      : mixture(mixture), linear(mixture, mixture.linear_.data(), mixture.linear_weights_.data()) {}

  Components<Wide<component_lanes>>& wide() {
    if (!wide_)
      wide_ = std::make_unique<Components<Wide<component_lanes>>>(mixture, mixture.wide_.data(),
                                                                  mixture.wide_weights_.data());
    return *wide_;
  }

  const MixtureEvaluator& mixture;
  Components<Linear<component_lanes>> linear;
  std::unique_ptr<Components<Wide<component_lanes>>> wide_;
};

MixtureEvaluator::MixtureEvaluator(const CircuitArrays& arrays, std::span<const double> parameters,
                                   std::span<const double> weights)
    : n_components_(weights.size()), program_([&] {
        CircuitArrays first = arrays;
        first.parameters = parameters.subspan(0, parameters.size() / weights.size());
        return Program(first);
      }()) {
  const std::size_t n_parameters = parameters.size() / n_components_, n_terms = program_.n_terms();
  // Lanes beyond the last component stay zero.
  Linear<component_lanes> zero;
  Wide<component_lanes> wide_zero;
  fill(zero, {0, 0});
  fill(wide_zero, {0, 0});
  linear_.assign(n_blocks() * n_terms, zero);
  wide_.assign(n_blocks() * n_terms, wide_zero);
  linear_weights_.assign(n_blocks(), zero);
  wide_weights_.assign(n_blocks(), wide_zero);
  for (std::size_t k = 0; k < n_components_; ++k) {
    const std::size_t block = k / component_lanes;
    const int l = static_cast<int>(k % component_lanes);
    set_lane(linear_weights_[block], l, weights[k]);
    set_lane(wide_weights_[block], l, weights[k]);
    CircuitArrays own = arrays;
    own.parameters = parameters.subspan(k * n_parameters, n_parameters);
    const Program program(own);
    for (std::uint32_t t = 0; t < n_terms; ++t) {
      set_lane(linear_[block * n_terms + t], l, program.term(t).constant);
      Wide<component_lanes> constant;
      fill(constant, program.constant(t));
      copy_lane(wide_[block * n_terms + t], constant, l);
    }
    // A weighted sum is wrong by no more than the worst of its parts.
    smallest_linear_root_ = std::max(smallest_linear_root_, program.smallest_linear_root());
  }
  for (std::uint32_t v = 0; v < program_.n_variables(); ++v)
    variable_of_.insert(variable_of_.end(), program_.arity(v), v);
}

// A query has `answer(components, row)`, which returns the root, and may be asked again in wide numbers.
template <class Query>
void MixtureEvaluator::run(const Evidence& evidence, const Execution& execution, const Query& query) const {
  constexpr std::size_t rows_at_once = 16;
  const std::size_t n_units = (evidence.n_rows() + rows_at_once - 1) / rows_at_once;
  in_parallel<Workspace>(
      n_units, execution, [&] { return Workspace(*this); },
      [&](Workspace& workspace, std::size_t unit) {
        const std::size_t end = std::min(evidence.n_rows(), (unit + 1) * rows_at_once);
        for (std::size_t row = unit * rows_at_once; row < end; ++row) {
          if (!std::isinf(smallest_linear_root_)) {
            workspace.linear.load_row(evidence, row);
            if (query.answer(workspace.linear, row).mantissa >= smallest_linear_root_) continue;
          }
          workspace.wide().load_row(evidence, row);
          query.answer(workspace.wide(), row);
        }
      });
}

namespace {

struct ComponentLogValues {
  std::span<double> log_values;

  template <class Parts>
  Scalar answer(Parts& parts, std::size_t row) const {
    const Scalar root = parts.each([](auto& program, auto& block) { upward(program, block); }, [](std::size_t) {});
    log_values[row] = log_of(root);
    return root;
  }
};

struct ComponentMarginals {
  std::span<const std::uint32_t> variables;
  const std::uint64_t* within;
  std::span<double> log_values, posteriors;
  std::size_t n_posteriors;  // of a row

  template <class Parts>
  Scalar answer(Parts& parts, std::size_t row) const {
    auto& block = parts.block;
    auto zero = parts.roots[0];
    fill(zero, {0, 0});
    block.indicator_derivatives.assign(block.program.n_indicators(), zero);
    const Scalar root =
        parts.each([](auto& program, auto& block) { upward(program, block); },
                   [&](std::size_t b) { add_downward(block.program, block, within, parts.weights[b]); });
    log_values[row] = log_of(root);
    const auto joint = [&](std::uint32_t i) {
      return product(lane(block.indicators[i], 0), sum_of(block.indicator_derivatives[i]));
    };
    write_posteriors(block.program, variables, root, joint, posteriors.data() + row * n_posteriors);
    return root;
  }
};

struct ComponentPosteriors {
  std::size_t n_components;
  std::span<double> log_values, posteriors;

  template <class Parts>
  Scalar answer(Parts& parts, std::size_t row) const {
    const Scalar root = parts.each([](auto& program, auto& block) { upward(program, block); }, [](std::size_t) {});
    log_values[row] = log_of(root);
    double* const out = posteriors.data() + row * n_components;
    double total = 0;
    for (std::size_t k = 0; k < n_components; ++k)
      total += out[k] = root.mantissa == 0 ? std::numeric_limits<double>::quiet_NaN() : ratio(parts.joint(k), root);
    for (std::size_t k = 0; k < n_components; ++k) out[k] /= total;
    return root;
  }
};

struct ComponentMaximum {
  std::size_t n_components;
  std::span<double> log_values, log_bounds;
  const WorldTable& worlds;
  std::span<const std::uint32_t> variable_of;

  template <class Parts>
  Scalar answer(Parts& parts, std::size_t row) const {
    const auto pass = [](auto& program, auto& block) { upward_maximum(program, block); };
    const Scalar bound = parts.each(pass, [](std::size_t) {});
    log_bounds[row] = log_of(bound);
    std::size_t best = 0;
    for (std::size_t k = 1; k < n_components; ++k)
      if (is_less(parts.joint(best), parts.joint(k))) best = k;
    log_values[row] = log_of(parts.joint(best));
    if (bound.mantissa == 0) return bound;
    parts.choose(best / component_lanes);
    pass(parts.block.program, parts.block);
    const int l = static_cast<int>(best % component_lanes);
    const auto best_of = [&](std::uint32_t node) { return best_term(parts.block, l, node); };
    write_world(parts.block, parts.stack, best_of, worlds, row, variable_of);
    return bound;
  }
};

struct ComponentMeans {
  std::size_t n_components;
  std::span<double> log_values, means;

  template <class Parts>
  Scalar answer(Parts& parts, std::size_t row) const {
    auto& block = parts.block;
    const auto pass = [](auto& program, auto& block) { upward(program, block); };
    const Scalar root = parts.each(pass, [](std::size_t) {});
    log_values[row] = log_of(root);
    means[row] = std::numeric_limits<double>::quiet_NaN();
    if (root.mantissa == 0) return root;
    double mean = 0;
    parts.each(pass, [&](std::size_t b) {
      block.indicator_derivatives.resize(block.program.n_indicators());
      add_downward(block.program, block, nullptr, parts.weights[b]);
      for (int l = 0; l < component_lanes && b * component_lanes + static_cast<std::size_t>(l) < n_components; ++l)
        mean += mean_log_of_terms(block, l, root) +
                ratio(lane(parts.roots[b], l), root) * log_or_zero(lane(parts.weights[b], l));
    });
    means[row] = mean;
    return root;
  }
};

struct ComponentSamples {
  std::size_t n_components, n_samples;
  std::uint64_t seed;
  std::span<double> log_values;
  const WorldTable& worlds;
  std::span<const std::uint32_t> variable_of;

  template <class Parts>
  Scalar answer(Parts& parts, std::size_t row) const {
    const auto pass = [](auto& program, auto& block) { upward(program, block); };
    const Scalar root = parts.each(pass, [](std::size_t) {});
    log_values[row] = log_of(root);
    if (root.mantissa == 0) return root;
    std::vector<double> shares(n_components);
    for (std::size_t k = 0; k < n_components; ++k) shares[k] = ratio(parts.joint(k), root);
    std::vector<std::pair<std::uint32_t, std::size_t>> drawn;  // component and place of each sample
    for (std::size_t s = 0; s < n_samples; ++s) {
      const std::size_t place = row * n_samples + s;
      drawn.emplace_back(Random(seed, 2 * place).choice(shares, 0), place);
    }
    std::sort(drawn.begin(), drawn.end());
    std::size_t ready = std::numeric_limits<std::size_t>::max();
    for (const auto& [component, place] : drawn) {
      if (component / component_lanes != ready) {
        parts.choose(ready = component / component_lanes);
        pass(parts.block.program, parts.block);
      }
      sample_one(parts, static_cast<int>(component % component_lanes), place);
    }
    return root;
  }

  template <class Parts>
  void sample_one(Parts& parts, int l, std::size_t place) const {
    Random random(seed, 2 * place + 1);
    const auto any = [&](std::uint32_t node) { return random_term(parts.block, l, node, random); };
    write_world(parts.block, parts.stack, any, worlds, place, variable_of);
  }
};

}  // namespace

void MixtureEvaluator::log_values(const Evidence& evidence, const Execution& execution,
                                  std::span<double> log_values) const {
  run(evidence, execution, ComponentLogValues{log_values});
}

void MixtureEvaluator::marginals(const Evidence& evidence, std::span<const std::uint32_t> variables,
                                 const Execution& execution, std::span<double> log_values,
                                 std::span<double> posteriors) const {
  std::vector<std::uint64_t> within;
  if (variables.size() < program_.n_variables()) within = program_.nodes_above(variables);
  std::size_t n_posteriors = 0;
  for (const std::uint32_t v : variables) n_posteriors += program_.arity(v);
  const std::uint64_t* const limits = within.empty() ? nullptr : within.data();
  run(evidence, execution, ComponentMarginals{variables, limits, log_values, posteriors, n_posteriors});
}

void MixtureEvaluator::components(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                                  std::span<double> posteriors) const {
  run(evidence, execution, ComponentPosteriors{n_components_, log_values, posteriors});
}

void MixtureEvaluator::most_probable(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                                     std::span<double> log_bounds, const WorldTable& worlds) const {
  run(evidence, execution, ComponentMaximum{n_components_, log_values, log_bounds, worlds, variable_of_});
}

void MixtureEvaluator::mean_logs(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                                 std::span<double> means) const {
  run(evidence, execution, ComponentMeans{n_components_, log_values, means});
}

void MixtureEvaluator::sample(const Evidence& evidence, std::size_t n_samples, std::uint64_t seed,
                              const Execution& execution, std::span<double> log_values,
                              const WorldTable& worlds) const {
  run(evidence, execution, ComponentSamples{n_components_, n_samples, seed, log_values, worlds, variable_of_});
}

}  // namespace learnac
