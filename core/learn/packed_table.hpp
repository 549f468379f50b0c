// A table of discrete columns, packed for counting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/scopes.hpp"

namespace learnac {

// Two forms, either or both, whichever is smaller to read:
// bit columns, one per indicator; and sparse rows, the indicators of each row that are not their column's mode.
// Weights are rounded to multiples of 2^-52 of their total or more, so that all sums and differences of them are exact:
// counts do not depend on the order of the rows, and what is left of a leaf can be had by subtraction.
class PackedTable {
 public:
  // codes: column after column, n_rows each. weights: one per row, or none; of a table that is a part of another,
  // `total_weight` is that of the whole.
  template <class Code>
  PackedTable(std::span<const Code> codes, std::span<const std::uint32_t> arities, std::span<const double> weights,
              std::optional<double> total_weight = std::nullopt);
  // From bit columns of all values but the first, variable after variable, n_words each.
  PackedTable(std::span<const Word> bits, std::uint32_t n_rows, std::span<const std::uint32_t> arities);

  const Domain& domain() const { return domain_; }
  std::uint32_t n_rows() const { return n_rows_; }
  std::size_t n_words() const { return (std::size_t{n_rows_} + 63) / 64; }
  // Of all rows, as rounded.
  double total_weight() const;
  double weight(std::uint32_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  // Whether counts are whole numbers of 32 bits.
  bool has_whole_counts() const { return has_whole_counts_; }
  bool has_bits() const { return !bits_.empty(); }
  // Whether a row is counted by its bit alone.
  bool counts_bits() const { return has_bits() && weights_.empty(); }
  bool has_codes() const { return !codes_.empty(); }
  // Whether leaves of this child have so many cells that some are counted row by row. Then there are codes.
  bool may_be_sparse(VariableId child) const {
    return std::size_t{domain_.n_indicators()} * domain_.arity(child) > most_dense_cells;
  }
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

#ifdef NDEBUG
  static constexpr std::size_t most_dense_cells = std::size_t{1} << 16;
#else
  static constexpr std::size_t most_dense_cells = 100;  // So that small tables test it too.
#endif
  // Whether tables with such columns have bit columns: with more indicators a column they cost more than they save.
  static bool wants_bits(const Domain& domain) { return domain.n_indicators() <= 8 * domain.n_variables(); }

 private:
  bool has_sparse_cells() const;
  template <class Code>
  void pack_bits(std::span<const Code> codes);
  void find_modes();
  void pack_codes_from_bits();
  void pack_rows_from_bits();
  void begin_rows();
  void mark_items();
  template <class Code>
  void pack_rows(std::span<const Code> codes);

  Domain domain_;
  std::uint32_t n_rows_;
  std::vector<double> weights_;
  bool has_whole_counts_;
  std::vector<std::uint16_t> codes_;  // with weights, without bit columns, or for sparse cells
  std::vector<std::uint32_t> modes_;
  std::vector<Word> bits_;
  std::vector<std::size_t> row_ends_;
  std::vector<std::uint32_t> row_items_;
  std::vector<Word> has_items_;
};

}  // namespace learnac
