// What the sanitizer programs share: random circuits that grow, and a count of what passed.
#pragma once

#include <bitset>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "learn/ancestry.hpp"
#include "learn/apply_split.hpp"
#include "learn/candidates.hpp"
#include "learn/split_loss.hpp"
#include "random.hpp"

namespace learnac {

inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

inline std::vector<std::uint32_t> random_arities(Random& random, std::uint32_t most_variables) {
  std::vector<std::uint32_t> arities(2 + random.below(most_variables - 1));
  for (std::uint32_t& arity : arities) arity = 1 + random.below(5);
  return arities;
}

// More values than a word has bits: what holds of a few must hold of these too.
constexpr std::uint32_t many_values = 70;
using Values = std::bitset<many_values>;

inline std::vector<std::uint32_t> with_many_values(Random& random, std::vector<std::uint32_t> arities) {
  arities[random.below(static_cast<std::uint32_t>(arities.size()))] = many_values;
  return arities;
}

// Any kind of split, and in half of the spaces some variables are ordered.
inline SplitSpace random_space(Random& random, const std::vector<std::uint32_t>& arities) {
  const SplitKind kind = random.below(3) == 0 ? SplitKind::complete : SplitKind::binary;
  std::vector<std::uint8_t> ordered;
  const bool has_ordered = random.below(2);
  for (std::size_t v = 0; v < arities.size(); ++v) ordered.push_back(has_ordered && random.below(3) > 0);
  return {arities, kind, ordered};
}

struct Option {
  Split split;
  double net_gain;
};

// A circuit, and all splits that are valid for it.
class Growth {
 public:
  Growth(Random& random, std::uint32_t most_variables) : Growth(random, random_arities(random, most_variables)) {}
  Growth(Random& random, std::vector<std::uint32_t> arities)
      : random_(random),
        arities_(std::move(arities)),
        circuit(random_space(random, arities_)),
        region_(circuit),
        application_(circuit, region_),
        ancestry_(static_cast<std::uint32_t>(arities_.size())) {
    for (std::uint32_t v = 0; v < arities_.size(); ++v) {
      left_.emplace_back();
      for (const std::uint32_t arity : arities_) left_.back().push_back(~Values() >> (many_values - arity));
    }
    for (std::uint32_t leaf = 0; leaf < circuit.n_leaves(); ++leaf) offer(LeafId{leaf});
  }

  bool is_valid(const Split& split) const {
    const Leaf& leaf = circuit.leaf(split.leaf);
    return !leaf.is_split && ancestry_.may_be_parent(split.variable, leaf.child);
  }

  std::vector<Option> valid_options() const {
    std::vector<Option> valid;
    for (const Option& option : options)
      if (is_valid(option.split)) valid.push_back(option);
    return valid;
  }

  std::int64_t cost(const Split& split) { return region_.edge_cost(split); }

  // The cost itself, in its two parts.
  CostBound cost_parts(const Split& split) {
    const std::int64_t edges = cost(split);
    return {region_.d_side_bound(), edges - region_.d_side_bound()};
  }

  SplitLoss loss(const Split& split) {
    SplitLoss found(circuit);
    cost(split);
    found.assess(split, region_);
    return found;
  }

  SplitRegion& region() { return region_; }
  std::int64_t v_side_floor(VariableId variable) const { return region_.v_side_floor(variable); }

  // The first of the best, as brute force finds it.
  std::optional<ChosenSplit> best(double edge_penalty, std::int64_t most_edges) {
    std::optional<ChosenSplit> best;
    double best_score = 0;
    for (const Option& option : valid_options()) {
      const std::int64_t edges = cost(option.split);
      const double score = option.net_gain - edge_penalty * static_cast<double>(edges);
      if (edges > most_edges || score <= best_score) continue;
      best_score = score;
      best = ChosenSplit{option.split, option.net_gain, edges};
    }
    return best;
  }

  // A limit may end the walk early, but only when the cost exceeds it.
  void check_limits(const Split& split) {
    const std::int64_t exact = cost(split);
    for (const std::int64_t limit : {exact - 1, exact, exact / 2, std::int64_t{0}, std::int64_t{-3}}) {
      const std::int64_t priced = region_.edge_cost(split, limit);
      require(exact <= limit ? priced == exact : priced > limit && priced <= exact, "edge cost with a limit");
    }
  }

  // Applies a split and finds the options of its new leaves.
  void apply(const Split& split) {
    const std::uint64_t before = circuit.n_edges();
    const std::int64_t predicted = cost(split);
    const AppliedSplit applied = application_.apply(split);
    require(applied.edge_cost == predicted, "told another cost than predicted");
    require(circuit.n_edges() == before + static_cast<std::uint64_t>(predicted),
            "predicted cost is not the actual one");
    circuit.check_invariants();
    ancestry_.add_arc(split.variable, circuit.leaf(split.leaf).child);
    const std::uint32_t v = index(split.variable);
    for (std::uint32_t branch = 0; branch < applied.n_new_leaves; ++branch) {
      left_.push_back(left_[index(split.leaf)]);
      for (std::uint32_t value = 0; value < arities_[v]; ++value)
        if (circuit.space().branch_of(split.variable, split.value, value) != branch) left_.back()[v].reset(value);
    }
    for (std::uint32_t branch = 0; branch < applied.n_new_leaves; ++branch)
      offer(LeafId{index(applied.first_new_leaf) + branch});
  }

  std::function<void(LeafId, const std::vector<Option>&)> on_offer = [](LeafId, const std::vector<Option>&) {};
  std::vector<Option> options;

 private:
  double random_gain() { return least_gain_ + random_.below(gain_spread_) / 100.0; }

  void offer(LeafId leaf) {
    std::vector<Option> made;
    for (std::uint32_t v = 0; v < arities_.size(); ++v) {
      const Values& left = left_[index(leaf)][v];
      const VariableId variable{v};
      if (variable == circuit.leaf(leaf).child || arities_[v] < 2 || left.count() < 2) continue;
      const bool groups_values = circuit.space().groups_values(variable);
      const std::uint32_t last = arities_[v] - 1;
      for (std::uint32_t value = 0; value < (groups_values ? arities_[v] : 1); ++value) {
        // Some value must be left on both sides.
        const bool is_last = circuit.space().is_ordered(variable) && (value == last || (left >> (value + 1)).none());
        if (!groups_values || (left[value] && !is_last)) made.push_back({{leaf, variable, value}, random_gain()});
      }
    }
    options.insert(options.end(), made.begin(), made.end());
    on_offer(leaf, made);
  }

  Random& random_;
  std::vector<std::uint32_t> arities_;
  // Where gains hardly differ, edge costs alone decide which split is best: no bound on one may be too high.
  double least_gain_ = random_.below(2) ? -2 : 100;
  std::uint32_t gain_spread_ = random_.below(2) ? 4000 : 100;

 public:
  GrowingCircuit circuit;

 private:
  SplitRegion region_;
  SplitApplication application_;
  Ancestry ancestry_;
  std::vector<std::vector<Values>> left_;  // leaf x variable: the values that its path leaves open
};

struct Tally {
  int n_passed = 0;
  int n_failed = 0;

  void run(const char* name, int n_seeds, const std::function<void(Random&)>& trial) {
    for (int seed = 0; seed < n_seeds; ++seed) {
      try {
        Random random(static_cast<std::uint64_t>(seed), 0);
        trial(random);
        ++n_passed;
      } catch (const std::exception& error) {
        ++n_failed;
        std::printf("%s, seed %d: %s\n", name, seed, error.what());
      }
    }
  }
};

}  // namespace learnac
