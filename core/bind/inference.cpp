// The border between Python and the evaluation of circuits. Calls release the GIL, and end early on Ctrl-C.
#include <chrono>
#include <memory>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "infer/gibbs.hpp"
#include "infer/mixture.hpp"
#include "infer/properties.hpp"
#include "infer/queries.hpp"
#include "infer/tree_scores.hpp"

using namespace nanobind::literals;
using namespace learnac;

namespace {

// Raises what Python wants to raise, at most every 50 ms.
class Interrupts {
 public:
  bool should_stop() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(50);
    nb::gil_scoped_acquire acquire;
    return is_raised_ = is_raised_ || PyErr_CheckSignals() != 0;
  }
  bool is_raised() const { return is_raised_; }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  bool is_raised_ = false;
};

template <class Call>
void without_gil(int n_threads, Call call) {
  if (n_threads < 1) refuse("expected at least one thread");
  Interrupts interrupts;
  {
    nb::gil_scoped_release release;
    call(Execution{n_threads, [&] { return interrupts.should_stop(); }});
  }
  if (interrupts.is_raised()) throw nb::python_error();
}

using Codes = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Worlds = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Table>
int bits_of(const Table& codes) {
  const bool is_signed = codes.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int);
  const int bits = codes.dtype().bits;
  if (!is_signed || (bits != 8 && bits != 16 && bits != 32)) refuse("expected codes as int8, int16 or int32");
  return bits;
}

// The evidence that Python's arrays hold, every code and likelihood checked.
struct BoundEvidence {
  BoundEvidence(const Program& program, const Codes& codes, const Input<std::uint32_t>& soft_variables,
                const Table<double>& likelihoods)
      : evidence{{codes.data(), bits_of(codes), codes.shape(1)},
                 span_of(soft_variables),
                 {likelihoods.data(), likelihoods.size()},
                 likelihoods.shape(1)} {
    if (codes.shape(0) != program.n_variables()) refuse("expected codes for each variable");
    std::size_t n_likelihoods = 0;
    for (const std::uint32_t v : evidence.soft_variables) {
      check_index("variable", v, program.n_variables());
      n_likelihoods += program.arity(v);
    }
    if (n_likelihoods != likelihoods.shape(1) || (n_likelihoods > 0 && likelihoods.shape(0) != evidence.n_rows()))
      refuse("expected likelihoods for each row and value");
    for (const double likelihood : evidence.likelihoods)
      if (!(likelihood >= 0 && likelihood <= 1)) refuse("expected likelihoods from 0 to 1");
    for (std::uint32_t v = 0; v < program.n_variables(); ++v)
      if (range_of(evidence.codes, v).largest >= program.arity(v)) refuse("a code is not below its variable's arity");
  }
  Evidence evidence;
};

WorldTable worlds_for(const Program& program, const Worlds& worlds, std::size_t n_rows) {
  if (worlds.shape(0) != program.n_variables() || worlds.shape(1) != n_rows) refuse("expected room for all worlds");
  return {worlds.data(), bits_of(worlds), n_rows};
}

CircuitArrays arrays_of(const Input<std::uint32_t>& arities, const Input<std::uint8_t>& kinds,
                        const Input<std::uint32_t>& labels, const Input<std::uint64_t>& child_offsets,
                        const Input<std::uint32_t>& children, const Input<double>& parameters) {
  return {span_of(arities),       span_of(kinds),    span_of(labels),
          span_of(child_offsets), span_of(children), span_of(parameters)};
}

void bind_circuit(nb::module_& m) {
  m.def(
      "check_circuit",
      [](Input<std::uint32_t> arities, Input<std::uint8_t> kinds, Input<std::uint32_t> labels,
         Input<std::uint64_t> child_offsets, Input<std::uint32_t> children,
         Input<double> parameters) { check(arrays_of(arities, kinds, labels, child_offsets, children, parameters)); },
      "arities"_a, "kinds"_a, "labels"_a, "child_offsets"_a, "children"_a, "parameters"_a);
  m.def(
      "circuit_properties",
      [](Input<std::uint32_t> arities, Input<std::uint8_t> kinds, Input<std::uint32_t> labels,
         Input<std::uint64_t> child_offsets, Input<std::uint32_t> children, Input<double> parameters,
         Input<std::int32_t> variable_of_parameter) {
        const CircuitArrays arrays = arrays_of(arities, kinds, labels, child_offsets, children, parameters);
        check(arrays);
        if (variable_of_parameter.size() != parameters.size()) refuse("expected a variable for each parameter");
        const Properties found = properties_of(arrays, span_of(variable_of_parameter));
        return nb::make_tuple(found.is_smooth, found.is_decomposable, found.is_deterministic, found.has_all_variables,
                              found.is_labelled_rightly);
      },
      "arities"_a, "kinds"_a, "labels"_a, "child_offsets"_a, "children"_a, "parameters"_a, "variable_of_parameter"_a);
}

