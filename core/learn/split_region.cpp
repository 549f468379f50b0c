#include "learn/split_region.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>

namespace learnac {

Branches::Branches(const GrowingCircuit& circuit, const Split& split)
    : domain_(circuit.domain()),
      scopes_(circuit.scopes()),
      variable_(split.variable),
      value_(split.value),
      size_(circuit.n_branches(split.variable)),
      has_rest_(circuit.split_kind() == SplitKind::value_against_rest && domain_.arity(split.variable) > 2) {
  // Two values against each other are a complete split, whichever value is named.
  if (!has_rest_) value_ = 0;
}

bool Branches::is_in_all(ScopeId scope) const {
  if (scopes_.holds_all(scope, variable_)) return true;
  return has_rest_ && is_in(scope, 0) && is_in(scope, 1);
}

bool Branches::is_in(ScopeId scope, std::uint32_t branch) const {
  if (!has_rest_) return scopes_.holds(scope, domain_.indicator(variable_, branch));
  if (branch == 0) return scopes_.holds(scope, domain_.indicator(variable_, value_));
  for (std::uint32_t value = 0; value < domain_.arity(variable_); ++value)
    if (value != value_ && scopes_.holds(scope, domain_.indicator(variable_, value))) return true;
  return false;
}

std::uint32_t Branches::only_branch(ScopeId scope) const {
  if (has_rest_) return is_in(scope, 0) ? 0 : 1;
  return scopes_.first_value(scope, variable_);
}

IndicatorId Branches::indicator(std::uint32_t branch) const {
  return domain_.indicator(variable_, has_rest_ ? value_ : branch);
}

// Lanes: the copies of a V-side node, grouped. With singleton branches every node is in one or in all of them, and
// what is true of one copy is true of all, so that one lane stands for all.
struct OneLane {
  static constexpr int n_lanes = 1;
  const GrowingCircuit& circuit;
  VariableId variable;
  std::uint32_t n_branches;

  bool is_in(ScopeId, int) const { return true; }
  bool is_reused(ScopeId) const { return false; }
  std::int64_t n_copies(ScopeId scope) const { return circuit.scopes().holds_all(scope, variable) ? n_branches : 1; }
  // How many children a copy keeps.
  std::uint32_t n_kept(NodeId id, int) const {
    // A product in one branch holds that branch's indicator itself, which its copy leaves out.
    if (!circuit.scopes().holds_all(circuit.node(id).scope, variable)) return circuit.n_children(id) - 1;
    return circuit.decides(id, variable) ? 1 : circuit.n_children(id);
  }
};

// Value against rest: a lane for each of the two branches.
struct TwoLanes {
  static constexpr int n_lanes = 2;
  const GrowingCircuit& circuit;
  const Branches& branches;
  VariableId variable;

  bool is_in(ScopeId scope, int lane) const { return branches.is_in(scope, static_cast<std::uint32_t>(lane)); }
  // Inside the branch that keeps its indicators there is nothing to condition on.
  bool is_reused(ScopeId scope) const { return !branches.is_in(scope, 0); }
  std::int64_t n_copies(ScopeId) const { return 1; }
  std::uint32_t n_kept(NodeId id, int lane) const {
    const auto children = circuit.children(id);
    if (circuit.decides(id, variable))
      return static_cast<std::uint32_t>(
          std::ranges::count_if(children, [&](Ref child) { return is_in(circuit.node(child.node()).scope, lane); }));
    const bool leaves_out = lane == 0 && std::ranges::count(children, Ref(branches.indicator(0))) > 0;
    return circuit.n_children(id) - (leaves_out ? 1 : 0);
  }
};

// Bounds on what the V side costs; docs/decisions/0002-edge-cost-bounds.md says why they hold.
//
// Only a sum that decides V can cost less than nothing: its copies are spliced out, and so may be the products below.
static std::int64_t most_saved_at_a_sum(const Branches& branches) {
  return branches.has_rest() ? 5 : 3 * std::int64_t{branches.size()};
}

// A running lower bound: what the nodes met so far cost at least, less what may be saved at sums that decide V, of
// which there are no more than in the circuit, and no more than one for each link that still has to be followed.
class SplitRegion::VSideBound {
 public:
  VSideBound(const SplitRegion& region, const Branches& branches)
      : circuit_(region.circuit_),
        variable_(region.variable_),
        has_rest_(branches.has_rest()),
        n_extra_copies_(branches.has_rest() ? 1 : std::int64_t{branches.size()} - 1),
        saved_at_a_sum_(most_saved_at_a_sum(branches)),
        saved_anywhere_(-region.least_v_side_cost(region.variable_, branches.has_rest())),
        counts_links_(!branches.has_rest() && branches.size() >= region.most_branches_),
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
  bool has_rest_;
  std::int64_t n_extra_copies_;
  std::int64_t saved_at_a_sum_;
  std::int64_t saved_anywhere_;
  bool counts_links_;
  std::int64_t n_links_;
  std::int64_t cost_ = 0;
};

// Without the POPCNT instruction a call; most sets have two branches.
static std::int64_t count_branches(Word branches) {
  return branches < 4 ? static_cast<std::int64_t>((branches & 1) + (branches >> 1)) : __builtin_popcountll(branches);
}

SplitRegion::SplitRegion(const GrowingCircuit& circuit) : circuit_(circuit), most_branches_(0) {
  const Domain& domain = circuit.domain();
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v)
    most_branches_ = std::max(most_branches_, domain.arity(VariableId{v}));
}

