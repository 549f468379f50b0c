#include "mix/expectation.hpp"

#include <algorithm>
#include <cmath>

#include "clones.hpp"
#include "mix/vector_math.hpp"

namespace learnac {
namespace {

constexpr std::size_t block = lanes_per_block;
constexpr float no_weight = -1e30f;

LEARNAC_VECTOR_CLONES void add_rows(const float* table, std::size_t n_lanes, std::span<const std::uint32_t> cells,
                                    const float* base, float* sums) {
  std::size_t first = 0;
  for (; first + 4 * block <= n_lanes; first += 4 * block) {
    float sum[4 * block];
    for (std::size_t i = 0; i < 4 * block; ++i) sum[i] = base[first + i];
    for (const std::uint32_t cell : cells) {
      const float* const from = table + cell * n_lanes + first;
      for (std::size_t i = 0; i < 4 * block; ++i) sum[i] += from[i];
    }
    for (std::size_t i = 0; i < 4 * block; ++i) sums[first + i] = sum[i];
  }
  for (; first < n_lanes; first += block) {
    float sum[block];
    for (std::size_t i = 0; i < block; ++i) sum[i] = base[first + i];
    for (const std::uint32_t cell : cells) {
      const float* const from = table + cell * n_lanes + first;
      for (std::size_t i = 0; i < block; ++i) sum[i] += from[i];
    }
    for (std::size_t i = 0; i < block; ++i) sums[first + i] = sum[i];
  }
}

// Log-values to shares of their sum, times a weight; returns the logarithm of the sum.
LEARNAC_VECTOR_CLONES double normalise(float* values, std::size_t n_lanes, float weight) {
  float largest[block];
  for (std::size_t i = 0; i < block; ++i) largest[i] = values[i];
  for (std::size_t first = block; first < n_lanes; first += block)
    for (std::size_t i = 0; i < block; ++i) largest[i] = std::max(largest[i], values[first + i]);
  const float top = *std::max_element(largest, largest + block);
  float sum[block] = {};
  for (std::size_t first = 0; first < n_lanes; first += block)
    for (std::size_t i = 0; i < block; ++i) {
      const float value = fast_exp(values[first + i] - top);
      values[first + i] = value;
      sum[i] += value;
    }
  double total = 0;
  for (std::size_t i = 0; i < block; ++i) total += sum[i];
  const float scale = weight / static_cast<float>(total);
  for (std::size_t i = 0; i < n_lanes; ++i) values[i] *= scale;
  return top + std::log(total);
}

LEARNAC_VECTOR_CLONES void add_to_cells(float* counts, std::size_t n_lanes, std::span<const std::uint32_t> cells,
                                        const float* posterior) {
  for (const std::uint32_t cell : cells) {
    float* const to = counts + cell * n_lanes;
    for (std::size_t i = 0; i < n_lanes; i += block)
      for (std::size_t j = 0; j < block; ++j) to[i + j] += posterior[i + j];
  }
}

LEARNAC_VECTOR_CLONES void add(float* to, const float* from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
}

LEARNAC_VECTOR_CLONES void subtract(float* to, const float* from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] -= from[i];
}

}  // namespace

ComponentTable::ComponentTable(const CellLayout& layout, std::size_t n_components)
    : layout_(layout),
      n_components_(n_components),
      n_lanes_(n_lanes_for(n_components)),
      base_(n_lanes_),
      difference_(layout.n_cells() * n_lanes_) {}

void ComponentTable::set(std::span<const float> log_parameters, std::span<const float> log_weights) {
  std::copy(log_weights.begin(), log_weights.end(), base_.begin());
  std::fill(base_.begin() + static_cast<std::ptrdiff_t>(n_components_), base_.end(), no_weight);
  std::copy(log_parameters.begin(), log_parameters.end(), difference_.begin());
  for (std::uint32_t v = 0; v < layout_.n_variables(); ++v) {
    const float* const usual = log_parameters.data() + layout_.usual[v] * n_lanes_;
    add(base_.data(), usual, n_lanes_);
    for (std::uint32_t cell = layout_.first_of_variable[v]; cell < layout_.first_of_variable[v + 1]; ++cell)
      subtract(difference_.data() + cell * n_lanes_, usual, n_lanes_);
  }
}

