#include "learn/packed_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/popcount.hpp"

namespace learnac {
namespace {

// Of all values, those that are not their column's mode: with no more than this share, rows are kept in sparse form.
constexpr std::size_t sparse_share = 16;

// Whole, and small enough in total to be kept as 32-bit counts.
bool are_whole(std::span<const double> weights) {
  return std::ranges::all_of(weights, [](double w) { return w == std::floor(w); }) &&
         std::accumulate(weights.begin(), weights.end(), 0.0) < 4294967296.0;
}

// To multiples of one unit, of which no sum has more than 2^52.
std::vector<double> rounded(std::span<const double> weights, std::optional<double> total) {
  int exponent = 0;
  std::frexp(total ? *total : std::accumulate(weights.begin(), weights.end(), 0.0), &exponent);
  const double unit = std::ldexp(1.0, exponent - 52);
  std::vector<double> result;
  for (const double weight : weights) result.push_back(std::nearbyint(weight / unit) * unit);
  return result;
}

template <class Visit>
void for_each_bit(const Word* words, std::size_t n_words, Visit visit) {
  for (std::size_t w = 0; w < n_words; ++w)
    for (Word word = words[w]; word != 0; word &= word - 1)
      visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(word)));
}

}  // namespace

template <class Code>
PackedTable::PackedTable(std::span<const Code> codes, std::span<const std::uint32_t> arities,
                         std::span<const double> weights, std::optional<double> total_weight)
    : domain_(arities),
      n_rows_(static_cast<std::uint32_t>(codes.size() / arities.size())),
      weights_(rounded(weights, total_weight)),
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
  const bool has_bits = wants_bits(domain_), is_weighted = !weights.empty();
  if (has_bits) pack_bits(codes);
  if (!has_bits || is_weighted || has_sparse_cells()) codes_.assign(codes.begin(), codes.end());
  const bool is_sparse = n_off_mode <= n_values / sparse_share;
  if (!has_bits || is_weighted || is_sparse) pack_rows(codes);
}

PackedTable::PackedTable(std::span<const Word> bits, std::uint32_t n_rows, std::span<const std::uint32_t> arities)
    : domain_(arities), n_rows_(n_rows), has_whole_counts_(true), bits_(domain_.n_indicators() * n_words()) {
  const Word* given = bits.data();
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) {
    Word* first = bits_.data() + domain_.first(VariableId{v}) * n_words();
    std::fill_n(first, n_words(), ~Word{0});
    if (n_rows % 64 != 0) first[n_words() - 1] = (Word{1} << (n_rows % 64)) - 1;
    for (std::uint32_t value = 1; value < domain_.arity(VariableId{v}); ++value, given += n_words()) {
      Word* column = first + value * n_words();
      std::copy_n(given, n_words(), column);
      for (std::size_t w = 0; w < n_words(); ++w) first[w] &= ~column[w];
    }
  }
  find_modes();
  if (has_sparse_cells()) pack_codes_from_bits();
  std::size_t n_off_mode = std::size_t{n_rows} * domain_.n_variables();
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v)
    n_off_mode -= count_words(this->bits(domain_.indicator(VariableId{v}, modes_[v])), n_words());
  if (n_off_mode <= std::size_t{n_rows} * domain_.n_variables() / sparse_share) pack_rows_from_bits();
}

double PackedTable::total_weight() const {
  return weights_.empty() ? n_rows_ : std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

bool PackedTable::has_sparse_cells() const {
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v)
    if (may_be_sparse(VariableId{v})) return true;
  return false;
}

void PackedTable::find_modes() {
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) {
    std::uint64_t most = 0;
    modes_.push_back(0);
    for (std::uint32_t value = 0; value < domain_.arity(VariableId{v}); ++value) {
      const std::uint64_t count = count_words(bits(domain_.indicator(VariableId{v}, value)), n_words());
      if (count > most) modes_[v] = value;
      most = std::max(most, count);
    }
  }
}

void PackedTable::pack_codes_from_bits() {
  codes_.resize(std::size_t{n_rows_} * domain_.n_variables());
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v)
    for (std::uint32_t value = 1; value < domain_.arity(VariableId{v}); ++value)
      for_each_bit(bits(domain_.indicator(VariableId{v}, value)), n_words(), [&](std::size_t row) {
        codes_[std::size_t{v} * n_rows_ + row] = static_cast<std::uint16_t>(value);
      });
}

void PackedTable::pack_rows_from_bits() {
  const auto for_each_item = [this](auto visit) {
    for (std::uint32_t v = 0; v < domain_.n_variables(); ++v)
      for (std::uint32_t value = 0; value < domain_.arity(VariableId{v}); ++value)
        if (value != modes_[v])
          for_each_bit(bits(domain_.indicator(VariableId{v}, value)), n_words(),
                       [&](std::size_t row) { visit(row, domain_.first(VariableId{v}) + value); });
  };
  row_ends_.assign(n_rows_, 0);
  for_each_item([this](std::size_t row, std::uint32_t) { ++row_ends_[row]; });
  begin_rows();
  for_each_item([this](std::size_t row, std::uint32_t item) { row_items_[row_ends_[row]++] = item; });
  mark_items();
}

// From the lengths of rows to their beginnings, which become their ends as items are put there.
void PackedTable::begin_rows() {
  std::size_t total = 0;
  for (std::size_t& end : row_ends_) end = std::exchange(total, total + end);
  row_items_.resize(total);
}

void PackedTable::mark_items() {
  has_items_.assign(n_words(), 0);
  for (std::uint32_t row = 0; row < n_rows_; ++row)
    if (!sparse_row(row).empty()) has_items_[row / 64] |= Word{1} << (row % 64);
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
  begin_rows();
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) {
    for (std::uint32_t row = 0; row < n_rows_; ++row) {
      const std::uint32_t code = codes[std::size_t{v} * n_rows_ + row];
      if (code != modes_[v]) row_items_[row_ends_[row]++] = domain_.first(VariableId{v}) + code;
    }
  }
  mark_items();
}

template PackedTable::PackedTable(std::span<const std::uint8_t>, std::span<const std::uint32_t>,
                                  std::span<const double>, std::optional<double>);
template PackedTable::PackedTable(std::span<const std::uint16_t>, std::span<const std::uint32_t>,
                                  std::span<const double>, std::optional<double>);
template PackedTable::PackedTable(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                                  std::span<const double>, std::optional<double>);

}  // namespace learnac
