// Random queries on random circuits, with the sanitizers on: `make sanitize`. Each is compared with the sum or maximum
// over all worlds, and one thread with two.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "growth.hpp"
#include "infer/mixture.hpp"
#include "infer/queries.hpp"
#include "learn/freeze.hpp"
#include "mix/tied.hpp"

using namespace learnac;

namespace {

double uniform(Random& random) { return (1 + random.below(1000)) / 1001.0; }

// A circuit after some splits, with random parameters, some of them zero.
struct Model {
  explicit Model(Random& random) {
    Growth growth(random, 5);
    for (int step = 0; step < 12; ++step) {
      const std::vector<Option> options = growth.valid_options();
      if (options.empty()) break;
      growth.apply(options[random.below(static_cast<std::uint32_t>(options.size()))].split);
    }
    frozen = freeze(growth.circuit);
    for (std::size_t i = 0; i < frozen.parameter_origins.size() / 2; ++i)
      parameters.push_back(random.below(10) == 0 ? 0 : uniform(random));
    const Domain& domain = growth.circuit.domain();
    for (std::uint32_t v = 0; v < domain.n_variables(); ++v) arities.push_back(domain.arity(VariableId{v}));
  }

  CircuitArrays arrays() const {
    return {arities, frozen.kinds, frozen.labels, frozen.child_offsets, frozen.children, parameters};
  }

  // The plain upward pass.
  double value(const std::vector<double>& indicators) const {
    std::vector<double> values(frozen.kinds.size());
    for (std::uint32_t node = 0; node < values.size(); ++node) {
      const NodeKind kind = arrays().kind(node);
      if (kind == NodeKind::indicator) values[node] = indicators[frozen.labels[node]];
      if (kind == NodeKind::parameter) values[node] = parameters[frozen.labels[node]];
      if (kind == NodeKind::product) values[node] = 1;
      for (std::uint64_t e = frozen.child_offsets[node]; e < frozen.child_offsets[node + 1]; ++e) {
        const double child = values[frozen.children[e]];
        values[node] = kind == NodeKind::sum ? values[node] + child : values[node] * child;
      }
    }
    return values.back();
  }

  FrozenArrays frozen;
  std::vector<double> parameters;
  std::vector<std::uint32_t> arities;
};

// Rows of random evidence, hard and soft.
struct Rows {
  Rows(Random& random, const Model& model) : n_rows(1 + random.below(random.below(3) == 0 ? 300 : 12)) {
    for (std::uint32_t v = 0; v < model.arities.size(); ++v) {
      const bool is_soft = random.below(4) == 0;
      if (is_soft) soft_variables.push_back(v), n_likelihoods += model.arities[v];
      for (std::size_t row = 0; row < n_rows; ++row)
        codes.push_back(static_cast<std::int16_t>(
            is_soft || random.below(2) ? -1 : static_cast<int>(random.below(model.arities[v]))));
    }
    for (std::size_t i = 0; i < n_rows * n_likelihoods; ++i)
      likelihoods.push_back(random.below(5) == 0 ? 0 : uniform(random));
  }

  Evidence evidence() { return {{codes.data(), 16, n_rows}, soft_variables, likelihoods, n_likelihoods}; }

  std::vector<double> indicators(const Model& model, std::size_t row) const {
    std::vector<double> found;
    for (std::uint32_t v = 0; v < model.arities.size(); ++v) {
      const int code = codes[v * n_rows + row];
      for (int k = 0; k < static_cast<int>(model.arities[v]); ++k) found.push_back(code < 0 || code == k);
    }
    std::size_t column = row * n_likelihoods;
    for (const std::uint32_t v : soft_variables) {
      const std::uint32_t first = std::accumulate(model.arities.begin(), model.arities.begin() + v, 0u);
      for (std::uint32_t k = 0; k < model.arities[v]; ++k) found[first + k] = likelihoods[column++];
    }
    return found;
  }

