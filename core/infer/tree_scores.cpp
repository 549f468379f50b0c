#include "infer/tree_scores.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <string>

namespace learnac {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("not a tree: " + what); }

}  // namespace

TreeScores::TreeScores(const Arrays& arrays) {
  const std::size_t n_trees = arrays.arities.size();
  const std::size_t n_nodes = arrays.variables.size();
  if (arrays.first_nodes.size() != n_trees + 1 || arrays.first_nodes.front() != 0 ||
      arrays.first_nodes.back() != n_nodes)
    refuse("expected the first node of each variable's tree, and an end");
  if (arrays.first_route.size() != n_nodes) refuse("expected the first route of each node");
  first_indicator_.push_back(0);
  for (const std::uint32_t arity : arrays.arities) first_indicator_.push_back(first_indicator_.back() + arity);
  log_parameters_.assign(arrays.log_parameters.begin(), arrays.log_parameters.end());
  std::size_t n_parameters = 0;
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::uint32_t first = arrays.first_nodes[t], end = arrays.first_nodes[t + 1];
    if (end <= first || end > n_nodes) refuse("expected at least one node in each tree");
    trees_.push_back({first, arrays.arities[t], n_parameters});
    n_parameters += std::size_t{end - first} * arrays.arities[t];
    std::vector<std::uint32_t> parent_of(end - first, end);
    for (std::uint32_t node = first; node < end; ++node) {
      const std::int32_t variable = arrays.variables[node];
      if (variable < 0) {
        nodes_.push_back({0, 0});
        continue;
      }
      if (static_cast<std::size_t>(variable) >= n_trees) refuse("a node asks for a variable that is not there");
      if (std::size_t{arrays.first_route[node]} + arrays.arities[static_cast<std::size_t>(variable)] >
          arrays.routes.size())
        refuse("a node lacks routes");
      for (std::uint32_t code = 0; code < arrays.arities[static_cast<std::size_t>(variable)]; ++code) {
        const std::uint32_t to = arrays.routes[arrays.first_route[node] + code];
        if (to <= node - first || to >= end - first) refuse("expected parents before their children");
        if (parent_of[to] != end && parent_of[to] != node) refuse("a node has two parents");
        parent_of[to] = node;
      }
      add_branches(arrays, node);
    }
  }
  if (n_parameters != log_parameters_.size()) refuse("expected one parameter for each node and value");
}

void TreeScores::add_branches(const Arrays& arrays, std::uint32_t node) {
  const std::uint32_t variable = static_cast<std::uint32_t>(arrays.variables[node]);
  const std::span<const std::uint32_t> routes =
      arrays.routes.subspan(arrays.first_route[node], arrays.arities[variable]);
  std::map<std::uint32_t, std::vector<std::uint32_t>> values_to;
  for (std::uint32_t code = 0; code < routes.size(); ++code)
    values_to[routes[code]].push_back(first_indicator_[variable] + code);
  const auto largest = std::max_element(values_to.begin(), values_to.end(),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  nodes_.push_back({static_cast<std::uint32_t>(branches_.size()), static_cast<std::uint32_t>(values_to.size())});
  for (const auto& [to, values] : values_to) {
    if (to == largest->first) continue;
    branches_.push_back({to, static_cast<std::uint32_t>(values_.size()), static_cast<std::uint32_t>(values.size())});
    values_.insert(values_.end(), values.begin(), values.end());
  }
  branches_.push_back({largest->first, 0, 0});
}

template <class Code>
void TreeScores::score(const Code* codes, std::size_t n_rows, std::size_t first, std::size_t end,
                       double* scores) const {
  std::vector<std::uint64_t> rows_with(first_indicator_.back());
  std::vector<Rows> pending;
  for (std::size_t begin = first; begin < end; begin += 64) {
    const std::size_t n = std::min<std::size_t>(64, end - begin);
    std::fill(rows_with.begin(), rows_with.end(), 0);
    for (std::size_t v = 0; v < trees_.size(); ++v)
      for (std::size_t i = 0; i < n; ++i)
        rows_with[first_indicator_[v] + static_cast<std::uint32_t>(codes[v * n_rows + begin + i])] |= std::uint64_t{1}
                                                                                                      << i;
    double sums[64] = {};
    score_word(rows_with.data(), pending, sums);
    std::copy_n(sums, n, scores + begin);
  }
}

void TreeScores::score_word(const std::uint64_t* rows_with, std::vector<Rows>& pending, double* scores) const {
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const Node* const nodes = nodes_.data() + trees_[t].first_node;
    const std::uint64_t* const rows_with_value = rows_with + first_indicator_[t];
    pending.assign(1, {0, ~std::uint64_t{0}});
    while (!pending.empty()) {
      auto [at, which] = pending.back();
      pending.pop_back();
      for (Node node = nodes[at]; node.n_branches > 0 && which != 0; node = nodes[at]) {
        const Branch* const branches = branches_.data() + node.first_branch;
        for (std::uint32_t b = 0; b + 1 < node.n_branches; ++b) {
          std::uint64_t here = 0;
          for (std::uint32_t k = 0; k < branches[b].n_values; ++k)
            here |= rows_with[values_[branches[b].first_value + k]];
          here &= which;
          if (here != 0) pending.push_back({branches[b].to, here});
          which &= ~here;
        }
        at = branches[node.n_branches - 1].to;
      }
      const double* const parameters =
          log_parameters_.data() + trees_[t].first_parameter + std::size_t{at} * trees_[t].arity;
      for (std::uint32_t k = 0; k < trees_[t].arity && which != 0; ++k) {
        for (std::uint64_t rows = which & rows_with_value[k]; rows != 0; rows &= rows - 1)
          scores[std::countr_zero(rows)] += parameters[k];
        which &= ~rows_with_value[k];
      }
    }
  }
}

template void TreeScores::score(const std::int8_t*, std::size_t, std::size_t, std::size_t, double*) const;
template void TreeScores::score(const std::int16_t*, std::size_t, std::size_t, std::size_t, double*) const;
template void TreeScores::score(const std::int32_t*, std::size_t, std::size_t, std::size_t, double*) const;
template void TreeScores::score(const std::uint8_t*, std::size_t, std::size_t, std::size_t, double*) const;
template void TreeScores::score(const std::uint16_t*, std::size_t, std::size_t, std::size_t, double*) const;

}  // namespace learnac
