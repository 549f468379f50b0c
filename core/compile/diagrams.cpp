#include "compile/diagrams.hpp"

#include <algorithm>

#include "compile/hash.hpp"

namespace learnac {

Diagrams::Diagrams(std::span<const std::uint32_t> arities, std::span<const std::uint32_t> ranks)
    : arities_(arities.begin(), arities.end()), ranks_(ranks.begin(), ranks.end()), table_(1024) {
  first_indicator_.push_back(0);
  for (const std::uint32_t arity : arities_) first_indicator_.push_back(first_indicator_.back() + arity);
  nodes_.push_back({no_variable, no_variable, 0, set_of({}), 0});
}

DiagramId Diagrams::parameter(std::uint32_t number) {
  const auto [place, is_new] = parameters_.try_emplace(number, DiagramId(nodes_.size()));
  if (is_new) nodes_.push_back({no_variable, number, 0, 0, 0});
  return place->second;
}

std::span<const std::uint32_t> Diagrams::asked(DiagramId id) const {
  const Set& set = sets_[nodes_[index(id)].asked];
  return {members_.data() + set.first, set.size};
}

bool Diagrams::asks(DiagramId id, std::uint32_t variable) const {
  const std::span<const std::uint32_t> all = asked(id);
  return std::binary_search(all.begin(), all.end(), variable,
                            [&](std::uint32_t a, std::uint32_t b) { return ranks_[a] < ranks_[b]; });
}

DiagramId Diagrams::question(std::uint32_t child, std::uint32_t variable, std::span<const DiagramId> branches) {
  const bool makes_difference =
      std::any_of(branches.begin(), branches.end(), [&](DiagramId branch) { return branch != branches[0]; });
  // Zero whatever the child's value is: this happens only once values are known that exclude each other.
  if (!makes_difference && (variable != child || branches[0] == zero)) return branches[0];
  std::uint64_t hash = mixed((std::uint64_t{child} << 32) | variable);
  for (const DiagramId branch : branches) hash = mixed(hash ^ index(branch));
  const auto short_hash = static_cast<std::uint32_t>(hash >> 32);
  std::size_t place = short_hash & (table_.size() - 1);
  for (; table_[place] != 0; place = (place + 1) & (table_.size() - 1)) {
    const Node& node = nodes_[table_[place]];
    if (node.hash == short_hash && node.variable == variable && node.child == child &&
        std::equal(branches.begin(), branches.end(), branches_.begin() + node.first_branch))
      return DiagramId(table_[place]);
  }
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t asked = asked_by(variable, branches);
  nodes_.push_back({variable, child, static_cast<std::uint32_t>(branches_.size()), asked, short_hash});
  branches_.insert(branches_.end(), branches.begin(), branches.end());
  table_[place] = id;
  if (2 * nodes_.size() > table_.size()) grow_table();
  return DiagramId(id);
}

void Diagrams::grow_table() {
  table_.assign(2 * table_.size(), 0);
  for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
    if (is_end(DiagramId(id))) continue;
    std::size_t place = nodes_[id].hash & (table_.size() - 1);
    while (table_[place] != 0) place = (place + 1) & (table_.size() - 1);
    table_[place] = id;
  }
}

std::uint32_t Diagrams::asked_by(std::uint32_t variable, std::span<const DiagramId> branches) {
  union_.assign(1, variable);
  std::uint32_t last = nodes_[0].asked;
  for (const DiagramId branch : branches) {
    if (nodes_[index(branch)].asked == last) continue;
    last = nodes_[index(branch)].asked;
    const std::span<const std::uint32_t> below = asked(branch);
    union_.insert(union_.end(), below.begin(), below.end());
  }
  std::sort(union_.begin(), union_.end(), [&](std::uint32_t a, std::uint32_t b) { return ranks_[a] < ranks_[b]; });
  union_.erase(std::unique(union_.begin(), union_.end()), union_.end());
  return set_of(union_);
}

std::uint32_t Diagrams::set_of(std::span<const std::uint32_t> variables) {
  std::uint64_t hash = variables.size();
  for (const std::uint32_t variable : variables) hash = mixed(hash ^ variable);
  const auto [from, to] = set_by_hash_.equal_range(hash);
  for (auto found = from; found != to; ++found) {
    const Set& set = sets_[found->second];
    if (std::equal(variables.begin(), variables.end(), members_.begin() + set.first,
                   members_.begin() + set.first + set.size))
      return found->second;
  }
  sets_.push_back({static_cast<std::uint32_t>(members_.size()), static_cast<std::uint32_t>(variables.size())});
  members_.insert(members_.end(), variables.begin(), variables.end());
  set_by_hash_.emplace(hash, static_cast<std::uint32_t>(sets_.size() - 1));
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

// Recursive: no deeper than there are questions on a way through the diagram.
DiagramId Diagrams::given(DiagramId id, std::uint32_t variable, std::uint32_t value) {
  const Node node = nodes_[index(id)];
  if (node.variable == variable) return branches_[node.first_branch + value];
  if (!asks(id, variable)) return id;
  const std::uint64_t key = (std::uint64_t{index(id)} << 32) | (first_indicator_[variable] + value);
  if (const auto found = given_.find(key); found != given_.end()) return found->second;
  std::vector<DiagramId> kept(arities_[node.variable]);
  for (std::uint32_t i = 0; i < kept.size(); ++i) kept[i] = given(branches_[node.first_branch + i], variable, value);
  const DiagramId found = question(node.child, node.variable, kept);
  given_.emplace(key, found);
  return found;
}

DiagramId Diagrams::ordered(DiagramId id, std::size_t most) {
  Ordering ordering{{}, nodes_.size() + most};
  const DiagramId found = put_in_order(id, ordering);
  given_.clear();
  return ordering.is_too_large ? id : found;
}

// Recursive: no deeper than there are variables that the diagram asks.
DiagramId Diagrams::put_in_order(DiagramId id, Ordering& ordering) {
  if (is_end(id)) return id;
  ordering.is_too_large |= nodes_.size() > ordering.most_nodes;
  if (ordering.is_too_large) return id;
  if (const auto found = ordering.known.find(index(id)); found != ordering.known.end()) return found->second;
  const std::uint32_t first = asked(id)[0], child = nodes_[index(id)].child;
  std::vector<DiagramId> parts(arities_[first]);
  for (std::uint32_t value = 0; value < parts.size(); ++value)
    parts[value] = put_in_order(given(id, first, value), ordering);
  const DiagramId found = question(child, first, parts);
  ordering.known.emplace(index(id), found);
  return found;
}

// Recursive: no deeper than there are questions on a way through the diagram.
DiagramId Diagrams::copied(const Diagrams& from, DiagramId id, std::unordered_map<std::uint32_t, DiagramId>& known) {
  if (id == zero) return zero;
  if (from.is_end(id)) return parameter(from.parameter_of(id));
  if (const auto found = known.find(index(id)); found != known.end()) return found->second;
  const Node& node = from.nodes_[index(id)];
  std::vector<DiagramId> parts;
  for (const DiagramId branch : from.branches(node)) parts.push_back(copied(from, branch, known));
  return known[index(id)] = question(node.child, node.variable, parts);
}

std::size_t Diagrams::n_bytes() const {
  return nodes_.capacity() * sizeof(Node) + branches_.capacity() * sizeof(DiagramId) + table_.capacity() * 4 +
         members_.capacity() * 4 + (given_.size() + parameters_.size() + sets_.size()) * 64;
}

}  // namespace learnac
