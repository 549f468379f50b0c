#include "infer/program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "infer/passes.hpp"

namespace learnac {
namespace {

Scalar product_of(Scalar a, double b) {
  int of_b = 0, exponent = 0;
  const double fraction = std::frexp(a.mantissa * std::frexp(b, &of_b), &exponent);
  return {fraction, a.exponent + of_b + exponent};
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
        n_parents_(arrays.kinds.size()),
        is_below_sum_(arrays.kinds.size()) {}

  void build() {
    for (std::uint32_t node = 0; node < arrays_.n_nodes(); ++node)
      for (const std::uint32_t child : arrays_.children_of(node)) {
        ++n_parents_[child];
        is_below_sum_[child] = arrays_.kind(node) == NodeKind::sum;
      }
    const std::uint32_t root = arrays_.n_nodes() - 1;
    for (std::uint32_t node = 0; node < arrays_.n_nodes(); ++node) {
      if (arrays_.kind(node) == NodeKind::sum) add_sum(node);
      if ((arrays_.kind(node) == NodeKind::product && !is_folded(node)) || (node == root && arrays_.is_leaf(root)))
        add_product(node);
    }
    order_by_shape();
  }

 private:
  // A product that is nothing but a term of one sum.
  bool is_folded(std::uint32_t node) const {
    return arrays_.kind(node) == NodeKind::product && n_parents_[node] == 1 && is_below_sum_[node];
  }

  void add_product(std::uint32_t node) {
    begin_node(nothing);
    const std::span<const std::uint32_t> factors = arrays_.children_of(node);
    add_term(arrays_.is_leaf(node) ? std::span<const std::uint32_t>(&node, 1) : factors, factors.size());
    place_[node] = program_.n_nodes() - 1;
  }

  void add_sum(std::uint32_t node) {
    begin_node(arrays_.labels[node]);
    for (const std::uint32_t& child : arrays_.children_of(node)) {
      if (is_folded(child))
        add_term(arrays_.children_of(child), 1 + arrays_.children_of(child).size());
      else
        add_term(std::span<const std::uint32_t>(&child, 1), 1);
    }
    place_[node] = program_.n_nodes() - 1;
  }

  void begin_node(std::uint32_t decided) {
    program_.nodes_.push_back({static_cast<std::uint32_t>(program_.terms_.size()), 0, decided});
  }

  // The product of some nodes, as one more term of the last node.
  void add_term(std::span<const std::uint32_t> factors, std::size_t n_circuit_edges) {
    Term term{0, static_cast<std::uint32_t>(program_.edges_.size()), 0, 0};
    Scalar constant{1, 0};
    for (const std::uint32_t factor : factors) {
      const std::uint32_t label = arrays_.labels[factor];
      if (arrays_.kind(factor) == NodeKind::parameter) {
        constant = product_of(constant, arrays_.parameters[label]);
        program_.parameters_.push_back(label);
      }
      if (arrays_.kind(factor) == NodeKind::indicator) program_.edges_.push_back(label), ++term.n_indicators;
    }
    for (const std::uint32_t factor : factors)
      if (!arrays_.is_leaf(factor)) program_.edges_.push_back(place_[factor]);
    program_.first_parameter_.push_back(program_.parameters_.size());
    term.n_edges = static_cast<std::uint32_t>(program_.edges_.size()) - term.first_edge;
    program_.most_edges_ = std::max(program_.most_edges_, term.n_edges);
    term.constant = linear(constant);
    ProgramNode& node = program_.nodes_.back();
    if (node.decided != nothing) find_gate(term, node.decided);
    program_.terms_.push_back(term);
    program_.constants_.push_back(constant);
    program_.n_circuit_edges_.push_back(static_cast<std::uint32_t>(n_circuit_edges));
    ++node.n_terms;
  }

  // Nodes of the same height one after the other, and among these nodes of the same shape: what a pass does is then the
  // same for many nodes on end, which processors foresee. It makes passes twice as fast.
  void order_by_shape() {
    const std::uint32_t n = program_.n_nodes();
    std::vector<Shape> shapes(n);
    for (std::uint32_t i = 0; i < n; ++i) shapes[i] = shape_of(program_.nodes_[i], shapes);
    shapes[n - 1].height = nothing;  // Nodes that the root does not reach may be higher.
    std::vector<std::uint32_t> order(n), place(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(shapes[a].height, shapes[a].form) < std::tie(shapes[b].height, shapes[b].form);
    });
    for (std::uint32_t i = 0; i < n; ++i) place[order[i]] = i;
    const Program before = program_;
    program_.nodes_.clear();
    program_.terms_.clear();
    program_.constants_.clear();
    program_.n_circuit_edges_.clear();
    program_.edges_.clear();
    program_.parameters_.clear();
    program_.first_parameter_.assign(1, 0);
    for (const std::uint32_t i : order) copy_node(before, before.nodes_[i], place);
  }

