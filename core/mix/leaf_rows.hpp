// Complete rows as the leaves they reach: all that a mixture over one structure needs to know of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace learnac {

// A cell is a leaf and a value of its child. Those of a leaf are next to each other, and so are the leaves of a
// variable.
struct CellLayout {
  std::vector<std::uint32_t> first_of_leaf;      // one more than there are leaves
  std::vector<std::uint32_t> first_of_variable;  // one more than there are variables

  std::uint32_t n_cells() const { return first_of_leaf.back(); }
  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>(first_of_leaf.size() - 1); }
  std::uint32_t n_variables() const { return static_cast<std::uint32_t>(first_of_variable.size() - 1); }
};

// Of every variable, a row is in one cell. Most rows are in the same one, the usual cell of the variable: a row is kept
// as the list of its unusual cells, which is short where data are sparse.
class LeafRows {
 public:
  // `cells` are (rows x variables); rows without weights count once.
  LeafRows(std::span<const std::uint32_t> cells, std::span<const std::uint32_t> usual, std::span<const double> weights);

  std::size_t n_rows() const { return starts_.size() - 1; }
  std::span<const std::uint32_t> unusual(std::size_t row) const {
    return {cells_.data() + starts_[row], starts_[row + 1] - starts_[row]};
  }
  float weight(std::size_t row) const { return weights_.empty() ? 1.0f : weights_[row]; }
  double total_weight() const { return total_weight_; }
  // All cells have smaller numbers.
  std::uint32_t n_cells() const { return n_cells_; }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> cells_;
  std::vector<float> weights_;
  double total_weight_;
  std::uint32_t n_cells_ = 0;
};

// The cell that most of the rows have, for each variable; of several the first.
std::vector<std::uint32_t> usual_cells(const CellLayout& layout, std::span<const std::uint32_t> cells);

}  // namespace learnac
