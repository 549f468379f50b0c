// The part of a circuit that a split S(D, V) changes, and what the change costs (section 4.2 of the paper).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "learn/branches.hpp"
#include "learn/growing_circuit.hpp"

namespace learnac {

// A mutual ancestor of D and V: a product, with one D-ancestor child and one V-ancestor child.
struct MutualAncestor {
  NodeId node;
  NodeId d_child;
  Ref v_child;
};

// Walks the region of one split after another; keeps its scratch memory, and the region walked last. A circuit has one
// of these at a time, because the walk keeps its marks in the circuit's nodes.
class SplitRegion {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  explicit SplitRegion(const GrowingCircuit& circuit);

  // The number of edges that applying the split would add. Once it is sure to exceed `limit` the walk ends, and a lower
  // bound greater than `limit` is returned instead. Asked again for the split it was last asked for, it need not walk.
  std::int64_t edge_cost(const Split& split, std::int64_t limit = unlimited);
  // Whether the last edge_cost was walked to its end, and the part of it that only the ancestors of D decide.
  bool is_exact() const { return is_exact_; }
  std::int64_t d_side_bound() const { return d_side_bound_; }
  // The rest of the edge cost is at least this, whatever the region looks like: docs/decisions/0002-edge-cost-bounds.md
  std::int64_t v_side_floor(VariableId variable) const;

  // The region itself, after an unlimited edge_cost: D-ancestors without V in scope, including D's parameters, in
  // no order; and nodes between the mutual ancestors and V, parents before children.
  std::span<const NodeId> d_side() const { return {members_.data(), n_d_side_}; }
  std::span<const NodeId> v_side() const { return std::span(members_).subspan(n_d_side_); }
  // The mutual ancestors that get a new sum, and those that already hold a single branch of V.
  std::span<const MutualAncestor> deciding_ancestors() const { return deciding_; }
  std::span<const MutualAncestor> settled_ancestors() const { return settled_; }

  bool is_on_d_side(NodeId node) const { return is_marked(node) && slot(node) < n_d_side_; }
  bool is_in_region(NodeId node) const { return is_marked(node); }
  std::uint32_t slot(NodeId node) const { return circuit_.node(node).slot; }
  // Bit set over branches: the copies of a D-side node that some mutual ancestor needs.
  std::span<const Word> needed(std::uint32_t d_slot) const {
    return {d_info_.data() + 2 * n_words_ * d_slot, n_words_};
  }
  // A V-side original that nothing outside the region holds on to.
  bool is_dropped(std::uint32_t v_slot) const { return v_info_[v_slot].is_dropped; }

  // Nodes visited so far, over all calls: a measure of work that does not depend on the machine.
  std::uint64_t n_visits() const { return n_visits_; }

 private:
  struct Frame {
    const NodeId* next;  // of the parents
    const NodeId* end;
    NodeId node;
    std::uint32_t slot;
  };
  struct VFrame {
    NodeId node;
    std::uint32_t next;  // of the children
  };
  // What the copies of a V-side node will have as parents, for each lane: nothing yet, one product, or anything else
  // (several parents or a sum): only in the second case can a product be merged into its parent.
  enum class Parents : std::uint8_t { none, one_product, other };
  class VSideBound;
  struct VInfo {
    std::uint32_t n_links_lost = 0;
    Parents parents[2] = {Parents::none, Parents::none};
    bool is_dropped = false;
  };

  // A node in the region knows its place among the members. What the others say of theirs is not true.
  bool is_marked(NodeId node) const { return slot(node) < members_.size() && members_[slot(node)] == node; }
  void mark(NodeId node) {
    circuit_.node(node).slot = static_cast<std::uint32_t>(members_.size());
    members_.push_back(node);
  }
  bool has_variable(ScopeId scope) const { return (plane_[index(scope) / 64] >> (index(scope) % 64)) & 1; }

  std::int64_t walk(const Split& split, std::int64_t limit);
  void begin(const Split& split);
  template <class NWords>
  void walk_d_side(const Split& split, const Branches& branches, std::int64_t limit, NWords n_words);
  template <class NWords>
  void push_d_node(NodeId node, NWords n_words);
  template <class NWords>
  bool follow_next_parent(const Branches& branches, NWords n_words);
  template <class NWords>
  void need_with(std::uint32_t d_slot, NodeId parent, std::uint32_t parent_slot, NWords n_words);
  template <class NWords>
  std::int64_t d_node_cost(const Frame& done, NWords n_words) const;
  template <class NWords>
  std::int64_t meet_mutual_ancestor(NodeId ancestor, const Frame& below, const Branches& branches, NWords n_words);
  Ref child_with_variable(NodeId product);
  Ref root_child_with_variable();
  std::int64_t walk_v_side(const Branches& branches, std::int64_t limit);
  std::int64_t least_v_side_cost(VariableId variable) const;
  std::int64_t v_side_cost(const Branches& branches);
  template <class Lanes>
  std::int64_t cost_in_lanes(const Lanes& lanes);
  template <class Lanes>
  std::int64_t v_node_cost(const Lanes& lanes, std::uint32_t slot);
  bool only_remaining_parent_is_product(NodeId node) const;

  const GrowingCircuit& circuit_;
  VariableId variable_{};
  std::span<const Word> plane_;
  std::size_t n_words_ = 1;
  std::uint32_t most_branches_;
  std::vector<NodeId> members_;  // the D side, then the V side
  std::size_t n_d_side_ = 0;
  std::vector<Frame> stack_;
  std::vector<VFrame> v_stack_;
  std::int64_t d_side_bound_ = 0;
  bool is_exact_ = false;
  Split walked_;  // the last one, when the circuit was at this version, and its cost
  std::uint64_t walked_version_ = ~std::uint64_t{0};
  std::int64_t walked_cost_ = 0;
  std::vector<Word> d_info_;  // per D-side slot: branches needed, branches whose copy has several parents or a sum
  std::vector<MutualAncestor> deciding_;
  std::vector<MutualAncestor> settled_;
  std::vector<NodeId> finished_;
  std::vector<VInfo> v_info_;
  std::vector<Ref> root_children_;  // by variable, as of root_version_
  std::uint64_t root_version_ = ~std::uint64_t{0};
  std::uint64_t n_visits_ = 0;
};

}  // namespace learnac
