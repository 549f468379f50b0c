// Random splits, searches and counts, with the core's assertions and the sanitizers on: `make sanitize`.
// Python's tests compare with the reference; this one looks for what only a debug build can see.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "growth.hpp"
#include "learn/candidate_finder.hpp"
#include "learn/counter.hpp"
#include "learn/freeze.hpp"
#include "learn/greedy_schedule.hpp"
#include "learn/quick_schedule.hpp"

using namespace learnac;

namespace {

void check_frozen(const GrowingCircuit& circuit) {
  const FrozenArrays frozen = freeze(circuit);
  require(frozen.children.size() == circuit.n_edges(), "edges lost by freezing");
  require(frozen.child_offsets.size() == frozen.kinds.size() + 1, "offsets of frozen children");
  for (std::uint32_t node = 0; node < frozen.kinds.size(); ++node)
    for (std::uint64_t i = frozen.child_offsets[node]; i < frozen.child_offsets[node + 1]; ++i)
      require(frozen.children[i] < node, "a frozen child does not come before its parent");
}

void split_at_random(Random& random) {
  Growth growth(random, 7);
  growth.circuit.check_invariants();
  for (int i = 0; i < 25; ++i) {
    const auto options = growth.valid_options();
    if (options.empty() || growth.circuit.n_edges() > 4000) break;
    const Split split = options[random.below(static_cast<std::uint32_t>(options.size()))].split;
    growth.check_limits(split);
    growth.apply(split);
  }
  check_frozen(growth.circuit);
}

void split_many_values_at_random(Random& random) {
  Growth growth(random, with_many_values(random, random_arities(random, 4)));
  growth.circuit.check_invariants();
  for (int i = 0; i < 6; ++i) {
    const auto options = growth.valid_options();
    if (options.empty() || growth.circuit.n_edges() > 4000) break;
    const Split split = options[random.below(static_cast<std::uint32_t>(options.size()))].split;
    if (growth.cost(split) > 20000) continue;
    growth.check_limits(split);
    growth.apply(split);
  }
  check_frozen(growth.circuit);
}

// Hundreds of variables: scopes and planes of several words, which come and go.
void split_many_variables_at_random(Random& random) {
  Growth growth(random, std::vector<std::uint32_t>(150 + random.below(100), 2));
  for (int i = 0; i < 12; ++i) {
    const auto options = growth.valid_options();
    const Split split = options[random.below(static_cast<std::uint32_t>(options.size()))].split;
    growth.check_limits(split);
    growth.apply(split);
  }
  check_frozen(growth.circuit);
}

// No split lowers the cost of another by more than it was thought to, nor do several.
void lose_at_random(Random& random) {
  Growth growth(random, 8);
  std::vector<CostBound> bounds;  // as many as there are options, in their order
  for (int i = 0; i < 25; ++i) {
    const auto options = growth.valid_options();
    if (options.empty() || growth.circuit.n_edges() > 2000) return;
    for (std::size_t k = bounds.size(); k < growth.options.size(); ++k)
      bounds.push_back(growth.is_valid(growth.options[k].split) ? growth.cost_parts(growth.options[k].split)
                                                                : CostBound{});
    const Split split = options[random.below(static_cast<std::uint32_t>(options.size()))].split;
    const SplitLoss loss = growth.loss(split);
    growth.apply(split);
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      const Split& other = growth.options[k].split;
      if (!growth.is_valid(other)) continue;
      bounds[k] = loss.lowered(bounds[k], other.leaf, other.variable, growth.v_side_floor(other.variable));
      const CostBound now = growth.cost_parts(other);
      require(bounds[k].total() <= now.total(), "a split cost others more than it was thought to");
      if (random.below(3) == 0) bounds[k] = now;
    }
  }
}

template <class Schedule>
void add_to(Schedule& schedule, LeafId leaf, const std::vector<Option>& options) {
  std::vector<std::uint32_t> variables, values;
  std::vector<double> net_gains;
  for (const Option& option : options) {
    variables.push_back(index(option.split.variable));
    values.push_back(option.split.value);
    net_gains.push_back(option.net_gain);
  }
  schedule.add(leaf, variables, values, net_gains);
}

