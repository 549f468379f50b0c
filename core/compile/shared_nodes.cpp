#include "compile/shared_nodes.hpp"

#include <algorithm>

#include "compile/hash.hpp"

namespace learnac {

SharedNodes::SharedNodes(std::uint32_t n_indicators, std::uint32_t n_parameters)
    : n_leaves_(n_indicators + n_parameters), table_(1024) {}

std::uint32_t SharedNodes::node(NodeKind kind, std::uint32_t variable, std::span<std::uint32_t> children) {
  if (children.size() == 1) return children[0];
  std::sort(children.begin(), children.end());
  std::uint64_t hash = mixed((std::uint64_t{variable} << 8) | static_cast<std::uint64_t>(kind));
  for (const std::uint32_t child : children) hash = mixed(hash ^ child);
  const auto short_hash = static_cast<std::uint32_t>(hash >> 32);
  std::size_t place = short_hash & (table_.size() - 1);
  for (; table_[place] != 0; place = (place + 1) & (table_.size() - 1)) {
    const Node& node = nodes_[table_[place] - 1];
    if (node.hash == short_hash && node.kind == kind && node.variable == variable &&
        node.n_children == children.size() &&
        std::equal(children.begin(), children.end(), children_.begin() + static_cast<std::ptrdiff_t>(node.first_child)))
      return n_leaves_ + table_[place] - 1;
  }
  nodes_.push_back({kind, variable, children_.size(), static_cast<std::uint32_t>(children.size()), short_hash});
  children_.insert(children_.end(), children.begin(), children.end());
  table_[place] = static_cast<std::uint32_t>(nodes_.size());
  if (2 * nodes_.size() > table_.size()) grow_table();
  return n_nodes() - 1;
}

void SharedNodes::grow_table() {
  table_.assign(2 * table_.size(), 0);
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    std::size_t place = nodes_[number].hash & (table_.size() - 1);
    while (table_[place] != 0) place = (place + 1) & (table_.size() - 1);
    table_[place] = number + 1;
  }
}

}  // namespace learnac