  std::size_t n_rows;
  std::vector<std::int16_t> codes;
  std::vector<std::uint32_t> soft_variables;
  std::vector<double> likelihoods;
  std::size_t n_likelihoods = 0;
};

bool is_near(double a, double b) { return a == b || std::abs(a - b) <= 1e-11 * std::max(1.0, std::abs(b)); }

Execution with_threads(int n) {
  return {n, [] { return false; }};
}

void ask_at_random(Random& random) {
  const Model model(random);
  const Evaluator evaluator(model.arrays());
  Rows rows(random, model);
  const std::size_t n = rows.n_rows;
  const std::uint32_t n_indicators = evaluator.program().n_indicators();
  std::vector<std::uint32_t> variables(model.arities.size());
  std::iota(variables.begin(), variables.end(), 0u);
  std::vector<double> logs(n), again(n), posteriors(n * n_indicators), posteriors_again(n * n_indicators);
  evaluator.log_values(rows.evidence(), with_threads(1), logs);
  evaluator.marginals(rows.evidence(), variables, with_threads(2), again, posteriors);
  require(logs == again, "two queries have two log-values");
  evaluator.marginals(rows.evidence(), variables, with_threads(1), again, posteriors_again);
  std::vector<std::int16_t> worlds = rows.codes, samples(rows.codes.size() * 3);
  const WorldTable world_table{worlds.data(), 16, n};
  std::vector<double> best(n), means(n);
  evaluator.most_probable(rows.evidence(), with_threads(2), best, world_table);
  evaluator.sample(rows.evidence(), 3, 7, with_threads(2), again, {samples.data(), 16, 3 * n});
  evaluator.mean_logs(rows.evidence(), with_threads(2), again, means);
  std::vector<std::uint64_t> n_live(n);
  evaluator.live_edges(rows.evidence(), with_threads(1), n_live);
  for (std::size_t row = 0; row < n; ++row) {
    const std::vector<double> indicators = rows.indicators(model, row);
    const double value = model.value(indicators);
    require(is_near(std::exp(logs[row]), value), "log-value");
    require(n_live[row] <= model.frozen.children.size(), "live edges");
    if (value == 0) continue;
    std::uint32_t first = 0;
    for (const std::uint32_t arity : model.arities) {
      for (std::uint32_t k = 0; k < arity; ++k) {
        std::vector<double> only = indicators;
        for (std::uint32_t other = 0; other < arity; ++other) only[first + other] *= other == k;
        const double posterior = posteriors[row * n_indicators + first + k];
        require(is_near(posterior, model.value(only) / value), "posterior");
        require(posterior == posteriors_again[row * n_indicators + first + k], "one thread is not two");
      }
      first += arity;
    }
    std::vector<double> world(n_indicators, 0.0);
    first = 0;
    for (std::uint32_t v = 0; v < model.arities.size(); first += model.arities[v++]) {
      const int code = worlds[v * n + row];
      world[first + static_cast<std::uint32_t>(code)] = indicators[first + static_cast<std::uint32_t>(code)];
      for (std::size_t s = 0; s < 3; ++s) {
        const int sampled = samples[v * 3 * n + row * 3 + s];
        require(indicators[first + static_cast<std::uint32_t>(sampled)] > 0, "a sample contradicts its evidence");
      }
    }
    require(is_near(std::exp(best[row]), model.value(world)), "the most probable world");
  }
}

// Components in lanes against each component's plain upward pass.
void ask_a_mixture(Random& random) {
  Model model(random);
  const std::size_t n_components = 1 + random.below(20), n_parameters = model.parameters.size();
  std::vector<double> parameters, weights(n_components);
  for (std::size_t i = 0; i < n_components * n_parameters; ++i)
    parameters.push_back(random.below(10) == 0 ? 0 : uniform(random));
  for (double& weight : weights) weight = uniform(random);
  const MixtureEvaluator evaluator(model.arrays(), parameters, weights);
  Rows rows(random, model);
  const std::size_t n = rows.n_rows;
  const std::uint32_t n_indicators = evaluator.program().n_indicators();
  std::vector<std::uint32_t> variables(model.arities.size());
  std::iota(variables.begin(), variables.end(), 0u);
  std::vector<double> logs(n), again(n), bounds(n), means(n), posteriors(n * n_indicators),
      components(n * n_components);
  evaluator.log_values(rows.evidence(), with_threads(1), logs);
  evaluator.marginals(rows.evidence(), variables, with_threads(2), again, posteriors);
  require(logs == again, "two queries have two log-values");
  evaluator.components(rows.evidence(), with_threads(2), again, components);
  std::vector<std::int16_t> worlds = rows.codes, samples(rows.codes.size() * 3);
  evaluator.most_probable(rows.evidence(), with_threads(2), again, bounds, {worlds.data(), 16, n});
  evaluator.sample(rows.evidence(), 3, 7, with_threads(2), again, {samples.data(), 16, 3 * n});
  evaluator.mean_logs(rows.evidence(), with_threads(2), again, means);
  const auto value_of = [&](const std::vector<double>& indicators, double* of_components) {
    double total = 0;
    for (std::size_t k = 0; k < n_components; ++k) {
      model.parameters.assign(parameters.begin() + static_cast<std::ptrdiff_t>(k * n_parameters),
                              parameters.begin() + static_cast<std::ptrdiff_t>((k + 1) * n_parameters));
      const double value = weights[k] * model.value(indicators);
      if (of_components != nullptr) of_components[k] = value;
      total += value;
    }
    return total;
  };
  std::vector<double> own(n_components);
  for (std::size_t row = 0; row < n; ++row) {
    const std::vector<double> indicators = rows.indicators(model, row);
    const double value = value_of(indicators, own.data());
    require(is_near(std::exp(logs[row]), value), "log-value of a mixture");
    if (value == 0) continue;
    for (std::size_t k = 0; k < n_components; ++k)
      require(is_near(components[row * n_components + k], own[k] / value), "posterior of a component");
    std::uint32_t first = 0;
    for (const std::uint32_t arity : model.arities) {
      std::vector<double> only = indicators;
      for (std::uint32_t other = 1; other < arity; ++other) only[first + other] = 0;
      require(is_near(posteriors[row * n_indicators + first], value_of(only, nullptr) / value), "posterior");
      first += arity;
    }
    require(std::exp(bounds[row]) <= value * (1 + 1e-9), "a bound above the sum of all worlds");
  }
}

// Rows in random cells: what is learned are probabilities, under which the rows become more likely.
void learn_a_mixture(Random& random) {
  CellLayout layout{{0}, {0}, {}};
  const std::size_t n_variables = 1 + random.below(6), n_rows = 1 + random.below(60);
  for (std::size_t v = 0; v < n_variables; ++v) {
    const std::uint32_t arity = 1 + random.below(4);
    for (std::uint32_t leaf = 0; leaf <= random.below(4); ++leaf)
      layout.first_of_leaf.push_back(layout.first_of_leaf.back() + arity);
    layout.first_of_variable.push_back(layout.first_of_leaf.back());
  }
  std::vector<std::uint32_t> cells;
  for (std::size_t i = 0; i < n_rows * n_variables; ++i) {
    const std::uint32_t first = layout.first_of_variable[i % n_variables];
    cells.push_back(first + random.below(layout.first_of_variable[i % n_variables + 1] - first));
  }
  layout.usual.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(n_variables));
  std::vector<double> row_weights(random.below(2) ? n_rows : 0);
  for (double& weight : row_weights) weight = uniform(random);
  LeafRows rows(layout, !row_weights.empty());
  rows.append(cells, row_weights);
  const std::size_t n_components = 1 + random.below(40), n_features = 1 + random.below(20);
  std::vector<float> features, weights, biases;
  for (std::size_t i = 0; i < n_features * n_components; ++i) features.push_back(static_cast<float>(uniform(random)));
  for (std::size_t i = 0; i < layout.n_cells() * n_features; ++i)
    weights.push_back(static_cast<float>(uniform(random) - 0.5));
  for (std::size_t i = 0; i < layout.n_cells(); ++i) biases.push_back(static_cast<float>(uniform(random)));
  TiedMixture mixture(layout, features, n_components, biases, weights);
  const double before = mixture.log_likelihood(rows);
  std::vector<std::uint32_t> order(n_rows);
  std::iota(order.begin(), order.end(), 0u);
  for (int i = 0; i < 30; ++i) mixture.epoch(rows, order, n_rows, {0.01f, 0.0f});
  require(mixture.log_likelihood(rows) > before - 1e-4, "learning makes rows less likely");
  const std::vector<double> parameters = mixture.parameters();
  for (std::uint32_t leaf = 0; leaf < layout.n_leaves(); ++leaf)
    for (std::size_t k = 0; k < n_components; ++k) {
      double total = 0;
      for (std::uint32_t cell = layout.first_of_leaf[leaf]; cell < layout.first_of_leaf[leaf + 1]; ++cell)
        total += parameters[cell * n_components + k];
      require(std::abs(total - 1) < 1e-5, "parameters of a leaf that do not sum to 1");
    }
}

