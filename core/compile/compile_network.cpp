#include "compile/compile_network.hpp"

#include <bit>
#include <unordered_map>

namespace learnac {
namespace {

// The parameters of a network, numbered; equal ones of one tree have the same number.
class Parameters {
 public:
  std::uint32_t number(std::uint32_t variable, std::uint32_t node, std::uint32_t value, double probability) {
    if (variable != variable_) known_.clear(), variable_ = variable;
    const auto [place, is_new] =
        known_.try_emplace(std::bit_cast<std::uint64_t>(probability), static_cast<std::uint32_t>(origins_.size() / 3));
    if (is_new)
      for (const std::uint32_t part : {variable, node, value}) origins_.push_back(static_cast<std::int32_t>(part));
    return place->second;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(origins_.size() / 3); }
  const std::int32_t* origin(std::uint32_t number) const { return origins_.data() + 3 * std::size_t{number}; }

 private:
  std::uint32_t variable_ = 0xffffffffu;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  std::vector<std::int32_t> origins_;
};

class Reading {
 public:
  Reading(const NetworkArrays& network, std::span<const std::uint32_t> ranks, std::span<const std::int32_t> given)
      : network_(network), ranks_(ranks), given_(given), diagrams_(network.arities, ranks) {}

  // The CPD of a variable, with what is given, in order where that is not too large. It is made apart, and copied when
  // it is done: most of what is made on the way is of no use.
  DiagramId read(std::uint32_t child, std::size_t first_parameter) {
    Diagrams scratch(network_.arities, ranks_);
    DiagramId found = tree(scratch, child, first_parameter);
    for (std::uint32_t variable = 0; variable < given_.size(); ++variable)
      if (given_[variable] >= 0) found = scratch.given(found, variable, static_cast<std::uint32_t>(given_[variable]));
    const std::size_t n_nodes = network_.first_nodes[child + 1] - network_.first_nodes[child];
    const std::size_t n_asked = scratch.asked(found).size();
    found = scratch.ordered(found, (n_asked + 4) * n_nodes * network_.arities[child] + 4096);
    std::unordered_map<std::uint32_t, DiagramId> copied;
    return diagrams_.copied(scratch, found, copied);
  }

  Diagrams& diagrams() { return diagrams_; }
  const Parameters& parameters() const { return parameters_; }

 private:
  DiagramId tree(Diagrams& diagrams, std::uint32_t child, std::size_t first_parameter) {
    const std::uint32_t first = network_.first_nodes[child], end = network_.first_nodes[child + 1];
    std::vector<DiagramId> made(end - first), branches;
    for (std::uint32_t node = end - first; node-- > 0;) {
      branches.clear();
      const std::int32_t variable = network_.variables[first + node];
      if (variable < 0) {
        for (std::uint32_t value = 0; value < network_.arities[child]; ++value) {
          const double probability = network_.parameters[first_parameter + node * network_.arities[child] + value];
          branches.push_back(probability == 0
                                 ? Diagrams::zero
                                 : diagrams.parameter(parameters_.number(child, node, value, probability)));
        }
        made[node] = diagrams.question(child, child, branches);
        continue;
      }
      const auto asked = static_cast<std::uint32_t>(variable);
      for (std::uint32_t value = 0; value < network_.arities[asked]; ++value)
        branches.push_back(made[network_.routes[network_.first_route[first + node] + value]]);
      // A tree may ask what it has asked before: then only one branch counts.
      for (std::uint32_t value = 0; value < branches.size(); ++value)
        branches[value] = diagrams.given(branches[value], asked, value);
      made[node] = diagrams.question(child, asked, branches);
    }
    return made[0];
  }

  const NetworkArrays& network_;
  std::span<const std::uint32_t> ranks_;
  std::span<const std::int32_t> given_;
  Diagrams diagrams_;
  Parameters parameters_;
};

}  // namespace

CompiledNetwork compile_network(const NetworkArrays& network, std::span<const std::uint32_t> order,
                                std::span<const std::int32_t> given, const CompileBudget& budget) {
  const auto n_variables = static_cast<std::uint32_t>(network.arities.size());
  std::vector<std::uint32_t> ranks(n_variables);
  for (std::uint32_t rank = 0; rank < n_variables; ++rank) ranks[order[rank]] = rank;
  Reading reading(network, ranks, given);
  std::vector<DiagramId> open;
  std::vector<std::uint32_t> settled, first_indicator{0};
  CompiledNetwork found{CompileEnd::done, false, 0, 0, {}, {}};
  std::size_t first_parameter = 0;
  for (std::uint32_t child = 0; child < n_variables; ++child) {
    const DiagramId diagram = reading.read(child, first_parameter);
    const std::size_t n_nodes = network.first_nodes[child + 1] - network.first_nodes[child];
    first_parameter += n_nodes * network.arities[child];
    first_indicator.push_back(first_indicator.back() + network.arities[child]);
    found.is_impossible |= diagram == Diagrams::zero;
    if (!reading.diagrams().is_end(diagram))
      open.push_back(diagram);
    else if (!found.is_impossible)
      settled.push_back(reading.diagrams().parameter_of(diagram));
    if (reading.diagrams().n_bytes() > budget.most_bytes) found.end = CompileEnd::bytes;
    if (budget.should_stop()) found.end = CompileEnd::stopped;
    if (found.is_impossible || found.end != CompileEnd::done) return found;
  }
  const std::uint32_t n_indicators = first_indicator.back();
  SharedNodes nodes(n_indicators, reading.parameters().size());
  Conditioning conditioning(reading.diagrams(), nodes, network.arities, n_indicators);
  std::optional<std::vector<std::uint32_t>> factors = conditioning.compile(open, budget);
  found.end = conditioning.end();
  found.n_edges = nodes.n_edges();
  found.n_parts = conditioning.n_parts();
  found.is_impossible = found.end == CompileEnd::done && !factors;
  if (!factors) return found;
  for (std::uint32_t number : settled) factors->push_back(n_indicators + number);
  for (std::uint32_t variable = 0; variable < given.size(); ++variable)
    if (given[variable] >= 0)
      factors->push_back(first_indicator[variable] + static_cast<std::uint32_t>(given[variable]));
  found.circuit = finish(nodes, *factors, n_indicators);
  for (const std::uint32_t number : found.circuit.parameters) {
    const std::int32_t* origin = reading.parameters().origin(number);
    found.origins.insert(found.origins.end(), origin, origin + 3);
  }
  return found;
}

}  // namespace learnac
