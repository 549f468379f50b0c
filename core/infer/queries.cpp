#include "infer/queries.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "infer/read_off.hpp"
#include "infer/walks.hpp"

namespace learnac {
namespace {

constexpr std::size_t samples_at_once = 256;

}  // namespace

struct Evaluator::Workspace {
  template <class Lanes>
  Block<Lanes>& block(const Program& program) {
    auto& block = std::get<std::unique_ptr<Block<Lanes>>>(blocks);
    if (!block) block = std::make_unique<Block<Lanes>>(program);
    return *block;
  }

  std::tuple<std::unique_ptr<Block<Linear<1>>>, std::unique_ptr<Block<Linear<2>>>, std::unique_ptr<Block<Linear<8>>>,
             std::unique_ptr<Block<Wide<8>>>>
      blocks;
  std::vector<std::size_t> underflowing;
  std::vector<std::uint32_t> stack;
};

Evaluator::Evaluator(const CircuitArrays& arrays) : program_(arrays) {
  for (std::uint32_t v = 0; v < program_.n_variables(); ++v)
    variable_of_.insert(variable_of_.end(), program_.arity(v), v);
}

Evaluator::~Evaluator() = default;

std::unique_ptr<Evaluator::Workspace> Evaluator::take_workspace() const {
  const std::lock_guard lock(mutex_);
  return spare_ ? std::move(spare_) : std::make_unique<Workspace>();
}

void Evaluator::give_back(std::unique_ptr<Workspace> workspace) const {
  std::get<2>(workspace->blocks).reset();
  std::get<3>(workspace->blocks).reset();
  const std::lock_guard lock(mutex_);
  spare_ = std::move(workspace);
}

// A query has `evidence_row(row)`, `pass(block)` to do its passes, and `take(workspace, block, lane, row)` to read its
// answer off; or also `take_block(block, rows, smallest_root)`, of all lanes at once. Rows whose root is too small for
// linear numbers are done again in wide ones.
template <class Query>
void Evaluator::run(std::size_t n_rows, const Execution& execution, const Query& query) const {
  const auto do_block = [&]<class Lanes>(Workspace& workspace, std::span<const std::size_t> rows) {
    Block<Lanes>& block = workspace.block<Lanes>(program_);
    std::array<std::size_t, Lanes::n_lanes> evidence_rows;
    for (std::size_t i = 0; i < rows.size(); ++i) evidence_rows[i] = query.evidence_row(rows[i]);
    load(block, query.evidence, std::span<const std::size_t>(evidence_rows.data(), rows.size()));
    block.mark();
    query.pass(block);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int l = static_cast<int>(i);
      if (Lanes::is_linear && root_of(block, l).mantissa < program_.smallest_linear_root())
        workspace.underflowing.push_back(rows[i]);
      else
        query.take(workspace, block, l, rows[i]);
    }
    if constexpr (requires { query.take_block(block, rows, 0.0); })
      query.take_block(block, rows, Lanes::is_linear ? program_.smallest_linear_root() : 0);
  };
  const auto do_rows = [&]<class Lanes>(Workspace& workspace, std::size_t first, std::size_t end) {
    std::array<std::size_t, Lanes::n_lanes> rows;
    workspace.underflowing.clear();
    if (std::isinf(program_.smallest_linear_root()))
      while (first < end) workspace.underflowing.push_back(first++);
    while (first < end) {
      std::size_t n = 0;
      while (n < rows.size() && first < end) rows[n++] = first++;
      do_block.template operator()<Lanes>(workspace, {rows.data(), n});
    }
    const std::span<const std::size_t> again(workspace.underflowing);
    for (std::size_t at = 0; at < again.size(); at += 8)
      do_block.template operator()<Wide<8>>(workspace, again.subspan(at, std::min<std::size_t>(8, again.size() - at)));
  };

  if (n_rows <= 2) {
    std::unique_ptr<Workspace> workspace = take_workspace();
    if (n_rows == 1) do_rows.template operator()<Linear<1>>(*workspace, 0, 1);
    if (n_rows == 2) do_rows.template operator()<Linear<2>>(*workspace, 0, 2);
    give_back(std::move(workspace));
    return;
  }
  const std::size_t n_units = (n_rows + Query::rows_per_unit - 1) / Query::rows_per_unit;
  in_parallel<Workspace>(
      n_units, execution, [] { return Workspace{}; },
      [&](Workspace& workspace, std::size_t unit) {
        do_rows.template operator()<Linear<8>>(workspace, unit * Query::rows_per_unit,
                                               std::min(n_rows, (unit + 1) * Query::rows_per_unit));
      });
}

