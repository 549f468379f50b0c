// Mixtures over one structure.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "mix/expectation.hpp"
#include "mix/tied.hpp"

namespace learnac {
namespace {

using namespace nanobind::literals;

bool are_offsets(std::span<const std::uint32_t> offsets) {
  return offsets.size() >= 2 && offsets[0] == 0 && std::is_sorted(offsets.begin(), offsets.end());
}

CellLayout layout_of(const Input<std::uint32_t>& first_of_leaf, const Input<std::uint32_t>& first_of_variable,
                     const Input<std::uint32_t>& usual) {
  const std::span<const std::uint32_t> leaves = span_of(first_of_leaf), variables = span_of(first_of_variable);
  if (!are_offsets(leaves) || !are_offsets(variables) || leaves.back() != variables.back())
    refuse("expected the first cells of all leaves, and of all variables");
  if (usual.size() + 1 != variables.size()) refuse("expected a usual cell for each variable");
  for (std::size_t v = 0; v < usual.size(); ++v)
    if (usual.data()[v] < variables[v] || usual.data()[v] >= variables[v + 1])
      refuse("expected usual cells that are those of their variables");
  return {{leaves.begin(), leaves.end()},
          {variables.begin(), variables.end()},
          {usual.data(), usual.data() + usual.size()}};
}

void check_rows(const CellLayout& layout, const LeafRows& rows) {
  if (rows.n_cells() > layout.n_cells()) refuse("expected rows in the cells of the layout");
}

// Of (cells x components), and (components).
ComponentTable table_of(const CellLayout& layout, const Table<float>& log_parameters, const Input<float>& log_weights,
                        const LeafRows& rows) {
  if (log_parameters.shape(0) != layout.n_cells() || log_parameters.shape(1) != log_weights.size())
    refuse("expected a parameter for each cell and component");
  check_rows(layout, rows);
  return ComponentTable::of(layout, {log_parameters.data(), log_parameters.size()}, span_of(log_weights));
}

}  // namespace

void bind_mixing(nb::module_& m) {
  nb::class_<CellLayout>(m, "CellLayout")
      .def(
          "__init__",
          [](CellLayout* self, Input<std::uint32_t> first_of_leaf, Input<std::uint32_t> first_of_variable,
             Input<std::uint32_t> usual) { new (self) CellLayout(layout_of(first_of_leaf, first_of_variable, usual)); },
          "first_of_leaf"_a, "first_of_variable"_a, "usual"_a);
  nb::class_<LeafRows>(m, "LeafRows")
      .def(nb::init<const CellLayout&, bool>(), "layout"_a, "has_weights"_a)
      .def(
          "append",
          [](LeafRows& self, Table<std::uint32_t> cells, Input<double> weights) {
            if (cells.shape(1) != self.n_variables()) refuse("expected a cell for each variable");
            if (weights.size() != (self.has_weights() ? cells.shape(0) : 0)) refuse("expected a weight for each row");
            const nb::gil_scoped_release release;
            self.append({cells.data(), cells.size()}, span_of(weights));
          },
          "cells"_a, "weights"_a)
      .def_prop_ro("n_rows", &LeafRows::n_rows)
      .def_prop_ro("total_weight", &LeafRows::total_weight);
  nb::class_<TiedMixture>(m, "TiedMixture")
      .def(
          "__init__",
          [](TiedMixture* self, const CellLayout& layout, Table<float> features, Input<float> biases,
             Table<float> weights) {
            if (features.shape(1) == 0 || biases.size() != layout.n_cells() || weights.shape(0) != layout.n_cells() ||
                weights.shape(1) != features.shape(0))
              refuse("expected a bias for each cell, and a weight for each cell and feature");
            new (self) TiedMixture(layout, {features.data(), features.size()}, features.shape(1), span_of(biases),
                                   {weights.data(), weights.size()});
          },
          "layout"_a, "features"_a, "biases"_a, "weights"_a)
      .def(
          "epoch",
          [](TiedMixture& self, const LeafRows& rows, Input<std::uint32_t> order, std::size_t batch, float learning,
             float ridge) {
            check_rows(self.layout(), rows);
            for (const std::uint32_t row : span_of(order)) check_index("row", row, rows.n_rows());
            if (batch == 0) refuse("expected a batch of at least one row");
            const nb::gil_scoped_release release;
            return self.epoch(rows, span_of(order), batch, {learning, ridge});
          },
          "rows"_a, "order"_a, "batch"_a, "learning"_a, "ridge"_a)
      .def("log_likelihood",
           [](TiedMixture& self, const LeafRows& rows) {
             check_rows(self.layout(), rows);
             const nb::gil_scoped_release release;
             return self.log_likelihood(rows);
           })
      .def("state", [](TiedMixture& self) { return to_numpy(self.state()); })
      .def_prop_ro("n_steps", &TiedMixture::n_steps)
      .def(
          "restore",
          [](TiedMixture& self, Input<float> state, int n_steps) {
            if (state.size() != self.n_state() || n_steps < 0) refuse("expected the state of a mixture like this one");
            self.restore(span_of(state), n_steps);
          },
          "state"_a, "n_steps"_a)
      .def("parameters", [](TiedMixture& self) { return to_numpy(self.parameters()); })
      .def("component_weights", [](const TiedMixture& self) { return to_numpy(self.component_weights()); })
      .def("gradient", [](TiedMixture& self, const LeafRows& rows) {
        check_rows(self.layout(), rows);
        TiedMixture::Gradient found = self.gradient(rows);
        return nb::make_tuple(to_numpy(std::move(found.biases)), to_numpy(std::move(found.weights)),
                              to_numpy(std::move(found.components)));
      });
  m.def(
      "log_likelihood",
      [](const CellLayout& layout, Table<float> log_parameters, Input<float> log_weights, const LeafRows& rows) {
        const ComponentTable table = table_of(layout, log_parameters, log_weights, rows);
        const nb::gil_scoped_release release;
        return table.log_likelihood(rows);
      },
      "layout"_a, "log_parameters"_a, "log_weights"_a, "rows"_a);
  m.def(
      "expected_counts",
      [](const CellLayout& layout, Table<float> log_parameters, Input<float> log_weights, const LeafRows& rows) {
        const ComponentTable table = table_of(layout, log_parameters, log_weights, rows);
        Expectation found;
        {
          const nb::gil_scoped_release release;
          found = expectation_of(table, rows);
        }
        return nb::make_tuple(found.log_likelihood / rows.total_weight(),
                              to_numpy(std::move(found.counts), {layout.n_cells(), table.n_components()}),
                              to_numpy(std::move(found.totals)));
      },
      "layout"_a, "log_parameters"_a, "log_weights"_a, "rows"_a);
}

}  // namespace learnac