  struct Shape {
    std::uint32_t height = 0;
    std::uint64_t form = 0;  // numbers of terms and edges
  };

  Shape shape_of(const ProgramNode& node, std::span<const Shape> below) const {
    Shape shape{0, node.n_terms};
    for (const Term& term : program_.terms(node)) {
      shape.form = shape.form * 31 + term.n_edges * 3 + term.n_indicators;
      const std::uint32_t* edges = program_.edges(term);
      for (std::uint32_t e = term.n_indicators; e < term.n_edges; ++e)
        shape.height = std::max(shape.height, below[edges[e]].height + 1);
    }
    return shape;
  }

  void copy_node(const Program& from, const ProgramNode& node, std::span<const std::uint32_t> place) {
    begin_node(node.decided);
    program_.nodes_.back().n_terms = node.n_terms;
    for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
      Term term = from.terms_[t];
      const std::uint32_t* edges = from.edges(term);
      term.first_edge = static_cast<std::uint32_t>(program_.edges_.size());
      for (std::uint32_t e = 0; e < term.n_edges; ++e)
        program_.edges_.push_back(e < term.n_indicators ? edges[e] : place[edges[e]]);
      program_.terms_.push_back(term);
      program_.constants_.push_back(from.constants_[t]);
      program_.n_circuit_edges_.push_back(from.n_circuit_edges_[t]);
      const std::span<const std::uint32_t> own = from.parameters(t);
      program_.parameters_.insert(program_.parameters_.end(), own.begin(), own.end());
      program_.first_parameter_.push_back(program_.parameters_.size());
    }
  }

  // An indicator of the variable that the term is a multiple of, directly or through products below it.
  void find_gate(Term& top, std::uint32_t variable) {
    constexpr int most_steps = 1000;  // Without a gate a term is only walked more often than need be.
    pending_.assign(1, top);
    for (int step = 0; step < most_steps && !pending_.empty(); ++step) {
      const Term term = pending_.back();
      pending_.pop_back();
      const std::uint32_t* edges = program_.edges(term);
      for (std::uint32_t e = 0; e < term.n_indicators; ++e)
        if (edges[e] >= program_.first_indicator_[variable] && edges[e] < program_.first_indicator_[variable + 1]) {
          top.gate = edges[e];
          top.n_gates = 1;
          return;
        }
      for (std::uint32_t e = term.n_indicators; e < term.n_edges; ++e) {
        const ProgramNode& below = program_.nodes_[edges[e]];
        if (below.n_terms == 1) pending_.push_back(program_.terms_[below.first_term]);
      }
    }
  }

  Program& program_;
  const CircuitArrays& arrays_;
  std::vector<std::uint32_t> place_;  // of each node that is not folded into another
  std::vector<std::uint32_t> n_parents_;
  std::vector<std::uint8_t> is_below_sum_;
  std::vector<Term> pending_;
};

Program::Program(const CircuitArrays& arrays) : first_indicator_{0} {
  check(arrays);
  n_parameters_ = static_cast<std::uint32_t>(arrays.parameters.size());
  for (const std::uint32_t arity : arrays.arities) first_indicator_.push_back(first_indicator_.back() + arity);
  Builder(*this, arrays).build();
  find_wide_gates();
  find_smallest_linear_root();
}

