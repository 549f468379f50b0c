#include "mix/leaf_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace learnac {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

}  // namespace

double WeightedRows::total_weight() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

LeafRows::LeafRows(const CellLayout& layout, bool has_weights)
    : usual_(layout.usual), has_weights_(has_weights), slots_(64, nobody), starts_{0} {}

void LeafRows::append(std::span<const std::uint32_t> cells, std::span<const double> weights) {
  const std::size_t n_variables = usual_.size(), n_rows = cells.size() / n_variables;
  std::vector<std::uint32_t> list;
  for (std::size_t row = 0; row < n_rows; ++row) {
    list.clear();
    for (std::size_t v = 0; v < n_variables; ++v)
      if (cells[row * n_variables + v] != usual_[v]) list.push_back(cells[row * n_variables + v]);
    std::uint32_t& slot = slot_of(list);
    const std::uint32_t found = slot == nobody ? static_cast<std::uint32_t>(n_distinct()) : slot;
    const double weight = has_weights_ ? weights[row] : 1.0;
    if (slot == nobody) {
      slot = found;
      cells_.insert(cells_.end(), list.begin(), list.end());
      starts_.push_back(cells_.size());
      weights_of_distinct_.push_back(0);
      for (const std::uint32_t cell : list) n_cells_ = std::max(n_cells_, cell + 1);
      if (2 * n_distinct() > slots_.size()) grow_slots();
    }
    distinct_of_.push_back(found);
    if (has_weights_) weights_.push_back(static_cast<float>(weight));
    weights_of_distinct_[found] += weight;
    total_weight_ += weight;
  }
}

std::uint32_t& LeafRows::slot_of(std::span<const std::uint32_t> cells) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint32_t cell : cells) hash = (hash ^ cell) * 0xff51afd7ed558ccd ^ hash >> 29;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = (hash ^ hash >> 32) & mask;; at = (at + 1) & mask)
    if (slots_[at] == nobody || std::ranges::equal(unusual(slots_[at]), cells)) return slots_[at];
}

void LeafRows::grow_slots() {
  slots_.assign(2 * slots_.size(), nobody);
  for (std::uint32_t distinct = 0; distinct < n_distinct(); ++distinct) slot_of(unusual(distinct)) = distinct;
}

WeightedRows LeafRows::together(std::span<const std::uint32_t> rows) const {
  std::vector<std::pair<std::uint32_t, float>> each;
  each.reserve(rows.size());
  for (const std::uint32_t row : rows) each.emplace_back(distinct_of_[row], has_weights_ ? weights_[row] : 1.0f);
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

}  // namespace learnac
