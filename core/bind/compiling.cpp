// From networks to circuits.
#include <chrono>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "compile/compile_network.hpp"
#include "compile/elimination_orders.hpp"
#include "compile/share.hpp"
#include "infer/tree_scores.hpp"

namespace learnac {
namespace {

using namespace nanobind::literals;

// Calls `should_stop` of Python every 50 ms at most, and keeps what it raises.
class Asking {
 public:
  explicit Asking(const nb::callable& should_stop) : should_stop_(should_stop) {}

  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ || is_over_) return is_over_;
    next_ = now + std::chrono::milliseconds(50);
    nb::gil_scoped_acquire acquire;
    try {
      is_over_ = PyErr_CheckSignals() != 0 ? throw nb::python_error() : nb::cast<bool>(should_stop_());
    } catch (nb::python_error& raised) {
      error_.emplace(std::move(raised));
      is_over_ = true;
    }
    return is_over_;
  }
  void raise() {
    if (error_) throw std::move(*error_);
  }

 private:
  const nb::callable& should_stop_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  std::optional<nb::python_error> error_;
  bool is_over_ = false;
};

void check_order(std::span<const std::uint32_t> order, std::size_t n_variables) {
  std::vector<bool> is_there(n_variables);
  if (order.size() != n_variables) refuse("expected every variable in the order");
  for (const std::uint32_t variable : order) {
    check_index("order", variable, n_variables);
    if (is_there[variable]) refuse("expected every variable once in the order");
    is_there[variable] = true;
  }
}

void check_given(std::span<const std::int32_t> given, std::span<const std::uint32_t> arities) {
  if (given.size() != arities.size()) refuse("expected a code for each variable");
  for (std::size_t v = 0; v < given.size(); ++v)
    if (given[v] >= static_cast<std::int32_t>(arities[v])) refuse("a code is not below its arity");
}

// Kinds, labels, child offsets, children.
nb::tuple arrays_of(CompiledArrays& found) {
  return nb::make_tuple(to_numpy(std::move(found.kinds)), to_numpy(std::move(found.labels)),
                        to_numpy(std::move(found.child_offsets)), to_numpy(std::move(found.children)));
}

}  // namespace

void bind_compiling(nb::module_& m) {
  m.def(
      "compile_network",
      [](Input<std::uint32_t> arities, Input<std::uint32_t> first_nodes, Input<std::int32_t> variables,
         Input<std::uint32_t> first_route, Input<std::uint32_t> routes, Input<double> parameters,
         Input<std::uint32_t> order, Input<std::int32_t> given, std::size_t most_edges, std::size_t most_bytes,
         const nb::callable& should_stop) {
        const NetworkArrays network{span_of(arities),     span_of(first_nodes), span_of(variables),
                                    span_of(first_route), span_of(routes),      span_of(parameters)};
        TreeScores({network.arities, network.first_nodes, network.variables, network.first_route, network.routes,
                    network.parameters});  // Refuses what is no tree.
        check_order(span_of(order), arities.size());
        check_given(span_of(given), network.arities);
        CompiledNetwork found;
        Asking asking(should_stop);
        {
          const nb::gil_scoped_release release;
          found = compile_network(network, span_of(order), span_of(given),
                                  {most_edges, most_bytes, [&] { return asking(); }});
        }
        asking.raise();
        const std::size_t n_parameters = found.origins.size() / 3;
        return nb::make_tuple(static_cast<int>(found.end), found.is_impossible, found.n_edges, found.n_parts,
                              arrays_of(found.circuit), to_numpy(std::move(found.origins), {n_parameters, 3}));
      },
      "arities"_a, "first_nodes"_a, "variables"_a, "first_route"_a, "routes"_a, "parameters"_a, "order"_a, "given"_a,
      "most_edges"_a, "most_bytes"_a, "should_stop"_a);
  m.def(
      "share_nodes",
      [](Input<std::uint32_t> arities, Input<std::uint8_t> kinds, Input<std::uint32_t> labels,
         Input<std::uint64_t> child_offsets, Input<std::uint32_t> children, Input<double> parameters) {
        const CircuitArrays arrays{span_of(arities),       span_of(kinds),    span_of(labels),
                                   span_of(child_offsets), span_of(children), span_of(parameters)};
        check(arrays);
        CompiledArrays found;
        {
          const nb::gil_scoped_release release;
          found = shared(arrays);
        }
        return nb::make_tuple(arrays_of(found), to_numpy(std::move(found.parameters)));
      },
      "arities"_a, "kinds"_a, "labels"_a, "child_offsets"_a, "children"_a, "parameters"_a);
  m.def(
      "elimination_order",
      [](Input<std::uint32_t> arities, Input<std::uint32_t> first_members, Input<std::uint32_t> members, int rule,
         std::uint64_t seed) {
        if (arities.size() == 0 || first_members.size() == 0 ||
            first_members(first_members.size() - 1) > members.size())
          refuse("expected the members of each family");
        for (std::size_t i = 0; i < members.size(); ++i) check_index("member", members(i), arities.size());
        check_index("rule", static_cast<std::uint64_t>(rule), 4);
        EliminationOrder found;
        {
          const nb::gil_scoped_release release;
          found = elimination_order(span_of(arities), span_of(first_members), span_of(members),
                                    static_cast<EliminationRule>(rule), seed);
        }
        return nb::make_tuple(to_numpy(std::move(found.variables)), found.log2_states);
      },
      "arities"_a, "first_members"_a, "members"_a, "rule"_a, "seed"_a);
}

}  // namespace learnac
