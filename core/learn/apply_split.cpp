#include "learn/apply_split.hpp"

#include <algorithm>
#include <cassert>

namespace learnac {

AppliedSplit SplitApplication::apply(const Split& split) {
  const std::uint64_t edges_before = circuit_.n_edges();
  AppliedSplit result;
  result.edge_cost = region_.edge_cost(split);
  const Branches branches(circuit_, split);
  variable_ = split.variable;
  n_branches_ = branches.size();
  result.first_new_leaf = LeafId{circuit_.n_leaves()};
  result.n_new_leaves = n_branches_;
  copies_.assign((region_.d_side().size() + region_.v_side().size()) * n_branches_, Ref(no_node));
  products_.clear();

  remember_joined_scopes();
  forget_region_parents();
  place_d_copies(split, branches);
  link_d_copies();
  build_v_copies(branches);
  join_at_ancestors(branches);
  simplify();
  circuit_.compact_if_grown();
  ++circuit_.version_;
  assert(circuit_.n_edges() == edges_before + static_cast<std::uint64_t>(result.edge_cost));
  (void)edges_before;
  return result;
}

// Links into the region are made anew from the copies. All parents of D-side nodes are replaced; V-side nodes keep
// those that the split does not touch.
void SplitApplication::forget_region_parents() {
  for (const NodeId node : region_.d_side()) circuit_.parents_.clear(circuit_.nodes_[index(node)].parents);
  const auto offset = static_cast<std::uint32_t>(region_.d_side().size());
  for (const MutualAncestor& ancestor : region_.deciding_ancestors())
    circuit_.parents_.remove(circuit_.nodes_[index(ancestor.v_child.node())].parents, ancestor.node);
  for (const NodeId node : region_.v_side()) {
    List& parents = circuit_.nodes_[index(node)].parents;
    for (std::uint32_t i = parents.size; i-- > 0;) {
      const NodeId parent = circuit_.parents_.items(parents)[i];
      if (region_.is_in_region(parent) && region_.is_dropped(region_.slot(parent) - offset))
        circuit_.parents_.remove_at(parents, i);
    }
  }
}

Ref SplitApplication::copied(Ref child, std::uint32_t branch) {
  if (child.is_indicator() || !region_.is_in_region(child.node())) return child;
  return copy(region_.slot(child.node()), branch);
}

// The original serves as the copy for the first branch it is needed in.
void SplitApplication::place_d_copies(const Split& split, const Branches& branches) {
  const VariableId child = circuit_.leaf(split.leaf).child;
  const std::uint32_t first_parameter = index(circuit_.leaf(split.leaf).first_parameter);
  const auto first_new = circuit_.n_parameter_ids();
  const std::uint32_t arity = circuit_.domain().arity(child);
  circuit_.leaves_[index(split.leaf)].is_split = true;
  for (std::uint32_t branch = 0; branch < branches.size(); ++branch) {
    circuit_.parameter_leaves_.insert(circuit_.parameter_leaves_.end(), arity, LeafId{circuit_.n_leaves()});
    circuit_.leaves_.push_back({child, ParameterId{first_new + branch * arity}, false});
    circuit_.parameter_nodes_.insert(circuit_.parameter_nodes_.end(), arity, no_node);
  }
  for (std::uint32_t slot = 0; slot < region_.d_side().size(); ++slot) {
    const NodeId original = region_.d_side()[slot];
    const auto needed = region_.needed(slot);
    bool is_first = true;
    for (std::uint32_t branch = 0; branch < n_branches_; ++branch) {
      if (!((needed[branch / 64] >> (branch % 64)) & 1)) continue;
      NodeId placed = original;
      if (!is_first) {
        const Node node = circuit_.node(original);
        circuit_.scopes_.acquire(node.scope);
        placed = circuit_.add_node(node.kind, node.scope, circuit_.label(original));
      }
      is_first = false;
      copy(slot, branch) = placed;
      Node& node = circuit_.nodes_[index(placed)];
      if (node.kind == NodeKind::product) products_.push_back(placed);
    }
  }
  for (std::uint32_t value = 0; value < arity; ++value) {
    const NodeId original = circuit_.parameter_nodes_[first_parameter + value];
    for (std::uint32_t branch = 0; branch < n_branches_; ++branch) {
      const NodeId placed = copy(region_.slot(original), branch).node();
      assert(placed != no_node && "every branch of a leaf is needed by some mutual ancestor");
      const std::uint32_t parameter = first_new + branch * arity + value;
      circuit_.below_[index(placed)].label = parameter;
      circuit_.parameter_nodes_[parameter] = placed;
    }
    circuit_.parameter_nodes_[first_parameter + value] = no_node;
  }
}

void SplitApplication::link_d_copies() {
  for (std::uint32_t slot = 0; slot < region_.d_side().size(); ++slot) {
    const NodeId original = region_.d_side()[slot];
    const auto originals = circuit_.children(original);
    kept_.assign(originals.begin(), originals.end());
    // The original last: until then its children are the originals to copy from.
    for (std::uint32_t branch = n_branches_; branch-- > 0;) {
      const Ref placed = copy(slot, branch);
      if (placed == Ref(no_node)) continue;
      if (placed != Ref(original)) {
        circuit_.reserve_children(placed.node(), static_cast<std::uint32_t>(kept_.size()));
        for (const Ref child : kept_) circuit_.link(placed.node(), copied(child, branch));
        continue;
      }
      for (Ref& child : circuit_.children_.items(circuit_.below_[index(original)].children)) {
        if (child.is_indicator() || !region_.is_on_d_side(child.node())) continue;
        child = copied(child, branch);
        circuit_.parents_.push(circuit_.nodes_[index(child.node())].parents, original);
      }
    }
  }
}

// From the bottom up, so that a copy's children are there before it.
void SplitApplication::build_v_copies(const Branches& branches) {
  const auto offset = static_cast<std::uint32_t>(region_.d_side().size());
  for (auto v_slot = static_cast<std::uint32_t>(region_.v_side().size()); v_slot-- > 0;) {
    const NodeId original = region_.v_side()[v_slot];
    const Node node = circuit_.node(original);
    if (node.kind == NodeKind::product) products_.push_back(original);
    if (branches.keeps(node.scope)) {
      copy(offset + v_slot, branches.only_branch(node.scope)) = original;
      continue;
    }
    bool is_free = region_.is_dropped(v_slot);
    bool is_turned = false;
    ScopeId turned_scope{};
    for (std::uint32_t branch = 0; branch < n_branches_; ++branch) {
      if (!branches.is_in(node.scope, branch)) continue;
      Ref& placed = copy(offset + v_slot, branch);
      keep_children(original, branch);
      if (kept_.size() == 1) {
        placed = kept_[0];
      } else if (is_free && !is_turned) {
        // Only after the other copies are made: until then its children are the originals to copy from.
        is_turned = true;
        turned_scope = conditioned(node.scope, branch, branches);
        placed = original;
        std::swap(kept_, turned_kept_);
        turned_n_outside_ = n_outside_;
      } else {
        const NodeId added =
            circuit_.add_node(node.kind, conditioned(node.scope, branch, branches), circuit_.label(original));
        circuit_.reserve_children(added, static_cast<std::uint32_t>(kept_.size()));
        for (const Ref child : kept_) circuit_.link(added, child);
        placed = added;
        if (node.kind == NodeKind::product) products_.push_back(added);
      }
    }
    if (is_turned)
      turn_into_copy(original, turned_scope);
    else if (is_free)
      drop(original);
  }
}

// What is left of a V-side node in one branch: first the children outside the region, then copies.
void SplitApplication::keep_children(NodeId original, std::uint32_t branch) {
  kept_.clear();
  const auto children = circuit_.children(original);
  for (const Ref child : children) {
    if (child.is_indicator() ? circuit_.domain().variable(child.indicator()) != variable_
                             : !region_.is_in_region(child.node()))
      kept_.push_back(child);
  }
  n_outside_ = static_cast<std::uint32_t>(kept_.size());
  for (const Ref child : children) {
    if (child.is_indicator() || !region_.is_in_region(child.node())) continue;
    const Ref below = copy(region_.slot(child.node()), branch);
    if (below != Ref(no_node)) kept_.push_back(below);
  }
  assert(!kept_.empty());
}

// Gives a dropped original the children of one of its copies. Links to nodes outside the region are there already.
void SplitApplication::turn_into_copy(NodeId original, ScopeId acquired) {
  Node& node = circuit_.nodes_[index(original)];
  circuit_.clear_children(original);
  for (const Ref child : turned_kept_) circuit_.push_child(original, child);
  for (std::size_t i = turned_n_outside_; i < turned_kept_.size(); ++i)
    circuit_.parents_.push(circuit_.nodes_[index(turned_kept_[i].node())].parents, original);
  circuit_.scopes_.release(node.scope);
  node.scope = acquired;
}

void SplitApplication::drop(NodeId original) {
  for (const Ref child : circuit_.children(original))
    if (!child.is_indicator() && !region_.is_in_region(child.node()))
      circuit_.parents_.remove(circuit_.nodes_[index(child.node())].parents, original);
  circuit_.free_node(original);
}

// A scope without V, or, for a branch that keeps its indicators, with only that branch's values.
ScopeId SplitApplication::conditioned(ScopeId scope, std::uint32_t branch, const Branches& branches) {
  const auto bits = circuit_.scopes().bits(scope);
  bits_.assign(bits.begin(), bits.end());
  const bool is_singleton = branches.is_singleton(branch);
  keep_values([&](std::uint32_t value) { return !is_singleton && branches.branch_of(value) == branch; });
  return circuit_.scopes_.acquire(bits_);
}

// The scopes of the new sums, while the children they join still have theirs.
void SplitApplication::remember_joined_scopes() {
  joined_.clear();
  for (const MutualAncestor& ancestor : region_.deciding_ancestors()) {
    const auto v_bits = circuit_.scopes().bits(circuit_.node(ancestor.v_child.node()).scope);
    const auto d_bits = circuit_.scopes().bits(circuit_.node(ancestor.d_child).scope);
    bits_.assign(v_bits.begin(), v_bits.end());
    for (std::size_t w = 0; w < bits_.size(); ++w) bits_[w] |= d_bits[w];
    joined_.push_back(circuit_.scopes_.acquire(bits_));
  }
}

void SplitApplication::join_at_ancestors(const Branches& branches) {
  for (const MutualAncestor& ancestor : region_.settled_ancestors()) {
    const std::uint32_t branch = branches.only_branch(circuit_.node(ancestor.node).scope);
    const Ref placed = copy(region_.slot(ancestor.d_child), branch);
    circuit_.children_.replace(circuit_.below_[index(ancestor.node)].children, Ref(ancestor.d_child), placed);
    circuit_.parents_.push(circuit_.nodes_[index(placed.node())].parents, ancestor.node);
  }
  const auto deciding = region_.deciding_ancestors();
  for (std::size_t i = 0; i < deciding.size(); ++i) {
    List& siblings = circuit_.below_[index(deciding[i].node)].children;
    circuit_.children_.remove(siblings, deciding[i].v_child);
    circuit_.children_.remove(siblings, Ref(deciding[i].d_child));
    circuit_.n_edges_ -= 2;
    circuit_.link(deciding[i].node, decide(deciding[i], joined_[i], branches));
  }
}

// The new sum over a product for each branch.
NodeId SplitApplication::decide(const MutualAncestor& ancestor, ScopeId joined, const Branches& branches) {
  const NodeId sum = circuit_.add_node(NodeKind::sum, joined, index(variable_));
  for (std::uint32_t branch = 0; branch < n_branches_; ++branch) {
    const auto bits = circuit_.scopes().bits(joined);
    bits_.assign(bits.begin(), bits.end());
    keep_values([&](std::uint32_t value) { return branches.branch_of(value) == branch; });
    const NodeId product = circuit_.add_node(NodeKind::product, circuit_.scopes_.acquire(bits_), 0);
    circuit_.link(sum, product);
    if (branches.is_singleton(branch)) circuit_.link(product, branches.indicator(branch));
    circuit_.link(product, copy(region_.slot(ancestor.v_child.node()), branch));
    circuit_.link(product, copy(region_.slot(ancestor.d_child), branch));
  }
  return sum;
}

void SplitApplication::simplify() {
  for (const MutualAncestor& ancestor : region_.deciding_ancestors()) circuit_.splice_if_single(ancestor.node);
  for (const NodeId product : products_) circuit_.merge_into_product_parent(product);
}

}  // namespace learnac
