// What is counted of the rows that reach a leaf: how often each value of its child meets each indicator.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "ids.hpp"

namespace learnac {

// A table of all cells, [indicator][value of the child].
using DenseCells = std::vector<double>;

// Only the cells that some row is in. Where two variables have thousands of values each, nearly all are empty.
class SparseCells {
 public:
  struct Row {
    std::span<const std::uint32_t> values;  // of the child, ascending
    std::span<const double> counts;
  };

  SparseCells() = default;
  SparseCells(std::vector<std::uint64_t> starts, std::vector<std::uint32_t> values, std::vector<double> counts)
      : starts_(std::move(starts)), values_(std::move(values)), counts_(std::move(counts)) {}

  Row row(std::uint32_t indicator) const {
    const std::size_t start = starts_[indicator], size = starts_[indicator + 1] - start;
    return {std::span(values_).subspan(start, size), std::span(counts_).subspan(start, size)};
  }
  std::uint32_t n_indicators() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::span<const std::uint64_t> starts() const { return starts_; }
  std::span<const std::uint32_t> values() const { return values_; }
  std::span<const double> counts() const { return counts_; }

  // Cells are made in the order of indicators, and within one in that of the child's values.
  void add(std::uint32_t value, double count) {
    values_.push_back(value);
    counts_.push_back(count);
  }
  void end_row() { starts_.push_back(values_.size()); }

 private:
  std::vector<std::uint64_t> starts_ = {0};  // of each indicator, and the end
  std::vector<std::uint32_t> values_;
  std::vector<double> counts_;
};

struct LeafCounts {
  std::variant<DenseCells, SparseCells> cells;
  std::vector<double> totals;  // by value of the child
};

// Adds the counts of other rows. Cells that become too many to be sparse become a table.
void add(LeafCounts& sum, const LeafCounts& more);

}  // namespace learnac