std::int64_t SplitRegion::least_v_side_cost(VariableId variable, bool has_rest) const {
  const std::int64_t n_sums = circuit_.n_sums_deciding(variable);
  if (has_rest) return -5 * n_sums - 2 * std::int64_t{circuit_.n_indicator_links(variable)};
  return -3 * std::int64_t{circuit_.domain().arity(variable)} * n_sums;
}

std::int64_t SplitRegion::v_side_floor(VariableId variable) const {
  const bool has_rest = circuit_.split_kind() == SplitKind::value_against_rest && circuit_.domain().arity(variable) > 2;
  if (!has_rest && circuit_.domain().arity(variable) >= most_branches_) return 0;
  return least_v_side_cost(variable, has_rest);
}

std::int64_t SplitRegion::edge_cost(const Split& split, std::int64_t limit) {
  const bool is_known = walked_version_ == circuit_.version() && walked_ == split && is_exact_;
  if (is_known && walked_cost_ <= limit) return walked_cost_;
  walked_ = split;
  walked_version_ = circuit_.version();
  walked_cost_ = walk(split, limit);
  return walked_cost_;
}

std::int64_t SplitRegion::walk(const Split& split, std::int64_t limit) {
  begin(split);
  const Branches branches(circuit_, split);
  const std::int64_t floor = v_side_floor(split.variable);
  const std::int64_t d_side_limit = limit == unlimited ? unlimited : limit - floor;
  n_words_ = branches.n_words();
  if (n_words_ == 1)
    walk_d_side(split, branches, d_side_limit, std::integral_constant<std::size_t, 1>{});
  else
    walk_d_side(split, branches, d_side_limit, n_words_);
  n_visits_ += n_d_side_;
  if (!is_exact_) return d_side_bound_ + floor;
  // What was taken off the ancestors' costs for the V side is given back to it.
  const std::int64_t known =
      d_side_bound_ + most_saved_at_a_sum(branches) * static_cast<std::int64_t>(deciding_.size());
  const std::int64_t bound = walk_v_side(branches, limit == unlimited ? unlimited : limit - known);
  if (!is_exact_) return known + bound;
  return known + (branches.has_rest() ? v_side_cost(TwoLanes{circuit_, branches, split.variable})
                                      : v_side_cost(OneLane{circuit_, split.variable, branches.size()}));
}

void SplitRegion::begin(const Split& split) {
  variable_ = split.variable;
  plane_ = circuit_.scopes().plane(split.variable);
  d_side_bound_ = 0;
  is_exact_ = true;
  members_.clear();
  n_d_side_ = 0;
  v_info_.clear();
  deciding_.clear();
  settled_.clear();
}

// Depth first from D's parameters upwards; a node is finished after all its parents, so that the branches it is
// needed in are known and its cost is final. No node's cost is negative: the sum so far is a lower bound.
//
// Nearly all time of a search is spent here, and nearly always a word holds all branches: for that case, `n_words` is a
// constant that the compiler sees.
template <class NWords>
void SplitRegion::walk_d_side(const Split& split, const Branches& branches, std::int64_t limit, NWords n_words) {
  const Leaf& leaf = circuit_.leaf(split.leaf);
  const std::uint32_t arity = circuit_.domain().arity(leaf.child);
  for (std::uint32_t value = 0; value < arity; ++value) {
    push_d_node(circuit_.parameter_node(ParameterId{index(leaf.first_parameter) + value}), n_words);
    while (!stack_.empty()) {
      if (!follow_next_parent(branches, n_words)) continue;
      const Frame done = stack_.back();
      stack_.pop_back();
      d_side_bound_ += d_node_cost(done, n_words);
      if (d_side_bound_ > limit) {
        stack_.clear();
        is_exact_ = false;
        return;
      }
      if (!stack_.empty()) need_with(stack_.back().slot, done.node, done.slot, n_words);
    }
  }
}

