#include "split_loss.hpp"

#include <algorithm>

namespace learnac {

void SplitLoss::assess(const Split& split, const SplitRegion& region) {
  lost_in_all_ = 0;
  lost_at_ancestors_ = 0;
  lost_by_scope_.resize(circuit_.scopes().n_ids(), 0);
  const Branches branches(circuit_, split);
  lose_where_parents_part(branches, region);
  lose_at_copied_sums(split, region);
  for (std::uint32_t slot = 0; slot < region.v_side().size(); ++slot) {
    const NodeId id = region.v_side()[slot];
    const Node& node = circuit_.node(id);
    // Sums that decide V0 are spliced out; so may be the products below them without their indicator, or they are
    // merged into a product that is a mutual ancestor of the other split.
    const bool decides = node.kind == Kind::sum && node.label == index(split.variable);
    const bool is_below_deciding = node.kind == Kind::product && !branches.is_in_all(node.scope);
    std::int64_t n_edges = decides || is_below_deciding ? node.children.size : 0;
    // An original that stays has fewer parents.
    if (!region.is_dropped(slot)) n_edges += std::int64_t{node.children.size} + 1;
    lose(id, n_edges);
  }
  for (const MutualAncestor& ancestor : region.deciding_ancestors()) {
    // The root is above everything and never copied; it only matters when it comes to have two children.
    const bool is_root = ancestor.node == circuit_.root();
    const std::int64_t n_edges = is_root ? (circuit_.node(ancestor.node).children.size <= 3 ? 1 : 0) : 2;
    lose(ancestor.node, n_edges);
    lost_at_ancestors_ += n_edges;
  }
  spread_over_variables();

  is_below_.assign(circuit_.n_leaves(), not_below);
  begin_walk();
  const auto itself = [](NodeId node) { return node; };
  mark_leaves_below(region.d_side(), itself, below_region);
  mark_leaves_below(region.v_side(), itself, below_region);
  if (lost_at_ancestors_ == 0) return;
  mark_leaves_below(region.deciding_ancestors(), [](const MutualAncestor& m) { return m.node; }, below_ancestor);
}

// Where the parents of a D-side node are needed in different branches, each of its copies has only some of them for
// parents, and so has everything below: a copy may then be needed in fewer branches of another split, or have no parent
// outside that split's region.
void SplitLoss::lose_where_parents_part(const Branches& branches, const SplitRegion& region) {
  if (region.settled_ancestors().empty()) return;
  n_copies_.clear();
  for (std::uint32_t slot = 0; slot < region.d_side().size(); ++slot) {
    std::uint32_t n_copies = 0;
    for (const Word word : region.needed(slot)) n_copies += static_cast<std::uint32_t>(__builtin_popcountll(word));
    n_copies_.push_back(n_copies);
  }
  begin_walk();
  const auto part = [&](NodeId node) {
    if (seen_[index(node)] == epoch_ || n_copies_[region.slot(node)] < 2) return;
    seen_[index(node)] = epoch_;
    stack_.push_back(node);
    lose(node, std::int64_t{n_copies_[region.slot(node)] - 1} * circuit_.node(node).children.size);
  };
  for (std::uint32_t slot = 0; slot < region.d_side().size(); ++slot) {
    const NodeId node = region.d_side()[slot];
    const bool parts = std::ranges::any_of(circuit_.parents(node), [&](NodeId parent) {
      if (region.is_on_d_side(parent)) return n_copies_[region.slot(parent)] < n_copies_[slot];
      return !branches.is_in_all(circuit_.node(parent).scope) && n_copies_[slot] > 1;
    });
    if (parts) part(node);
    while (!stack_.empty()) {
      const NodeId above = stack_.back();
      stack_.pop_back();
      for (const Ref child : circuit_.children(above))
        if (!child.is_indicator() && region.is_on_d_side(child.node())) part(child.node());
    }
  }
}

// A sum that decides V saves edges when V is split on, and so does each of its copies; if V0 has more branches than V,
// the sum over V0 above them does not outweigh that.
void SplitLoss::lose_at_copied_sums(const Split& split, const SplitRegion& region) {
  lost_deciding_.assign(circuit_.domain().n_variables(), 0);
  const std::uint32_t n_branches = circuit_.n_branches(split.variable);
  const auto copy = [&](NodeId id) {
    const Node& node = circuit_.node(id);
    if (node.kind != Kind::sum || node.label == index(split.variable)) return;
    const std::uint32_t arity = circuit_.domain().arity(VariableId{node.label});
    if (circuit_.split_kind() == SplitKind::complete && n_branches <= arity) return;
    lost_deciding_[node.label] += std::int64_t{3} * arity * (n_branches - 1);
  };
  for (const NodeId node : region.d_side()) copy(node);
  for (const NodeId node : region.v_side()) copy(node);
}

// On the D side are nodes without V in scope, and mutual ancestors, which are one edge cheaper with two children.
std::int64_t SplitLoss::d_side_loss(LeafId leaf, VariableId variable) const {
  if (!is_below(leaf)) return 0;
  const std::int64_t n_extra_copies = circuit_.n_branches(variable) - 1;
  if (!is_below_region(leaf)) return (n_extra_copies + 1) * lost_at_ancestors_;
  const std::int64_t lost_with = lost_with_[index(variable)];
  return n_extra_copies * (lost_in_all_ - lost_with) + lost_with;
}

void SplitLoss::begin_walk() {
  if (seen_.size() < circuit_.n_node_ids()) seen_.resize(circuit_.n_node_ids() + circuit_.n_node_ids() / 2, 0);
  if (++epoch_ == 0) {
    std::ranges::fill(seen_, 0);
    epoch_ = 1;
  }
}

std::int64_t SplitLoss::v_side_loss(VariableId variable) const {
  return circuit_.n_branches(variable) * lost_with_[index(variable)] + lost_deciding_[index(variable)];
}

void SplitLoss::lose(NodeId node, std::int64_t n_edges) {
  if (n_edges == 0) return;
  const ScopeId scope = circuit_.node(node).scope;
  if (lost_by_scope_[index(scope)] == 0) scopes_.push_back(scope);
  lost_by_scope_[index(scope)] += n_edges;
  lost_in_all_ += n_edges;
}

void SplitLoss::spread_over_variables() {
  const Domain& domain = circuit_.domain();
  lost_with_.assign(domain.n_variables(), 0);
  for (const ScopeId scope : scopes_) {
    for (std::uint32_t v = 0; v < domain.n_variables(); ++v)
      if (circuit_.scopes().holds(scope, VariableId{v})) lost_with_[v] += lost_by_scope_[index(scope)];
    lost_by_scope_[index(scope)] = 0;
  }
  scopes_.clear();
}

template <class Nodes, class NodeOf>
void SplitLoss::mark_leaves_below(const Nodes& nodes, NodeOf node_of, Below what) {
  const auto visit = [&](NodeId id) {
    if (seen_[index(id)] == epoch_) return;
    seen_[index(id)] = epoch_;
    const Node& node = circuit_.node(id);
    if (node.kind == Kind::parameter)
      is_below_[index(circuit_.leaf_of(ParameterId{node.label}))] = what;
    else
      stack_.push_back(id);
  };
  for (const auto& node : nodes) visit(node_of(node));
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    stack_.pop_back();
    for (const Ref child : circuit_.children(id))
      if (!child.is_indicator()) visit(child.node());
  }
}

}  // namespace learnac
