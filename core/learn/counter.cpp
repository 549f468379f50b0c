#include "learn/counter.hpp"

#include <algorithm>
#include <utility>

namespace learnac {
namespace {

// Counts kept for subtraction: at most this many cells over all leaves (4 bytes each, 8 with fractional weights).
constexpr std::size_t most_cells_kept = std::size_t{1} << 24;

void subtract(const LeafCounts& counts, std::size_t arity, std::span<double> from) {
  if (const auto* dense = std::get_if<DenseCells>(&counts.cells)) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= (*dense)[i];
    return;
  }
  const auto& sparse = std::get<SparseCells>(counts.cells);
  for (std::uint32_t indicator = 0; indicator < sparse.n_indicators(); ++indicator) {
    const SparseCells::Row row = sparse.row(indicator);
    for (std::size_t i = 0; i < row.values.size(); ++i) from[indicator * arity + row.values[i]] -= row.counts[i];
  }
}

}  // namespace

// The first leaves share their rows, which are all.
Counter::Counter(const PackedTable& table) : rows_(table) {
  const auto all = std::make_shared<const RowSet>(rows_.all());
  for (std::uint32_t v = 0; v < domain().n_variables(); ++v)
    leaves_.push_back({VariableId{v}, all, {}, 0, LeafId{v}, {}});
}

std::vector<LeafCounts> Counter::count(std::span<const LeafId> leaves) {
  std::vector<LeafCounts> counts;
  counts.reserve(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); i = counts.size()) {
    if (is_family(leaves.subspan(i)))
      count_family(leaves.subspan(i, leaves_[index(leaves_[index(leaves[i])].parent)].n_branches), counts);
    else
      counts.push_back(count_leaf(leaves[i]));
  }
  return counts;
}

// Whether all branches of a leaf whose counts are kept come first.
bool Counter::is_family(std::span<const LeafId> leaves) const {
  const Leaf& parent = leaves_[index(leaves_[index(leaves[0])].parent)];
  if (parent.n_branches > leaves.size() || parent.kept.size() == 0 || parent.n_branches == 0) return false;
  for (std::uint32_t branch = 0; branch < parent.n_branches; ++branch)
    if (index(leaves[branch]) != index(parent.first_branch) + branch) return false;
  return true;
}

void Counter::count_family(std::span<const LeafId> branches, std::vector<LeafCounts>& counts) {
  const Kept total = take_kept(leaves_[index(branches[0])].parent);
  const auto largest = static_cast<std::size_t>(
      std::ranges::max_element(branches, {}, [this](LeafId leaf) { return leaves_[index(leaf)].rows->n_rows; }) -
      branches.begin());
  Leaf& left_over = leaves_[index(branches[largest])];
  if (rows_.is_sparse(left_over.child, *left_over.rows)) {
    for (const LeafId branch : branches) counts.push_back(count_leaf(branch));
    return;
  }
  DenseCells rest;
  if (total.real.empty())
    rest.assign(total.whole.begin(), total.whole.end());
  else
    rest = total.real;
  const std::size_t first = counts.size(), arity = domain().arity(left_over.child);
  for (std::size_t branch = 0; branch < branches.size(); ++branch) {
    counts.push_back(branch == largest ? LeafCounts{} : count_leaf(branches[branch]));
    if (branch != largest) subtract(counts.back(), arity, rest);
  }
  keep(left_over, rest);
  std::vector<double> totals = rows_.totals_of(left_over.child, rest);
  counts[first + largest] = {std::move(rest), std::move(totals)};
}

LeafCounts Counter::count_leaf(LeafId id) {
  Leaf& leaf = leaves_[index(id)];
  LeafCounts counts = rows_.count(leaf.child, *leaf.rows);
  if (const auto* cells = std::get_if<DenseCells>(&counts.cells)) keep(leaf, *cells);
  return counts;
}

LeafId Counter::split(LeafId id, VariableId variable, std::span<const std::uint32_t> branch_of,
                      std::uint32_t n_branches) {
  const LeafId first{n_leaves()};
  std::vector<RowSet> branches = rows_.branches(*leaves_[index(id)].rows, variable, branch_of, n_branches);
  for (RowSet& rows : branches)
    leaves_.push_back({child(id), std::make_shared<const RowSet>(std::move(rows)), {}, 0, id, {}});
  Leaf& leaf = leaves_[index(id)];
  leaf.first_branch = first;
  leaf.n_branches = n_branches;
  leaf.rows = none_;
  return first;
}

void Counter::keep(Leaf& leaf, std::span<const double> counts) {
  if (n_cells_kept_ + counts.size() > most_cells_kept) return;
  if (rows_.table().has_whole_counts())
    leaf.kept.whole.assign(counts.begin(), counts.end());
  else
    leaf.kept.real.assign(counts.begin(), counts.end());
  n_cells_kept_ += counts.size();
}

Counter::Kept Counter::take_kept(LeafId leaf) {
  Kept kept = std::exchange(leaves_[index(leaf)].kept, Kept{});
  n_cells_kept_ -= kept.size();
  return kept;
}

void Counter::forget(LeafId leaf) {
  take_kept(leaf);
  leaves_[index(leaf)].rows = none_;
}

}  // namespace learnac
