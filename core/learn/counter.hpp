// Counting for the leaves of growing trees over a table in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learn/row_counter.hpp"

namespace learnac {

// Follows the leaves of growing trees and counts for each new one. Leaf i, for i below the number of variables, is
// the whole table with child i; each split numbers its branches on from there.
class Counter {
 public:
  explicit Counter(const PackedTable& table);

  const Domain& domain() const { return rows_.domain(); }
  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>(leaves_.size()); }
  VariableId child(LeafId leaf) const { return leaves_[index(leaf)].child; }

  // Makes a leaf for each branch; branch_of[value] is the branch of each value of `variable`.
  LeafId split(LeafId leaf, VariableId variable, std::span<const std::uint32_t> branch_of, std::uint32_t n_branches);
  // Counts of several leaves: those of a leaf with fewer rows than cells are sparse. If all branches of a split are
  // asked for, one after the other, the largest is what the others leave of the leaf that was split.
  std::vector<LeafCounts> count(std::span<const LeafId> leaves);
  // Totals of the child's values only, for tables that no split is chosen on.
  std::vector<double> count_child(LeafId leaf) const { return rows_.totals(child(leaf), *leaves_[index(leaf)].rows); }
  // A leaf that will not be split needs no rows.
  void forget(LeafId leaf);

 private:
  // Counts that are kept for subtraction, if there is room.
  struct Kept {
    std::vector<std::uint32_t> whole;
    std::vector<double> real;

    std::size_t size() const { return whole.size() + real.size(); }
  };
  struct Leaf {
    VariableId child;
    std::shared_ptr<const RowSet> rows;
    LeafId first_branch{};
    std::uint32_t n_branches = 0;
    LeafId parent{};
    Kept kept;
  };

  LeafCounts count_leaf(LeafId leaf);
  bool is_family(std::span<const LeafId> leaves) const;
  void count_family(std::span<const LeafId> branches, std::vector<LeafCounts>& counts);
  void keep(Leaf& leaf, std::span<const double> counts);
  Kept take_kept(LeafId leaf);

  RowCounter rows_;
  std::shared_ptr<const RowSet> none_ = std::make_shared<const RowSet>();
  std::vector<Leaf> leaves_;
  std::size_t n_cells_kept_ = 0;
};

}  // namespace learnac
