#include "learn/counter.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/popcount.hpp"

namespace learnac {
namespace {

// Counts kept for subtraction: at most this many cells over all leaves (4 bytes each, 8 with fractional weights).
constexpr std::size_t most_cells_kept = std::size_t{1} << 24;

// The rows of a set that `among` leaves of each of its words.
template <class Among, class Visit>
void for_each_row(const RowSet& rows, Among among, Visit visit) {
  for (std::size_t i = 0; i < rows.words.size(); ++i)
    for (Word word = among(rows.positions[i], rows.words[i]); word != 0; word &= word - 1)
      visit(rows.positions[i] * 64 + static_cast<std::uint32_t>(__builtin_ctzll(word)));
}

void subtract(const LeafCounts& counts, std::size_t arity, std::span<double> from) {
  if (const auto* dense = std::get_if<DenseCells>(&counts.cells)) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= (*dense)[i];
    return;
  }
  const auto& sparse = std::get<SparseCells>(counts.cells);
  for (std::uint32_t indicator = 0; indicator < sparse.n_indicators(); ++indicator) {
    const SparseCells::Row row = sparse.row(indicator);
    for (std::size_t i = 0; i < row.values.size(); ++i) from[indicator * arity + row.values[i]] -= row.counts[i];
  }
}

}  // namespace

Counter::Counter(const PackedTable& table) : table_(table) {
  RowSet all;
  for (std::uint32_t w = 0; w < table.n_words(); ++w) {
    const std::uint32_t n_left = table.n_rows() - w * 64;
    all.positions.push_back(w);
    all.words.push_back(n_left >= 64 ? ~Word{0} : (Word{1} << n_left) - 1);
  }
  for (std::uint32_t v = 0; v < table.domain().n_variables(); ++v)
    leaves_.push_back({VariableId{v}, all, table.n_rows(), {}, 0, LeafId{v}, {}});
}

std::vector<LeafCounts> Counter::count(std::span<const LeafId> leaves) {
  std::vector<LeafCounts> counts;
  counts.reserve(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); i = counts.size()) {
    if (is_family(leaves.subspan(i)))
      count_family(leaves.subspan(i, leaves_[index(leaves_[index(leaves[i])].parent)].n_branches), counts);
    else
      counts.push_back(count_leaf(leaves[i]));
  }
  return counts;
}

// Whether all branches of a leaf whose counts are kept come first.
bool Counter::is_family(std::span<const LeafId> leaves) const {
  const Leaf& parent = leaves_[index(leaves_[index(leaves[0])].parent)];
  if (parent.n_branches > leaves.size() || parent.kept.size() == 0 || parent.n_branches == 0) return false;
  for (std::uint32_t branch = 0; branch < parent.n_branches; ++branch)
    if (index(leaves[branch]) != index(parent.first_branch) + branch) return false;
  return true;
}

void Counter::count_family(std::span<const LeafId> branches, std::vector<LeafCounts>& counts) {
  const Kept total = take_kept(leaves_[index(branches[0])].parent);
  const auto largest = static_cast<std::size_t>(
      std::ranges::max_element(branches, {}, [this](LeafId leaf) { return leaves_[index(leaf)].n_rows; }) -
      branches.begin());
  Leaf& left_over = leaves_[index(branches[largest])];
  if (is_sparse(left_over)) {
    for (const LeafId branch : branches) counts.push_back(count_leaf(branch));
    return;
  }
  DenseCells rest;
  if (total.real.empty())
    rest.assign(total.whole.begin(), total.whole.end());
  else
    rest = total.real;
  const std::size_t first = counts.size(), arity = table_.domain().arity(left_over.child);
  for (std::size_t branch = 0; branch < branches.size(); ++branch) {
    counts.push_back(branch == largest ? LeafCounts{} : count_leaf(branches[branch]));
    if (branch != largest) subtract(counts.back(), arity, rest);
  }
  keep(left_over, rest);
  std::vector<double> totals = child_totals(left_over, rest);
  counts[first + largest] = {std::move(rest), std::move(totals)};
}

// Whether the rows of a leaf are fewer than its cells by far. Small tables of cells are not worth the trouble.
bool Counter::is_sparse(const Leaf& leaf) const {
  const std::size_t n_dense = n_cells(leaf.child);
  return table_.may_be_sparse(leaf.child) && 2 * leaf.n_rows * table_.domain().n_variables() < n_dense;
}

