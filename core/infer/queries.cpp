#include "infer/queries.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <system_error>
#include <thread>

#include "random.hpp"

namespace learnac {
namespace {

constexpr std::size_t samples_at_once = 256;

template <class Lanes>
Scalar root_of(const Block<Lanes>& block, int l) {
  return lane(block.values[block.program.root()], l);
}

Scalar product(Scalar a, Scalar b) { return {a.mantissa * b.mantissa, a.exponent + b.exponent}; }

// One term of each node from the root down: a world. Indicators met are reported.
template <class Lanes, class Choose, class Meet>
void walk(const Block<Lanes>& block, std::vector<std::uint32_t>& stack, Choose choose, Meet meet) {
  const Program& program = block.program;
  stack.assign(1, program.root());
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    const Term& term = program.term(choose(node));
    const std::uint32_t* edges = program.edges(term);
    for (std::uint32_t e = 0; e < term.n_indicators; ++e) meet(edges[e]);
    stack.insert(stack.end(), edges + term.n_indicators, edges + term.n_edges);
  }
}

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
// answer off. Rows whose root is too small for linear numbers are done again in wide ones.
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
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_stopped{false};
  const auto work = [&](bool asks) {
    Workspace workspace;
    for (std::size_t unit; !is_stopped && (unit = next++) < n_units;) {
      do_rows.template operator()<Linear<8>>(workspace, unit * Query::rows_per_unit,
                                             std::min(n_rows, (unit + 1) * Query::rows_per_unit));
      if (asks && execution.should_stop()) is_stopped = true;
    }
  };
  const std::size_t n_threads = std::min<std::size_t>(static_cast<std::size_t>(execution.n_threads), n_units);
  std::vector<std::exception_ptr> errors(n_threads);
  std::vector<std::thread> threads;
  const auto guarded = [&](std::size_t i) {
    try {
      work(i == 0);
    } catch (...) {
      errors[i] = std::current_exception();
      is_stopped = true;
    }
  };
  try {
    for (std::size_t i = 1; i < n_threads; ++i) threads.emplace_back(guarded, i);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do all of the work.
  }
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
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

  // By smoothness, the sum over a variable's values is the root: dividing by it leaves no rounding in the total.
  template <class Workspace, class Lanes>
  void take(Workspace&, const Block<Lanes>& block, int l, std::size_t row) const {
    log_values[row] = log_of(root_of(block, l));
    double* out = posteriors.data() + row * n_posteriors;
    for (const std::uint32_t v : variables) {
      const std::uint32_t first = block.program.first_indicator(v), arity = block.program.arity(v);
      double total = 0;
      for (std::uint32_t k = 0; k < arity; ++k) {
        const Scalar joint =
            product(lane(block.indicators[first + k], l), lane(block.indicator_derivatives[first + k], l));
        out[k] =
            log_values[row] == -HUGE_VAL ? std::numeric_limits<double>::quiet_NaN() : ratio(joint, root_of(block, l));
        total += out[k];
      }
      for (std::uint32_t k = 0; k < arity; ++k) out[k] /= total;
      out += arity;
    }
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
    const Program& program = block.program;
    const auto best_term = [&](std::uint32_t i) {
      const ProgramNode& node = program.node(i);
      std::uint32_t best = node.first_term;
      if (node.n_terms == 1) return best;
      Scalar best_value{};
      for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
        if (!block.is_term_alive(program.term(t))) continue;
        const Scalar value = lane(term_value(program, block, t), l);
        if (!is_less(best_value, value)) continue;
        best = t;
        best_value = value;
      }
      return best;
    };
    walk(block, workspace.stack, best_term, [&](std::uint32_t indicator) {
      const std::uint32_t v = variable_of[indicator];
      worlds.set(v, row, indicator - program.first_indicator(v));
    });
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
    const Program& program = block.program;
    Random random(seed, place);
    const auto random_term = [&](std::uint32_t i) {
      const ProgramNode& node = program.node(i);
      if (node.n_terms == 1) return node.first_term;
      const Scalar total = lane(block.values[i], l);
      double left = random.uniform();
      std::uint32_t chosen = node.first_term;
      for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms && left >= 0; ++t) {
        if (!block.is_term_alive(program.term(t))) continue;
        const double share = ratio(lane(term_value(program, block, t), l), total);
        if (share == 0) continue;
        chosen = t;
        left -= share;
      }
      return chosen;
    };
    walk(block, stack, random_term, [&](std::uint32_t indicator) {
      const std::uint32_t v = variable_of[indicator];
      worlds.set(v, place, indicator - program.first_indicator(v));
    });
  }
};

struct MeanLogs : RowQuery {
  std::span<double> means;

  template <class Lanes>
  void pass(Block<Lanes>& block) const {
    upward(block.program, block);
    downward(block.program, block, nullptr);
  }

  // A world's term is a product of constants: each counts as often as it is expected to be in the term.
  template <class Workspace, class Lanes>
  void take(Workspace&, const Block<Lanes>& block, int l, std::size_t row) const {
    log_values[row] = log_of(root_of(block, l));
    double mean = 0;
    const Program& program = block.program;
    for (const std::uint32_t i : block.alive)
      for (std::uint32_t t = program.node(i).first_term; t < program.node(i).first_term + program.node(i).n_terms;
           ++t) {
        if (program.constant(t).mantissa == 0 || !block.is_term_alive(program.term(t))) continue;
        const Scalar joint = product(lane(term_value(program, block, t), l), lane(block.derivatives[i], l));
        mean += ratio(joint, root_of(block, l)) * log_of(program.constant(t));
      }
    means[row] = log_values[row] == -HUGE_VAL ? std::numeric_limits<double>::quiet_NaN() : mean;
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
  run(evidence.n_rows(), execution, MeanLogs{{evidence, log_values}, means});
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
