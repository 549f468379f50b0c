#include "learn/row_counter.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "learn/popcount.hpp"

namespace learnac {
namespace {

// The rows of a set that `among` leaves of each of its words.
template <class Among, class Visit>
void for_each_row(const RowSet& rows, Among among, Visit visit) {
  for (std::size_t i = 0; i < rows.words.size(); ++i)
    for (Word word = among(rows.positions[i], rows.words[i]); word != 0; word &= word - 1)
      visit(rows.positions[i] * 64 + static_cast<std::uint32_t>(__builtin_ctzll(word)));
}

}  // namespace

RowSet RowCounter::all() const {
  RowSet rows;
  for (std::uint32_t w = 0; w < table_.n_words(); ++w) {
    const std::uint32_t n_left = table_.n_rows() - w * 64;
    rows.positions.push_back(w);
    rows.words.push_back(n_left >= 64 ? ~Word{0} : (Word{1} << n_left) - 1);
  }
  rows.n_rows = table_.n_rows();
  return rows;
}

RowSet RowCounter::masked(std::span<const Word> mask) const {
  const RowSet every = all();
  RowSet rows;
  for (std::size_t i = 0; i < every.words.size(); ++i) {
    if ((every.words[i] & mask[i]) == 0) continue;
    rows.positions.push_back(every.positions[i]);
    rows.words.push_back(every.words[i] & mask[i]);
  }
  rows.n_rows = count_words(rows.words.data(), rows.words.size());
  return rows;
}

std::vector<RowSet> RowCounter::branches(const RowSet& rows, VariableId variable,
                                         std::span<const std::uint32_t> branch_of, std::uint32_t n_branches) const {
  std::vector<RowSet> result(n_branches);
  std::vector<Word> words(n_branches);
  for (std::size_t i = 0; i < rows.words.size(); ++i) {
    std::ranges::fill(words, Word{0});
    const std::uint32_t position = rows.positions[i];
    if (table_.has_bits()) {
      for (std::uint32_t value = 0; value < branch_of.size(); ++value)
        words[branch_of[value]] |= rows.words[i] & table_.bits(domain().indicator(variable, value))[position];
    } else {
      for (Word word = rows.words[i]; word != 0; word &= word - 1) {
        const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(word));
        words[branch_of[table_.code(variable, position * 64 + bit)]] |= Word{1} << bit;
      }
    }
    for (std::uint32_t branch = 0; branch < n_branches; ++branch) {
      if (words[branch] == 0) continue;
      result[branch].positions.push_back(position);
      result[branch].words.push_back(words[branch]);
    }
  }
  for (RowSet& branch : result) branch.n_rows = count_words(branch.words.data(), branch.words.size());
  return result;
}

RowSet RowCounter::holding(const RowSet& rows, VariableId variable, std::span<const std::uint8_t> holds) const {
  std::vector<std::uint32_t> branch_of;
  for (const std::uint8_t is_held : holds) branch_of.push_back(is_held ? 0 : 1);
  return std::move(branches(rows, variable, branch_of, 2)[0]);
}

// Small tables of cells are not worth the trouble.
bool RowCounter::is_sparse(VariableId child, const RowSet& rows) const {
  const std::size_t n_dense = n_cells(child);
  return table_.may_be_sparse(child) && 2 * rows.n_rows * table_.domain().n_variables() < n_dense;
}

LeafCounts RowCounter::count(VariableId child, const RowSet& rows) const {
  if (is_sparse(child, rows)) return {count_rows(child, rows), totals(child, rows)};
  const double bits_work = static_cast<double>(rows.words.size()) * domain().n_indicators() * domain().arity(child) / 4;
  const double sparse_work = static_cast<double>(rows.n_rows) * (4 + table_.mean_row_length());
  DenseCells cells(n_cells(child));
  if (!table_.counts_bits() || (table_.has_sparse_rows() && sparse_work < bits_work))
    count_sparse(child, rows, cells);
  else
    count_bits(child, rows, cells);
  std::vector<double> totals = totals_of(child, cells);
  return {std::move(cells), std::move(totals)};
}

// Every row has one value of the first variable.
std::vector<double> RowCounter::totals_of(VariableId child, std::span<const double> cells) const {
  std::vector<double> totals(table_.domain().arity(child), 0.0);
  const std::size_t n = table_.domain().arity(VariableId{0}) * totals.size();
  for (std::size_t start = 0; start < n; start += totals.size())
    for (std::size_t x = 0; x < totals.size(); ++x) totals[x] += cells[start + x];
  return totals;
}

// Rows sorted by the child's value, and then for each variable by its own: each indicator's rows with the same value
// of the child are one after the other.
SparseCells RowCounter::count_rows(VariableId child, const RowSet& rows) const {
  const Domain& domain = table_.domain();
  const auto all = [](std::uint32_t, Word word) { return word; };
  std::vector<std::uint32_t> by_value(domain.arity(child) + 1, 0), ordered(rows.n_rows), sorted(rows.n_rows), ends;
  for_each_row(rows, all, [&](std::uint32_t row) { ++by_value[table_.code(child, row) + 1]; });
  std::partial_sum(by_value.begin(), by_value.end(), by_value.begin());
  for_each_row(rows, all, [&](std::uint32_t row) { ordered[by_value[table_.code(child, row)]++] = row; });
  SparseCells cells;
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    ends.assign(domain.arity(variable) + 1, 0);
    for (const std::uint32_t row : ordered) ++ends[table_.code(variable, row) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (const std::uint32_t row : ordered) sorted[ends[table_.code(variable, row)]++] = row;
    std::uint32_t i = 0;
    for (std::uint32_t value = 0; value < domain.arity(variable); ++value) {
      while (i < ends[value]) {
        const std::uint32_t x = table_.code(child, sorted[i]);
        double count = 0;
        for (; i < ends[value] && table_.code(child, sorted[i]) == x; ++i) count += table_.weight(sorted[i]);
        cells.add(x, count);
      }
      cells.end_row();
    }
  }
  return cells;
}

