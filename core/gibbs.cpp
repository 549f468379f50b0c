#include "gibbs.hpp"

#include <algorithm>

#include "random.hpp"

namespace learnac {

GibbsSampler::GibbsSampler(const TreeScores::Arrays& arrays)
    : arities_(arrays.arities.begin(), arrays.arities.end()),
      routes_(arrays.routes.begin(), arrays.routes.end()),
      parameters_(arrays.log_parameters.begin(), arrays.log_parameters.end()),
      children_(arrays.arities.size()) {
  const TreeScores checked(arrays);  // Refuses what is no tree.
  std::size_t first_parameter = 0;
  for (std::uint32_t t = 0; t < arities_.size(); ++t) {
    const std::uint32_t first = arrays.first_nodes[t], end = arrays.first_nodes[t + 1];
    trees_.push_back({first, first_parameter});
    first_parameter += std::size_t{end - first} * arities_[t];
    for (std::uint32_t i = first; i < end; ++i) {
      nodes_.push_back({arrays.variables[i], arrays.first_route[i]});
      if (arrays.variables[i] < 0) continue;
      std::vector<std::uint32_t>& children = children_[static_cast<std::size_t>(arrays.variables[i])];
      if (children.empty() || children.back() != t) children.push_back(t);
    }
  }
}

// From a node of a tree to the leaf of this state, or to the first node that asks the variable `stop_at`.
std::uint32_t GibbsSampler::walk(const Tree& tree, std::uint32_t from, std::int32_t stop_at,
                                 std::span<const std::uint32_t> state) const {
  const Node* const nodes = nodes_.data() + tree.first_node;
  for (std::int32_t v; (v = nodes[from].variable) >= 0 && v != stop_at;)
    from = routes_[nodes[from].first_route + state[static_cast<std::size_t>(v)]];
  return from;
}

// Proportional to the probability of each value given all other variables: its own tree, and those that ask it.
void GibbsSampler::weigh_values(std::uint32_t variable, std::span<const std::uint32_t> state,
                                std::vector<double>& weights) const {
  const std::uint32_t arity = arities_[variable];
  const Tree& own = trees_[variable];
  const std::size_t leaf = own.first_parameter + std::size_t{walk(own, 0, -1, state)} * arity;
  weights.assign(parameters_.begin() + static_cast<std::ptrdiff_t>(leaf),
                 parameters_.begin() + static_cast<std::ptrdiff_t>(leaf + arity));
  const std::int32_t asked = static_cast<std::int32_t>(variable);
  for (const std::uint32_t child : children_[variable]) {
    const Tree& tree = trees_[child];
    const Node* const nodes = nodes_.data() + tree.first_node;
    const std::uint32_t asks = walk(tree, 0, asked, state);
    if (nodes[asks].variable < 0) continue;  // In this state the child does not depend on it.
    double largest = 0;
    for (std::uint32_t value = 0; value < arity; ++value) {
      std::uint32_t at = walk(tree, routes_[nodes[asks].first_route + value], asked, state);
      // One value against the rest: the way down may ask again.
      while (nodes[at].variable >= 0) at = walk(tree, routes_[nodes[at].first_route + value], asked, state);
      weights[value] *= parameters_[tree.first_parameter + std::size_t{at} * arities_[child] + state[child]];
      largest = std::max(largest, weights[value]);
    }
    // Many children make small numbers; only their proportions matter.
    if (largest > 0 && largest < 1e-100)
      for (double& weight : weights) weight /= largest;
  }
}

GibbsCounts GibbsSampler::run(std::span<const std::int32_t> evidence, std::span<const std::int32_t> query,
                              const GibbsSettings& settings, std::uint64_t seed,
                              const std::function<bool()>& should_stop) const {
  GibbsCounts counts;
  std::vector<std::uint32_t> first_value(1, 0), unknown, state(n_variables());
  for (std::uint32_t v = 0; v < n_variables(); ++v) {
    first_value.push_back(first_value.back() + arities_[v]);
    if (evidence[v] < 0) unknown.push_back(v);
  }
  counts.of_values.resize(first_value.back());
  std::vector<double> weights;
  for (std::uint32_t chain = 0; chain < settings.n_chains; ++chain) {
    Random random(seed, chain);
    for (std::uint32_t v = 0; v < n_variables(); ++v)
      state[v] = evidence[v] >= 0 ? static_cast<std::uint32_t>(evidence[v])
                                  : static_cast<std::uint32_t>(random.uniform() * arities_[v]);
    for (std::uint32_t i = 0; i < settings.n_burn_in + settings.n_samples; ++i) {
      for (const std::uint32_t v : unknown) {
        weigh_values(v, state, weights);
        state[v] = random.choice(weights, state[v]);
      }
      if (i % 64 == 0 && should_stop()) return counts;
      if (i < settings.n_burn_in) continue;
      bool matches = true;
      for (std::uint32_t v = 0; v < n_variables(); ++v) {
        ++counts.of_values[first_value[v] + state[v]];
        matches &= query[v] < 0 || static_cast<std::uint32_t>(query[v]) == state[v];
      }
      counts.n_matches += matches;
    }
  }
  return counts;
}

}  // namespace learnac