// What every evaluator of the core answers alike.
template <class Any>
void bind_shared_queries(nb::class_<Any>& evaluator) {
  evaluator
      .def(
          "log_values",
          [](const Any& self, const Codes& codes, Input<std::uint32_t> soft_variables, Table<double> likelihoods,
             int n_threads) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            std::vector<double> log_values(bound.evidence.n_rows());
            without_gil(n_threads, [&](const Execution& e) { self.log_values(bound.evidence, e, log_values); });
            return to_numpy(std::move(log_values));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "n_threads"_a)
      .def(
          "marginals",
          [](const Any& self, const Codes& codes, Input<std::uint32_t> soft_variables, Table<double> likelihoods,
             Input<std::uint32_t> variables, int n_threads) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            const std::size_t n_rows = bound.evidence.n_rows();
            std::size_t n_posteriors = 0;
            for (const std::uint32_t v : span_of(variables)) {
              check_index("variable", v, self.program().n_variables());
              n_posteriors += self.program().arity(v);
            }
            std::vector<double> log_values(n_rows), posteriors(n_rows * n_posteriors);
            without_gil(n_threads, [&](const Execution& e) {
              self.marginals(bound.evidence, span_of(variables), e, log_values, posteriors);
            });
            return nb::make_tuple(to_numpy(std::move(log_values)),
                                  to_numpy(std::move(posteriors), {n_rows, n_posteriors}));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "variables"_a, "n_threads"_a)
      .def(
          "sample",
          [](const Any& self, const Codes& codes, Input<std::uint32_t> soft_variables, Table<double> likelihoods,
             std::size_t n_samples, std::uint64_t seed, const Worlds& worlds, int n_threads) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            const WorldTable table = worlds_for(self.program(), worlds, bound.evidence.n_rows() * n_samples);
            std::vector<double> log_values(bound.evidence.n_rows());
            without_gil(n_threads, [&](const Execution& e) {
              self.sample(bound.evidence, n_samples, seed, e, log_values, table);
            });
            return to_numpy(std::move(log_values));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "n_samples"_a, "seed"_a, "worlds"_a.noconvert(),
          "n_threads"_a)
      .def(
          "mean_logs",
          [](const Any& self, const Codes& codes, Input<std::uint32_t> soft_variables, Table<double> likelihoods,
             int n_threads) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            std::vector<double> log_values(bound.evidence.n_rows()), means(bound.evidence.n_rows());
            without_gil(n_threads, [&](const Execution& e) { self.mean_logs(bound.evidence, e, log_values, means); });
            return nb::make_tuple(to_numpy(std::move(log_values)), to_numpy(std::move(means)));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "n_threads"_a);
}

