#include <algorithm>
#include <stdexcept>
#include <string>

#include "learn/growing_circuit.hpp"

namespace learnac {
namespace {

[[noreturn]] void broken(NodeId node, const char* what) {
  throw std::logic_error("node " + std::to_string(index(node)) + ": " + what);
}

std::vector<Word> bits_of(const GrowingCircuit& circuit, Ref ref) {
  if (ref.is_indicator()) {
    std::vector<Word> bits(circuit.scopes().n_words(), 0);
    bits[index(ref.indicator()) / 64] |= Word{1} << (index(ref.indicator()) % 64);
    return bits;
  }
  const auto bits = circuit.scopes().bits(circuit.node(ref.node()).scope);
  return {bits.begin(), bits.end()};
}

bool share_variable(const Domain& domain, const std::vector<Word>& a, const std::vector<Word>& b) {
  std::vector<bool> in_a(domain.n_variables()), in_b(domain.n_variables());
  for (std::uint32_t i = 0; i < domain.n_indicators(); ++i) {
    const std::uint32_t v = index(domain.variable(IndicatorId{i}));
    if ((a[i / 64] >> (i % 64)) & 1) in_a[v] = true;
    if ((b[i / 64] >> (i % 64)) & 1) in_b[v] = true;
  }
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v)
    if (in_a[v] && in_b[v]) return true;
  return false;
}

void check_product(const GrowingCircuit& circuit, NodeId id) {
  std::vector<Word> all(circuit.scopes().n_words(), 0);
  for (const Ref child : circuit.children(id)) {
    const auto bits = bits_of(circuit, child);
    if (share_variable(circuit.domain(), all, bits)) broken(id, "not decomposable");
    for (std::size_t w = 0; w < all.size(); ++w) all[w] |= bits[w];
  }
  if (all != bits_of(circuit, id)) broken(id, "scope is not that of its children");
  const auto parents = circuit.parents(id);
  if (parents.size() == 1 && circuit.node(parents[0]).kind == NodeKind::product)
    broken(id, "not merged into its parent");
}

void check_sum(const GrowingCircuit& circuit, NodeId id) {
  const Domain& domain = circuit.domain();
  const VariableId decided{circuit.label(id)};
  const auto without_decided = [&](std::vector<Word> bits) {
    for (std::uint32_t value = 0; value < domain.arity(decided); ++value) {
      const std::uint32_t i = index(domain.indicator(decided, value));
      bits[i / 64] &= ~(Word{1} << (i % 64));
    }
    return bits;
  };
  const auto expected = without_decided(bits_of(circuit, id));
  std::vector<Word> all(circuit.scopes().n_words(), 0);
  for (const Ref child : circuit.children(id)) {
    const auto bits = bits_of(circuit, child);
    if (without_decided(bits) != expected) broken(id, "not smooth");
    if (without_decided(bits) == bits) broken(id, "has a child without the variable it decides");
    for (std::size_t w = 0; w < all.size(); ++w) {
      if ((all[w] & bits[w] & ~expected[w]) != 0) broken(id, "not deterministic");
      all[w] |= bits[w];
    }
  }
  if (all != bits_of(circuit, id)) broken(id, "scope is not that of its children");
}

// With complete splits a scope has none, one or all values of a variable, and a node with one is a product that
// holds the indicator itself.
void check_single_values(const GrowingCircuit& circuit, NodeId id) {
  const Domain& domain = circuit.domain();
  const ScopeId scope = circuit.node(id).scope;
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    if (!circuit.scopes().holds(scope, variable) || circuit.scopes().holds_all(scope, variable)) continue;
    std::uint32_t n_held = 0;
    for (std::uint32_t value = 0; value < domain.arity(variable); ++value)
      n_held += circuit.scopes().holds(scope, domain.indicator(variable, value));
    const std::uint32_t value = circuit.scopes().first_value(scope, variable);
    const auto children = circuit.children(id);
    const bool holds_it = std::ranges::count(children, Ref(domain.indicator(variable, value))) == 1;
    if (n_held != 1 || !holds_it) broken(id, "in some but not all branches, without the indicator of one");
  }
}

}  // namespace

void GrowingCircuit::check_invariants() const {
  std::uint64_t n_links = 0, n_links_up = 0;
  std::vector<bool> is_reached(nodes_.size(), false);
  std::vector<NodeId> stack{root_};
  is_reached[index(root_)] = true;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    const Node& node = nodes_[index(id)];
    n_links += n_children(id);
    if (node.kind == NodeKind::free) broken(id, "free but reached");
    if ((node.kind == NodeKind::parameter) != (n_children(id) == 0)) broken(id, "wrong number of children");
    if (n_children(id) == 1) broken(id, "not spliced");
    if (node.kind == NodeKind::product) check_product(*this, id);
    if (node.kind == NodeKind::sum) check_sum(*this, id);
    if (space_.kind() == SplitKind::complete) check_single_values(*this, id);
    for (const Ref child : children(id)) {
      if (child.is_indicator()) {
        ++n_links_up;
        continue;
      }
      if (std::ranges::count(parents(child.node()), id) != 1) broken(child.node(), "parents do not mirror children");
      if (!is_reached[index(child.node())]) stack.push_back(child.node());
      is_reached[index(child.node())] = true;
    }
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind == NodeKind::free) continue;
    n_links_up += nodes_[i].parents.size;
    if (!is_reached[i]) broken(NodeId{i}, "not reachable");
  }
  if (n_links != n_edges_) throw std::logic_error("n_edges is not the number of links");
  if (n_links != n_links_up) throw std::logic_error("more parents than children links");
}

}  // namespace learnac
