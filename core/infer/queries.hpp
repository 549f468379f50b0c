// Queries over many rows: each row with its own evidence, in blocks, by threads, the same answers for any number of
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "infer/evidence.hpp"
#include "infer/parallel.hpp"
#include "infer/program.hpp"

namespace learnac {

class Evaluator {
 public:
  explicit Evaluator(const CircuitArrays& arrays);
  ~Evaluator();

  const Program& program() const { return program_; }

  // The logarithm of the probability of each row's evidence.
  void log_values(const Evidence& evidence, const Execution& execution, std::span<double> log_values) const;

  // The same, and posteriors of the variables' values: (rows x all values of these variables). NaN for a row whose
  // evidence is impossible.
  void marginals(const Evidence& evidence, std::span<const std::uint32_t> variables, const Execution& execution,
                 std::span<double> log_values, std::span<double> posteriors) const;

  // The most probable world of each row and its log-probability, times its likelihoods. Of equally probable ones, the
  // one that takes the first child of a sum.
  void most_probable(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                     const WorldTable& worlds) const;

  // As many samples for each row as are asked for, those of a row side by side; a sample depends on the seed and its
  // place alone. Impossible evidence gives minus infinity and no samples.
  void sample(const Evidence& evidence, std::size_t n_samples, std::uint64_t seed, const Execution& execution,
              std::span<double> log_values, const WorldTable& worlds) const;

  // The log-probability of each row's evidence, and the mean of the log of its worlds' terms, given the evidence.
  void mean_logs(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                 std::span<double> means) const;

  // The log-probability of each row's evidence, and how often each parameter is expected to be in the term of a row's
  // world, given its evidence: added up over the rows by their weights, in their order, so by one thread. Impossible
  // rows count nothing.
  void expected_counts(const Evidence& evidence, std::span<const double> weights, const Execution& execution,
                       std::span<double> log_values, std::span<double> counts) const;

  // Edges of the circuit that each row's evidence leaves alive.
  void live_edges(const Evidence& evidence, const Execution& execution, std::span<std::uint64_t> n_edges) const;

 private:
  struct Workspace;

  template <class Query>
  void run(std::size_t n_rows, const Execution& execution, const Query& query) const;
  std::unique_ptr<Workspace> take_workspace() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

  Program program_;
  std::vector<std::uint32_t> variable_of_;  // of each indicator
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Workspace> spare_;  // Of a single row: making it anew would cost more than the query.
};

}  // namespace learnac
