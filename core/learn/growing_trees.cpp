#include "learn/growing_trees.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace learnac {

GrowingTrees::GrowingTrees(SplitSpace space, Estimate estimate)
    : space_(std::move(space)), estimate_(std::move(estimate)) {}

LeafId GrowingTrees::add_root(std::span<const double> counts) {
  const LeafId root{n_nodes()};
  add_leaf({.child = VariableId{index(root)}, .parent = root}, counts, {});
  return root;
}

LeafId GrowingTrees::split(const Split& split, std::span<const double> counts) {
  const LeafId first{n_nodes()};
  Node& parent = nodes_[index(split.leaf)];
  if (parent.is_split) throw std::invalid_argument("the leaf is already split");
  parent.is_split = true;
  parent.variable = split.variable;
  parent.value = split.value;
  parent.first_branch = first;
  std::vector<std::uint32_t> n_left(domain().arity(split.variable), 1);
  for_each_excluded(split.leaf, [&](VariableId variable, std::uint32_t value) {
    if (variable == split.variable) n_left[value] = 0;
  });
  const std::uint32_t n_branches = space_.n_branches(split.variable);
  std::vector<std::uint32_t> n_kept(n_branches, 0);
  std::uint32_t n_open = 0;
  for (std::uint32_t value = 0; value < n_left.size(); ++value) {
    n_open += n_left[value];
    n_kept[branch_of(parent, value)] += n_left[value];
  }
  const Node whole = parent;
  const std::size_t n_values = domain().arity(whole.child);
  const std::vector<double> towards(parameters(split.leaf).begin(), parameters(split.leaf).end());
  for (std::uint32_t branch = 0; branch < n_branches; ++branch) {
    const double mass = whole.mass * n_kept[branch] / n_open;
    add_leaf({.child = whole.child, .parent = split.leaf, .branch = branch, .mass = mass},
             counts.subspan(branch * n_values, n_values), towards);
  }
  return first;
}

void GrowingTrees::add_leaf(const Node& node, std::span<const double> counts, std::span<const double> towards) {
  nodes_.push_back(node);
  nodes_.back().first_cell = counts_.size();
  counts_.insert(counts_.end(), counts.begin(), counts.end());
  const double pseudo_count = estimate_.pseudo_count(counts.size(), node.mass);
  double total = 0;
  for (std::size_t x = 0; x < counts.size(); ++x) {
    parameters_.push_back(counts[x] + pseudo_count + (towards.empty() ? 0 : estimate_.shrinkage * towards[x]));
    total += parameters_.back();
  }
  // Uniform where nothing was counted and nothing assumed.
  for (double& parameter : std::span(parameters_).last(counts.size()))
    parameter = total > 0 ? parameter / total : 1 / static_cast<double>(counts.size());
}

LeafLikelihood GrowingTrees::log_likelihood(LeafId leaf, std::span<const double> counts) const {
  LeafLikelihood result;
  const std::span<const double> found = parameters(leaf);
  for (std::size_t x = 0; x < counts.size(); ++x) {
    if (counts[x] == 0) continue;
    if (found[x] > 0)
      result.finite += counts[x] * std::log(found[x]);
    else
      result.impossible += counts[x];
  }
  return result;
}

}  // namespace learnac
