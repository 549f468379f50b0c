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
  for (std::uint32_t v = 0; v < arities_.size(); ++v) {
    first_slot_.push_back(static_cast<std::uint32_t>(slots_.size()));
    for (const std::uint32_t tree : askers[v]) {
      slots_.push_back({tree, n_leaves_});
      n_leaves_ += arities_[v];
    }
  }
  first_slot_.push_back(static_cast<std::uint32_t>(slots_.size()));
  for (std::uint32_t t = 0; t < arities_.size(); ++t)
    for (std::uint32_t i = arrays.first_nodes[t]; i < arrays.first_nodes[t + 1]; ++i) {
      if (nodes_[i].variable < 0) continue;
      const auto begin = slots_.begin() + first_slot_[static_cast<std::size_t>(nodes_[i].variable)];
      const auto end = slots_.begin() + first_slot_[static_cast<std::size_t>(nodes_[i].variable) + 1];
      const auto slot =
          std::lower_bound(begin, end, t, [](const Slot& s, std::uint32_t tree) { return s.tree < tree; });
      nodes_[i].slot = static_cast<std::uint32_t>(slot - slots_.begin());
    }
}

// A state, and the leaf of every tree. A variable's distribution given all others is its own leaf times, for each tree
// that asks it on the way to its leaf, the parameters of the leaves that its values would lead to. Those leaves are
// looked for when the variable is drawn, and stand until a variable changes that they were found by. States change
// little from one iteration to the next, above all in sparse data, so that most leaves and distributions stand.
class GibbsChain {
 public:
  GibbsChain(const GibbsSampler& sampler, std::span<const std::int32_t> evidence)
      : sampler_(sampler),
        evidence_(evidence),
        state_(sampler.n_variables()),
        leaf_(sampler.n_variables()),
        is_stale_(sampler.n_variables()),
        way_(sampler.n_variables()),
        slots_(sampler.slots_.size()),
        asked_by_(sampler.slots_.size()),
        leaves_(sampler.n_leaves_) {
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
    for (std::uint32_t tree = 0; tree < state_.size(); ++tree) {
      cut_way(tree, 0);
      walk_on(tree, 0);
    }
    std::fill(is_stale_.begin(), is_stale_.end(), 1);
  }

  std::uint32_t value(std::uint32_t variable) const { return state_[variable]; }

  // Draws a value given all others; whether it is another than before.
  bool draw(std::uint32_t variable, Random& random) {
    if (is_stale_[variable]) weigh(variable);
    const std::uint32_t value = random.choice(weights_of(variable), state_[variable]);
    if (value == state_[variable]) return false;
    state_[variable] = value;
    make_way_stale(variable);  // Its tree stays at its leaf, whose parameter is another now.
    for (std::uint32_t slot = sampler_.first_slot_[variable]; slot < sampler_.first_slot_[variable + 1]; ++slot) {
      if (!asked_by_[slot].empty()) forget_leaves(slot);
      if (slots_[slot].is_on_way) turn(slot);
    }
    return true;
  }

 private:
  using Node = GibbsSampler::Node;
  using Leaf = std::size_t;  // the place of its first parameter

  static constexpr std::size_t most_noted = 8;

  struct SlotState {
    std::uint32_t position = 0;  // on the way of the tree, if it is there
    bool is_on_way = false;
    bool has_leaves = false;  // of all values but the present one
  };
  struct OnWay {
    std::uint32_t node;  // the first that asks the variable
    std::uint32_t slot;
    std::uint32_t variable;
  };

  std::span<double> weights_of(std::uint32_t variable) {
    return {weights_.data() + first_weight_[variable], sampler_.arities_[variable]};
  }

  void weigh(std::uint32_t variable) {
    const std::span<double> weights = weights_of(variable);
    const double* const parameters = sampler_.parameters_.data();
    std::copy_n(parameters + leaf_[variable], weights.size(), weights.begin());
    for (std::uint32_t slot = sampler_.first_slot_[variable]; slot < sampler_.first_slot_[variable + 1]; ++slot) {
      if (!slots_[slot].is_on_way) continue;  // In this state the tree does not depend on it.
      if (!slots_[slot].has_leaves) find_leaves(slot);
      const std::uint32_t tree = sampler_.slots_[slot].tree;
      Leaf* const leaves = leaves_.data() + sampler_.slots_[slot].first_leaf;
      leaves[state_[variable]] = leaf_[tree];
      const double* const of_state = parameters + state_[tree];
      double largest = 0;
      for (std::size_t value = 0; value < weights.size(); ++value) {
        weights[value] *= of_state[leaves[value]];
        largest = std::max(largest, weights[value]);
      }
      // Many children make small numbers; only their proportions matter.
      if (largest > 0 && largest < 1e-100)
        for (double& weight : weights) weight /= largest;
    }
    is_stale_[variable] = 0;
  }