// Runs a schedule on random gains; `check` looks at what it chose, before it is applied.
template <class Schedule, class Check>
void search(Random& random, Check check) {
  Growth growth(random, 6);
  double edge_penalty = (1 + random.below(40)) / 20.0;
  Schedule schedule(growth.circuit, growth.region(), edge_penalty, true);
  const auto offer = [&](LeafId leaf, const std::vector<Option>& made) { add_to(schedule, leaf, made); };
  for (std::uint32_t leaf = 0; leaf < growth.circuit.n_leaves(); ++leaf) {
    std::vector<Option> made;
    for (const Option& option : growth.options)
      if (index(option.split.leaf) == leaf) made.push_back(option);
    offer(LeafId{leaf}, made);
  }
  growth.on_offer = offer;
  const std::int64_t max_edges = random.below(2) ? SplitRegion::unlimited / 2 : 100 + random.below(1500);
  for (int i = 0, n_halvings = 0; i < 30 && growth.circuit.n_edges() < 3000; ++i) {
    const std::int64_t room = max_edges - static_cast<std::int64_t>(growth.circuit.n_edges());
    int n_asked = 0;
    const auto chosen = schedule.best_split(room, [&] { return ++n_asked > 100; });
    require(n_asked <= 100, "the search does not end");
    check(growth, chosen, edge_penalty, room);
    if (chosen) {
      schedule.applying(chosen->split);
      growth.apply(chosen->split);
    } else if (n_halvings++ < 4) {
      edge_penalty /= 2;
      schedule.set_edge_penalty(edge_penalty);
    } else {
      return;
    }
  }
}

void search_greedily(Random& random) {
  search<GreedySchedule>(random, [](Growth& growth, const auto& chosen, double edge_penalty, std::int64_t room) {
    const auto best = growth.best(edge_penalty, room);
    require(best.has_value() == chosen.has_value(), "greedy: a split where there is none, or none where there is one");
    if (!best) return;
    require(chosen->edge_cost == growth.cost(chosen->split), "greedy: chosen at a wrong cost");
    require(!comes_before(best->split, chosen->split) && !comes_before(chosen->split, best->split),
            "greedy: not the best split");
  });
}

void search_quickly(Random& random) {
  search<QuickSchedule>(random, [](Growth& growth, const auto& chosen, double edge_penalty, std::int64_t room) {
    if (!chosen) return;
    require(growth.is_valid(chosen->split), "quick: chosen but not valid");
    require(chosen->edge_cost == growth.cost(chosen->split), "quick: chosen at a wrong cost");
    require(chosen->edge_cost <= room, "quick: chosen but does not fit");
    require(chosen->net_gain > edge_penalty * static_cast<double>(chosen->edge_cost), "quick: chosen but does not pay");
  });
}

struct PlainLeaf {
  std::uint32_t child;
  std::vector<std::uint32_t> rows;
};

struct Table {
  Table(Random& random, bool is_wide) : arities(random_arities(random, 6)), n_rows(1 + random.below(200)) {
    if (is_wide) arities.push_back(many_values);
    const bool is_sparse = random.below(2);
    for (const std::uint32_t arity : arities)
      for (std::uint32_t row = 0; row < n_rows; ++row)
        codes.push_back(static_cast<std::uint16_t>(is_sparse && random.below(30) ? 0 : random.below(arity)));
    const std::uint32_t weighting = random.below(3);
    for (std::uint32_t row = 0; row < n_rows && weighting; ++row)
      weights.push_back(weighting == 1 ? random.below(4) : random.below(400) / 128.0);
  }

  std::uint32_t code(std::uint32_t variable, std::uint32_t row) const { return codes[variable * n_rows + row]; }
  double weight(std::uint32_t row) const { return weights.empty() ? 1 : weights[row]; }

  // [indicator][value of the child]
  std::vector<double> count(const PlainLeaf& leaf) const {
    std::vector<double> counts;
    for (std::uint32_t v = 0; v < arities.size(); ++v) {
      std::vector<double> mine(std::size_t{arities[v]} * arities[leaf.child], 0);
      for (const std::uint32_t row : leaf.rows)
        mine[code(v, row) * arities[leaf.child] + code(leaf.child, row)] += weight(row);
      counts.insert(counts.end(), mine.begin(), mine.end());
    }
    return counts;
  }

  std::vector<std::uint32_t> arities;
  std::uint32_t n_rows;
  std::vector<std::uint16_t> codes;
  std::vector<double> weights;
};

// All cells, in whichever form they were counted.
std::vector<double> all_cells(const Table& table, const PlainLeaf& leaf, const LeafCounts& counted) {
  const std::uint32_t arity = table.arities[leaf.child];
  if (const auto* dense = std::get_if<DenseCells>(&counted.cells)) return *dense;
  const auto& sparse = std::get<SparseCells>(counted.cells);
  std::vector<double> cells(std::size_t{sparse.n_indicators()} * arity, 0);
  for (std::uint32_t indicator = 0; indicator < sparse.n_indicators(); ++indicator) {
    const SparseCells::Row row = sparse.row(indicator);
    for (std::size_t i = 0; i < row.values.size(); ++i) cells[indicator * arity + row.values[i]] = row.counts[i];
  }
  return cells;
}