void bind_evaluator(nb::module_& m) {
  nb::class_<Evaluator> evaluator(m, "Evaluator");
  bind_shared_queries(evaluator);
  evaluator
      .def(
          "__init__",
          [](Evaluator* self, Input<std::uint32_t> arities, Input<std::uint8_t> kinds, Input<std::uint32_t> labels,
             Input<std::uint64_t> child_offsets, Input<std::uint32_t> children, Input<double> parameters) {
            new (self) Evaluator(arrays_of(arities, kinds, labels, child_offsets, children, parameters));
          },
          "arities"_a, "kinds"_a, "labels"_a, "child_offsets"_a, "children"_a, "parameters"_a)
      .def_prop_ro("smallest_linear_root", [](const Evaluator& self) { return self.program().smallest_linear_root(); })
      .def(
          "expected_counts",
          [](const Evaluator& self, const Codes& codes, Input<std::uint32_t> soft_variables, Table<double> likelihoods,
             Input<double> weights) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            if (weights.size() != bound.evidence.n_rows()) refuse("expected a weight for each row");
            std::vector<double> log_values(bound.evidence.n_rows()), counts(self.program().n_parameters());
            without_gil(1, [&](const Execution& e) {
              self.expected_counts(bound.evidence, span_of(weights), e, log_values, counts);
            });
            return nb::make_tuple(to_numpy(std::move(log_values)), to_numpy(std::move(counts)));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "weights"_a)
      .def(
          "most_probable",
          [](const Evaluator& self, const Codes& codes, Input<std::uint32_t> soft_variables, Table<double> likelihoods,
             const Worlds& worlds, int n_threads) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            const WorldTable table = worlds_for(self.program(), worlds, bound.evidence.n_rows());
            std::vector<double> log_values(bound.evidence.n_rows());
            without_gil(n_threads,
                        [&](const Execution& e) { self.most_probable(bound.evidence, e, log_values, table); });
            return to_numpy(std::move(log_values));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "worlds"_a.noconvert(), "n_threads"_a)
      .def(
          "live_edges",
          [](const Evaluator& self, const Codes& codes, Input<std::uint32_t> soft_variables,
             Table<double> likelihoods) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            std::vector<std::uint64_t> n_edges(bound.evidence.n_rows());
            without_gil(1, [&](const Execution& e) { self.live_edges(bound.evidence, e, n_edges); });
            return to_numpy(std::move(n_edges));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a);
}

// Log-probabilities of the worlds that are found, and their bounds.
std::pair<std::vector<double>, std::vector<double>> maxima_of(const MixtureEvaluator& mixture, const Codes& codes,
                                                              const Input<std::uint32_t>& soft_variables,
                                                              const Table<double>& likelihoods, const Worlds& worlds,
                                                              int n_threads) {
  const BoundEvidence bound(mixture.program(), codes, soft_variables, likelihoods);
  const WorldTable table = worlds_for(mixture.program(), worlds, bound.evidence.n_rows());
  std::vector<double> log_values(bound.evidence.n_rows()), log_bounds(bound.evidence.n_rows());
  without_gil(n_threads,
              [&](const Execution& e) { mixture.most_probable(bound.evidence, e, log_values, log_bounds, table); });
  return {std::move(log_values), std::move(log_bounds)};
}

