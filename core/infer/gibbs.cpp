#include "infer/gibbs.hpp"

#include <algorithm>

#include "random.hpp"

namespace learnac {

GibbsSampler::GibbsSampler(const TreeScores::Arrays& arrays)
    : arities_(arrays.arities.begin(), arrays.arities.end()),
      routes_(arrays.routes.begin(), arrays.routes.end()),
      parameters_(arrays.log_parameters.begin(), arrays.log_parameters.end()) {
  const TreeScores checked(arrays);  // Refuses what is no tree.
  std::vector<std::vector<std::uint32_t>> askers(arities_.size());
  std::size_t first_parameter = 0;
  for (std::uint32_t t = 0; t < arities_.size(); ++t) {
    const std::uint32_t first = arrays.first_nodes[t], end = arrays.first_nodes[t + 1];
    trees_.push_back({first, first_parameter});
    first_parameter += std::size_t{end - first} * arities_[t];
    for (std::uint32_t i = first; i < end; ++i) {
      nodes_.push_back({arrays.variables[i], arrays.first_route[i], 0});
      if (arrays.variables[i] < 0) continue;
      std::vector<std::uint32_t>& trees = askers[static_cast<std::size_t>(arrays.variables[i])];
      if (trees.empty() || trees.back() != t) trees.push_back(t);
    }
  }
  std::size_t n_factors = 0;
  for (std::uint32_t v = 0; v < arities_.size(); ++v) {
    first_slot_.push_back(static_cast<std::uint32_t>(tree_of_slot_.size()));
    for (const std::uint32_t tree : askers[v]) {
      tree_of_slot_.push_back(tree);
      first_factor_.push_back(n_factors);
      n_factors += arities_[v];
    }
  }
  first_slot_.push_back(static_cast<std::uint32_t>(tree_of_slot_.size()));
  first_factor_.push_back(n_factors);
  for (std::uint32_t t = 0; t < arities_.size(); ++t)
    for (std::uint32_t i = arrays.first_nodes[t]; i < arrays.first_nodes[t + 1]; ++i) {
      if (nodes_[i].variable < 0) continue;
      const auto begin = tree_of_slot_.begin() + first_slot_[static_cast<std::size_t>(nodes_[i].variable)];
      const auto end = tree_of_slot_.begin() + first_slot_[static_cast<std::size_t>(nodes_[i].variable) + 1];
      nodes_[i].slot = static_cast<std::uint32_t>(std::lower_bound(begin, end, t) - tree_of_slot_.begin());
    }
}

// A state, and for every tree what it says of the variables on the way to its present leaf: a factor for each of their
// values. A variable's distribution given all others is its own leaf times the factors of the trees that ask it.
// When a variable changes, only trees that asked it for these factors are walked again. States change little from one
// iteration to the next, above all in sparse data, so that most distributions stand.
class GibbsChain {
 public:
  GibbsChain(const GibbsSampler& sampler, std::span<const std::int32_t> evidence)
      : sampler_(sampler),
        evidence_(evidence),
        state_(sampler.n_variables()),
        leaf_(sampler.n_variables()),
        is_stale_(sampler.n_variables(), 1),
        is_asked_(sampler.tree_of_slot_.size(), 0),
        is_on_way_(sampler.tree_of_slot_.size(), 0),
        factors_(sampler.first_factor_.back()),
        asked_(sampler.n_variables()),
        on_way_(sampler.n_variables()) {
    std::size_t n_weights = 0;
    for (const std::uint32_t arity : sampler.arities_) {
      first_weight_.push_back(n_weights);
      n_weights += arity;
    }
    weights_.resize(n_weights);
  }

  void start(Random& random) {
    for (std::uint32_t v = 0; v < state_.size(); ++v)
      state_[v] = evidence_[v] >= 0 ? static_cast<std::uint32_t>(evidence_[v])
                                    : static_cast<std::uint32_t>(random.uniform() * sampler_.arities_[v]);
    for (std::uint32_t tree = 0; tree < state_.size(); ++tree) walk_again(tree);
  }

