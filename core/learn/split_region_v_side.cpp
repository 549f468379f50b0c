// The V side of a split: the nodes between the mutual ancestors and V, and what their copies cost.
#include <algorithm>
#include <cassert>
#include <limits>

#include "learn/split_region.hpp"

namespace learnac {

// Lanes: the copies of a V-side node, grouped. With singletons alone every node is in one branch or in all of them, and
// what is true of one copy is true of all, so that one lane stands for all.
struct OneLane {
  static constexpr int n_lanes = 1;
  const GrowingCircuit& circuit;
  VariableId variable;
  std::uint32_t n_branches;

  bool is_in(ScopeId, int) const { return true; }
  bool is_reused(ScopeId) const { return false; }
  int lane_of(ScopeId) const { return 0; }
  std::int64_t n_copies(ScopeId scope) const { return circuit.scopes().holds_all(scope, variable) ? n_branches : 1; }
  // How many children a copy keeps.
  std::uint32_t n_kept(NodeId id, int) const {
    // A product in one branch holds that branch's indicator itself, which its copy leaves out.
    if (!circuit.scopes().holds_all(circuit.node(id).scope, variable)) return circuit.n_children(id) - 1;
    return circuit.decides(id, variable) ? 1 : circuit.n_children(id);
  }
};

// Where values are grouped: a lane for each of the two branches.
struct TwoLanes {
  static constexpr int n_lanes = 2;
  const GrowingCircuit& circuit;
  const Branches& branches;
  VariableId variable;

  bool is_in(ScopeId scope, int lane) const { return branches.is_in(scope, static_cast<std::uint32_t>(lane)); }
  bool is_reused(ScopeId scope) const { return branches.keeps(scope); }
  // The one lane of what is reused.
  int lane_of(ScopeId scope) const { return static_cast<int>(branches.only_branch(scope)); }
  std::int64_t n_copies(ScopeId) const { return 1; }
  std::uint32_t n_kept(NodeId id, int lane) const {
    const auto children = circuit.children(id);
    if (circuit.decides(id, variable))
      return static_cast<std::uint32_t>(
          std::ranges::count_if(children, [&](Ref child) { return is_in(circuit.node(child.node()).scope, lane); }));
    const auto branch = static_cast<std::uint32_t>(lane);
    const bool leaves_out =
        branches.is_singleton(branch) && std::ranges::count(children, Ref(branches.indicator(branch))) > 0;
    return circuit.n_children(id) - (leaves_out ? 1 : 0);
  }
};

// A running lower bound: what the nodes met so far cost at least, less what may be saved at sums that decide V, of
// which there are no more than in the circuit, and no more than one for each link that still has to be followed.
class SplitRegion::VSideBound {
 public:
  VSideBound(const SplitRegion& region, const Branches& branches)
      : circuit_(region.circuit_),
        variable_(region.variable_),
        n_extra_copies_(std::int64_t{branches.size()} - 1),
        saved_at_a_sum_(branches.most_saved_at_a_sum()),
        saved_anywhere_(-region.least_v_side_cost(region.variable_)),
        counts_links_(!branches.groups_values() && branches.size() >= region.most_branches_),
        n_links_(static_cast<std::int64_t>(region.deciding_.size())) {}

  void meet(NodeId id, bool is_in_all, bool may_be_merged) {
    if (circuit_.decides(id, variable_)) return;
    const NodeKind kind = circuit_.node(id).kind;
    if (kind == NodeKind::sum) n_links_ += std::int64_t{circuit_.n_children(id)} - 1;
    if (!is_in_all) return;
    cost_ += n_extra_copies_ * circuit_.n_children(id);
    if (may_be_merged && kind == NodeKind::product) cost_ -= n_extra_copies_ + 1;
  }
  // A link to a node that was met before leads to no further sum.
  void follow_to_known() { --n_links_; }

  std::int64_t value() const {
    const std::int64_t by_links = counts_links_ ? saved_at_a_sum_ * n_links_ : saved_anywhere_;
    return cost_ - std::min(by_links, saved_anywhere_);
  }