namespace {

struct RowQuery {
  // What a thread takes at a time: large enough for the rows that underflow to fill blocks of their own.
  static constexpr std::size_t rows_per_unit = 128;

  const Evidence& evidence;
  std::span<double> log_values;

  std::size_t evidence_row(std::size_t row) const { return row; }
};

struct LogValues : RowQuery {
  template <class Lanes>
  void pass(Block<Lanes>& block) const {
    upward(block.program, block);
  }
  template <class Workspace, class Lanes>
  void take(Workspace&, const Block<Lanes>& block, int l, std::size_t row) const {
    log_values[row] = log_of(root_of(block, l));
  }
};

struct Marginals : RowQuery {
  std::span<const std::uint32_t> variables;
  const std::uint64_t* within;
  std::span<double> posteriors;
  std::size_t n_posteriors;  // of a row

  template <class Lanes>
  void pass(Block<Lanes>& block) const {
    upward(block.program, block);
    downward(block.program, block, within);
  }

  template <class Workspace, class Lanes>
  void take(Workspace&, const Block<Lanes>& block, int l, std::size_t row) const {
    log_values[row] = log_of(root_of(block, l));
    const auto joint = [&](std::uint32_t i) {
      return product(lane(block.indicators[i], l), lane(block.indicator_derivatives[i], l));
    };
    write_posteriors(block.program, variables, root_of(block, l), joint, posteriors.data() + row * n_posteriors);
  }
};

struct MostProbable : RowQuery {
  const WorldTable& worlds;
  std::span<const std::uint32_t> variable_of;

  template <class Lanes>
  void pass(Block<Lanes>& block) const {
    upward_maximum(block.program, block);
  }

  template <class Workspace, class Lanes>
  void take(Workspace& workspace, const Block<Lanes>& block, int l, std::size_t row) const {
    log_values[row] = log_of(root_of(block, l));
    if (log_values[row] == -HUGE_VAL) return;
    const auto best = [&](std::uint32_t node) { return best_term(block, l, node); };
    write_world(block, workspace.stack, best, worlds, row, variable_of);
  }
};

// A row of this query is up to `samples_at_once` samples of one row of evidence.
struct Samples : RowQuery {
  static constexpr std::size_t rows_per_unit = 8;

  std::size_t n_samples;
  std::size_t n_chunks;
  std::uint64_t seed;
  const WorldTable& worlds;
  std::span<const std::uint32_t> variable_of;

  std::size_t evidence_row(std::size_t row) const { return row / n_chunks; }

  template <class Lanes>
  void pass(Block<Lanes>& block) const {
    upward(block.program, block);
  }

  template <class Workspace, class Lanes>
  void take(Workspace& workspace, const Block<Lanes>& block, int l, std::size_t row) const {
    const std::size_t first = row % n_chunks * samples_at_once;
    const double log_value = log_of(root_of(block, l));
    if (first == 0) log_values[evidence_row(row)] = log_value;
    if (log_value == -HUGE_VAL) return;
    for (std::size_t s = first; s < std::min(n_samples, first + samples_at_once); ++s)
      sample_one(workspace.stack, block, l, evidence_row(row) * n_samples + s);
  }

  template <class Lanes>
  void sample_one(std::vector<std::uint32_t>& stack, const Block<Lanes>& block, int l, std::size_t place) const {
    Random random(seed, place);
    const auto any = [&](std::uint32_t node) { return random_term(block, l, node, random); };
    write_world(block, stack, any, worlds, place, variable_of);
  }
};

struct BothPasses : RowQuery {
  template <class Lanes>
  void pass(Block<Lanes>& block) const {
    upward(block.program, block);
    downward(block.program, block, nullptr);
  }
};

struct MeanLogs : BothPasses {
  std::span<double> means;