  std::uint32_t value(std::uint32_t variable) const { return state_[variable]; }

  // Draws a value given all others; whether it is another than before.
  bool draw(std::uint32_t variable, Random& random) {
    if (is_stale_[variable]) weigh(variable);
    const std::uint32_t value = random.choice(weights_of(variable), state_[variable]);
    if (value == state_[variable]) return false;
    state_[variable] = value;
    walk_again(variable);
    for (std::uint32_t slot = sampler_.first_slot_[variable]; slot < sampler_.first_slot_[variable + 1]; ++slot)
      if (is_asked_[slot]) walk_again(sampler_.tree_of_slot_[slot]);
    return true;
  }

 private:
  using Node = GibbsSampler::Node;

  std::span<double> weights_of(std::uint32_t variable) {
    return {weights_.data() + first_weight_[variable], sampler_.arities_[variable]};
  }

  void weigh(std::uint32_t variable) {
    const std::span<double> weights = weights_of(variable);
    const std::size_t own = sampler_.trees_[variable].first_parameter + std::size_t{leaf_[variable]} * weights.size();
    std::copy_n(sampler_.parameters_.begin() + static_cast<std::ptrdiff_t>(own), weights.size(), weights.begin());
    for (std::uint32_t slot = sampler_.first_slot_[variable]; slot < sampler_.first_slot_[variable + 1]; ++slot) {
      if (!is_on_way_[slot]) continue;  // In this state the tree does not depend on it.
      double largest = 0;
      for (std::size_t value = 0; value < weights.size(); ++value) {
        weights[value] *= factors_[sampler_.first_factor_[slot] + value];
        largest = std::max(largest, weights[value]);
      }
      // Many children make small numbers; only their proportions matter.
      if (largest > 0 && largest < 1e-100)
        for (double& weight : weights) weight /= largest;
    }
    is_stale_[variable] = 0;
  }

  // Finds the tree's leaf, and its factors for the variables on the way there that may change.
  void walk_again(std::uint32_t tree) {
    forget(tree);
    const std::uint32_t leaf = walk_the_way(tree);
    if (leaf != leaf_[tree]) is_stale_[tree] = 1;
    leaf_[tree] = leaf;
    for (const OnWay& on_way : on_way_[tree]) {
      const Node& node = sampler_.nodes_[sampler_.trees_[tree].first_node + on_way.node];
      const auto variable = static_cast<std::uint32_t>(node.variable);
      double* const factors = factors_.data() + sampler_.first_factor_[node.slot];
      for (std::uint32_t value = 0; value < sampler_.arities_[variable]; ++value)
        factors[value] = parameter(tree, value == state_[variable] ? leaf : walk_aside(tree, on_way.node, value));
      is_stale_[variable] = 1;
    }
  }

  void forget(std::uint32_t tree) {
    for (const std::uint32_t slot : asked_[tree]) is_asked_[slot] = 0;
    asked_[tree].clear();
    for (const OnWay& on_way : on_way_[tree]) {
      is_on_way_[on_way.slot] = 0;
      is_stale_[on_way.variable] = 1;
    }
    on_way_[tree].clear();
  }

  std::uint32_t walk_the_way(std::uint32_t tree) {
    const Node* const nodes = sampler_.nodes_.data() + sampler_.trees_[tree].first_node;
    std::uint32_t at = 0;
    for (std::int32_t v; (v = nodes[at].variable) >= 0; at = next(nodes[at], state_[static_cast<std::size_t>(v)])) {
      if (evidence_[static_cast<std::size_t>(v)] >= 0 || is_on_way_[nodes[at].slot]) continue;
      is_on_way_[nodes[at].slot] = 1;
      on_way_[tree].push_back({at, nodes[at].slot, static_cast<std::uint32_t>(v)});
      ask(tree, nodes[at]);
    }
    return at;
  }

