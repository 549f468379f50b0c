// The circuit while it is being learned: mutable, with parents, scopes and free lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ids.hpp"
#include "learn/list_pool.hpp"
#include "learn/scopes.hpp"
#include "learn/splits.hpp"
#include "node_kind.hpp"

namespace learnac {

// What walks upwards read of a node, four to a cache line.
struct alignas(16) Node {
  ScopeId scope : 29 = {};
  NodeKind kind : 3 = NodeKind::free;
  mutable std::uint32_t slot = 0;  // where the walk under way keeps the node; anything between walks
  List parents;
};

struct BelowNode {
  List children;
  std::uint32_t label = 0;  // a sum: the variable it decides; a parameter: its ParameterId
};

struct Leaf {
  VariableId child{};
  ParameterId first_parameter{};
  bool is_split = false;
};

// Invariants, checked by check_invariants():
// - Children and parents mirror each other. No node but the root is without parents; nothing is unreachable.
// - Smooth: a sum's children have equal scopes, except on the one variable the sum decides.
// - Deterministic: there, their values are disjoint. Decomposable: a product's children share no variable.
// - No sum or product has a single child; no product's only parent is a product.
// - With complete splits, a scope holds none, one or all of a variable's values.
class GrowingCircuit {
 public:
  // The product of marginals: an edgeless network. `space` rules all later splits.
  explicit GrowingCircuit(SplitSpace space);
  GrowingCircuit(const GrowingCircuit&) = delete;
  GrowingCircuit& operator=(const GrowingCircuit&) = delete;

  const SplitSpace& space() const { return space_; }
  const Domain& domain() const { return domain_; }
  const Scopes& scopes() const { return scopes_; }
  std::uint32_t n_branches(VariableId variable) const { return space_.n_branches(variable); }

  std::uint64_t n_edges() const { return n_edges_; }
  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>(leaves_.size()); }
  const Leaf& leaf(LeafId leaf) const { return leaves_[index(leaf)]; }
  NodeId parameter_node(ParameterId parameter) const { return parameter_nodes_[index(parameter)]; }
  LeafId leaf_of(ParameterId parameter) const { return parameter_leaves_[index(parameter)]; }
  std::uint32_t n_sums_deciding(VariableId variable) const { return n_sums_deciding_[index(variable)]; }
  // How many products hold an indicator of the variable.
  std::uint32_t n_indicator_links(VariableId variable) const { return n_indicator_links_[index(variable)]; }
  std::uint32_t n_parameter_ids() const { return static_cast<std::uint32_t>(parameter_nodes_.size()); }

  // Goes up with every split.
  std::uint64_t version() const { return version_; }
  NodeId root() const { return root_; }
  std::uint32_t n_node_ids() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Node& node(NodeId node) const { return nodes_[index(node)]; }
  std::span<const Ref> children(NodeId node) const { return children_.items(below_[index(node)].children); }
  std::uint32_t n_children(NodeId node) const { return below_[index(node)].children.size; }
  std::uint32_t label(NodeId node) const { return below_[index(node)].label; }
  bool decides(NodeId node, VariableId variable) const {
    return nodes_[index(node)].kind == NodeKind::sum && label(node) == index(variable);
  }
  std::span<const NodeId> parents(NodeId node) const { return parents_.items(nodes_[index(node)].parents); }
  std::size_t bytes() const;
  // Says that the node's parents and number of children will be asked for.
  void prefetch(NodeId node) const {
    parents_.prefetch(nodes_[index(node)].parents);
    __builtin_prefetch(&below_[index(node)]);
  }

  // Throws std::logic_error with what is broken. Slow: for tests and debug builds.
  void check_invariants() const;

 private:
  friend class SplitApplication;

  NodeId add_node(NodeKind kind, ScopeId acquired, std::uint32_t label);
  void free_node(NodeId node);
  void link(NodeId parent, Ref child);
  // The child's side of the link is the caller's concern.
  void push_child(NodeId parent, Ref child);
  void clear_children(NodeId parent);
  void reserve_children(NodeId parent, std::uint32_t n) { children_.reserve(below_[index(parent)].children, n); }
  LeafId add_leaf(VariableId child);
  // The two simplifications; each only removes edges.
  void splice_if_single(NodeId node);
  void merge_into_product_parent(NodeId node);
  // Numbers all nodes anew, so that nodes near each other in the circuit are near in memory, once it has grown enough
  // to be worth it. Nothing else changes, not even the order of links.
  void compact_if_grown();
  Ref only_child(NodeId node) const { return children(node)[0]; }
  void build_initial();

  SplitSpace space_;
  const Domain& domain_;  // that of the space
  Scopes scopes_;
  std::vector<Node> nodes_;
  std::vector<BelowNode> below_;  // of each node
  std::vector<NodeId> free_nodes_;
  ListPool<Ref> children_;
  ListPool<NodeId> parents_;
  std::vector<Leaf> leaves_;
  std::vector<NodeId> parameter_nodes_;   // by ParameterId; no_node once the leaf is split
  std::vector<LeafId> parameter_leaves_;  // by ParameterId
  std::vector<std::uint32_t> n_sums_deciding_;
  std::vector<std::uint32_t> n_indicator_links_;
  NodeId root_ = no_node;
  std::uint64_t n_edges_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t n_edges_compact_ = 0;  // when nodes were last numbered anew
};

}  // namespace learnac