void RowCounter::count_bits(VariableId child, const RowSet& rows, std::span<double> counts) const {
  const Domain& domain = table_.domain();
  const std::uint32_t arity = domain.arity(child);
  const std::size_t n = rows.words.size();
  // The leaf's rows with each value of the child but the first, which follows by subtraction.
  std::vector<Word> by_value(std::size_t{arity} * n);
  std::vector<double> totals(arity);
  for (std::uint32_t x = 0; x < arity; ++x) {
    Word* masked = by_value.data() + x * n;
    const Word* column = table_.bits(domain.indicator(child, x));
    for (std::size_t i = 0; i < n; ++i) masked[i] = rows.words[i] & column[rows.positions[i]];
    totals[x] = static_cast<double>(count_words(masked, n));
  }
  const std::uint32_t* positions = rows.positions.data();
  const auto count_variable = [&](VariableId variable) {
    const std::uint32_t first = domain.first(variable);
    double* cells = counts.data() + std::size_t{first} * arity;
    // The mode's counts are what the other values leave over.
    double* mode_cells = cells + std::size_t{table_.mode(variable)} * arity;
    std::ranges::copy(totals, mode_cells);
    for (std::uint32_t value = 0; value < domain.arity(variable); ++value) {
      if (value == table_.mode(variable)) continue;
      const Word* column = table_.bits(domain.indicator(variable, value));
      double* row = cells + std::size_t{value} * arity;
      std::uint32_t x = 0;
      for (; x + 1 < arity; x += 2) {
        const TwoCounts two = count_two(column, positions, by_value.data() + x * n, by_value.data() + (x + 1) * n, n);
        row[x] = static_cast<double>(two.a);
        row[x + 1] = static_cast<double>(two.b);
      }
      if (x < arity) row[x] = static_cast<double>(count_one(column, positions, by_value.data() + x * n, n));
      for (x = 0; x < arity; ++x) mode_cells[x] -= row[x];
    }
  };
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) count_variable(VariableId{v});
}

std::uint32_t RowCounter::value_in(std::span<const std::uint32_t> items, VariableId variable) const {
  const std::uint32_t first = table_.domain().first(variable), arity = table_.domain().arity(variable);
  for (const std::uint32_t item : items)
    if (item - first < arity) return item - first;
  return table_.mode(variable);
}

void RowCounter::count_sparse(VariableId child, const RowSet& rows, std::span<double> counts) const {
  const Domain& domain = table_.domain();
  const std::uint32_t arity = domain.arity(child);
  std::ranges::fill(counts, 0.0);
  std::vector<double> totals(arity, 0.0);
  // A row of nothing but modes is counted with the totals alone.
  const auto is_empty = [&](std::uint32_t position, Word word) { return word & ~table_.rows_with_items(position); };
  for_each_row(rows, is_empty, [&](std::uint32_t row) { totals[table_.mode(child)] += table_.weight(row); });
  const auto has_items = [&](std::uint32_t position, Word word) { return word & table_.rows_with_items(position); };
  for_each_row(rows, has_items, [&](std::uint32_t row) {
    const auto items = table_.sparse_row(row);
    const std::uint32_t x = table_.has_codes() ? table_.code(child, row) : value_in(items, child);
    const double weight = table_.weight(row);
    totals[x] += weight;
    for (const std::uint32_t item : items) counts[std::size_t{item} * arity + x] += weight;
  });
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    double* cells = counts.data() + std::size_t{domain.first(variable)} * arity;
    double* mode_cells = cells + std::size_t{table_.mode(variable)} * arity;
    std::ranges::copy(totals, mode_cells);
    for (std::uint32_t value = 0; value < domain.arity(variable); ++value) {
      if (value == table_.mode(variable)) continue;
      for (std::uint32_t x = 0; x < arity; ++x) mode_cells[x] -= cells[std::size_t{value} * arity + x];
    }
  }
}

std::vector<double> RowCounter::totals(VariableId child, const RowSet& rows) const {
  const Domain& domain = table_.domain();
  std::vector<double> totals(domain.arity(child), 0.0);
  if (table_.counts_bits() && !table_.may_be_sparse(child)) {
    for (std::uint32_t x = 0; x < totals.size(); ++x)
      totals[x] = static_cast<double>(count_one(table_.bits(domain.indicator(child, x)), rows.positions.data(),
                                                rows.words.data(), rows.words.size()));
    return totals;
  }
  const auto all = [](std::uint32_t, Word word) { return word; };
  for_each_row(rows, all, [&](std::uint32_t row) { totals[table_.code(child, row)] += table_.weight(row); });
  return totals;
}

}  // namespace learnac
