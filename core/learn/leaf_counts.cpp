#include "learn/leaf_counts.hpp"

#include <utility>

namespace learnac {
namespace {

// A sparse cell takes as much room as one and a half of a table.
constexpr std::size_t densest = 2;

void add_to_table(DenseCells& sum, const SparseCells& more, std::size_t arity) {
  for (std::uint32_t indicator = 0; indicator < more.n_indicators(); ++indicator) {
    const SparseCells::Row row = more.row(indicator);
    for (std::size_t i = 0; i < row.values.size(); ++i) sum[indicator * arity + row.values[i]] += row.counts[i];
  }
}

SparseCells merged(const SparseCells& a, const SparseCells& b) {
  SparseCells cells;
  for (std::uint32_t indicator = 0; indicator < a.n_indicators(); ++indicator) {
    const SparseCells::Row left = a.row(indicator), right = b.row(indicator);
    std::size_t i = 0, j = 0;
    while (i < left.values.size() || j < right.values.size()) {
      const bool has_left = i < left.values.size() && (j == right.values.size() || left.values[i] <= right.values[j]);
      const bool has_right = j < right.values.size() && (i == left.values.size() || right.values[j] <= left.values[i]);
      const std::uint32_t value = has_left ? left.values[i] : right.values[j];
      cells.add(value, (has_left ? left.counts[i++] : 0) + (has_right ? right.counts[j++] : 0));
    }
    cells.end_row();
  }
  return cells;
}

}  // namespace

void add(LeafCounts& sum, const LeafCounts& more) {
  const std::size_t arity = sum.totals.size();
  for (std::size_t x = 0; x < arity; ++x) sum.totals[x] += more.totals[x];
  const auto* more_dense = std::get_if<DenseCells>(&more.cells);
  if (auto* dense = std::get_if<DenseCells>(&sum.cells)) {
    if (more_dense == nullptr) return add_to_table(*dense, std::get<SparseCells>(more.cells), arity);
    for (std::size_t i = 0; i < dense->size(); ++i) (*dense)[i] += (*more_dense)[i];
    return;
  }
  const SparseCells& sparse = std::get<SparseCells>(sum.cells);
  if (more_dense != nullptr) {
    DenseCells cells = *more_dense;
    add_to_table(cells, sparse, arity);
    sum.cells = std::move(cells);
    return;
  }
  SparseCells cells = merged(sparse, std::get<SparseCells>(more.cells));
  const std::size_t n_dense = cells.n_indicators() * arity;
  if (cells.values().size() * densest > n_dense) {
    DenseCells table(n_dense, 0.0);
    add_to_table(table, cells, arity);
    sum.cells = std::move(table);
  } else {
    sum.cells = std::move(cells);
  }
}

}  // namespace learnac