void bind_mixture_evaluator(nb::module_& m) {
  nb::class_<MixtureEvaluator> evaluator(m, "MixtureEvaluator");
  bind_shared_queries(evaluator);
  evaluator
      .def(
          "__init__",
          [](MixtureEvaluator* self, Input<std::uint32_t> arities, Input<std::uint8_t> kinds,
             Input<std::uint32_t> labels, Input<std::uint64_t> child_offsets, Input<std::uint32_t> children,
             Table<double> parameters, Input<double> weights) {
            if (weights.size() == 0 || parameters.shape(0) != weights.size())
              refuse("expected a weight for each vector of parameters");
            const CircuitArrays arrays{span_of(arities),       span_of(kinds),    span_of(labels),
                                       span_of(child_offsets), span_of(children), {}};
            new (self) MixtureEvaluator(arrays, {parameters.data(), parameters.size()}, span_of(weights));
          },
          "arities"_a, "kinds"_a, "labels"_a, "child_offsets"_a, "children"_a, "parameters"_a, "weights"_a)
      .def_prop_ro("smallest_linear_root", &MixtureEvaluator::smallest_linear_root)
      .def(
          "most_probable",
          [](const MixtureEvaluator& self, const Codes& codes, Input<std::uint32_t> soft_variables,
             Table<double> likelihoods, const Worlds& worlds, int n_threads) {
            return to_numpy(maxima_of(self, codes, soft_variables, likelihoods, worlds, n_threads).first);
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "worlds"_a.noconvert(), "n_threads"_a)
      .def(
          "components",
          [](const MixtureEvaluator& self, const Codes& codes, Input<std::uint32_t> soft_variables,
             Table<double> likelihoods, int n_threads) {
            const BoundEvidence bound(self.program(), codes, soft_variables, likelihoods);
            const std::size_t n_rows = bound.evidence.n_rows();
            std::vector<double> log_values(n_rows), posteriors(n_rows * self.n_components());
            without_gil(n_threads,
                        [&](const Execution& e) { self.components(bound.evidence, e, log_values, posteriors); });
            return nb::make_tuple(to_numpy(std::move(log_values)),
                                  to_numpy(std::move(posteriors), {n_rows, self.n_components()}));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "n_threads"_a)
      .def(
          "most_probable_with_bounds",
          [](const MixtureEvaluator& self, const Codes& codes, Input<std::uint32_t> soft_variables,
             Table<double> likelihoods, const Worlds& worlds, int n_threads) {
            auto [log_values, log_bounds] = maxima_of(self, codes, soft_variables, likelihoods, worlds, n_threads);
            return nb::make_tuple(to_numpy(std::move(log_values)), to_numpy(std::move(log_bounds)));
          },
          "codes"_a, "soft_variables"_a, "likelihoods"_a, "worlds"_a.noconvert(), "n_threads"_a);
}

template <class Code>
void bind_score(nb::class_<TreeScores>& trees) {
  trees.def(
      "score",
      [](const TreeScores& self, Table<Code> codes) {
        if (codes.shape(0) != self.n_variables()) refuse("expected codes for each variable");
        const std::size_t n_rows = codes.shape(1);
        for (std::size_t v = 0; v < codes.shape(0); ++v) {
          const CodeRange range = range_of(std::span<const Code>(codes.data() + v * n_rows, n_rows));
          if (range.smallest < 0 || range.largest >= self.arity(v)) refuse("a code is not below its variable's arity");
        }
        std::vector<double> scores(n_rows);
        without_gil(1, [&](const Execution& execution) {
          constexpr std::size_t at_once = 65536;
          for (std::size_t first = 0; first < n_rows && !execution.should_stop(); first += at_once)
            self.score(codes.data(), n_rows, first, std::min(n_rows, first + at_once), scores.data());
        });
        return to_numpy(std::move(scores));
      },
      "codes"_a);
}

// What is made of the trees of a network takes the same arrays, and a number for each node and value.
template <class Trees>
void bind_arrays(nb::class_<Trees>& trees) {
  trees.def(
      "__init__",
      [](Trees* self, Input<std::uint32_t> arities, Input<std::uint32_t> first_nodes, Input<std::int32_t> variables,
         Input<std::uint32_t> first_route, Input<std::uint32_t> routes, Input<double> log_parameters) {
        new (self) Trees({span_of(arities), span_of(first_nodes), span_of(variables), span_of(first_route),
                          span_of(routes), span_of(log_parameters)});
      },
      "arities"_a, "first_nodes"_a, "variables"_a, "first_route"_a, "routes"_a, "log_parameters"_a);
}

void bind_trees(nb::module_& m) {
  nb::class_<TreeScores> trees(m, "TreeScores");
  bind_arrays(trees);
  bind_score<std::int8_t>(trees);
  bind_score<std::int16_t>(trees);
  bind_score<std::int32_t>(trees);
  bind_score<std::uint8_t>(trees);
  bind_score<std::uint16_t>(trees);
}

void bind_gibbs(nb::module_& m) {
  using Codes32 = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  nb::class_<GibbsSampler> sampler(m, "GibbsSampler");
  bind_arrays(sampler);
  sampler.def(
      "run",
      [](const GibbsSampler& self, Codes32 evidence, Codes32 query, Input<std::uint64_t> seeds, std::uint32_t n_chains,
         std::uint32_t n_burn_in, std::uint32_t n_samples) {
        for (const Codes32& codes : {evidence, query}) {
          if (codes.shape(0) != self.n_variables()) refuse("expected a code for each variable");
          if (codes.shape(1) != seeds.size()) refuse("expected a seed for each row");
          for (std::size_t v = 0; v < codes.shape(0); ++v)
            for (std::size_t row = 0; row < codes.shape(1); ++row)
              if (codes(v, row) >= static_cast<std::int32_t>(self.arity(v))) refuse("a code is not below its arity");
        }
        const GibbsRows rows{{evidence.data(), evidence.size()}, {query.data(), query.size()}, span_of(seeds)};
        GibbsCounts counts;
        without_gil(1, [&](const Execution& execution) {
          counts = self.run(rows, {n_chains, n_burn_in, n_samples}, execution.should_stop);
        });
        return nb::make_tuple(to_numpy(std::move(counts.matches)), to_numpy(std::move(counts.of_values)));
      },
      "evidence"_a, "query"_a, "seeds"_a, "n_chains"_a, "n_burn_in"_a, "n_samples"_a);
}

}  // namespace

void learnac::bind_inference(nb::module_& m) {
  bind_circuit(m);
  bind_evaluator(m);
  bind_mixture_evaluator(m);
  bind_trees(m);
  bind_gibbs(m);
}
