#include "learn/growing_circuit.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace learnac {

GrowingCircuit::GrowingCircuit(SplitSpace space)
    : space_(std::move(space)),
      domain_(space_.domain()),
      scopes_(domain_),
      n_sums_deciding_(domain_.n_variables(), 0),
      n_indicator_links_(domain_.n_variables(), 0) {
  build_initial();
}

void GrowingCircuit::build_initial() {
  const std::uint32_t n_variables = domain_.n_variables();
  std::vector<Word> all(scopes_.n_words(), 0);
  for (std::uint32_t bit = 0; bit < domain_.n_indicators(); ++bit) all[bit / 64] |= Word{1} << (bit % 64);
  scopes_.reserve(n_variables + domain_.n_indicators() + 2);
  root_ = add_node(NodeKind::product, scopes_.acquire(all), 0);
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    const VariableId variable{v};
    const LeafId leaf = add_leaf(variable);
    const std::uint32_t first_parameter = index(leaves_[index(leaf)].first_parameter);
    const auto indicator_scope = [&](std::uint32_t first, std::uint32_t count) {
      std::vector<Word> bits(scopes_.n_words(), 0);
      for (std::uint32_t bit = first; bit < first + count; ++bit) bits[bit / 64] |= Word{1} << (bit % 64);
      return scopes_.acquire(bits);
    };
    if (domain_.arity(variable) == 1) {
      // A constant: its only product is already merged into the root.
      link(root_, domain_.indicator(variable, 0));
      link(root_, parameter_nodes_[first_parameter]);
      continue;
    }
    const NodeId sum = add_node(NodeKind::sum, indicator_scope(domain_.first(variable), domain_.arity(variable)), v);
    link(root_, sum);
    for (std::uint32_t value = 0; value < domain_.arity(variable); ++value) {
      const NodeId product = add_node(NodeKind::product, indicator_scope(domain_.first(variable) + value, 1), 0);
      link(product, domain_.indicator(variable, value));
      link(product, parameter_nodes_[first_parameter + value]);
      link(sum, product);
    }
  }
  splice_if_single(root_);
}

NodeId GrowingCircuit::add_node(NodeKind kind, ScopeId acquired, std::uint32_t label) {
  NodeId node;
  if (free_nodes_.empty()) {
    node = NodeId{static_cast<std::uint32_t>(nodes_.size())};
    nodes_.emplace_back();
    below_.emplace_back();
  } else {
    node = free_nodes_.back();
    free_nodes_.pop_back();
  }
  Node& fresh = nodes_[index(node)];
  fresh.kind = kind;
  fresh.scope = acquired;
  below_[index(node)].label = label;
  if (kind == NodeKind::sum) ++n_sums_deciding_[label];
  return node;
}

// Its links must be gone from the other side already.
void GrowingCircuit::free_node(NodeId node) {
  Node& gone = nodes_[index(node)];
  clear_children(node);
  if (gone.kind == NodeKind::sum) --n_sums_deciding_[label(node)];
  children_.release(below_[index(node)].children);
  parents_.release(gone.parents);
  scopes_.release(gone.scope);
  gone.kind = NodeKind::free;
  free_nodes_.push_back(node);
}

void GrowingCircuit::link(NodeId parent, Ref child) {
  push_child(parent, child);
  if (!child.is_indicator()) parents_.push(nodes_[index(child.node())].parents, parent);
}

void GrowingCircuit::push_child(NodeId parent, Ref child) {
  children_.push(below_[index(parent)].children, child);
  ++n_edges_;
  if (child.is_indicator()) ++n_indicator_links_[index(domain_.variable(child.indicator()))];
}

void GrowingCircuit::clear_children(NodeId parent) {
  List& list = below_[index(parent)].children;
  for (const Ref child : children_.items(list))
    if (child.is_indicator()) --n_indicator_links_[index(domain_.variable(child.indicator()))];
  n_edges_ -= list.size;
  children_.clear(list);
}

