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
  std::vector<std::uint32_t> usual;              // of each variable, a cell that many rows are in

  std::uint32_t n_cells() const { return first_of_leaf.back(); }
  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>(first_of_leaf.size() - 1); }
  std::uint32_t n_variables() const { return static_cast<std::uint32_t>(first_of_variable.size() - 1); }
};

// Some distinct rows, and how often each of them counts.
struct WeightedRows {
  std::vector<std::uint32_t> distinct;
  std::vector<float> weights;

  std::size_t size() const { return distinct.size(); }
  double total_weight() const;
};

// Of every variable, a row is in one cell. Many rows are in the same one, the usual cell of the variable: a row is kept
// as the list of its unusual cells, which is short where data are sparse. Rows in the same cells are kept once.
class LeafRows {
 public:
  LeafRows(const CellLayout& layout, bool has_weights);

  // `cells` are (rows x variables); there are weights for all rows or for none, which then count once.
  void append(std::span<const std::uint32_t> cells, std::span<const double> weights);

  std::size_t n_variables() const { return usual_.size(); }
  bool has_weights() const { return has_weights_; }

  std::size_t n_rows() const { return distinct_of_.size(); }
  std::size_t n_distinct() const { return starts_.size() - 1; }
  std::span<const std::uint32_t> unusual(std::size_t distinct) const {
    return {cells_.data() + starts_[distinct], starts_[distinct + 1] - starts_[distinct]};
  }
  double total_weight() const { return total_weight_; }
  // Of all rows that are alike.
  double weight_of(std::size_t distinct) const { return weights_of_distinct_[distinct]; }
  // Rows given by their numbers, in any order.
  WeightedRows together(std::span<const std::uint32_t> rows) const;
  // Distinct rows from one number to another, each as often as it is among all rows.
  WeightedRows all(std::size_t first, std::size_t end) const;
  // All cells have smaller numbers.
  std::uint32_t n_cells() const { return n_cells_; }

 private:
  // The place in `slots_` of the number of a distinct row with these cells, or of the next one.
  std::uint32_t& slot_of(std::span<const std::uint32_t> cells);
  void grow_slots();

  std::vector<std::uint32_t> usual_;
  bool has_weights_;
  std::vector<std::uint32_t> slots_;  // numbers of distinct rows by their contents, at most half of them taken
  std::vector<std::size_t> starts_;   // of distinct rows
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> distinct_of_;  // of each row
  std::vector<float> weights_;              // of each row
  std::vector<double> weights_of_distinct_;
  double total_weight_ = 0;
  std::uint32_t n_cells_ = 0;
};

}  // namespace learnac
