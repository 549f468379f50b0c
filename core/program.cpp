#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "passes.hpp"

namespace learnac {
namespace {

enum : std::uint8_t { indicator_kind, parameter_kind, sum_kind, product_kind };

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("not a circuit: " + what); }

Scalar product_of(Scalar a, double b) {
  int exponent = 0;
  const double fraction = std::frexp(a.mantissa * b, &exponent);
  return {fraction, a.exponent + exponent};
}

double linear(Scalar x) {
  return x.exponent < -2000 ? 0 : std::ldexp(x.mantissa, static_cast<int>(std::min<std::int64_t>(x.exponent, 2000)));
}

}  // namespace

class Program::Builder {
 public:
  Builder(Program& program, const CircuitArrays& arrays)
      : program_(program),
        arrays_(arrays),
        place_(arrays.kinds.size(), nothing),
        product_of_(arrays.kinds.size(), nothing) {}

  void build() {
    check_lengths();
    for (std::uint32_t node = 0; node < arrays_.kinds.size(); ++node) {
      check_node(node);
      if (arrays_.kinds[node] == product_kind) place_[node] = add_product(children(node), nothing);
      if (arrays_.kinds[node] == sum_kind) place_[node] = add_sum(node);
    }
    const std::uint32_t root = static_cast<std::uint32_t>(arrays_.kinds.size() - 1);
    if (is_leaf(root)) as_inner(root);
  }

 private:
  std::span<const std::uint32_t> children(std::uint32_t node) const {
    const std::uint64_t first = arrays_.child_offsets[node];
    return arrays_.children.subspan(first, arrays_.child_offsets[node + 1] - first);
  }

  bool is_leaf(std::uint32_t node) const { return arrays_.kinds[node] <= parameter_kind; }

  void check_lengths() const {
    const std::size_t n_nodes = arrays_.kinds.size();
    if (n_nodes == 0 || n_nodes >= nothing / 2)
      refuse("expected from 1 to 2^31 nodes, found " + std::to_string(n_nodes));
    if (arrays_.labels.size() != n_nodes) refuse("expected one label for each node");
    if (arrays_.child_offsets.size() != n_nodes + 1) refuse("expected one child offset for each node, and an end");
    if (arrays_.child_offsets[0] != 0 || arrays_.child_offsets[n_nodes] != arrays_.children.size())
      refuse("expected child offsets from 0 to the number of children");
    if (!std::is_sorted(arrays_.child_offsets.begin(), arrays_.child_offsets.end()))
      refuse("expected child offsets that never fall");
    if (arrays_.children.size() >= nothing / 2) refuse("expected fewer than 2^31 edges");
  }

  void check_node(std::uint32_t node) const {
    const auto complain = [&](const char* what) { refuse("node " + std::to_string(node) + ": " + what); };
    const std::uint32_t label = arrays_.labels[node];
    switch (arrays_.kinds[node]) {
      case indicator_kind:
        if (label >= program_.n_indicators()) complain("no such indicator");
        break;
      case parameter_kind:
        if (label >= arrays_.parameters.size()) complain("no such parameter");
        if (!(arrays_.parameters[label] >= 0) || std::isinf(arrays_.parameters[label]))
          complain("expected a finite parameter from 0");
        break;
      case sum_kind:
        if (label != nothing && label >= program_.n_variables()) complain("decides no such variable");
        break;
      case product_kind:
        break;
      default:
        complain("no such kind");
    }
    if (is_leaf(node) != children(node).empty()) complain("expected children of sums and products, and of these only");
    for (const std::uint32_t child : children(node))
      if (child >= node) complain("expected children before their parents");
  }

  // Leaves stand in products only; elsewhere they get a product of their own.
  std::uint32_t as_inner(std::uint32_t node) {
    if (!is_leaf(node)) return place_[node];
    if (product_of_[node] == nothing) product_of_[node] = add_product({}, node);
    return product_of_[node];
  }

  std::uint32_t add_product(std::span<const std::uint32_t> factors, std::uint32_t leaf) {
    ProgramNode product = new_node(false, static_cast<std::uint32_t>(factors.size()));
    Scalar constant{1, 0};
    const auto take_leaf = [&](std::uint32_t node) {
      const std::uint32_t label = arrays_.labels[node];
      if (arrays_.kinds[node] == parameter_kind) constant = product_of(constant, arrays_.parameters[label]);
      if (arrays_.kinds[node] == indicator_kind) add_edge(product, label, nothing), ++product.n_indicators;
    };
    if (leaf != nothing) take_leaf(leaf);
    for (const std::uint32_t factor : factors)
      if (is_leaf(factor)) take_leaf(factor);
    for (const std::uint32_t factor : factors)
      if (!is_leaf(factor)) add_edge(product, place_[factor], nothing);
    product.constant = linear(constant);
    return finish(product, constant);
  }

