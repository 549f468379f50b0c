// Counting: how often each value of a leaf's child variable meets each value of every other variable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/leaf_counts.hpp"
#include "learn/packed_table.hpp"

namespace learnac {

// The rows that reach a leaf: the non-zero words of a bit set over rows.
struct RowSet {
  std::vector<std::uint32_t> positions;
  std::vector<Word> words;
};

// Follows the leaves of growing trees and counts for each new one. Leaf i, for i below the number of variables, is
// the whole table with child i; each split numbers its branches on from there.
class Counter {
 public:
  explicit Counter(const PackedTable& table);

  const Domain& domain() const { return table_.domain(); }
  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>(leaves_.size()); }
  VariableId child(LeafId leaf) const { return leaves_[index(leaf)].child; }
  std::size_t n_cells(VariableId child) const {
    return std::size_t{table_.domain().n_indicators()} * table_.domain().arity(child);
  }

  // Makes a leaf for each branch; branch_of[value] is the branch of each value of `variable`.
  LeafId split(LeafId leaf, VariableId variable, std::span<const std::uint32_t> branch_of, std::uint32_t n_branches);
  // Counts of several leaves: those of a leaf with fewer rows than cells are sparse. If all branches of a split are
  // asked for, one after the other, the largest is what the others leave of the leaf that was split.
  std::vector<LeafCounts> count(std::span<const LeafId> leaves);
  // Totals of the child's values only, for tables that no split is chosen on.
  std::vector<double> count_child(LeafId leaf) const { return count_child(leaves_[index(leaf)]); }
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
    RowSet rows;
    std::uint64_t n_rows = 0;
    LeafId first_branch{};
    std::uint32_t n_branches = 0;
    LeafId parent{};
    Kept kept;
  };

  bool is_sparse(const Leaf& leaf) const;
  LeafCounts count_leaf(LeafId leaf);
  bool is_family(std::span<const LeafId> leaves) const;
  void count_family(std::span<const LeafId> branches, std::vector<LeafCounts>& counts);
  // The value of a variable in a sparse row.
  std::uint32_t value_in(std::span<const std::uint32_t> items, VariableId variable) const;
  void count_bits(const Leaf& leaf, std::span<double> counts) const;
  void count_sparse(const Leaf& leaf, std::span<double> counts) const;
  SparseCells count_rows(const Leaf& leaf) const;
  std::vector<double> child_totals(const Leaf& leaf, std::span<const double> counts) const;
  std::vector<double> count_child(const Leaf& leaf) const;
  void keep(Leaf& leaf, std::span<const double> counts);
  Kept take_kept(LeafId leaf);

  const PackedTable& table_;
  std::vector<Leaf> leaves_;
  std::size_t n_cells_kept_ = 0;
};

}  // namespace learnac