LeafCounts Counter::count_leaf(LeafId id) {
  Leaf& leaf = leaves_[index(id)];
  if (is_sparse(leaf)) return {count_rows(leaf), count_child(leaf)};
  const Domain& domain = table_.domain();
  const double bits_work =
      static_cast<double>(leaf.rows.words.size()) * domain.n_indicators() * domain.arity(leaf.child) / 4;
  const double sparse_work = static_cast<double>(leaf.n_rows) * (4 + table_.mean_row_length());
  DenseCells cells(n_cells(leaf.child));
  if (!table_.counts_bits() || (table_.has_sparse_rows() && sparse_work < bits_work))
    count_sparse(leaf, cells);
  else
    count_bits(leaf, cells);
  keep(leaf, cells);
  std::vector<double> totals = child_totals(leaf, cells);
  return {std::move(cells), std::move(totals)};
}

// Every row has one value of the first variable.
std::vector<double> Counter::child_totals(const Leaf& leaf, std::span<const double> cells) const {
  std::vector<double> totals(table_.domain().arity(leaf.child), 0.0);
  const std::size_t n = table_.domain().arity(VariableId{0}) * totals.size();
  for (std::size_t start = 0; start < n; start += totals.size())
    for (std::size_t x = 0; x < totals.size(); ++x) totals[x] += cells[start + x];
  return totals;
}

// Rows sorted by the child's value, and then for each variable by its own: each indicator's rows with the same value
// of the child are one after the other.
SparseCells Counter::count_rows(const Leaf& leaf) const {
  const Domain& domain = table_.domain();
  const auto all = [](std::uint32_t, Word word) { return word; };
  std::vector<std::uint32_t> by_value(domain.arity(leaf.child) + 1, 0), rows(leaf.n_rows), sorted(leaf.n_rows), ends;
  for_each_row(leaf.rows, all, [&](std::uint32_t row) { ++by_value[table_.code(leaf.child, row) + 1]; });
  std::partial_sum(by_value.begin(), by_value.end(), by_value.begin());
  for_each_row(leaf.rows, all, [&](std::uint32_t row) { rows[by_value[table_.code(leaf.child, row)]++] = row; });
  SparseCells cells;
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    ends.assign(domain.arity(variable) + 1, 0);
    for (const std::uint32_t row : rows) ++ends[table_.code(variable, row) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (const std::uint32_t row : rows) sorted[ends[table_.code(variable, row)]++] = row;
    std::uint32_t i = 0;
    for (std::uint32_t value = 0; value < domain.arity(variable); ++value) {
      while (i < ends[value]) {
        const std::uint32_t x = table_.code(leaf.child, sorted[i]);
        double count = 0;
        for (; i < ends[value] && table_.code(leaf.child, sorted[i]) == x; ++i) count += table_.weight(sorted[i]);
        cells.add(x, count);
      }
      cells.end_row();
    }
  }
  return cells;
}