// The first leaves' candidates, from sparse and from dense cells.
void find_at_random(Random& random) {
  const Table table(random, random.below(2) == 0);
  const PackedTable packed(std::span<const std::uint16_t>(table.codes), table.arities, table.weights);
  Counter counter(packed);
  GrowingTrees trees(random_space(random, table.arities), {[](std::size_t, double) { return 1.0; }, 0});
  const Score score =
      random.below(2) ? Score(LikelihoodScore(0.5, LikelihoodScore::Prior::of_leaf)) : Score(BayesianDirichletScore(2));
  CandidateFinder finder(trees, score, 0.1, std::vector<std::uint8_t>(table.arities.size(), 1), {});
  for (std::uint32_t v = 0; v < table.arities.size(); ++v) {
    const LeafId leaf{v};
    const LeafCounts counted = counter.count({&leaf, 1})[0];
    trees.add_root(counted.totals);
    const auto* sparse = std::get_if<SparseCells>(&counted.cells);
    if (sparse == nullptr) continue;
    const Candidates few = finder.find(leaf, *sparse);
    const Candidates all = finder.find(leaf, all_cells(table, {v, {}}, counted));
    require(few.variables == all.variables && few.values == all.values && few.net_gains == all.net_gains,
            "candidates from sparse cells");
  }
}

void count_at_random(Random& random) {
  const Table table(random, random.below(5) == 0);
  const PackedTable packed(std::span<const std::uint16_t>(table.codes), table.arities, table.weights);
  Counter counter(packed);
  std::vector<PlainLeaf> leaves;
  for (std::uint32_t v = 0; v < table.arities.size(); ++v) {
    leaves.push_back({v, {}});
    for (std::uint32_t row = 0; row < table.n_rows; ++row) leaves.back().rows.push_back(row);
    const LeafId root{v};
    require(all_cells(table, leaves.back(), counter.count({&root, 1})[0]) == table.count(leaves.back()),
            "counts of the whole table");
  }
  std::vector<bool> is_open(leaves.size(), true);
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t leaf = random.below(static_cast<std::uint32_t>(leaves.size()));
    if (!is_open[leaf]) continue;
    is_open[leaf] = false;
    const std::uint32_t variable = random.below(static_cast<std::uint32_t>(table.arities.size()));
    const std::uint32_t value = random.below(table.arities[variable]);
    const bool is_complete = random.below(2);
    std::vector<std::uint32_t> branch_of(table.arities[variable]);
    for (std::uint32_t v = 0; v < branch_of.size(); ++v) branch_of[v] = is_complete ? v : v != value;
    const std::uint32_t n_branches = is_complete ? table.arities[variable] : 2;
    const PlainLeaf parent = leaves[leaf];
    const LeafId first = counter.split(LeafId{leaf}, VariableId{variable}, branch_of, n_branches);
    require(index(first) == leaves.size(), "number of the first new leaf");
    std::vector<LeafId> made;
    for (std::uint32_t branch = 0; branch < n_branches; ++branch) made.push_back(LeafId{index(first) + branch});
    const auto counts = counter.count(made);
    for (std::uint32_t branch = 0; branch < n_branches; ++branch) {
      leaves.push_back({parent.child, {}});
      is_open.push_back(true);
      for (const std::uint32_t row : parent.rows)
        if (branch_of[table.code(variable, row)] == branch) leaves.back().rows.push_back(row);
      const auto expected = table.count(leaves.back());
      // The weights are multiples of 1/128, so that every sum is exact, in any order.
      require(all_cells(table, leaves.back(), counts[branch]) == expected, "counts of a branch");
      require(counts[branch].totals == counter.count_child(made[branch]), "totals of a branch");
    }
    if (random.below(3) == 0) {
      counter.forget(first);
      is_open[index(first)] = false;
    }
  }
}

}  // namespace

// With an argument, that many times as many trials.
int main(int n_arguments, char** arguments) {
  const int times = n_arguments > 1 ? std::stoi(arguments[1]) : 1;
  Tally tally;
  tally.run("split at random", 300 * times, split_at_random);
  tally.run("split many values at random", 60 * times, split_many_values_at_random);
  tally.run("split many variables at random", 6 * times, split_many_variables_at_random);
  tally.run("lose at random", 300 * times, lose_at_random);
  tally.run("search greedily", 600 * times, search_greedily);
  tally.run("search quickly", 200 * times, search_quickly);
  tally.run("find at random", 200 * times, find_at_random);
  tally.run("count at random", 400 * times, count_at_random);
  std::printf("%d passed, %d failed\n", tally.n_passed, tally.n_failed);
  return tally.n_failed == 0 ? 0 : 1;
}