  // The leaf if the node's variable had this value.
  std::uint32_t walk_aside(std::uint32_t tree, std::uint32_t from, std::uint32_t value) {
    const Node* const nodes = sampler_.nodes_.data() + sampler_.trees_[tree].first_node;
    const std::int32_t changed = nodes[from].variable;
    std::uint32_t at = next(nodes[from], value);
    for (std::int32_t v; (v = nodes[at].variable) >= 0;) {
      ask(tree, nodes[at]);
      // One value against the rest: the way down may ask again.
      at = next(nodes[at], v == changed ? value : state_[static_cast<std::size_t>(v)]);
    }
    return at;
  }

  std::uint32_t next(const Node& node, std::uint32_t value) const { return sampler_.routes_[node.first_route + value]; }

  void ask(std::uint32_t tree, const Node& node) {
    if (is_asked_[node.slot]) return;
    is_asked_[node.slot] = 1;
    asked_[tree].push_back(node.slot);
  }

  double parameter(std::uint32_t tree, std::uint32_t leaf) const {
    const std::size_t first = sampler_.trees_[tree].first_parameter;
    return sampler_.parameters_[first + std::size_t{leaf} * sampler_.arities_[tree] + state_[tree]];
  }

  struct OnWay {
    std::uint32_t node;
    std::uint32_t slot;
    std::uint32_t variable;
  };

  const GibbsSampler& sampler_;
  std::span<const std::int32_t> evidence_;
  std::vector<std::uint32_t> state_;
  std::vector<std::uint32_t> leaf_;        // of each tree
  std::vector<std::size_t> first_weight_;  // of each variable
  std::vector<double> weights_;            // of its values, given all others, unless they are stale
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::uint8_t> is_asked_;   // of each slot: whether leaf or factors of the tree depend on the variable
  std::vector<std::uint8_t> is_on_way_;  // of each slot: whether the variable is asked on the way to the leaf
  std::vector<double> factors_;
  std::vector<std::vector<std::uint32_t>> asked_;  // of each tree: slots
  std::vector<std::vector<OnWay>> on_way_;         // of each tree
};

GibbsCounts GibbsSampler::run(std::span<const std::int32_t> evidence, std::span<const std::int32_t> query,
                              const GibbsSettings& settings, std::uint64_t seed,
                              const std::function<bool()>& should_stop) const {
  GibbsCounts counts;
  std::vector<std::uint32_t> first_value(1, 0), unknown;
  for (std::uint32_t v = 0; v < n_variables(); ++v) {
    first_value.push_back(first_value.back() + arities_[v]);
    if (evidence[v] < 0) unknown.push_back(v);
  }
  counts.of_values.resize(first_value.back());
  const auto differs = [&](std::uint32_t v, std::uint32_t value) {
    return query[v] >= 0 && static_cast<std::uint32_t>(query[v]) != value;
  };
  GibbsChain state(*this, evidence);
  for (std::uint32_t chain = 0; chain < settings.n_chains; ++chain) {
    Random random(seed, chain);
    state.start(random);
    std::uint32_t n_counted = 0, n_different = 0;
    for (std::uint32_t v = 0; v < n_variables(); ++v) n_different += differs(v, state.value(v));
    std::vector<std::uint32_t> counted_until(n_variables(), 0);
    const auto count = [&](std::uint32_t v, std::uint32_t value) {
      counts.of_values[first_value[v] + value] += n_counted - counted_until[v];
      counted_until[v] = n_counted;
    };
    for (std::uint32_t i = 0; i < settings.n_burn_in + settings.n_samples; ++i) {
      for (const std::uint32_t v : unknown) {
        const std::uint32_t before = state.value(v);
        if (!state.draw(v, random)) continue;
        count(v, before);
        n_different += differs(v, state.value(v));
        n_different -= differs(v, before);
      }
      if (i % 64 == 0 && should_stop()) return counts;
      if (i < settings.n_burn_in) continue;
      ++n_counted;
      counts.n_matches += n_different == 0;
    }
    for (std::uint32_t v = 0; v < n_variables(); ++v) count(v, state.value(v));
  }
  return counts;
}

}  // namespace learnac