  template <class Workspace, class Lanes>
  void take(Workspace&, const Block<Lanes>& block, int l, std::size_t row) const {
    const Scalar root = root_of(block, l);
    log_values[row] = log_of(root);
    means[row] = root.mantissa == 0 ? std::numeric_limits<double>::quiet_NaN() : mean_log_of_terms(block, l, root);
  }
};

struct ExpectedTerms : BothPasses {
  std::span<const double> weights;
  std::span<double> counts;  // of terms

  template <class Workspace, class Lanes>
  void take(Workspace&, const Block<Lanes>& block, int l, std::size_t row) const {
    log_values[row] = log_of(root_of(block, l));
  }

  // Rows that are impossible, or to be done again in wide numbers, add nothing.
  template <class Lanes>
  void take_block(const Block<Lanes>& block, std::span<const std::size_t> rows, double smallest_root) const {
    Lanes scales;
    fill(scales, {0, 0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int l = static_cast<int>(i);
      const Scalar root = root_of(block, l);
      if (root.mantissa != 0 && root.mantissa >= smallest_root) set_quotient(scales, l, weights[rows[i]], root);
    }
    add_expected_terms(block.program, block, scales, counts);
  }
};

}  // namespace

void Evaluator::log_values(const Evidence& evidence, const Execution& execution, std::span<double> log_values) const {
  run(evidence.n_rows(), execution, LogValues{{evidence, log_values}});
}

void Evaluator::marginals(const Evidence& evidence, std::span<const std::uint32_t> variables,
                          const Execution& execution, std::span<double> log_values,
                          std::span<double> posteriors) const {
  std::vector<std::uint64_t> within;
  // Finding what lies above them takes longer than the passes of a few rows.
  constexpr std::size_t few_rows = 8;
  if (variables.size() < program_.n_variables() && evidence.n_rows() > few_rows)
    within = program_.nodes_above(variables);
  std::size_t n_posteriors = 0;
  for (const std::uint32_t v : variables) n_posteriors += program_.arity(v);
  const std::uint64_t* const limits = within.empty() ? nullptr : within.data();
  run(evidence.n_rows(), execution, Marginals{{evidence, log_values}, variables, limits, posteriors, n_posteriors});
}

void Evaluator::most_probable(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                              const WorldTable& worlds) const {
  run(evidence.n_rows(), execution, MostProbable{{evidence, log_values}, worlds, variable_of_});
}

void Evaluator::sample(const Evidence& evidence, std::size_t n_samples, std::uint64_t seed, const Execution& execution,
                       std::span<double> log_values, const WorldTable& worlds) const {
  const std::size_t n_chunks = std::max<std::size_t>(1, (n_samples + samples_at_once - 1) / samples_at_once);
  run(evidence.n_rows() * n_chunks, execution,
      Samples{{evidence, log_values}, n_samples, n_chunks, seed, worlds, variable_of_});
}

void Evaluator::mean_logs(const Evidence& evidence, const Execution& execution, std::span<double> log_values,
                          std::span<double> means) const {
  run(evidence.n_rows(), execution, MeanLogs{{{evidence, log_values}}, means});
}

void Evaluator::expected_counts(const Evidence& evidence, std::span<const double> weights, const Execution& execution,
                                std::span<double> log_values, std::span<double> counts) const {
  std::vector<double> of_terms(program_.n_terms());
  run(evidence.n_rows(), {1, execution.should_stop}, ExpectedTerms{{{evidence, log_values}}, weights, of_terms});
  for (std::uint32_t t = 0; t < program_.n_terms(); ++t)
    for (const std::uint32_t parameter : program_.parameters(t)) counts[parameter] += of_terms[t];
}

void Evaluator::live_edges(const Evidence& evidence, const Execution& execution,
                           std::span<std::uint64_t> n_edges) const {
  Block<Linear<1>> block(program_);
  for (std::size_t row = 0; row < evidence.n_rows(); ++row) {
    load(block, evidence, std::span<const std::size_t>(&row, 1));
    block.mark();
    n_edges[row] = 0;
    for (const std::uint32_t i : block.alive)
      for (std::uint32_t t = program_.node(i).first_term; t < program_.node(i).first_term + program_.node(i).n_terms;
           ++t)
        if (block.is_term_alive(program_.term(t))) n_edges[row] += program_.n_circuit_edges(t);
    if (execution.should_stop()) return;
  }
}

}  // namespace learnac
