#include "compile/share.hpp"

#include <algorithm>

namespace learnac {

CompiledArrays shared(const CircuitArrays& arrays) {
  const auto n_parameters = static_cast<std::uint32_t>(arrays.parameters.size());
  std::uint32_t n_indicators = 0;
  for (const std::uint32_t arity : arrays.arities) n_indicators += arity;
  SharedNodes nodes(n_indicators, n_parameters);
  std::vector<std::uint32_t> place(arrays.n_nodes()), children;
  for (std::uint32_t node = 0; node < arrays.n_nodes(); ++node) {
    if (arrays.is_leaf(node)) {
      place[node] = node;
      continue;
    }
    children.clear();
    for (const std::uint32_t child : arrays.children_of(node)) children.push_back(place[child]);
    place[node] =
        arrays.kind(node) == NodeKind::sum ? nodes.sum(arrays.labels[node], children) : nodes.product(children);
  }
  return finish(nodes, std::span(&place.back(), 1), n_indicators);
}

}  // namespace learnac
