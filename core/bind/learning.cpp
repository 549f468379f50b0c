// The border between Python and learning: ids and arrays only. Long calls release the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <string>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "learn/apply_split.hpp"
#include "learn/candidate_finder.hpp"
#include "learn/freeze.hpp"
#include "learn/greedy_schedule.hpp"
#include "learn/quick_schedule.hpp"

using namespace learnac;
using namespace nanobind::literals;

namespace {

// The circuit together with what applies splits to it and prices them.
struct BoundCircuit {
  explicit BoundCircuit(SplitSpace space) : circuit(std::move(space)), region(circuit), application(circuit, region) {}

  Split checked(std::uint32_t leaf, std::uint32_t variable, std::uint32_t value) const {
    check_index("leaf", leaf, circuit.n_leaves());
    check_index("variable", variable, circuit.domain().n_variables());
    const Split split{LeafId{leaf}, VariableId{variable}, value};
    check_index("value", value, circuit.domain().arity(split.variable));
    if (!circuit.space().parts_values(split.variable, value))
      refuse("no value of an ordered variable is above its last");
    if (circuit.leaf(split.leaf).is_split) refuse("leaf " + std::to_string(leaf) + " is already split");
    if (circuit.leaf(split.leaf).child == split.variable) refuse("a leaf cannot be split on its own child variable");
    if (circuit.domain().arity(split.variable) < 2) refuse("a variable with one value cannot be split on");
    return split;
  }

