// Counting: how often each value of a leaf's child variable meets each value of every other variable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/scopes.hpp"

namespace learnac {

// A table of discrete columns, packed for counting. Two forms, either or both, whichever is smaller to read:
// bit columns, one per indicator; and sparse rows, the indicators of each row that are not their column's mode.
// Weights are rounded to multiples of 2^-52 of their total or more, so that all sums and differences of them are exact:
// counts do not depend on the order of the rows, and what is left of a leaf can be had by subtraction.
class PackedTable {
 public:
  // codes: column after column, n_rows each. weights: one per row, or none.
  template <class Code>
  PackedTable(std::span<const Code> codes, std::span<const std::uint32_t> arities, std::span<const double> weights);

  const Domain& domain() const { return domain_; }
  std::uint32_t n_rows() const { return n_rows_; }
  std::size_t n_words() const { return (std::size_t{n_rows_} + 63) / 64; }
  double weight(std::uint32_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  // Whether counts are whole numbers of 32 bits.
  bool has_whole_counts() const { return has_whole_counts_; }
  bool has_bits() const { return !bits_.empty(); }
  // Whether a row is counted by its bit alone.
  bool counts_bits() const { return has_bits() && weights_.empty(); }
  bool has_codes() const { return !codes_.empty(); }
  // Of 64 rows, those with items in their sparse form.
  Word rows_with_items(std::uint32_t position) const { return has_items_[position]; }
  bool has_sparse_rows() const { return !row_ends_.empty(); }
  const Word* bits(IndicatorId indicator) const { return bits_.data() + index(indicator) * n_words(); }
  std::span<const std::uint32_t> sparse_row(std::uint32_t row) const {
    const std::size_t begin = row == 0 ? 0 : row_ends_[row - 1];
    return {row_items_.data() + begin, row_ends_[row] - begin};
  }
  double mean_row_length() const { return static_cast<double>(row_items_.size()) / n_rows_; }
  std::uint32_t mode(VariableId variable) const { return modes_[index(variable)]; }
  std::uint32_t code(VariableId variable, std::uint32_t row) const {
    return codes_[std::size_t{index(variable)} * n_rows_ + row];
  }

 private:
  template <class Code>
  void pack_bits(std::span<const Code> codes);
  template <class Code>
  void pack_rows(std::span<const Code> codes);

  Domain domain_;
  std::uint32_t n_rows_;
  std::vector<double> weights_;
  bool has_whole_counts_;
  std::vector<std::uint16_t> codes_;  // with weights, or without bit columns
  std::vector<std::uint32_t> modes_;
  std::vector<Word> bits_;
  std::vector<std::size_t> row_ends_;
  std::vector<std::uint32_t> row_items_;
  std::vector<Word> has_items_;
};

// The rows that reach a leaf: the non-zero words of a bit set over rows.
struct RowSet {
  std::vector<std::uint32_t> positions;
  std::vector<Word> words;
};

// Follows the leaves of growing trees and counts for each new one. Leaf i, for i below the number of variables, is
// the whole table with child i; each split numbers its branches on from there.
class Counter {
 public:
  explicit Counter(const PackedTable& table);

  const Domain& domain() const { return table_.domain(); }
  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>(leaves_.size()); }
  VariableId child(LeafId leaf) const { return leaves_[index(leaf)].child; }
  std::size_t n_cells(VariableId child) const {
    return std::size_t{table_.domain().n_indicators()} * table_.domain().arity(child);
  }

  // Makes a leaf for each branch; branch_of[value] is the branch of each value of `variable`.
  LeafId split(LeafId leaf, VariableId variable, std::span<const std::uint32_t> branch_of, std::uint32_t n_branches);
  // Counts of several leaves, [indicator][value of the child] each. If all branches of a split are asked for, one after
  // the other, the largest is what the others leave of the leaf that was split.
  std::vector<std::vector<double>> count(std::span<const LeafId> leaves);
  // Totals of the child's values only, for tables that no split is chosen on.
  void count_child(LeafId leaf, std::span<double> totals) const;
  // A leaf that will not be split needs no rows.
  void forget(LeafId leaf);

 private:
  // Counts that are kept for subtraction, if there is room.
  struct Kept {
    std::vector<std::uint32_t> whole;
    std::vector<double> real;

    std::size_t size() const { return whole.size() + real.size(); }
  };
  struct Leaf {
    VariableId child;
    RowSet rows;
    std::uint64_t n_rows = 0;
    LeafId first_branch{};
    std::uint32_t n_branches = 0;
    LeafId parent{};
    Kept kept;
  };

  void count_leaf(LeafId leaf, std::span<double> counts);
  bool is_family(std::span<const LeafId> leaves) const;
  void count_family(std::span<const LeafId> branches, std::span<std::vector<double>> counts);
  // The value of a variable in a sparse row.
  std::uint32_t value_in(std::span<const std::uint32_t> items, VariableId variable) const;
  void count_bits(const Leaf& leaf, std::span<double> counts) const;
  void count_sparse(const Leaf& leaf, std::span<double> counts) const;
  void count_child(const Leaf& leaf, std::span<double> totals) const;
  void keep(Leaf& leaf, std::span<const double> counts);
  Kept take_kept(LeafId leaf);

  const PackedTable& table_;
  std::vector<Leaf> leaves_;
  std::size_t n_cells_kept_ = 0;
};

}  // namespace learnac
