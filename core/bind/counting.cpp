// The border between Python and counting: tables, and counts of the leaves of trees or at the ends of paths.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "learn/counter.hpp"
#include "learn/path_counts.hpp"

using namespace learnac;
using namespace nanobind::literals;

namespace {

void check_arities(const Input<std::uint32_t>& arities) {
  for (const std::uint32_t arity : span_of(arities))
    if (arity == 0 || arity > 65536) refuse("expected arities from 1 to 65536");
}

template <class Code>
void bind_table_init(nb::class_<PackedTable>& table) {
  table.def(
      "__init__",
      [](PackedTable* self, nb::ndarray<const Code, nb::ndim<2>, nb::c_contig, nb::device::cpu> codes,
         Input<std::uint32_t> arities, Input<double> weights, std::optional<double> total_weight) {
        if (codes.shape(0) != arities.size()) refuse("expected one arity for each column");
        if (weights.size() != 0 && weights.size() != codes.shape(1)) refuse("expected one weight for each row");
        if (codes.shape(1) >= 0xffffffffu) refuse("expected fewer than 2^32 rows");
        check_arities(arities);
        for (std::size_t v = 0; v < codes.shape(0); ++v)
          for (std::size_t row = 0; row < codes.shape(1); ++row)
            if (codes(v, row) >= arities(v)) refuse("a code is not below its column's arity");
        new (self) PackedTable(std::span<const Code>(codes.data(), codes.size()), span_of(arities), span_of(weights),
                               total_weight);
      },
      "codes"_a, "arities"_a, "weights"_a, "total_weight"_a = nb::none());
}

// What a provider of counts may say: every indicator has its cells, ascending.
SparseCells checked_cells(const Input<std::uint64_t>& starts, const Input<std::uint32_t>& values,
                          const Input<double>& counts) {
  if (values.size() != counts.size()) refuse("expected a count for each value");
  if (starts.size() == 0 || starts(0) != 0 || starts(starts.size() - 1) != values.size())
    refuse("expected starts from 0 to the number of cells");
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts(i) < starts(i - 1) || starts(i) > values.size()) refuse("expected ascending starts");
    for (std::size_t cell = starts(i - 1) + 1; cell < starts(i); ++cell)
      if (values(cell) <= values(cell - 1)) refuse("expected ascending values for each indicator");
  }
  return {{span_of(starts).begin(), span_of(starts).end()},
          {span_of(values).begin(), span_of(values).end()},
          {span_of(counts).begin(), span_of(counts).end()}};
}

// Pairs of cells and totals.
nb::list as_list(std::vector<LeafCounts>&& counts, std::size_t n_indicators) {
  nb::list result;
  for (LeafCounts& each : counts) {
    const std::size_t arity = each.totals.size();
    nb::object cells = std::holds_alternative<SparseCells>(each.cells)
                           ? nb::cast(std::get<SparseCells>(std::move(each.cells)))
                           : nb::cast(to_numpy(std::get<DenseCells>(std::move(each.cells)), {n_indicators, arity}));
    result.append(nb::make_tuple(std::move(cells), to_numpy(std::move(each.totals))));
  }
  return result;
}

PathCounts checked_path_counts(const Input<std::uint32_t>& arities, const Input<std::uint32_t>& parents,
                               const Input<std::uint32_t>& variables, const Input<std::uint8_t>& holds,
                               const Input<std::uint32_t>& nodes, const Input<std::uint32_t>& children) {
  check_arities(arities);
  if (parents.size() != variables.size() || parents.size() == 0) refuse("expected a variable for each node");
  if (nodes.size() != children.size()) refuse("expected a child for each request");
  RowTree tree{{{0, VariableId{0}, {}}}};
  std::size_t used = 0;
  for (std::size_t node = 1; node < parents.size(); ++node) {
    check_index("parent", parents(node), node);
    check_index("variable", variables(node), arities.size());
    const std::size_t arity = arities(variables(node));
    if (holds.size() - used < arity) refuse("expected a byte for each value of the variable of each node");
    tree.nodes.push_back(
        {parents(node), VariableId{variables(node)}, {holds.data() + used, holds.data() + used + arity}});
    used += arity;
  }
  std::vector<CountRequest> requests;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    check_index("node", nodes(i), parents.size());
    check_index("child", children(i), arities.size());
    if (i > 0 && nodes(i) < nodes(i - 1)) refuse("expected requests in the order of their nodes");
    requests.push_back({nodes(i), VariableId{children(i)}});
  }
  return {span_of(arities), std::move(tree), std::move(requests)};
}