  GrowingCircuit circuit;
  SplitRegion region;
  SplitApplication application;
};

// A byte for each variable, if some are ordered.
using Ordered = std::optional<Input<std::uint8_t>>;

SplitSpace split_space(const Input<std::uint32_t>& arities, bool is_binary, const Ordered& ordered) {
  const SplitKind kind = is_binary ? SplitKind::binary : SplitKind::complete;
  if (!ordered) return {span_of(arities), kind};
  if (ordered->size() != arities.size()) refuse("expected a byte for each variable");
  return {span_of(arities), kind, span_of(*ordered)};
}

using ChosenTuple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, double, std::int64_t>;

// `should_stop` is called from time to time; what it raises is raised when the search has come to rest.
template <class Schedule>
std::optional<ChosenTuple> best_split(Schedule& schedule, std::int64_t most_edges, const nb::callable& should_stop) {
  std::optional<nb::python_error> error;
  std::optional<ChosenSplit> chosen;
  {
    nb::gil_scoped_release release;
    chosen = schedule.best_split(most_edges, [&] {
      nb::gil_scoped_acquire acquire;
      try {
        return nb::cast<bool>(should_stop());
      } catch (nb::python_error& raised) {
        error.emplace(std::move(raised));
        return true;
      }
    });
  }
  if (error) throw std::move(*error);
  if (!chosen) return std::nullopt;
  return ChosenTuple{index(chosen->split.leaf), index(chosen->split.variable), chosen->split.value, chosen->net_gain,
                     chosen->edge_cost};
}

template <class Schedule>
nb::class_<Schedule> bind_schedule(nb::module_& m, const char* name) {
  nb::class_<Schedule> schedule(m, name);
  schedule
      .def(
          "__init__",
          [](Schedule* self, BoundCircuit& bound, double edge_penalty, bool may_change_penalty) {
            new (self) Schedule(bound.circuit, bound.region, edge_penalty, may_change_penalty);
          },
          "circuit"_a, "edge_penalty"_a, "may_change_penalty"_a, nb::keep_alive<1, 2>())
      .def(
          "add",
          [](Schedule& self, std::uint32_t leaf, Input<std::uint32_t> variables, Input<std::uint32_t> values,
             Input<double> net_gains) {
            if (variables.size() != values.size() || values.size() != net_gains.size())
              refuse("variables, values and net_gains must have one length");
            self.add(LeafId{leaf}, span_of(variables), span_of(values), span_of(net_gains));
          },
          "leaf"_a, "variables"_a, "values"_a, "net_gains"_a)
      .def(
          "wait", [](Schedule& self, std::uint32_t leaf, double most_gain) { self.wait(LeafId{leaf}, most_gain); },
          "leaf"_a, "most_gain"_a)
      .def_prop_ro("needs_counts", &Schedule::needs_counts)
      .def(
          "promising",
          [](Schedule& self, std::size_t n_leaves) {
            std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found;
            for (const Split& split : self.promising(n_leaves))
              found.emplace_back(index(split.leaf), index(split.variable), split.value);
            return found;
          },
          "n_leaves"_a)
      .def("best_split", &best_split<Schedule>, "most_edges"_a, "should_stop"_a)
      .def(
          "applying",
          [](Schedule& self, std::uint32_t leaf, std::uint32_t variable, std::uint32_t value) {
            const Split split{LeafId{leaf}, VariableId{variable}, value};
            if (!self.may_apply(split)) refuse("not a valid split: it would close a cycle, or its leaf is not there");
            self.applying(split);
          },
          "leaf"_a, "variable"_a, "value"_a)
      .def("set_edge_penalty", &Schedule::set_edge_penalty, "edge_penalty"_a)
      .def("forget_costs", &Schedule::forget_costs)
      .def("drop_candidates", &Schedule::drop_candidates)
      .def("known_costs", [](const Schedule& self) { return to_numpy(self.known_costs()); })
      .def(
          "replay",
          [](Schedule& self, Input<std::int64_t> costs) {
            self.replay(std::vector(span_of(costs).begin(), span_of(costs).end()));
          },
          "costs"_a)
      .def_prop_ro_static("remembers_costs", [](nb::handle) { return Schedule::remembers_costs; })
      .def_prop_ro_static("takes_losses", [](nb::handle) { return Schedule::takes_losses; })
      .def_prop_ro("has_unfitting", &Schedule::has_unfitting)
      .def_prop_ro("n_candidates", [](const Schedule& self) { return self.work().n_candidates; })
      .def_prop_ro("n_evaluations", [](const Schedule& self) { return self.work().n_evaluations; })
      .def_prop_ro("n_visits", [](const Schedule& self) { return self.work().n_visits; });
  return schedule;
}

Score score_called(const std::string& criterion, double prior) {
  if (criterion == "likelihood") return LikelihoodScore(prior, LikelihoodScore::Prior::of_value);
  if (criterion == "likelihood_by_leaf") return LikelihoodScore(prior, LikelihoodScore::Prior::of_leaf);
  if (criterion == "bdeu") return BayesianDirichletScore(prior);
  refuse("no such criterion: " + criterion);
}

Estimate estimate_of(const std::string& criterion, double prior, double shrinkage) {
  const auto pseudo_count = [score = score_called(criterion, prior)](std::size_t arity, double mass) {
    return std::visit([&](const auto& any) { return any.pseudo_count(arity, mass); }, score);
  };
  return {pseudo_count, shrinkage};
}

// The trees with what finds candidates for their leaves.
void bind_trees(nb::module_& m) {
  const auto check_counts = [](const GrowingTrees& self, std::uint32_t leaf, std::size_t n_counts, std::size_t n) {
    check_index("leaf", leaf, self.n_nodes());
    if (n_counts != n * self.domain().arity(self.node(LeafId{leaf}).child)) refuse("expected a count for each value");
  };
  nb::class_<GrowingTrees>(m, "GrowingTrees")
      .def(
          "__init__",
          [](GrowingTrees* self, Input<std::uint32_t> arities, bool binary_splits, const std::string& criterion,
             double prior, double shrinkage, const Ordered& ordered) {
            new (self)
                GrowingTrees(split_space(arities, binary_splits, ordered), estimate_of(criterion, prior, shrinkage));
          },
          "arities"_a, "binary_splits"_a, "criterion"_a, "prior"_a, "shrinkage"_a, "ordered"_a = nb::none())
      .def_prop_ro("n_nodes", &GrowingTrees::n_nodes)
      .def(
          "add_root",
          [](GrowingTrees& self, Input<double> counts) {
            check_index("root", self.n_nodes(), self.domain().n_variables());
            if (counts.size() != self.domain().arity(VariableId{self.n_nodes()})) refuse("expected as many counts");
            return index(self.add_root(span_of(counts)));
          },
          "counts"_a)
      .def(
          "split",
          [=](GrowingTrees& self, std::uint32_t leaf, std::uint32_t variable, std::uint32_t value,
              const std::vector<Input<double>>& counts) {
            check_index("variable", variable, self.domain().n_variables());
            const VariableId split{variable};
            if (counts.size() != self.space().n_branches(split)) refuse("expected counts of branches");
            std::vector<double> joined;
            for (const Input<double>& branch : counts) {
              check_counts(self, leaf, branch.size(), 1);
              joined.insert(joined.end(), span_of(branch).begin(), span_of(branch).end());
            }
            return index(self.split({LeafId{leaf}, split, value}, joined));
          },
          "leaf"_a, "variable"_a, "value"_a, "counts"_a)
      .def(
          "log_likelihood",
          [=](const GrowingTrees& self, std::uint32_t leaf, Input<double> counts) {
            check_counts(self, leaf, counts.size(), 1);
            const LeafLikelihood found = self.log_likelihood(LeafId{leaf}, span_of(counts));
            return std::tuple(found.finite, found.impossible);
          },
          "leaf"_a, "counts"_a)
      .def("counts",
           [](const GrowingTrees& self) {
             return to_numpy(std::vector(self.all_counts().begin(), self.all_counts().end()));
           })
      .def("nodes", [](const GrowingTrees& self) {
        std::vector<std::uint32_t> children, parents, values;
        std::vector<std::int32_t> variables;
        std::vector<double> masses;
        for (std::uint32_t i = 0; i < self.n_nodes(); ++i) {
          const GrowingTrees::Node& node = self.node(LeafId{i});
          children.push_back(index(node.child));
          parents.push_back(index(node.parent));
          variables.push_back(node.is_split ? static_cast<std::int32_t>(index(node.variable)) : -1);
          values.push_back(node.value);
          masses.push_back(node.mass);
        }
        return nb::make_tuple(to_numpy(std::move(children)), to_numpy(std::move(parents)),
                              to_numpy(std::move(variables)), to_numpy(std::move(values)), to_numpy(std::move(masses)));
      });
  const auto arrays_of = [](Candidates found) {
    return nb::make_tuple(to_numpy(std::move(found.variables)), to_numpy(std::move(found.values)),
                          to_numpy(std::move(found.net_gains)));
  };
  nb::class_<CandidateFinder>(m, "CandidateFinder")
      .def(
          "__init__",
          [](CandidateFinder* self, const GrowingTrees& trees, const std::string& criterion, double prior,
             double parameter_penalty, Input<std::uint8_t> may_remove_edges, Input<std::uint8_t> allowed,
             std::size_t most_candidates) {
            const std::size_t n = trees.domain().n_variables();
            if (may_remove_edges.size() != n || (allowed.size() != 0 && allowed.size() != n * n))
              refuse("expected a byte for each variable");
            new (self) CandidateFinder(trees, score_called(criterion, prior), parameter_penalty,
                                       {span_of(may_remove_edges).begin(), span_of(may_remove_edges).end()},
                                       {span_of(allowed).begin(), span_of(allowed).end()}, most_candidates);
          },
          "trees"_a, "criterion"_a, "prior"_a, "parameter_penalty"_a, "may_remove_edges"_a, "allowed"_a,
          "most_candidates"_a = std::numeric_limits<std::size_t>::max(), nb::keep_alive<1, 2>())
      .def(
          "most_gain",
          [](CandidateFinder& self, std::uint32_t leaf) {
            check_index("leaf", leaf, self.trees().n_nodes());
            return self.most_gain(LeafId{leaf});
          },
          "leaf"_a)
      .def(
          "find",
          [=](CandidateFinder& self, std::uint32_t leaf, Table<double> cells) {
            const GrowingTrees& trees = self.trees();
            check_index("leaf", leaf, trees.n_nodes());
            if (cells.shape(0) != trees.domain().n_indicators() ||
                cells.shape(1) != trees.domain().arity(trees.node(LeafId{leaf}).child))
              refuse("expected counts for each indicator and value of the child");
            return arrays_of(self.find(LeafId{leaf}, {cells.data(), cells.size()}));
          },
          "leaf"_a, "cells"_a)
      .def(
          "find",
          [=](CandidateFinder& self, std::uint32_t leaf, const SparseCells& cells) {
            const GrowingTrees& trees = self.trees();
            check_index("leaf", leaf, trees.n_nodes());
            if (cells.n_indicators() != trees.domain().n_indicators()) refuse("expected counts for each indicator");
            const std::span<const double> totals = trees.counts(LeafId{leaf});
            for (std::size_t i = 0; i < cells.values().size(); ++i) {
              check_index("value", cells.values()[i], totals.size());
              if (cells.counts()[i] > totals[cells.values()[i]]) refuse("expected no cell to have more than its total");
            }
            return arrays_of(self.find(LeafId{leaf}, cells));
          },
          "leaf"_a, "cells"_a);
  m.def(
      "leaf_score",
      [](const std::string& criterion, double prior, Input<double> counts, double mass) {
        Score score = score_called(criterion, prior);
        return std::visit([&](auto& any) { return any(span_of(counts), counts.size(), mass); }, score);
      },
      "criterion"_a, "prior"_a, "counts"_a, "mass"_a);
}

void bind_circuit(nb::module_& m) {
  nb::class_<BoundCircuit>(m, "GrowingCircuit")
      .def(
          "__init__",
          [](BoundCircuit* self, Input<std::uint32_t> arities, bool binary_splits, const Ordered& ordered) {
            if (arities.size() == 0) refuse("expected at least one variable");
            for (const std::uint32_t arity : span_of(arities))
              if (arity == 0) refuse("expected every variable to have a value");
            new (self) BoundCircuit(split_space(arities, binary_splits, ordered));
          },
          "arities"_a, "binary_splits"_a, "ordered"_a = nb::none())
      .def_prop_ro("n_edges", [](const BoundCircuit& self) { return self.circuit.n_edges(); })
      .def_prop_ro("n_leaves", [](const BoundCircuit& self) { return self.circuit.n_leaves(); })
      .def_prop_ro("n_splits", [](const BoundCircuit& self) { return self.circuit.version(); })
      .def_prop_ro("n_bytes", [](const BoundCircuit& self) { return self.circuit.bytes(); })
      .def_prop_ro("n_visits", [](const BoundCircuit& self) { return self.region.n_visits(); })
      .def("check_invariants", [](const BoundCircuit& self) { self.circuit.check_invariants(); })
      .def(
          "edge_cost",
          [](BoundCircuit& self, std::uint32_t leaf, std::uint32_t variable, std::uint32_t value,
             std::optional<std::int64_t> limit) {
            return self.region.edge_cost(self.checked(leaf, variable, value), limit.value_or(SplitRegion::unlimited));
          },
          "leaf"_a, "variable"_a, "value"_a, "limit"_a = nb::none())
      .def(
          "apply_split",
          [](BoundCircuit& self, std::uint32_t leaf, std::uint32_t variable, std::uint32_t value) {
            const AppliedSplit applied = self.application.apply(self.checked(leaf, variable, value));
            return std::tuple(index(applied.first_new_leaf), applied.n_new_leaves, applied.edge_cost);
          },
          "leaf"_a, "variable"_a, "value"_a)
      .def("freeze", [](const BoundCircuit& self) {
        FrozenArrays frozen = freeze(self.circuit);
        return nb::make_tuple(to_numpy(std::move(frozen.kinds)), to_numpy(std::move(frozen.labels)),
                              to_numpy(std::move(frozen.child_offsets)), to_numpy(std::move(frozen.children)),
                              to_numpy(std::move(frozen.parameter_origins), {frozen.parameter_origins.size() / 2, 2}));
      });
}

}  // namespace

void learnac::bind_learning(nb::module_& m) {
  bind_trees(m);
  bind_circuit(m);
  bind_schedule<QuickSchedule>(m, "QuickSchedule");
  bind_schedule<GreedySchedule>(m, "GreedySchedule");
}