template <class NWords>
inline void SplitRegion::push_d_node(NodeId node, NWords n_words) {
  const auto parents = circuit_.parents(node);
  circuit_.prefetch(node);
  stack_.push_back({parents.data(), parents.data() + parents.size(), node, static_cast<std::uint32_t>(n_d_side_)});
  mark(node);
  ++n_d_side_;
  if (d_info_.size() < 2 * n_words * n_d_side_) d_info_.resize(4 * n_words * n_d_side_);
  std::fill_n(d_info_.data() + 2 * n_words * (n_d_side_ - 1), 2 * n_words, Word{0});
}

// Goes on with the parents of the node on top; true if all are finished, false if there is a new top.
template <class NWords>
inline bool SplitRegion::follow_next_parent(const Branches& branches, NWords n_words) {
  Frame& top = stack_.back();
  while (top.next != top.end) {
    const NodeId parent = *top.next++;
    if (top.next != top.end) __builtin_prefetch(&circuit_.node(*top.next));
    const Node& node = circuit_.node(parent);
    if (has_variable(node.scope)) {
      d_side_bound_ += meet_mutual_ancestor(parent, top, branches, n_words);
    } else if (is_marked(parent)) {
      need_with(top.slot, parent, node.slot, n_words);
    } else {
      push_d_node(parent, n_words);
      return false;
    }
  }
  return true;
}

// A node is needed in every branch its parent is; with two parents in a branch, or a sum, its copy there can not be
// merged into a parent.
template <class NWords>
inline void SplitRegion::need_with(std::uint32_t d_slot, NodeId parent, std::uint32_t parent_slot, NWords n_words) {
  const Word* wanted = d_info_.data() + 2 * n_words * parent_slot;
  Word* needed = d_info_.data() + 2 * n_words * d_slot;
  Word* contested = needed + n_words;
  const bool is_product = circuit_.node(parent).kind == NodeKind::product;
  for (std::size_t w = 0; w < n_words; ++w) {
    contested[w] |= is_product ? needed[w] & wanted[w] : wanted[w];
    needed[w] |= wanted[w];
  }
}

template <class NWords>
inline std::int64_t SplitRegion::d_node_cost(const Frame& done, NWords n_words) const {
  const Word* needed = d_info_.data() + 2 * n_words * done.slot;
  const Word* contested = needed + n_words;
  std::int64_t n_copies = 0, n_merged = 0;
  for (std::size_t w = 0; w < n_words; ++w) {
    n_copies += count_branches(needed[w]);
    n_merged += count_branches(needed[w] & ~contested[w]);
  }
  const std::int64_t cost = (n_copies - 1) * circuit_.n_children(done.node);
  return circuit_.node(done.node).kind == NodeKind::product ? cost - n_merged : cost;
}

// Every mutual ancestor is a product, or the circuit would not be smooth; it is met once, because no two children of
// a product are D-ancestors.
template <class NWords>
inline std::int64_t SplitRegion::meet_mutual_ancestor(NodeId ancestor, const Frame& below, const Branches& branches,
                                                      NWords n_words) {
  const ScopeId scope = circuit_.node(ancestor).scope;
  Word* needed = d_info_.data() + 2 * n_words * below.slot;
  Word* contested = needed + n_words;
  if (!branches.is_in_all(scope)) {
    const std::uint32_t branch = branches.only_branch(scope);
    const Word bit = Word{1} << (branch % 64);
    contested[branch / 64] |= needed[branch / 64] & bit;
    needed[branch / 64] |= bit;
    settled_.push_back({ancestor, below.node, Ref()});
    return 0;
  }
  for (std::size_t w = 0; w < n_words; ++w) {
    const bool is_full = w + 1 < n_words || branches.size() % 64 == 0;
    contested[w] |= needed[w];
    needed[w] = is_full ? ~Word{0} : (Word{1} << (branches.size() % 64)) - 1;
  }
  deciding_.push_back({ancestor, below.node, Ref()});
  // A sum with a product for each branch: its indicator, if it has one of its own, and the two copies.
  const std::int64_t n_indicators = branches.has_rest() ? 1 : branches.size();
  const std::int64_t n_new = 3 * std::int64_t{branches.size()} + n_indicators;
  const bool is_spliced = circuit_.n_children(ancestor) == 2;
  return n_new - 1 - (is_spliced ? 1 : 0) - most_saved_at_a_sum(branches);
}

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
    // A node inside the branch that keeps its indicators is used as it is, with all below it.
    const bool is_reused = branches.has_rest() && !branches.is_in(node.scope, 0);
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
std::int64_t SplitRegion::v_side_cost(const Lanes& lanes) {
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
    const bool is_merged = is_product && n_links_left == 0 && info.parents[Lanes::n_lanes - 1] == Parents::one_product;
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

}  // namespace learnac
