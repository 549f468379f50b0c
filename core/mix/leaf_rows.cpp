#include "mix/leaf_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace learnac {

namespace {

// Numbers of distinct lists by their contents.
class Finder {
 public:
  explicit Finder(std::size_t n_lists) : slots_(std::bit_ceil(2 * n_lists + 1), none) {}

  // The number of a list that equals, or a place for a new one.
  template <class Equals>
  std::uint32_t& find(std::span<const std::uint32_t> list, Equals equals) {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const std::uint32_t cell : list) hash = (hash ^ cell) * 0xff51afd7ed558ccd ^ hash >> 29;
    for (std::size_t at = (hash ^ hash >> 32) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == none || equals(slots_[at])) return slots_[at];
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};

 private:
  std::vector<std::uint32_t> slots_;
};

}  // namespace

double WeightedRows::total_weight() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

LeafRows::LeafRows(std::span<const std::uint32_t> cells, std::span<const std::uint32_t> usual,
                   std::span<const double> weights)
    : starts_{0}, weights_(weights.begin(), weights.end()), total_weight_(0) {
  const std::size_t n_variables = usual.size(), n_rows = cells.size() / n_variables;
  Finder finder(n_rows);
  std::vector<std::uint32_t> list;
  distinct_of_.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    list.clear();
    for (std::size_t v = 0; v < n_variables; ++v)
      if (cells[row * n_variables + v] != usual[v]) list.push_back(cells[row * n_variables + v]);
    std::uint32_t& found =
        finder.find(list, [&](std::uint32_t other) { return std::ranges::equal(unusual(other), list); });
    if (found == Finder::none) {
      found = static_cast<std::uint32_t>(n_distinct());
      cells_.insert(cells_.end(), list.begin(), list.end());
      starts_.push_back(cells_.size());
      weights_of_distinct_.push_back(0);
    }
    distinct_of_.push_back(found);
    const double weight = weights.empty() ? 1.0 : weights[row];
    weights_of_distinct_[found] += weight;
    total_weight_ += weight;
  }
  for (const std::uint32_t cell : cells_) n_cells_ = std::max(n_cells_, cell + 1);
}

WeightedRows LeafRows::together(std::span<const std::uint32_t> rows) const {
  std::vector<std::pair<std::uint32_t, float>> each;
  each.reserve(rows.size());
  for (const std::uint32_t row : rows) each.emplace_back(distinct_of_[row], weights_.empty() ? 1.0f : weights_[row]);
  std::ranges::stable_sort(each, {}, &std::pair<std::uint32_t, float>::first);
  WeightedRows found;
  for (const auto& [distinct, weight] : each) {
    if (found.distinct.empty() || found.distinct.back() != distinct) {
      found.distinct.push_back(distinct);
      found.weights.push_back(0);
    }
    found.weights.back() += weight;
  }
  return found;
}

WeightedRows LeafRows::all(std::size_t first, std::size_t end) const {
  WeightedRows found;
  for (std::size_t distinct = first; distinct < end; ++distinct) {
    found.distinct.push_back(static_cast<std::uint32_t>(distinct));
    found.weights.push_back(static_cast<float>(weights_of_distinct_[distinct]));
  }
  return found;
}

std::vector<std::uint32_t> usual_cells(const CellLayout& layout, std::span<const std::uint32_t> cells) {
  std::vector<std::size_t> counts(layout.n_cells());
  for (const std::uint32_t cell : cells) ++counts[cell];
  std::vector<std::uint32_t> usual;
  for (std::uint32_t v = 0; v < layout.n_variables(); ++v) {
    const auto first = counts.begin() + layout.first_of_variable[v],
               end = counts.begin() + layout.first_of_variable[v + 1];
    usual.push_back(static_cast<std::uint32_t>(std::max_element(first, end) - counts.begin()));
  }
  return usual;
}

}  // namespace learnac
