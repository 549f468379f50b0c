#include "learn/counter.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/popcount.hpp"

namespace learnac {
namespace {

// Above this many indicators a column, bit columns cost more than they save.
constexpr std::size_t most_bits_per_value = 8;
// Counts kept for subtraction: at most this many cells over all leaves (4 bytes each, 8 with fractional weights).
constexpr std::size_t most_cells_kept = std::size_t{1} << 24;

// Whole, and small enough in total to be kept as 32-bit counts.
bool are_whole(std::span<const double> weights) {
  return std::ranges::all_of(weights, [](double w) { return w == std::floor(w); }) &&
         std::accumulate(weights.begin(), weights.end(), 0.0) < 4294967296.0;
}

// To multiples of one unit, of which no sum has more than 2^52.
std::vector<double> rounded(std::span<const double> weights) {
  int exponent = 0;
  std::frexp(std::accumulate(weights.begin(), weights.end(), 0.0), &exponent);
  const double unit = std::ldexp(1.0, exponent - 52);
  std::vector<double> result;
  for (const double weight : weights) result.push_back(std::nearbyint(weight / unit) * unit);
  return result;
}

// The rows of a set that `among` leaves of each of its words.
template <class Among, class Visit>
void for_each_row(const RowSet& rows, Among among, Visit visit) {
  for (std::size_t i = 0; i < rows.words.size(); ++i)
    for (Word word = among(rows.positions[i], rows.words[i]); word != 0; word &= word - 1)
      visit(rows.positions[i] * 64 + static_cast<std::uint32_t>(__builtin_ctzll(word)));
}

}  // namespace

template <class Code>
PackedTable::PackedTable(std::span<const Code> codes, std::span<const std::uint32_t> arities,
                         std::span<const double> weights)
    : domain_(arities),
      n_rows_(static_cast<std::uint32_t>(codes.size() / arities.size())),
      weights_(rounded(weights)),
      has_whole_counts_(are_whole(weights)) {
  std::size_t n_off_mode = 0;
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) {
    const auto column = codes.subspan(std::size_t{v} * n_rows_, n_rows_);
    std::vector<std::uint32_t> totals(domain_.arity(VariableId{v}), 0);
    for (const Code code : column) ++totals[code];
    const auto most = std::ranges::max_element(totals);
    modes_.push_back(static_cast<std::uint32_t>(most - totals.begin()));
    n_off_mode += n_rows_ - *most;
  }
  const std::size_t n_values = codes.size();
  const bool wants_bits = domain_.n_indicators() <= most_bits_per_value * domain_.n_variables();
  const bool is_weighted = !weights.empty();
  if (wants_bits) pack_bits(codes);
  if (!wants_bits || is_weighted) codes_.assign(codes.begin(), codes.end());
  const bool is_sparse = n_off_mode <= n_values / 16;
  if (!wants_bits || is_weighted || is_sparse) pack_rows(codes);
}

template <class Code>
void PackedTable::pack_bits(std::span<const Code> codes) {
  bits_.assign(domain_.n_indicators() * n_words(), 0);
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) {
    const auto column = codes.subspan(std::size_t{v} * n_rows_, n_rows_);
    Word* first = bits_.data() + domain_.first(VariableId{v}) * n_words();
    for (std::uint32_t row = 0; row < n_rows_; ++row)
      first[column[row] * n_words() + row / 64] |= Word{1} << (row % 64);
  }
}

template <class Code>
void PackedTable::pack_rows(std::span<const Code> codes) {
  row_ends_.assign(n_rows_, 0);
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v)
    for (std::uint32_t row = 0; row < n_rows_; ++row)
      row_ends_[row] += codes[std::size_t{v} * n_rows_ + row] != modes_[v];
  std::size_t total = 0;
  for (std::size_t& end : row_ends_) end = std::exchange(total, total + end);  // the beginning, for now
  row_items_.resize(total);
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) {
    for (std::uint32_t row = 0; row < n_rows_; ++row) {
      const std::uint32_t code = codes[std::size_t{v} * n_rows_ + row];
      if (code != modes_[v]) row_items_[row_ends_[row]++] = domain_.first(VariableId{v}) + code;
    }
  }
  has_items_.assign(n_words(), 0);
  for (std::uint32_t row = 0; row < n_rows_; ++row)
    if (!sparse_row(row).empty()) has_items_[row / 64] |= Word{1} << (row % 64);
}

template PackedTable::PackedTable(std::span<const std::uint8_t>, std::span<const std::uint32_t>,
                                  std::span<const double>);
template PackedTable::PackedTable(std::span<const std::uint16_t>, std::span<const std::uint32_t>,
                                  std::span<const double>);
template PackedTable::PackedTable(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                                  std::span<const double>);

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

std::vector<std::vector<double>> Counter::count(std::span<const LeafId> leaves) {
  std::vector<std::vector<double>> counts;
  for (const LeafId leaf : leaves) counts.emplace_back(n_cells(child(leaf)));
  for (std::size_t i = 0; i < leaves.size();) {
    if (is_family(leaves.subspan(i))) {
      const std::uint32_t n = leaves_[index(leaves_[index(leaves[i])].parent)].n_branches;
      count_family(leaves.subspan(i, n), std::span(counts).subspan(i, n));
      i += n;
    } else {
      count_leaf(leaves[i], counts[i]);
      ++i;
    }
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

void Counter::count_family(std::span<const LeafId> branches, std::span<std::vector<double>> counts) {
  const Kept total = take_kept(leaves_[index(branches[0])].parent);
  const auto largest = static_cast<std::size_t>(
      std::ranges::max_element(branches, {}, [this](LeafId leaf) { return leaves_[index(leaf)].n_rows; }) -
      branches.begin());
  std::vector<double>& rest = counts[largest];
  if (total.real.empty())
    rest.assign(total.whole.begin(), total.whole.end());
  else
    rest = total.real;
  for (std::size_t branch = 0; branch < branches.size(); ++branch) {
    if (branch == largest) continue;
    count_leaf(branches[branch], counts[branch]);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= counts[branch][i];
  }
  keep(leaves_[index(branches[largest])], rest);
}

void Counter::count_leaf(LeafId id, std::span<double> counts) {
  Leaf& leaf = leaves_[index(id)];
  const Domain& domain = table_.domain();
  const double bits_work =
      static_cast<double>(leaf.rows.words.size()) * domain.n_indicators() * domain.arity(leaf.child) / 4;
  const double sparse_work = static_cast<double>(leaf.n_rows) * (4 + table_.mean_row_length());
  if (!table_.counts_bits() || (table_.has_sparse_rows() && sparse_work < bits_work))
    count_sparse(leaf, counts);
  else
    count_bits(leaf, counts);
  keep(leaf, counts);
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

void Counter::count_child(LeafId leaf, std::span<double> totals) const { count_child(leaves_[index(leaf)], totals); }

void Counter::count_child(const Leaf& leaf, std::span<double> totals) const {
  std::ranges::fill(totals, 0.0);
  const Domain& domain = table_.domain();
  if (table_.counts_bits()) {
    for (std::uint32_t x = 0; x < totals.size(); ++x)
      totals[x] =
          static_cast<double>(count_one(table_.bits(domain.indicator(leaf.child, x)), leaf.rows.positions.data(),
                                        leaf.rows.words.data(), leaf.rows.words.size()));
    return;
  }
  const auto all = [](std::uint32_t, Word word) { return word; };
  for_each_row(leaf.rows, all, [&](std::uint32_t row) { totals[table_.code(leaf.child, row)] += table_.weight(row); });
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
