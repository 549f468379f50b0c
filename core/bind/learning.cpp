// The border between Python and learning: ids and arrays only. Long calls release the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "learn/apply_split.hpp"
#include "learn/counter.hpp"
#include "learn/freeze.hpp"
#include "learn/greedy_schedule.hpp"
#include "learn/quick_schedule.hpp"

using namespace learnac;
using namespace nanobind::literals;

namespace {

// The circuit together with what applies splits to it and prices them.
struct BoundCircuit {
  BoundCircuit(std::span<const std::uint32_t> arities, SplitKind kind)
      : circuit(arities, kind), region(circuit), application(circuit, region) {}

  Split checked(std::uint32_t leaf, std::uint32_t variable, std::uint32_t value) const {
    check_index("leaf", leaf, circuit.n_leaves());
    check_index("variable", variable, circuit.domain().n_variables());
    const Split split{LeafId{leaf}, VariableId{variable}, value};
    check_index("value", value, circuit.domain().arity(split.variable));
    if (circuit.leaf(split.leaf).is_split) refuse("leaf " + std::to_string(leaf) + " is already split");
    if (circuit.leaf(split.leaf).child == split.variable) refuse("a leaf cannot be split on its own child variable");
    if (circuit.domain().arity(split.variable) < 2) refuse("a variable with one value cannot be split on");
    return split;
  }

  GrowingCircuit circuit;
  SplitRegion region;
  SplitApplication application;
};

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
      .def_prop_ro("has_unfitting", &Schedule::has_unfitting)
      .def_prop_ro("n_candidates", [](const Schedule& self) { return self.work().n_candidates; })
      .def_prop_ro("n_evaluations", [](const Schedule& self) { return self.work().n_evaluations; })
      .def_prop_ro("n_visits", [](const Schedule& self) { return self.work().n_visits; });
  return schedule;
}

template <class Code>
void bind_table_init(nb::class_<PackedTable>& table) {
  table.def(
      "__init__",
      [](PackedTable* self, nb::ndarray<const Code, nb::ndim<2>, nb::c_contig, nb::device::cpu> codes,
         Input<std::uint32_t> arities, Input<double> weights) {
        if (codes.shape(0) != arities.size()) refuse("expected one arity for each column");
        if (weights.size() != 0 && weights.size() != codes.shape(1)) refuse("expected one weight for each row");
        if (codes.shape(1) >= 0xffffffffu) refuse("expected fewer than 2^32 rows");
        for (const std::uint32_t arity : span_of(arities))
          if (arity == 0 || arity > 65536) refuse("expected arities from 1 to 65536");
        for (std::size_t v = 0; v < codes.shape(0); ++v)
          for (std::size_t row = 0; row < codes.shape(1); ++row)
            if (codes(v, row) >= arities(v)) refuse("a code is not below its column's arity");
        new (self) PackedTable(std::span<const Code>(codes.data(), codes.size()), span_of(arities), span_of(weights));
      },
      "codes"_a, "arities"_a, "weights"_a);
}

void bind_counting(nb::module_& m) {
  nb::class_<PackedTable> table(m, "PackedTable");
  bind_table_init<std::uint8_t>(table);
  bind_table_init<std::uint16_t>(table);
  bind_table_init<std::uint32_t>(table);
  table.def_prop_ro("n_rows", &PackedTable::n_rows);

  const auto check_leaf = [](const Counter& self, std::uint32_t leaf) { check_index("leaf", leaf, self.n_leaves()); };
  const auto check_branches = [](const Counter& self, std::uint32_t variable, const Input<std::uint32_t>& branch_of,
                                 std::uint32_t n_branches) {
    check_index("variable", variable, self.domain().n_variables());
    if (branch_of.size() != self.domain().arity(VariableId{variable})) refuse("expected a branch for each value");
    for (const std::uint32_t branch : span_of(branch_of)) check_index("branch", branch, n_branches);
  };
  nb::class_<Counter>(m, "Counter")
      .def(nb::init<const PackedTable&>(), "table"_a, nb::keep_alive<1, 2>())
      .def(
          "count",
          [=](Counter& self, std::uint32_t leaf) {
            check_leaf(self, leaf);
            std::vector<double> counts(self.n_cells(self.child(LeafId{leaf})));
            {
              nb::gil_scoped_release release;
              self.count(LeafId{leaf}, counts);
            }
            const std::size_t n_indicators = self.domain().n_indicators();
            const std::size_t arity = self.domain().arity(self.child(LeafId{leaf}));
            return to_numpy(std::move(counts), {n_indicators, arity});
          },
          "leaf"_a)
      .def(
          "split_and_count",
          [=](Counter& self, std::uint32_t leaf, std::uint32_t variable, Input<std::uint32_t> branch_of,
              std::uint32_t n_branches) {
            check_leaf(self, leaf);
            check_branches(self, variable, branch_of, n_branches);
            std::vector<double> counts(self.n_cells(self.child(LeafId{leaf})) * n_branches);
            {
              nb::gil_scoped_release release;
              self.split_and_count(LeafId{leaf}, VariableId{variable}, span_of(branch_of), n_branches, counts);
            }
            const std::size_t n_indicators = self.domain().n_indicators();
            const std::size_t arity = self.domain().arity(self.child(LeafId{leaf}));
            return to_numpy(std::move(counts), {std::size_t{n_branches}, n_indicators, arity});
          },
          "leaf"_a, "variable"_a, "branch_of"_a, "n_branches"_a)
      .def(
          "split",
          [=](Counter& self, std::uint32_t leaf, std::uint32_t variable, Input<std::uint32_t> branch_of,
              std::uint32_t n_branches) {
            check_leaf(self, leaf);
            check_branches(self, variable, branch_of, n_branches);
            return index(self.split(LeafId{leaf}, VariableId{variable}, span_of(branch_of), n_branches));
          },
          "leaf"_a, "variable"_a, "branch_of"_a, "n_branches"_a)
      .def(
          "child_totals",
          [=](const Counter& self, std::uint32_t leaf) {
            check_leaf(self, leaf);
            std::vector<double> totals(self.domain().arity(self.child(LeafId{leaf})));
            self.count_child(LeafId{leaf}, totals);
            return to_numpy(std::move(totals));
          },
          "leaf"_a)
      .def(
          "forget",
          [=](Counter& self, std::uint32_t leaf) {
            check_leaf(self, leaf);
            self.forget(LeafId{leaf});
          },
          "leaf"_a);
}

void bind_circuit(nb::module_& m) {
  nb::class_<BoundCircuit>(m, "GrowingCircuit")
      .def(
          "__init__",
          [](BoundCircuit* self, Input<std::uint32_t> arities, bool binary_splits) {
            if (arities.size() == 0) refuse("expected at least one variable");
            for (const std::uint32_t arity : span_of(arities))
              if (arity == 0) refuse("expected every variable to have a value");
            new (self)
                BoundCircuit(span_of(arities), binary_splits ? SplitKind::value_against_rest : SplitKind::complete);
          },
          "arities"_a, "binary_splits"_a)
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
  bind_counting(m);
  bind_circuit(m);
  bind_schedule<QuickSchedule>(m, "QuickSchedule")
      .def("known_costs", [](const QuickSchedule& self) { return to_numpy(std::vector(self.known_costs())); })
      .def(
          "replay",
          [](QuickSchedule& self, Input<std::int64_t> costs) {
            self.replay(std::vector(span_of(costs).begin(), span_of(costs).end()));
          },
          "costs"_a);
  bind_schedule<GreedySchedule>(m, "GreedySchedule");
}