// Where two terms of a sum have several values each, as below a threshold, their values tell which of them counts.
// Where there is one such term, what the others leave open does.
void Program::find_wide_gates() {
  std::vector<std::vector<std::uint32_t>> sums(n_variables());
  for (std::uint32_t i = 0; i < n_nodes(); ++i) {
    const auto is_open = [](const Term& term) { return term.n_gates == 0; };
    if (nodes_[i].decided != nothing && std::ranges::count_if(terms(nodes_[i]), is_open) > 1)
      sums[nodes_[i].decided].push_back(i);
  }
  for (std::uint32_t variable = 0; variable < sums.size(); ++variable)
    if (!sums[variable].empty()) find_wide_gates_of(variable, sums[variable]);
}

void Program::find_wide_gates_of(std::uint32_t variable, std::span<const std::uint32_t> sums) {
  // The variable's indicators below a node or term, and whether it is zero without them, as all are in smooth circuits.
  struct Range {
    std::uint32_t first = nothing, last = 0;
    bool is_needed = false;

    void add(const Range& other) {
      first = std::min(first, other.first);
      last = std::max(last, other.last);
    }
  };
  std::vector<Range> below(sums.back() + 1);
  const auto range_of = [&](const Term& term) {
    Range range;
    for (std::uint32_t e = 0; e < term.n_edges; ++e) {
      const std::uint32_t to = edges(term)[e];
      const bool is_own = to >= first_indicator(variable) && to < first_indicator(variable + 1);
      if (e < term.n_indicators && !is_own) continue;
      const Range factor = e < term.n_indicators ? Range{to, to, true} : below[to];
      range.add(factor);
      range.is_needed |= factor.is_needed;
    }
    return range;
  };
  for (std::uint32_t i = 0; i < below.size(); ++i) {
    below[i].is_needed = true;
    for (const Term& term : terms(nodes_[i])) {
      const Range range = range_of(term);
      below[i].add(range);
      below[i].is_needed &= range.is_needed;
    }
  }
  for (const std::uint32_t sum : sums)
    for (std::uint32_t t = nodes_[sum].first_term; t < nodes_[sum].first_term + nodes_[sum].n_terms; ++t) {
      const Range range = range_of(terms_[t]);
      if (terms_[t].n_gates > 0 || !range.is_needed) continue;
      terms_[t].gate = range.first;
      terms_[t].n_gates = range.last - range.first + 1;
    }
}

std::vector<std::uint64_t> Program::nodes_above(std::span<const std::uint32_t> variables) const {
  std::vector<bool> is_wanted(n_indicators());
  for (const std::uint32_t variable : variables)
    std::fill_n(is_wanted.begin() + first_indicator(variable), arity(variable), true);
  std::vector<std::uint64_t> above((n_nodes() + 63) / 64);
  const auto has_wanted = [&](const Term& term) {
    for (std::uint32_t e = 0; e < term.n_edges; ++e) {
      const std::uint32_t to = edges(term)[e];
      if (e < term.n_indicators ? is_wanted[to] : (above[to / 64] >> (to % 64) & 1) != 0) return true;
    }
    return false;
  };
  for (std::uint32_t i = 0; i < n_nodes(); ++i) {
    const std::span<const Term> found = terms(nodes_[i]);
    if (std::any_of(found.begin(), found.end(), has_wanted)) above[i / 64] |= std::uint64_t{1} << (i % 64);
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
    const double own = at_least_one(lane(block.derivatives[i], 0)) + at_least_one(lane(block.values[i], 0));
    for (std::uint32_t t = nodes_[i].first_term; t < nodes_[i].first_term + nodes_[i].n_terms; ++t) {
      double factor = own + at_least_one(constants_[t]);
      for (std::uint32_t e = terms_[t].n_indicators; e < terms_[t].n_edges; ++e)
        factor += at_least_one(lane(block.values[edges(terms_[t])[e]], 0));
      n_multiplications += 4.0 * (terms_[t].n_edges + 1);
      largest = std::max(largest, factor);
    }
  }
  const double log2_of_root = -1022 + 200 + std::log2(n_multiplications) + largest / std::log(2.0);
  smallest_linear_root_ = largest > 300 ? HUGE_VAL : std::exp2(log2_of_root);
}

}  // namespace learnac
