#include "learn/split_loss.hpp"

#include <algorithm>

namespace learnac {

void SplitLoss::assess(const Split& split, const SplitRegion& region) {
  variable_ = split.variable;
  lost_in_all_ = 0;
  lost_at_ancestors_ = 0;
  losing_.clear();
  ancestors_.clear();
  lost_by_scope_.resize(circuit_.scopes().n_ids(), 0);
  const Branches branches(circuit_, split);
  lose_where_parents_part(branches, region);
  lose_at_copied_sums(split, region);
  for (std::uint32_t slot = 0; slot < region.v_side().size(); ++slot) {
    const NodeId id = region.v_side()[slot];
    const Node& node = circuit_.node(id);
    // Sums that decide V0 are spliced out; so may be the products below them without their indicator, or they are
    // merged into a product that is a mutual ancestor of the other split.
    const bool decides = circuit_.decides(id, split.variable);
    const bool is_below_deciding = node.kind == NodeKind::product && !branches.is_in_all(node.scope);
    std::int64_t n_edges = decides || is_below_deciding ? circuit_.n_children(id) : 0;
    // An original that stays has fewer parents.
    if (!region.is_dropped(slot)) n_edges += std::int64_t{circuit_.n_children(id)} + 1;
    lose(id, n_edges);
  }
  for (const MutualAncestor& ancestor : region.deciding_ancestors()) {
    // The root is above everything and never copied; it only matters when it comes to have two children.
    const bool is_root = ancestor.node == circuit_.root();
    const std::int64_t n_edges = is_root ? (circuit_.n_children(ancestor.node) <= 3 ? 1 : 0) : 1;
    lose_in_scope(ancestor.node, n_edges);
    ancestors_.push_back(ancestor.node);
    lost_at_ancestors_ += n_edges;
  }
  spread_over_variables();

  is_below_.assign(circuit_.n_leaves(), 0);
  begin_walk();
  mark_leaves_below(region.d_side(), below_region);
  mark_leaves_below(region.v_side(), below_region);
  begin_walk();
  mark_leaves_below(losing_, below_losing);
  if (lost_at_ancestors_ > 0) mark_leaves_below(ancestors_, below_ancestor);
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
    lose(node, std::int64_t{n_copies_[region.slot(node)] - 1} * circuit_.n_children(node));
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

// A sum that decides V saves edges when V is split on, and so does each of its copies. If no variable has more values
// than V, what is above the copies outweighs that.
void SplitLoss::lose_at_copied_sums(const Split& split, const SplitRegion& region) {
  lost_deciding_.assign(circuit_.domain().n_variables(), 0);
  const std::uint32_t n_branches = circuit_.n_branches(split.variable);
  const auto copy = [&](NodeId id) {
    if (circuit_.node(id).kind != NodeKind::sum || circuit_.decides(id, split.variable)) return;
    const VariableId decided{circuit_.label(id)};
    const std::uint32_t arity = circuit_.domain().arity(decided);
    if (region.v_side_floor(decided) == 0) return;
    lost_deciding_[index(decided)] += std::int64_t{3} * arity * (n_branches - 1);
  };
  for (const NodeId node : region.d_side()) copy(node);
  for (const NodeId node : region.v_side()) copy(node);
}

CostBound SplitLoss::lowered(CostBound bound, LeafId leaf, VariableId variable, std::int64_t v_side_floor) const {
  // Where V itself was decided, mutual ancestors may have come closer, and there is less between them and V.
  if (variable == variable_ && is_below(leaf, below_region)) return {0, v_side_floor};
  const std::int64_t d_side = std::max<std::int64_t>(0, bound.d_side - d_side_loss(leaf, variable));
  if (variable == variable_) return {d_side, v_side_floor};
  return {d_side, std::max(v_side_floor, bound.v_side - v_side_loss(leaf, variable))};
}

// On the D side are nodes without V in scope, and mutual ancestors, which are one edge cheaper with two children.
std::int64_t SplitLoss::d_side_loss(LeafId leaf, VariableId variable) const {
  const std::int64_t n_extra_copies = circuit_.n_branches(variable) - 1;
  if (!is_below(leaf, below_losing))
    return is_below(leaf, below_ancestor) ? (n_extra_copies + 1) * lost_at_ancestors_ : 0;
  const std::int64_t lost_with = lost_with_[index(variable)];
  return n_extra_copies * (lost_in_all_ - lost_with) + lost_with;
}

// Between a mutual ancestor and V no node has the leaf's child in scope.
std::int64_t SplitLoss::v_side_loss(LeafId leaf, VariableId variable) const {
  const std::uint32_t child = place_[index(circuit_.leaf(leaf).child)], place = place_[index(variable)];
  if (place == no_place) return lost_deciding_[index(variable)];
  const std::int64_t lost =
      child == no_place ? lost_with_[index(variable)] : lost_without_[std::size_t{child} * losers_.size() + place];
  return circuit_.n_branches(variable) * lost + lost_deciding_[index(variable)];
}

void SplitLoss::begin_walk() {
  if (seen_.size() < circuit_.n_node_ids()) seen_.resize(circuit_.n_node_ids() + circuit_.n_node_ids() / 2, 0);
  if (++epoch_ == 0) {
    std::ranges::fill(seen_, 0);
    epoch_ = 1;
  }
}

void SplitLoss::lose(NodeId node, std::int64_t n_edges) {
  if (n_edges == 0) return;
  losing_.push_back(node);
  lose_in_scope(node, n_edges);
}

void SplitLoss::lose_in_scope(NodeId node, std::int64_t n_edges) {
  if (n_edges == 0) return;
  const ScopeId scope = circuit_.node(node).scope;
  if (lost_by_scope_[index(scope)] == 0) scopes_.push_back(scope);
  lost_by_scope_[index(scope)] += n_edges;
  lost_in_all_ += n_edges;
}

void SplitLoss::spread_over_variables() {
  const std::uint32_t n_variables = circuit_.domain().n_variables();
  lost_with_.assign(n_variables, 0);
  place_.assign(n_variables, no_place);
  losers_.clear();
  for (const ScopeId scope : scopes_)
    for (std::uint32_t v = 0; v < n_variables; ++v) {
      if (!circuit_.scopes().holds(scope, VariableId{v})) continue;
      lost_with_[v] += lost_by_scope_[index(scope)];
      if (place_[v] != no_place) continue;
      place_[v] = static_cast<std::uint32_t>(losers_.size());
      losers_.push_back(VariableId{v});
    }
  lost_without_.assign(losers_.size() * losers_.size(), 0);
  lost_here_.resize(losers_.size());
  for (const ScopeId scope : scopes_) {
    for (std::size_t i = 0; i < losers_.size(); ++i)
      lost_here_[i] = circuit_.scopes().holds(scope, losers_[i]) ? lost_by_scope_[index(scope)] : 0;
    for (std::size_t child = 0; child < losers_.size(); ++child) {
      if (lost_here_[child] > 0) continue;
      std::int64_t* row = lost_without_.data() + child * losers_.size();
      for (std::size_t i = 0; i < losers_.size(); ++i) row[i] += lost_here_[i];
    }
    lost_by_scope_[index(scope)] = 0;
  }
  scopes_.clear();
}

void SplitLoss::mark_leaves_below(std::span<const NodeId> nodes, Below what) {
  const auto visit = [&](NodeId id) {
    if (seen_[index(id)] == epoch_) return;
    seen_[index(id)] = epoch_;
    if (circuit_.node(id).kind == NodeKind::parameter)
      is_below_[index(circuit_.leaf_of(ParameterId{circuit_.label(id)}))] |= what;
    else
      stack_.push_back(id);
  };
  for (const NodeId node : nodes) visit(node);
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    stack_.pop_back();
    for (const Ref child : circuit_.children(id))
      if (!child.is_indicator()) visit(child.node());
  }
}

}  // namespace learnac
