#include "mix/leaf_rows.hpp"

#include <algorithm>

namespace learnac {

LeafRows::LeafRows(std::span<const std::uint32_t> cells, std::span<const std::uint32_t> usual,
                   std::span<const double> weights)
    : starts_{0}, weights_(weights.begin(), weights.end()) {
  const std::size_t n_variables = usual.size(), n_rows = cells.size() / n_variables;
  starts_.reserve(n_rows + 1);
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (std::size_t v = 0; v < n_variables; ++v)
      if (cells[row * n_variables + v] != usual[v]) cells_.push_back(cells[row * n_variables + v]);
    starts_.push_back(cells_.size());
  }
  for (const std::uint32_t cell : cells_) n_cells_ = std::max(n_cells_, cell + 1);
  total_weight_ = static_cast<double>(n_rows);
  if (!weights.empty()) {
    total_weight_ = 0;
    for (const double weight : weights) total_weight_ += weight;
  }
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