  // A variable on the way of a tree has changed: the way goes on elsewhere from there.
  void turn(std::uint32_t slot) {
    const std::uint32_t tree = sampler_.slots_[slot].tree, position = slots_[slot].position;
    const std::uint32_t node = way_[tree][position].node;
    cut_way(tree, position + 1);
    slots_[slot].has_leaves = false;  // Nobody noted what the way asked on to the leaf of the old value.
    walk_on(tree, next(nodes_of(tree)[node], state_[way_[tree][position].variable]));
    is_stale_[tree] = 1;
    make_way_stale(tree);
  }

  void make_way_stale(std::uint32_t tree) {
    for (const OnWay& on_way : way_[tree]) is_stale_[on_way.variable] = 1;
  }

  void cut_way(std::uint32_t tree, std::size_t length) {
    for (std::size_t i = length; i < way_[tree].size(); ++i) {
      slots_[way_[tree][i].slot].is_on_way = false;
      is_stale_[way_[tree][i].variable] = 1;
    }
    way_[tree].resize(length);
  }

  void walk_on(std::uint32_t tree, std::uint32_t at) {
    const Node* const nodes = nodes_of(tree);
    for (std::int32_t v; (v = nodes[at].variable) >= 0; at = next(nodes[at], state_[static_cast<std::size_t>(v)])) {
      SlotState& slot = slots_[nodes[at].slot];
      if (evidence_[static_cast<std::size_t>(v)] >= 0 || slot.is_on_way) continue;
      slot = {static_cast<std::uint32_t>(way_[tree].size()), true, false};
      way_[tree].push_back({at, nodes[at].slot, static_cast<std::uint32_t>(v)});
    }
    leaf_[tree] = leaf_at(tree, at);
  }

  void find_leaves(std::uint32_t slot) {
    const std::uint32_t tree = sampler_.slots_[slot].tree;
    const OnWay& from = way_[tree][slots_[slot].position];
    for (std::uint32_t value = 0; value < sampler_.arities_[from.variable]; ++value)
      if (value != state_[from.variable])
        leaves_[sampler_.slots_[slot].first_leaf + value] = walk_aside(tree, from, value);
    slots_[slot].has_leaves = true;
  }

  // The leaf if the variable had this value.
  Leaf walk_aside(std::uint32_t tree, const OnWay& from, std::uint32_t value) {
    const Node* const nodes = nodes_of(tree);
    std::uint32_t at = next(nodes[from.node], value);
    for (std::int32_t v; (v = nodes[at].variable) >= 0;) {
      // One value against the rest: the way down may ask again.
      const bool is_changed = static_cast<std::uint32_t>(v) == from.variable;
      if (!is_changed && evidence_[static_cast<std::size_t>(v)] < 0) ask(nodes[at].slot, from.slot);
      at = next(nodes[at], is_changed ? value : state_[static_cast<std::size_t>(v)]);
    }
    return leaf_at(tree, at);
  }

  // Notes that leaves were found by the value of another variable. A full list stands for the whole way.
  void ask(std::uint32_t asked, std::uint32_t asker) {
    if (asked_by_[asked].size() < most_noted) asked_by_[asked].push_back(asker);
  }

  // A variable has changed that leaves of its tree were found by.
  void forget_leaves(std::uint32_t asked) {
    const std::uint32_t tree = sampler_.slots_[asked].tree;
    const auto forget = [&](std::uint32_t slot) {
      if (!slots_[slot].is_on_way) return;
      slots_[slot].has_leaves = false;
      is_stale_[way_[tree][slots_[slot].position].variable] = 1;
    };
    if (asked_by_[asked].size() == most_noted)
      for (const OnWay& on_way : way_[tree]) forget(on_way.slot);
    else
      for (const std::uint32_t asker : asked_by_[asked]) forget(asker);
    asked_by_[asked].clear();
  }

  const Node* nodes_of(std::uint32_t tree) const { return sampler_.nodes_.data() + sampler_.trees_[tree].first_node; }

  std::uint32_t next(const Node& node, std::uint32_t value) const { return sampler_.routes_[node.first_route + value]; }

  Leaf leaf_at(std::uint32_t tree, std::uint32_t node) const {
    return sampler_.trees_[tree].first_parameter + std::size_t{node} * sampler_.arities_[tree];
  }

  const GibbsSampler& sampler_;
  std::span<const std::int32_t> evidence_;
  std::vector<std::uint32_t> state_;
  std::vector<Leaf> leaf_;                 // of each tree
  std::vector<std::size_t> first_weight_;  // of each variable
  std::vector<double> weights_;            // of its values, given all others, unless they are stale
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::vector<OnWay>> way_;  // of each tree: the variables without evidence that it asks
  std::vector<SlotState> slots_;
  std::vector<std::vector<std::uint32_t>> asked_by_;  // of each slot: those whose leaves were found by its variable
  std::vector<Leaf> leaves_;
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
