#include "learn/split_region.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>

namespace learnac {

// Without the POPCNT instruction a call; most sets have two branches.
static std::int64_t count_branches(Word branches) {
  return branches < 4 ? static_cast<std::int64_t>((branches & 1) + (branches >> 1)) : __builtin_popcountll(branches);
}

SplitRegion::SplitRegion(const GrowingCircuit& circuit) : circuit_(circuit), most_branches_(0) {
  const Domain& domain = circuit.domain();
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v)
    most_branches_ = std::max(most_branches_, domain.arity(VariableId{v}));
}

std::int64_t SplitRegion::least_v_side_cost(VariableId variable) const {
  const std::int64_t n_sums = circuit_.n_sums_deciding(variable);
  if (circuit_.space().groups_values(variable))
    return -5 * n_sums - 2 * std::int64_t{circuit_.n_indicator_links(variable)};
  return -3 * std::int64_t{circuit_.domain().arity(variable)} * n_sums;
}

std::int64_t SplitRegion::v_side_floor(VariableId variable) const {
  const bool groups_values = circuit_.space().groups_values(variable);
  if (!groups_values && circuit_.domain().arity(variable) >= most_branches_) return 0;
  return least_v_side_cost(variable);
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
      d_side_bound_ + branches.most_saved_at_a_sum() * static_cast<std::int64_t>(deciding_.size());
  const std::int64_t bound = walk_v_side(branches, limit == unlimited ? unlimited : limit - known);
  if (!is_exact_) return known + bound;
  return known + v_side_cost(branches);
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
  const std::int64_t n_new = 3 * std::int64_t{branches.size()} + branches.n_singletons();
  const bool is_spliced = circuit_.n_children(ancestor) == 2;
  return n_new - 1 - (is_spliced ? 1 : 0) - branches.most_saved_at_a_sum();
}

}  // namespace learnac