double ComponentTable::posteriors(const LeafRows& rows, const WeightedRows& which, std::span<float> posteriors) const {
  double log_likelihood = 0;
  for (std::size_t i = 0; i < which.size(); ++i) {
    float* const row = posteriors.data() + i * n_lanes_;
    const float weight = which.weights[i];
    add_rows(difference_.data(), n_lanes_, rows.unusual(which.distinct[i]), base_.data(), row);
    log_likelihood += static_cast<double>(weight) * normalise(row, n_lanes_, weight);
  }
  return log_likelihood;
}

void ComponentTable::expected_counts(const LeafRows& rows, const WeightedRows& which, std::span<const float> posteriors,
                                     std::span<float> counts, std::span<float> totals) const {
  std::fill(counts.begin(), counts.end(), 0.0f);
  std::fill(totals.begin(), totals.end(), 0.0f);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const float* const row = posteriors.data() + i * n_lanes_;
    add(totals.data(), row, n_lanes_);
    add_to_cells(counts.data(), n_lanes_, rows.unusual(which.distinct[i]), row);
  }
  // Rows that were in no other cell of a variable were in its usual one.
  for (std::uint32_t v = 0; v < layout_.n_variables(); ++v) {
    float* const usual = counts.data() + layout_.usual[v] * n_lanes_;
    std::copy(totals.begin(), totals.end(), usual);
    for (std::uint32_t cell = layout_.first_of_variable[v]; cell < layout_.first_of_variable[v + 1]; ++cell)
      if (cell != layout_.usual[v]) subtract(usual, counts.data() + cell * n_lanes_, n_lanes_);
    for (std::size_t k = 0; k < n_lanes_; ++k) usual[k] = std::max(usual[k], 0.0f);
  }
}

double ComponentTable::log_likelihood(const LeafRows& rows) const {
  double sum = 0;
  std::vector<float> row(n_lanes_);
  for (std::size_t distinct = 0; distinct < rows.n_distinct(); ++distinct) {
    add_rows(difference_.data(), n_lanes_, rows.unusual(distinct), base_.data(), row.data());
    sum += rows.weight_of(distinct) * normalise(row.data(), n_lanes_, 1.0f);
  }
  return sum / rows.total_weight();
}

ComponentTable ComponentTable::of(const CellLayout& layout, std::span<const float> log_parameters,
                                  std::span<const float> log_weights) {
  const std::size_t n_components = log_weights.size(), n_cells = layout.n_cells();
  ComponentTable table(layout, n_components);
  const std::size_t n_lanes = table.n_lanes();
  std::vector<float> padded(n_cells * n_lanes), padded_weights(n_lanes);
  for (std::size_t cell = 0; cell < n_cells; ++cell)
    std::copy_n(log_parameters.begin() + static_cast<std::ptrdiff_t>(cell * n_components), n_components,
                padded.begin() + static_cast<std::ptrdiff_t>(cell * n_lanes));
  std::copy(log_weights.begin(), log_weights.end(), padded_weights.begin());
  table.set(padded, padded_weights);
  return table;
}

Expectation expectation_of(const ComponentTable& table, const LeafRows& rows) {
  constexpr std::size_t rows_at_once = 4096;  // Floats add up so many without losing what counts.
  const std::size_t n_components = table.n_components(), n_cells = table.layout().n_cells(), n_lanes = table.n_lanes();
  Expectation found{0, std::vector<double>(n_cells * n_components), std::vector<double>(n_components)};
  std::vector<float> posteriors(rows_at_once * n_lanes), counts(n_cells * n_lanes), totals(n_lanes);
  for (std::size_t first = 0; first < rows.n_distinct(); first += rows_at_once) {
    const WeightedRows which = rows.all(first, std::min(first + rows_at_once, rows.n_distinct()));
    found.log_likelihood += table.posteriors(rows, which, posteriors);
    table.expected_counts(rows, which, posteriors, counts, totals);
    for (std::size_t cell = 0; cell < n_cells; ++cell)
      for (std::size_t k = 0; k < n_components; ++k)
        found.counts[cell * n_components + k] += counts[cell * n_lanes + k];
    for (std::size_t k = 0; k < n_components; ++k) found.totals[k] += totals[k];
  }
  return found;
}

}  // namespace learnac