  std::uint32_t add_sum(std::uint32_t node) {
    for (const std::uint32_t child : children(node)) as_inner(child);  // Before the sum's own edges begin.
    ProgramNode sum = new_node(true, static_cast<std::uint32_t>(children(node).size()));
    sum.decided = arrays_.labels[node];
    for (const std::uint32_t child : children(node)) {
      const std::uint32_t inner = as_inner(child);
      add_edge(sum, inner, sum.decided == nothing ? nothing : gate_of(inner, sum.decided));
    }
    return finish(sum, {});
  }

  // An indicator of the variable that the node is a multiple of, directly or through products below it.
  std::uint32_t gate_of(std::uint32_t inner, std::uint32_t variable) {
    pending_.assign(1, inner);
    while (!pending_.empty()) {
      const ProgramNode& node = program_.nodes_[pending_.back()];
      pending_.pop_back();
      if (node.is_sum) continue;
      const std::uint32_t* edges = program_.edges(node);
      for (std::uint32_t i = 0; i < node.n_indicators; ++i)
        if (edges[i] >= program_.first_indicator_[variable] && edges[i] < program_.first_indicator_[variable + 1])
          return edges[i];
      for (std::uint32_t i = node.n_indicators; i < node.n_edges; ++i)
        if (!program_.nodes_[edges[i]].is_sum) pending_.push_back(edges[i]);
    }
    return nothing;
  }

  ProgramNode new_node(bool is_sum, std::uint32_t n_circuit_edges) {
    program_.n_circuit_edges_.push_back(n_circuit_edges);
    return {static_cast<std::uint32_t>(program_.edges_.size()), 0, 0, nothing, is_sum, 0};
  }

  void add_edge(ProgramNode& node, std::uint32_t to, std::uint32_t gate) {
    program_.edges_.push_back(to);
    program_.gates_.push_back(gate);
    ++node.n_edges;
  }

  std::uint32_t finish(const ProgramNode& node, Scalar constant) {
    program_.nodes_.push_back(node);
    program_.constants_.push_back(constant);
    return static_cast<std::uint32_t>(program_.nodes_.size() - 1);
  }

  Program& program_;
  const CircuitArrays& arrays_;
  std::vector<std::uint32_t> place_;       // of each sum and product
  std::vector<std::uint32_t> product_of_;  // the product made for a leaf
  std::vector<std::uint32_t> pending_;
};

Program::Program(const CircuitArrays& arrays) : first_indicator_{0} {
  std::uint64_t n_indicators = 0;
  for (const std::uint32_t arity : arrays.arities) {
    n_indicators += arity;
    if (arity == 0 || n_indicators >= nothing) refuse("expected arities of at least 1, and fewer than 2^32 indicators");
    first_indicator_.push_back(static_cast<std::uint32_t>(n_indicators));
  }
  if (arrays.arities.empty()) refuse("expected at least one variable");
  Builder(*this, arrays).build();
  find_smallest_linear_root();
}

std::vector<std::uint64_t> Program::nodes_above(std::span<const std::uint32_t> variables) const {
  std::vector<bool> is_wanted(n_indicators());
  for (const std::uint32_t variable : variables)
    std::fill_n(is_wanted.begin() + first_indicator(variable), arity(variable), true);
  std::vector<std::uint64_t> above((n_nodes() + 63) / 64);
  for (std::uint32_t i = 0; i < n_nodes(); ++i) {
    const ProgramNode& node = nodes_[i];
    bool is_above = false;
    for (std::uint32_t e = 0; e < node.n_edges && !is_above; ++e) {
      const std::uint32_t to = edges(node)[e];
      is_above = e < node.n_indicators ? is_wanted[to] : (above[to / 64] >> (to % 64) & 1) != 0;
    }
    if (is_above) above[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return above;
}

// Values and derivatives are largest where all indicators are 1, and every indicator used here is at most 1. A product
// that underflows is wrong by less than 2^-1022 in each of its multiplications, upwards and downwards; whatever else it
// is multiplied with on its way to the root, or to a variable's posterior, is at most what it is with all indicators 1.
void Program::find_smallest_linear_root() {
  Block<Wide<1>> block(*this);
  block.open_everything();
  block.mark();
  upward(*this, block);
  downward(*this, block, nullptr);
  const auto at_least_one = [](Scalar x) { return std::max(0.0, log_of(x)); };
  double largest = 0;  // of the logarithms of all errors' factors
  double n_multiplications = 1;
  for (std::uint32_t i = 0; i < n_nodes(); ++i) {
    const ProgramNode& node = nodes_[i];
    double factor = at_least_one(lane(block.derivatives[i], 0)) + at_least_one(lane(block.values[i], 0));
    if (!node.is_sum) {
      factor += at_least_one(constants_[i]);
      for (std::uint32_t e = node.n_indicators; e < node.n_edges; ++e)
        factor += at_least_one(lane(block.values[edges(node)[e]], 0));
      n_multiplications += 4.0 * (node.n_edges + 1);
    }
    largest = std::max(largest, factor);
  }
  const double log2_of_root = -1022 + 200 + std::log2(n_multiplications) + largest / std::log(2.0);
  smallest_linear_root_ = largest > 300 ? HUGE_VAL : std::exp2(log2_of_root);
}

}  // namespace learnac