LeafId GrowingCircuit::add_leaf(VariableId child) {
  const LeafId leaf{n_leaves()};
  leaves_.push_back({child, ParameterId{n_parameter_ids()}, false});
  const std::vector<Word> empty(scopes_.n_words(), 0);
  parameter_leaves_.insert(parameter_leaves_.end(), domain_.arity(child), leaf);
  for (std::uint32_t value = 0; value < domain_.arity(child); ++value)
    parameter_nodes_.push_back(add_node(NodeKind::parameter, scopes_.acquire(empty), n_parameter_ids()));
  return leaf;
}

void GrowingCircuit::splice_if_single(NodeId node) {
  if (n_children(node) != 1 || only_child(node).is_indicator()) return;
  const NodeId child = only_child(node).node();
  List& child_parents = nodes_[index(child)].parents;
  parents_.remove(child_parents, node);
  for (std::uint32_t i = 0; i < nodes_[index(node)].parents.size; ++i) {
    const NodeId parent = parents(node)[i];
    children_.replace(below_[index(parent)].children, Ref(node), Ref(child));
    parents_.push(child_parents, parent);
  }
  if (root_ == node) root_ = child;
  free_node(node);
}

void GrowingCircuit::merge_into_product_parent(NodeId node) {
  if (nodes_[index(node)].kind != NodeKind::product || nodes_[index(node)].parents.size != 1) return;
  const NodeId parent = parents(node)[0];
  if (nodes_[index(parent)].kind != NodeKind::product) return;
  List& siblings = below_[index(parent)].children;
  children_.remove(siblings, Ref(node));
  --n_edges_;
  for (std::uint32_t i = 0; i < n_children(node); ++i) {
    const Ref child = children(node)[i];
    push_child(parent, child);
    if (!child.is_indicator()) parents_.replace(nodes_[index(child.node())].parents, node, parent);
  }
  free_node(node);
}

void GrowingCircuit::compact_if_grown() {
#ifdef NDEBUG
  constexpr std::uint64_t least_edges = 5000;
#else
  constexpr std::uint64_t least_edges = 50;  // So that small circuits test it too.
#endif
  if (n_edges_ < std::max(least_edges, n_edges_compact_ + n_edges_compact_ / 2)) return;
  n_edges_compact_ = n_edges_;
  // Depth first, children before parents: walks go upwards.
  std::vector<NodeId> place(nodes_.size(), no_node), order;
  std::vector<std::pair<NodeId, std::uint32_t>> stack{{root_, 0}};
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < n_children(node)) {
      const Ref child = children(node)[next++];
      if (!child.is_indicator() && place[index(child.node())] == no_node) stack.push_back({child.node(), 0});
      continue;
    }
    if (place[index(node)] == no_node) {
      place[index(node)] = NodeId{static_cast<std::uint32_t>(order.size())};
      order.push_back(node);
    }
    stack.pop_back();
  }
  ListPool<Ref> all_children;
  ListPool<NodeId> all_parents;
  std::vector<Node> nodes;
  std::vector<BelowNode> below;
  nodes.reserve(order.size());
  below.reserve(order.size());
  for (const NodeId old : order) {
    nodes.push_back(nodes_[index(old)]);
    nodes.back().parents = List{};
    below.push_back({List{}, label(old)});
    all_children.reserve(below.back().children, n_children(old));
    for (const Ref child : children(old))
      all_children.push(below.back().children, child.is_indicator() ? child : Ref(place[index(child.node())]));
    all_parents.reserve(nodes.back().parents, static_cast<std::uint32_t>(parents(old).size()));
    for (const NodeId parent : parents(old)) all_parents.push(nodes.back().parents, place[index(parent)]);
  }
  nodes_ = std::move(nodes);
  below_ = std::move(below);
  children_ = std::move(all_children);
  parents_ = std::move(all_parents);
  free_nodes_.clear();
  for (NodeId& node : parameter_nodes_)
    if (node != no_node) node = place[index(node)];
  root_ = place[index(root_)];
}

std::size_t GrowingCircuit::bytes() const {
  return nodes_.capacity() * (sizeof(Node) + sizeof(BelowNode)) + children_.bytes() + parents_.bytes();
}

}  // namespace learnac