void bind_path_counts(nb::module_& m) {
  const auto check_counts = [](const PathCounts& self, std::size_t request, std::size_t n_indicators,
                               const Input<double>& totals) {
    check_index("request", request, self.requests().size());
    if (n_indicators != self.domain().n_indicators() ||
        totals.size() != self.domain().arity(self.requests()[request].child))
      refuse("expected counts for each indicator and value of the child");
  };
  nb::class_<PathCounts>(m, "PathCounts")
      .def(
          "__init__",
          [](PathCounts* self, Input<std::uint32_t> arities, Input<std::uint32_t> parents,
             Input<std::uint32_t> variables, Input<std::uint8_t> holds, Input<std::uint32_t> nodes,
             Input<std::uint32_t> children) {
            new (self) PathCounts(checked_path_counts(arities, parents, variables, holds, nodes, children));
          },
          "arities"_a, "parents"_a, "variables"_a, "holds"_a, "nodes"_a, "children"_a)
      .def(
          "add",
          [](PathCounts& self, const PackedTable& table, Input<Word> mask) {
            const auto arities = [](const Domain& domain) {
              std::vector<std::uint32_t> all;
              for (std::uint32_t v = 0; v < domain.n_variables(); ++v) all.push_back(domain.arity(VariableId{v}));
              return all;
            };
            if (arities(table.domain()) != arities(self.domain())) refuse("expected a table with the same arities");
            if (mask.size() != 0 && mask.size() != table.n_words()) refuse("expected a mask with a bit for each row");
            nb::gil_scoped_release release;
            self.add(table, span_of(mask));
          },
          "table"_a, "mask"_a)
      .def(
          "add_counts",
          [=](PathCounts& self, std::size_t request, Table<double> cells, Input<double> totals) {
            check_counts(self, request, cells.shape(0), totals);
            if (cells.shape(1) != totals.size()) refuse("expected counts for each indicator and value of the child");
            self.add(request, {DenseCells(cells.data(), cells.data() + cells.size()),
                               {span_of(totals).begin(), span_of(totals).end()}});
          },
          "request"_a, "cells"_a, "totals"_a)
      .def(
          "add_counts",
          [=](PathCounts& self, std::size_t request, const SparseCells& cells, Input<double> totals) {
            check_counts(self, request, cells.n_indicators(), totals);
            for (const std::uint32_t value : cells.values()) check_index("value", value, totals.size());
            self.add(request, {cells, {span_of(totals).begin(), span_of(totals).end()}});
          },
          "request"_a, "cells"_a, "totals"_a)
      .def("take", [](PathCounts& self) { return as_list(self.take(), self.domain().n_indicators()); });
}

void bind_tables(nb::module_& m) {
  nb::class_<SparseCells>(m, "SparseCells")
      .def(
          "__init__",
          [](SparseCells* self, Input<std::uint64_t> starts, Input<std::uint32_t> values, Input<double> counts) {
            new (self) SparseCells(checked_cells(starts, values, counts));
          },
          "starts"_a, "values"_a, "counts"_a)
      .def_prop_ro(
          "starts",
          [](const SparseCells& self) { return to_numpy(std::vector(self.starts().begin(), self.starts().end())); },
          nb::rv_policy::move)
      .def_prop_ro(
          "values",
          [](const SparseCells& self) { return to_numpy(std::vector(self.values().begin(), self.values().end())); },
          nb::rv_policy::move)
      .def_prop_ro(
          "counts",
          [](const SparseCells& self) { return to_numpy(std::vector(self.counts().begin(), self.counts().end())); },
          nb::rv_policy::move);

  nb::class_<PackedTable> table(m, "PackedTable");
  bind_table_init<std::uint8_t>(table);
  bind_table_init<std::uint16_t>(table);
  bind_table_init<std::uint32_t>(table);
  table.def_prop_ro("n_rows", &PackedTable::n_rows)
      .def_prop_ro("total_weight", &PackedTable::total_weight)
      .def_static(
          "wants_bits",
          [](Input<std::uint32_t> arities) {
            check_arities(arities);
            return PackedTable::wants_bits(Domain(span_of(arities)));
          },
          "arities"_a)
      .def_static(
          "from_bits",
          [](Input<Word> bits, std::uint32_t n_rows, Input<std::uint32_t> arities) {
            check_arities(arities);
            std::size_t n_columns = 0;
            for (const std::uint32_t arity : span_of(arities)) n_columns += arity - 1;
            if (bits.size() != n_columns * ((std::size_t{n_rows} + 63) / 64)) refuse("expected a bit for each value");
            nb::gil_scoped_release release;
            return std::make_unique<PackedTable>(span_of(bits), n_rows, span_of(arities));
          },
          "bits"_a, "n_rows"_a, "arities"_a);

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
          "split",
          [=](Counter& self, std::uint32_t leaf, std::uint32_t variable, Input<std::uint32_t> branch_of,
              std::uint32_t n_branches) {
            check_leaf(self, leaf);
            check_branches(self, variable, branch_of, n_branches);
            nb::gil_scoped_release release;
            return index(self.split(LeafId{leaf}, VariableId{variable}, span_of(branch_of), n_branches));
          },
          "leaf"_a, "variable"_a, "branch_of"_a, "n_branches"_a)
      .def(
          "count",
          [=](Counter& self, const std::vector<std::uint32_t>& leaves) -> nb::list {
            std::vector<LeafId> ids;
            for (const std::uint32_t leaf : leaves) {
              check_leaf(self, leaf);
              ids.push_back(LeafId{leaf});
            }
            std::vector<LeafCounts> counts;
            {
              nb::gil_scoped_release release;
              counts = self.count(ids);
            }
            return as_list(std::move(counts), self.domain().n_indicators());
          },
          "leaves"_a)
      .def(
          "totals",
          [=](const Counter& self, std::uint32_t leaf) {
            check_leaf(self, leaf);
            return to_numpy(self.count_child(LeafId{leaf}));
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

}  // namespace

void learnac::bind_counting(nb::module_& m) {
  bind_tables(m);
  bind_path_counts(m);
}
