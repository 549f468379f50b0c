#include "infer/circuit_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace learnac {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("not a circuit: " + what); }

std::uint64_t check_arities(const CircuitArrays& arrays) {
  std::uint64_t n_indicators = 0;
  for (const std::uint32_t arity : arrays.arities) {
    n_indicators += arity;
    if (arity == 0 || n_indicators >= nothing) refuse("expected arities of at least 1, and fewer than 2^32 indicators");
  }
  if (arrays.arities.empty()) refuse("expected at least one variable");
  return n_indicators;
}

void check_lengths(const CircuitArrays& arrays) {
  const std::size_t n_nodes = arrays.kinds.size();
  if (n_nodes == 0 || n_nodes >= nothing / 2) refuse("expected from 1 to 2^31 nodes, found " + std::to_string(n_nodes));
  if (arrays.labels.size() != n_nodes) refuse("expected one label for each node");
  if (arrays.child_offsets.size() != n_nodes + 1) refuse("expected one child offset for each node, and an end");
  if (arrays.child_offsets[0] != 0 || arrays.child_offsets[n_nodes] != arrays.children.size())
    refuse("expected child offsets from 0 to the number of children");
  if (!std::is_sorted(arrays.child_offsets.begin(), arrays.child_offsets.end()))
    refuse("expected child offsets that never fall");
  if (arrays.children.size() >= nothing / 2) refuse("expected fewer than 2^31 edges");
}

void check_node(const CircuitArrays& arrays, std::uint64_t n_indicators, std::uint32_t node) {
  const auto complain = [&](const char* what) { refuse("node " + std::to_string(node) + ": " + what); };
  const std::uint32_t label = arrays.labels[node];
  switch (arrays.kind(node)) {
    case NodeKind::indicator:
      if (label >= n_indicators) complain("no such indicator");
      break;
    case NodeKind::parameter:
      if (label >= arrays.parameters.size()) complain("no such parameter");
      if (!(arrays.parameters[label] >= 0) || std::isinf(arrays.parameters[label]))
        complain("expected a finite parameter from 0");
      break;
    case NodeKind::sum:
      if (label != nothing && label >= arrays.arities.size()) complain("decides no such variable");
      break;
    case NodeKind::product:
      break;
    default:
      complain("no such kind");
  }
  const std::span<const std::uint32_t> children = arrays.children_of(node);
  if (arrays.is_leaf(node) != children.empty()) complain("expected children of sums and products, and of these only");
  for (const std::uint32_t child : children)
    if (child >= node) complain("expected children before their parents");
}

}  // namespace

void check(const CircuitArrays& arrays) {
  const std::uint64_t n_indicators = check_arities(arrays);
  check_lengths(arrays);
  for (std::uint32_t node = 0; node < arrays.n_nodes(); ++node) check_node(arrays, n_indicators, node);
}

}  // namespace learnac