// Arrays that are no circuit must be refused, or answer; nothing else.
void ask_what_is_no_circuit(Random& random) {
  const Model model(random);
  Rows rows(random, model);
  for (int i = 0; i < 30; ++i) {
    Model broken = model;
    const std::uint32_t what = random.below(4), number = random.below(1u << 31);
    const auto pick = [&](auto& items) -> auto& {
      return items[random.below(static_cast<std::uint32_t>(items.size()))];
    };
    if (what == 0) pick(broken.frozen.kinds) = static_cast<std::uint8_t>(random.below(6));
    if (what == 1) pick(broken.frozen.labels) = random.below(2) ? number : random.below(8);
    if (what == 2) pick(broken.frozen.child_offsets) = random.below(2) ? number : random.below(40);
    if (what == 3) pick(broken.frozen.children) = random.below(2) ? number : random.below(40);
    try {
      const Evaluator evaluator(broken.arrays());
      std::vector<double> logs(rows.n_rows), posteriors(rows.n_rows * evaluator.program().n_indicators());
      std::vector<std::uint32_t> variables{0};
      std::vector<std::int16_t> worlds = rows.codes;
      evaluator.marginals(rows.evidence(), variables, with_threads(1), logs, posteriors);
      evaluator.most_probable(rows.evidence(), with_threads(1), logs, {worlds.data(), 16, rows.n_rows});
      evaluator.sample(rows.evidence(), 1, 3, with_threads(1), logs, {worlds.data(), 16, rows.n_rows});
    } catch (const std::invalid_argument&) {
    }
  }
}

}  // namespace

// With an argument, that many times as many trials.
int main(int n_arguments, char** arguments) {
  const int times = n_arguments > 1 ? std::stoi(arguments[1]) : 1;
  Tally tally;
  tally.run("ask at random", 300 * times, ask_at_random);
  tally.run("ask a mixture", 150 * times, ask_a_mixture);
  tally.run("learn a mixture", 150 * times, learn_a_mixture);
  tally.run("ask what is no circuit", 200 * times, ask_what_is_no_circuit);
  std::printf("%d passed, %d failed\n", tally.n_passed, tally.n_failed);
  return tally.n_failed == 0 ? 0 : 1;
}
