// Random networks, compiled in random orders under sanitizers: the circuit must be smooth, decomposable and
// deterministic, and every complete row must have the probability that the trees give.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "compile/compile_network.hpp"
#include "compile/elimination_orders.hpp"
#include "compile/share.hpp"
#include "infer/properties.hpp"
#include "random.hpp"

using namespace learnac;

namespace {

void expect(bool holds, const char* what, std::uint64_t seed) {
  if (holds) return;
  std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
  std::exit(1);
}

// Tables as complete trees over up to three variables of smaller number; some numbers are zero, some are equal.
struct Network {
  std::vector<std::uint32_t> arities, first_nodes{0}, first_route, routes;
  std::vector<std::int32_t> variables;
  std::vector<double> parameters;

  Network(Random& random, std::uint32_t n_variables) {
    for (std::uint32_t v = 0; v < n_variables; ++v) arities.push_back(1 + random.below(3));
    for (std::uint32_t child = 0; child < n_variables; ++child) add_tree(random, child);
  }

  NetworkArrays arrays() const { return {arities, first_nodes, variables, first_route, routes, parameters}; }

  void add_tree(Random& random, std::uint32_t child) {
    const std::uint32_t first = first_nodes.back();
    std::vector<std::uint32_t> depth{0}, parents;
    for (std::uint32_t i = 0; i < 3 && child > 0; ++i) {
      const std::uint32_t parent = random.below(child);
      if (std::find(parents.begin(), parents.end(), parent) == parents.end()) parents.push_back(parent);
    }
    for (std::uint32_t node = 0; node < depth.size(); ++node) {
      const bool is_leaf = depth[node] == parents.size() || random.below(5) == 0;
      variables.push_back(is_leaf ? -1 : static_cast<std::int32_t>(parents[depth[node]]));
      first_route.push_back(static_cast<std::uint32_t>(routes.size()));
      if (!is_leaf)
        for (std::uint32_t value = 0; value < arities[parents[depth[node]]]; ++value) {
          routes.push_back(static_cast<std::uint32_t>(depth.size()));
          depth.push_back(depth[node] + 1);
        }
      add_row(random, arities[child]);
    }
    first_nodes.push_back(first + static_cast<std::uint32_t>(depth.size()));
  }

  void add_row(Random& random, std::uint32_t arity) {
    std::vector<double> row(arity);
    for (double& entry : row) entry = random.below(4);
    row[random.below(arity)] += 1;
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (const double entry : row) parameters.push_back(entry / total);
  }

  double probability(std::span<const std::uint32_t> codes) const {
    double product = 1;
    std::size_t first_parameter = 0;
    for (std::uint32_t child = 0; child < arities.size(); ++child) {
      std::uint32_t node = 0;
      while (variables[first_nodes[child] + node] >= 0) {
        const std::uint32_t at = first_nodes[child] + node;
        node = routes[first_route[at] + codes[static_cast<std::uint32_t>(variables[at])]];
      }
      product *= parameters[first_parameter + node * arities[child] + codes[child]];
      first_parameter += std::size_t{first_nodes[child + 1] - first_nodes[child]} * arities[child];
    }
    return product;
  }
};

double value_of(const CircuitArrays& circuit, std::span<const std::uint32_t> codes) {
  std::vector<double> values;
  std::vector<std::uint32_t> is_on;
  for (std::uint32_t v = 0; v < circuit.arities.size(); ++v)
    for (std::uint32_t k = 0; k < circuit.arities[v]; ++k) is_on.push_back(codes[v] == k);
  for (std::uint32_t node = 0; node < circuit.n_nodes(); ++node) {
    double value = circuit.kind(node) == NodeKind::product ? 1 : 0;
    if (circuit.kind(node) == NodeKind::indicator) value = is_on[circuit.labels[node]];
    if (circuit.kind(node) == NodeKind::parameter) value = circuit.parameters[circuit.labels[node]];
    for (const std::uint32_t child : circuit.children_of(node))
      value = circuit.kind(node) == NodeKind::product ? value * values[child] : value + values[child];
    values.push_back(value);
  }
  return values.back();
}

void check_circuit(const Network& network, const CompiledArrays& found, std::span<const double> parameters,
                   std::span<const std::int32_t> variable_of, Random& random, std::uint64_t seed) {
  const CircuitArrays circuit{network.arities,     found.kinds,    found.labels,
                              found.child_offsets, found.children, parameters};
  check(circuit);
  const Properties properties = properties_of(circuit, variable_of);
  expect(properties.is_smooth && properties.is_decomposable && properties.is_deterministic, "properties", seed);
  for (int row = 0; row < 20; ++row) {
    std::vector<std::uint32_t> codes;
    for (const std::uint32_t arity : network.arities) codes.push_back(random.below(arity));
    expect(std::abs(value_of(circuit, codes) - network.probability(codes)) < 1e-12, "probability", seed);
  }
}

void compile_one(std::uint64_t seed) {
  Random random(seed, 0);
  const std::uint32_t n_variables = 1 + random.below(12);
  const Network network(random, n_variables);
  std::vector<std::uint32_t> first_members{0}, members;
  for (std::uint32_t child = 0; child < n_variables; ++child) {
    members.push_back(child);
    for (std::uint32_t node = network.first_nodes[child]; node < network.first_nodes[child + 1]; ++node)
      if (network.variables[node] >= 0) members.push_back(static_cast<std::uint32_t>(network.variables[node]));
    first_members.push_back(static_cast<std::uint32_t>(members.size()));
  }
  const auto rule = static_cast<EliminationRule>(random.below(4));
  std::vector<std::uint32_t> order = elimination_order(network.arities, first_members, members, rule, seed).variables;
  std::reverse(order.begin(), order.end());
  const std::vector<std::int32_t> unknown(n_variables, -1);
  const CompiledNetwork found =
      compile_network(network.arrays(), order, unknown, {1u << 30, 1u << 30, [] { return false; }});
  expect(found.end == CompileEnd::done && !found.is_impossible, "an end", seed);
  std::vector<double> parameters;
  std::vector<std::int32_t> variable_of;
  std::vector<std::size_t> first_parameter{0};
  for (std::uint32_t v = 0; v < n_variables; ++v)
    first_parameter.push_back(first_parameter.back() +
                              std::size_t{network.first_nodes[v + 1] - network.first_nodes[v]} * network.arities[v]);
  for (std::size_t p = 0; p < found.origins.size(); p += 3) {
    const auto v = static_cast<std::uint32_t>(found.origins[p]);
    variable_of.push_back(found.origins[p]);
    parameters.push_back(
        network.parameters[first_parameter[v] + static_cast<std::uint32_t>(found.origins[p + 1]) * network.arities[v] +
                           static_cast<std::uint32_t>(found.origins[p + 2])]);
  }
  check_circuit(network, found.circuit, parameters, variable_of, random, seed);
  const CircuitArrays circuit{network.arities,        found.circuit.kinds,
                              found.circuit.labels,   found.circuit.child_offsets,
                              found.circuit.children, parameters};
  const CompiledArrays again = shared(circuit);
  expect(again.children.size() <= found.circuit.children.size(), "sharing added edges", seed);
  check_circuit(network, again, parameters, variable_of, random, seed);
}

}  // namespace

int main() {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) compile_one(seed);
  std::puts("2000 networks compiled");
}
