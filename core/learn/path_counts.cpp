#include "learn/path_counts.hpp"

#include <utility>

namespace learnac {

PathCounts::PathCounts(std::span<const std::uint32_t> arities, RowTree tree, std::vector<CountRequest> requests)
    : domain_(arities), tree_(std::move(tree)), last_child_(tree_.nodes.size()), requests_(std::move(requests)) {
  for (std::uint32_t node = 0; node < tree_.nodes.size(); ++node) {
    last_child_[node] = node;
    if (node > 0) last_child_[tree_.nodes[node].parent] = node;
  }
  for (const CountRequest& request : requests_) {
    const std::size_t arity = domain_.arity(request.child);
    if (domain_.n_indicators() * arity > PackedTable::most_dense_cells)
      counts_.push_back({SparseCells(std::vector<std::uint64_t>(domain_.n_indicators() + 1, 0), {}, {}), {}});
    else
      counts_.push_back({DenseCells(domain_.n_indicators() * arity, 0.0), {}});
    counts_.back().totals.assign(arity, 0.0);
  }
}

void PathCounts::add(const PackedTable& table, std::span<const Word> mask) {
  const RowCounter counter(table);
  std::vector<RowSet> rows(tree_.nodes.size());
  std::size_t request = 0;
  for (std::uint32_t node = 0; node < tree_.nodes.size(); ++node) {
    const auto& [parent, variable, holds] = tree_.nodes[node];
    if (node == 0)
      rows[0] = mask.empty() ? counter.all() : counter.masked(mask);
    else
      rows[node] = counter.holding(rows[parent], variable, holds);
    for (; request < requests_.size() && requests_[request].node == node; ++request)
      if (rows[node].n_rows > 0) learnac::add(counts_[request], counter.count(requests_[request].child, rows[node]));
    if (last_child_[node] == node) rows[node] = RowSet{};
    if (node > 0 && last_child_[parent] == node) rows[parent] = RowSet{};
  }
}

void PathCounts::add(std::size_t request, const LeafCounts& counts) { learnac::add(counts_[request], counts); }

}  // namespace learnac
