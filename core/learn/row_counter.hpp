// Sets of rows of a table, and counting them: how often each value of a child meets each value of every variable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/leaf_counts.hpp"
#include "learn/packed_table.hpp"

namespace learnac {

// The rows that reach a leaf: the non-zero words of a bit set over rows.
struct RowSet {
  std::vector<std::uint32_t> positions;
  std::vector<Word> words;
  std::uint64_t n_rows = 0;
};

class RowCounter {
 public:
  explicit RowCounter(const PackedTable& table) : table_(table) {}

  const PackedTable& table() const { return table_; }
  const Domain& domain() const { return table_.domain(); }
  std::size_t n_cells(VariableId child) const { return std::size_t{domain().n_indicators()} * domain().arity(child); }

  RowSet all() const;
  // The rows of a mask, one bit for each row of the table.
  RowSet masked(std::span<const Word> mask) const;
  // Some rows by the branches that their values of a variable go to.
  std::vector<RowSet> branches(const RowSet& rows, VariableId variable, std::span<const std::uint32_t> branch_of,
                               std::uint32_t n_branches) const;
  // Those of some rows that have one of the values that `holds` marks.
  RowSet holding(const RowSet& rows, VariableId variable, std::span<const std::uint8_t> holds) const;

  // Whether the rows are fewer than the cells by far: then their counts are sparse.
  bool is_sparse(VariableId child, const RowSet& rows) const;
  LeafCounts count(VariableId child, const RowSet& rows) const;
  // Totals of the child's values only.
  std::vector<double> totals(VariableId child, const RowSet& rows) const;
  // The same, of cells that were counted.
  std::vector<double> totals_of(VariableId child, std::span<const double> cells) const;

 private:
  // The value of a variable in a sparse row.
  std::uint32_t value_in(std::span<const std::uint32_t> items, VariableId variable) const;
  void count_bits(VariableId child, const RowSet& rows, std::span<double> cells) const;
  void count_sparse(VariableId child, const RowSet& rows, std::span<double> cells) const;
  SparseCells count_rows(VariableId child, const RowSet& rows) const;

  const PackedTable& table_;
};

}  // namespace learnac
