// Which component a row comes from, and the counts that are expected of each component.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mix/leaf_rows.hpp"

namespace learnac {

// Components stand side by side in lanes, as many as fill whole vectors: those beyond the last have no weight.
inline constexpr std::size_t lanes_per_block = 16;

inline std::size_t n_lanes_for(std::size_t n_components) {
  return (n_components + lanes_per_block - 1) / lanes_per_block * lanes_per_block;
}

// Log-parameters of all components, made ready for rows that are lists of unusual cells.
class ComponentTable {
 public:
  ComponentTable(const CellLayout& layout, std::size_t n_components);

  std::size_t n_components() const { return n_components_; }
  std::size_t n_lanes() const { return n_lanes_; }
  const CellLayout& layout() const { return layout_; }

  // Of (cells x components), and (components).
  static ComponentTable of(const CellLayout& layout, std::span<const float> log_parameters,
                           std::span<const float> log_weights);

  // `log_parameters` are (cells x lanes), `log_weights` (lanes).
  void set(std::span<const float> log_parameters, std::span<const float> log_weights);

  // For each of these rows: the weight of each component, given the row, times the row's own weight; (rows x lanes).
  // Returns the log-likelihood of the rows, each as often as it weighs.
  double posteriors(const LeafRows& rows, const WeightedRows& which, std::span<float> posteriors) const;
  // Mean over all rows.
  double log_likelihood(const LeafRows& rows) const;

  // Expected counts (cells x lanes) of rows with these posteriors, and the totals of the components (lanes).
  void expected_counts(const LeafRows& rows, const WeightedRows& which, std::span<const float> posteriors,
                       std::span<float> counts, std::span<float> totals) const;

 private:
  CellLayout layout_;
  std::size_t n_components_, n_lanes_;
  std::vector<float> base_;        // log-probability of a row of usual cells
  std::vector<float> difference_;  // of a cell to the usual one of its variable
};

// What is expected of all rows, added up in doubles.
struct Expectation {
  double log_likelihood = 0;   // each row as often as it weighs
  std::vector<double> counts;  // (cells x components)
  std::vector<double> totals;  // of the components
};

Expectation expectation_of(const ComponentTable& table, const LeafRows& rows);

}  // namespace learnac