 private:
  const GrowingCircuit& circuit_;
  VariableId variable_;
  std::int64_t n_extra_copies_;
  std::int64_t saved_at_a_sum_;
  std::int64_t saved_anywhere_;
  bool counts_links_;
  std::int64_t n_links_;
  std::int64_t cost_ = 0;
};

Ref SplitRegion::child_with_variable(NodeId product) {
  if (product == circuit_.root()) return root_child_with_variable();
  for (const Ref child : circuit_.children(product)) {
    if (child.is_indicator() ? circuit_.domain().variable(child.indicator()) == variable_
                             : has_variable(circuit_.node(child.node()).scope))
      return child;
  }
  assert(false && "the product has the variable in scope");
  return Ref();
}

// The root can have a child for each variable: where each is, is worked out once for each state of the circuit.
Ref SplitRegion::root_child_with_variable() {
  if (root_version_ != circuit_.version()) {
    root_version_ = circuit_.version();
    const Domain& domain = circuit_.domain();
    root_children_.resize(domain.n_variables());
    for (const Ref child : circuit_.children(circuit_.root())) {
      if (child.is_indicator()) {
        root_children_[index(domain.variable(child.indicator()))] = child;
        continue;
      }
      const auto bits = circuit_.scopes().bits(circuit_.node(child.node()).scope);
      for (std::size_t w = 0; w < bits.size(); ++w)
        for (Word word = bits[w]; word != 0; word &= word - 1) {
          const IndicatorId v{static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(__builtin_ctzll(word))};
          root_children_[index(domain.variable(v))] = child;
        }
    }
  }
  return root_children_[index(variable_)];
}

// Depth first downwards from the mutual ancestors' V children; the reverse of the finishing order has parents first.
// Ends, with a lower bound, once the V side is sure to exceed `limit`.
std::int64_t SplitRegion::walk_v_side(const Branches& branches, std::int64_t limit) {
  VSideBound bound(*this, branches);
  finished_.clear();
  const auto visit = [&](Ref child, bool is_above_sum, bool may_be_merged) {
    if (child.is_indicator()) return;
    if (is_marked(child.node())) {
      if (is_above_sum) bound.follow_to_known();
      return;
    }
    mark(child.node());
    const Node& node = circuit_.node(child.node());
    // A node inside a branch that keeps its indicators is used as it is, with all below it.
    const bool is_reused = branches.keeps(node.scope);
    if (!is_reused) bound.meet(child.node(), branches.is_in_all(node.scope), may_be_merged);
    v_stack_.push_back({child.node(), is_reused ? std::numeric_limits<std::uint32_t>::max() : 0});
  };
  for (MutualAncestor& ancestor : deciding_) {
    ancestor.v_child = child_with_variable(ancestor.node);
    visit(ancestor.v_child, true, true);
    while (!v_stack_.empty()) {
      VFrame& top = v_stack_.back();
      const NodeId id = top.node;
      const auto children = circuit_.children(id);
      if (circuit_.node(id).kind == NodeKind::sum && top.next < children.size()) {
        const bool decides = circuit_.label(id) == index(variable_);
        visit(children[top.next++], !decides, false);
      } else if (circuit_.node(id).kind == NodeKind::product && top.next == 0) {
        ++top.next;
        visit(child_with_variable(id), true, true);
        if (bound.value() > limit) {
          n_visits_ += finished_.size() + v_stack_.size();
          v_stack_.clear();
          is_exact_ = false;
          return bound.value();
        }
      } else {
        finished_.push_back(id);
        v_stack_.pop_back();
      }
    }
  }
  // Slots of the V side follow those of the D side.
  std::ranges::reverse_copy(finished_, members_.begin() + static_cast<std::ptrdiff_t>(n_d_side_));
  for (std::size_t slot = n_d_side_; slot < members_.size(); ++slot)
    circuit_.node(members_[slot]).slot = static_cast<std::uint32_t>(slot);
  v_info_.assign(finished_.size(), VInfo{});
  n_visits_ += finished_.size();
  return 0;
}

template <class Lanes>
std::int64_t SplitRegion::cost_in_lanes(const Lanes& lanes) {
  const auto offset = static_cast<std::uint32_t>(n_d_side_);
  for (const MutualAncestor& ancestor : deciding_) {
    VInfo& info = v_info_[slot(ancestor.v_child.node()) - offset];
    ++info.n_links_lost;
    for (Parents& parents : info.parents) parents = parents == Parents::none ? Parents::one_product : Parents::other;
  }
  std::int64_t cost = 0;
  for (std::uint32_t slot = 0; slot < v_side().size(); ++slot) cost += v_node_cost(lanes, slot);
  return cost;
}

template <class Lanes>
std::int64_t SplitRegion::v_node_cost(const Lanes& lanes, std::uint32_t slot) {
  const auto offset = static_cast<std::uint32_t>(n_d_side_);
  const NodeId id = v_side()[slot];
  const Node& node = circuit_.node(id);
  VInfo& info = v_info_[slot];
  const bool is_product = node.kind == NodeKind::product;
  const std::uint32_t n_links_left = node.parents.size - info.n_links_lost;
  if (lanes.is_reused(node.scope)) {
    const Parents parents = info.parents[lanes.lane_of(node.scope)];
    const bool is_merged = is_product && n_links_left == 0 && parents == Parents::one_product;
    return is_merged ? -1 : 0;
  }
  info.is_dropped = n_links_left == 0;
  std::int64_t cost = info.is_dropped ? -std::int64_t{circuit_.n_children(id)} : 0;
  if (is_product && n_links_left == 1 && only_remaining_parent_is_product(id)) --cost;

  Parents passed[2] = {Parents::none, Parents::none};
  for (int lane = 0; lane < Lanes::n_lanes; ++lane) {
    if (!lanes.is_in(node.scope, lane)) continue;
    const std::uint32_t n_kept = lanes.n_kept(id, lane);
    passed[lane] = is_product ? Parents::one_product : Parents::other;
    // A copy with one child is spliced out: its parents become the child's.
    if (n_kept == 1) {
      passed[lane] = info.parents[lane];
      continue;
    }
    const bool is_merged = is_product && info.parents[lane] == Parents::one_product;
    cost += lanes.n_copies(node.scope) * (std::int64_t{n_kept} - (is_merged ? 1 : 0));
  }
  const auto pass_on = [&](Ref child) {
    if (child.is_indicator() || !is_marked(child.node())) return;
    VInfo& below = v_info_[this->slot(child.node()) - offset];
    below.n_links_lost += info.is_dropped ? 1 : 0;
    const ScopeId scope = circuit_.node(child.node()).scope;
    for (int lane = 0; lane < Lanes::n_lanes; ++lane) {
      if (!lanes.is_in(scope, lane) || passed[lane] == Parents::none) continue;
      below.parents[lane] = below.parents[lane] == Parents::none ? passed[lane] : Parents::other;
    }
  };
  for (const Ref child : circuit_.children(id)) pass_on(child);
  return cost;
}

bool SplitRegion::only_remaining_parent_is_product(NodeId node) const {
  const auto offset = static_cast<std::uint32_t>(n_d_side_);
  for (const NodeId parent : circuit_.parents(node)) {
    if (is_marked(parent)) {
      if (v_info_[slot(parent) - offset].is_dropped) continue;
    } else if (std::ranges::any_of(deciding_, [&](const MutualAncestor& m) { return m.node == parent; })) {
      continue;
    }
    return circuit_.node(parent).kind == NodeKind::product;
  }
  return false;
}

std::int64_t SplitRegion::v_side_cost(const Branches& branches) {
  if (branches.groups_values()) return cost_in_lanes(TwoLanes{circuit_, branches, variable_});
  return cost_in_lanes(OneLane{circuit_, variable_, branches.size()});
}

}  // namespace learnac