void Counter::count_bits(const Leaf& leaf, std::span<double> counts) const {
  const Domain& domain = table_.domain();
  const std::uint32_t arity = domain.arity(leaf.child);
  const std::size_t n = leaf.rows.words.size();
  // The leaf's rows with each value of the child but the first, which follows by subtraction.
  std::vector<Word> by_value(std::size_t{arity} * n);
  std::vector<double> totals(arity);
  for (std::uint32_t x = 0; x < arity; ++x) {
    Word* masked = by_value.data() + x * n;
    const Word* column = table_.bits(domain.indicator(leaf.child, x));
    for (std::size_t i = 0; i < n; ++i) masked[i] = leaf.rows.words[i] & column[leaf.rows.positions[i]];
    totals[x] = static_cast<double>(count_words(masked, n));
  }
  const std::uint32_t* positions = leaf.rows.positions.data();
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

std::uint32_t Counter::value_in(std::span<const std::uint32_t> items, VariableId variable) const {
  const std::uint32_t first = table_.domain().first(variable), arity = table_.domain().arity(variable);
  for (const std::uint32_t item : items)
    if (item - first < arity) return item - first;
  return table_.mode(variable);
}

void Counter::count_sparse(const Leaf& leaf, std::span<double> counts) const {
  const Domain& domain = table_.domain();
  const std::uint32_t arity = domain.arity(leaf.child);
  std::ranges::fill(counts, 0.0);
  std::vector<double> totals(arity, 0.0);
  // A row of nothing but modes is counted with the totals alone.
  const auto is_empty = [&](std::uint32_t position, Word word) { return word & ~table_.rows_with_items(position); };
  for_each_row(leaf.rows, is_empty, [&](std::uint32_t row) { totals[table_.mode(leaf.child)] += table_.weight(row); });
  const auto has_items = [&](std::uint32_t position, Word word) { return word & table_.rows_with_items(position); };
  for_each_row(leaf.rows, has_items, [&](std::uint32_t row) {
    const auto items = table_.sparse_row(row);
    const std::uint32_t x = table_.has_codes() ? table_.code(leaf.child, row) : value_in(items, leaf.child);
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

std::vector<double> Counter::count_child(const Leaf& leaf) const {
  const Domain& domain = table_.domain();
  std::vector<double> totals(domain.arity(leaf.child), 0.0);
  if (table_.counts_bits() && !table_.may_be_sparse(leaf.child)) {
    for (std::uint32_t x = 0; x < totals.size(); ++x)
      totals[x] =
          static_cast<double>(count_one(table_.bits(domain.indicator(leaf.child, x)), leaf.rows.positions.data(),
                                        leaf.rows.words.data(), leaf.rows.words.size()));
    return totals;
  }
  const auto all = [](std::uint32_t, Word word) { return word; };
  for_each_row(leaf.rows, all, [&](std::uint32_t row) { totals[table_.code(leaf.child, row)] += table_.weight(row); });
  return totals;
}

LeafId Counter::split(LeafId id, VariableId variable, std::span<const std::uint32_t> branch_of,
                      std::uint32_t n_branches) {
  const LeafId first{n_leaves()};
  leaves_.resize(leaves_.size() + n_branches);
  Leaf& leaf = leaves_[index(id)];
  leaf.first_branch = first;
  leaf.n_branches = n_branches;
  for (std::uint32_t branch = 0; branch < n_branches; ++branch) {
    leaves_[index(first) + branch].child = leaf.child;
    leaves_[index(first) + branch].parent = id;
  }
  std::vector<Word> words(n_branches);
  for (std::size_t i = 0; i < leaf.rows.words.size(); ++i) {
    std::ranges::fill(words, Word{0});
    const std::uint32_t position = leaf.rows.positions[i];
    if (table_.has_bits()) {
      for (std::uint32_t value = 0; value < branch_of.size(); ++value)
        words[branch_of[value]] |=
            leaf.rows.words[i] & table_.bits(table_.domain().indicator(variable, value))[position];
    } else {
      for (Word word = leaf.rows.words[i]; word != 0; word &= word - 1) {
        const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(word));
        words[branch_of[table_.code(variable, position * 64 + bit)]] |= Word{1} << bit;
      }
    }
    for (std::uint32_t branch = 0; branch < n_branches; ++branch) {
      if (words[branch] == 0) continue;
      RowSet& rows = leaves_[index(first) + branch].rows;
      rows.positions.push_back(position);
      rows.words.push_back(words[branch]);
    }
  }
  for (std::uint32_t branch = 0; branch < n_branches; ++branch) {
    Leaf& made = leaves_[index(first) + branch];
    made.n_rows = count_words(made.rows.words.data(), made.rows.words.size());
  }
  leaf.rows = RowSet{};
  return first;
}

void Counter::keep(Leaf& leaf, std::span<const double> counts) {
  if (n_cells_kept_ + counts.size() > most_cells_kept) return;
  if (table_.has_whole_counts())
    leaf.kept.whole.assign(counts.begin(), counts.end());
  else
    leaf.kept.real.assign(counts.begin(), counts.end());
  n_cells_kept_ += counts.size();
}

Counter::Kept Counter::take_kept(LeafId leaf) {
  Kept kept = std::exchange(leaves_[index(leaf)].kept, Kept{});
  n_cells_kept_ -= kept.size();
  return kept;
}

void Counter::forget(LeafId leaf) {
  take_kept(leaf);
  leaves_[index(leaf)].rows = RowSet{};
}

}  // namespace learnac
