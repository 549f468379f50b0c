#include "learn/packed_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace learnac {
namespace {

// Above this many indicators a column, bit columns cost more than they save.
constexpr std::size_t most_bits_per_value = 8;

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
  bool has_sparse_cells = false;
  for (std::uint32_t v = 0; v < domain_.n_variables(); ++v) has_sparse_cells |= may_be_sparse(VariableId{v});
  if (!wants_bits || is_weighted || has_sparse_cells) codes_.assign(codes.begin(), codes.end());
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

}  // namespace learnac
