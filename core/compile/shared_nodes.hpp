// A circuit's nodes while it is compiled: equal ones are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "node_kind.hpp"

namespace learnac {

// Indicators come first, then parameters, then sums and products; children have smaller numbers than their parents.
class SharedNodes {
 public:
  SharedNodes(std::uint32_t n_indicators, std::uint32_t n_parameters);

  std::uint32_t n_leaves() const { return n_leaves_; }
  std::uint32_t n_nodes() const { return n_leaves_ + static_cast<std::uint32_t>(nodes_.size()); }
  std::size_t n_edges() const { return children_.size(); }
  bool is_leaf(std::uint32_t node) const { return node < n_leaves_; }
  NodeKind kind(std::uint32_t node) const { return nodes_[node - n_leaves_].kind; }
  std::uint32_t decided(std::uint32_t sum) const { return nodes_[sum - n_leaves_].variable; }
  std::span<const std::uint32_t> children(std::uint32_t node) const {
    const Node& found = nodes_[node - n_leaves_];
    return {children_.data() + found.first_child, found.n_children};
  }

  // The node with these children, which are sorted in place; a single child is the node itself.
  std::uint32_t product(std::span<std::uint32_t> children) { return node(NodeKind::product, 0, children); }
  std::uint32_t sum(std::uint32_t variable, std::span<std::uint32_t> children) {
    return node(NodeKind::sum, variable, children);
  }

  std::size_t n_bytes() const {
    return nodes_.capacity() * sizeof(Node) + children_.capacity() * 4 + table_.capacity() * 4;
  }

 private:
  struct Node {
    NodeKind kind;
    std::uint32_t variable;  // that a sum decides
    std::uint64_t first_child;
    std::uint32_t n_children;
    std::uint32_t hash;
  };

  std::uint32_t node(NodeKind kind, std::uint32_t variable, std::span<std::uint32_t> children);
  void grow_table();

  std::uint32_t n_leaves_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> table_;  // by hash, one more than the place of a node; 0 where there is none
};

}  // namespace learnac
