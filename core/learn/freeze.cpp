#include "learn/freeze.hpp"

namespace learnac {

FrozenArrays freeze(const GrowingCircuit& circuit) {
  constexpr std::uint32_t unset = 0xffffffffu;
  FrozenArrays frozen;
  const auto add = [&](NodeKind kind, std::uint32_t label) {
    frozen.kinds.push_back(static_cast<std::uint8_t>(kind));
    frozen.labels.push_back(label);
    frozen.child_offsets.push_back(frozen.children.size());
    return static_cast<std::uint32_t>(frozen.kinds.size() - 1);
  };
  const std::uint32_t n_indicators = circuit.domain().n_indicators();
  for (std::uint32_t i = 0; i < n_indicators; ++i) add(NodeKind::indicator, i);
  std::vector<std::uint32_t> place(circuit.n_node_ids(), unset);
  for (std::uint32_t p = 0; p < circuit.n_parameter_ids(); ++p) {
    const NodeId node = circuit.parameter_node(ParameterId{p});
    if (node == no_node) continue;
    place[index(node)] = add(NodeKind::parameter, static_cast<std::uint32_t>(frozen.parameter_origins.size() / 2));
    const LeafId leaf = circuit.leaf_of(ParameterId{p});
    frozen.parameter_origins.push_back(index(leaf));
    frozen.parameter_origins.push_back(p - index(circuit.leaf(leaf).first_parameter));
  }
  struct Frame {
    NodeId node;
    std::uint32_t next;
  };
  std::vector<Frame> stack{{circuit.root(), 0}};
  while (!stack.empty()) {
    Frame& top = stack.back();
    const auto children = circuit.children(top.node);
    if (top.next < children.size()) {
      const Ref child = children[top.next++];
      if (!child.is_indicator() && place[index(child.node())] == unset) stack.push_back({child.node(), 0});
      continue;
    }
    const NodeKind kind = circuit.node(top.node).kind;
    place[index(top.node)] = add(kind, kind == NodeKind::sum ? circuit.label(top.node) : 0);
    for (const Ref child : children)
      frozen.children.push_back(child.is_indicator() ? index(child.indicator()) : place[index(child.node())]);
    stack.pop_back();
  }
  frozen.child_offsets.push_back(frozen.children.size());
  return frozen;
}

}  // namespace learnac
