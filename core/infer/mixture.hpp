// Queries on a mixture: one circuit with a vector of parameters for each of its components, which stand in lanes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "infer/evidence.hpp"
#include "infer/parallel.hpp"
#include "infer/program.hpp"

namespace learnac {

// Components that stand side by side.
inline constexpr int component_lanes = 16;

// Evidence is the same in all lanes, so that what it leaves alive is found once for all components. A row's answer does
// not depend on other rows or on the number of threads.
class MixtureEvaluator {
 public:
  // `parameters` are (components x parameters of the circuit), `weights` those of the components.
  MixtureEvaluator(const CircuitArrays& arrays, std::span<const double> parameters, std::span<const double> weights);

  const Program& program() const { return program_; }
  std::size_t n_components() const { return n_components_; }
  double smallest_linear_root() const { return smallest_linear_root_; }

  // The logarithm of the probability of each row's evidence.
  void log_values(const Evidence& evidence, const Execution& execution, std::span<double> log_values) const;

  // The same, and posteriors of the variables' values: (rows x all values of these variables).
  void marginals(const Evidence& evidence, std::span<const std::uint32_t> variables, const Execution& execution,
                 std::span<double> log_values, std::span<double> posteriors) const;

  // The same, and posteriors of the components: (rows x components).
  void components(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                  std::span<double> posteriors) const;

  // The most probable world together with a component, and its log-probability; and the logarithm of the weighted sum
  // of all components' maxima: no world is more probable than that.
  void most_probable(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                     std::span<double> log_bounds, const WorldTable& worlds) const;

  // As `Evaluator::mean_logs`; a term of the mixture has the weight of its component too.
  void mean_logs(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                 std::span<double> means) const;

  // As `Evaluator::sample`.
  void sample(const Evidence& evidence, std::size_t n_samples, std::uint64_t seed, const Execution& execution,
              std::span<double> log_values, const WorldTable& worlds) const;

 private:
  template <class Lanes>
  struct Components;
  struct Workspace;
  template <class Query>
  void run(const Evidence& evidence, const Execution& execution, const Query& query) const;
  std::size_t n_blocks() const { return (n_components_ + component_lanes - 1) / component_lanes; }

  std::size_t n_components_;
  Program program_;  // of the first component: the others have the same nodes and terms
  double smallest_linear_root_ = 0;
  std::vector<Linear<component_lanes>> linear_;  // constants, (blocks of components x terms)
  std::vector<Wide<component_lanes>> wide_;
  std::vector<Linear<component_lanes>> linear_weights_;  // of blocks of components
  std::vector<Wide<component_lanes>> wide_weights_;
  std::vector<std::uint32_t> variable_of_;  // of each indicator
};

}  // namespace learnac
