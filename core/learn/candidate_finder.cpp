#include "learn/candidate_finder.hpp"

#include <algorithm>

namespace learnac {

Candidates CandidateFinder::find(LeafId leaf, std::span<const double> cells) {
  is_open_.assign(trees_.domain().n_indicators(), 1);
  trees_.for_each_excluded(leaf, [&](VariableId variable, std::uint32_t value) {
    is_open_[index(trees_.domain().indicator(variable, value))] = 0;
  });
  return std::visit(
      [&](auto& score) {
        return trees_.kind() == SplitKind::complete ? find_complete(score, leaf, cells)
                                                    : find_binary(score, leaf, cells);
      },
      score_);
}

bool CandidateFinder::is_allowed(VariableId child, VariableId variable) const {
  if (variable == child || trees_.domain().arity(variable) < 2) return false;
  return allowed_.empty() || allowed_[std::size_t{index(child)} * trees_.domain().n_variables() + index(variable)];
}

// In single precision, so that splits that are equally good by symmetry tie, whatever the machine:
// docs/decisions/0001-single-precision-gains.md.
void CandidateFinder::offer(Candidates& found, VariableId variable, std::uint32_t value, double gain,
                            std::uint32_t n_added) const {
  const double net_gain = static_cast<double>(static_cast<float>(gain)) - parameter_penalty_ * n_added;
  if (net_gain <= 0 && !may_remove_edges_[index(variable)]) return;
  found.variables.push_back(index(variable));
  found.values.push_back(value);
  found.net_gains.push_back(net_gain);
}

template <class AnyScore>
Candidates CandidateFinder::find_complete(AnyScore& score, LeafId leaf, std::span<const double> cells) {
  const Domain& domain = trees_.domain();
  const GrowingTrees::Node& node = trees_.node(leaf);
  const std::uint32_t n_values = domain.arity(node.child);
  const double before = score(trees_.counts(leaf), node.mass);
  Candidates found;
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    const std::uint32_t first = domain.first(variable), arity = domain.arity(variable);
    // A variable on the path has one value left, at most.
    const auto open = std::span(is_open_).subspan(first, arity);
    if (!is_allowed(node.child, variable) || std::ranges::count(open, 0) > 0) continue;
    double after = 0;
    for (std::uint32_t value = 0; value < arity; ++value)
      after += score(cells.subspan(std::size_t{first + value} * n_values, n_values), node.mass / arity);
    offer(found, variable, 0, after - before, (arity - 1) * n_values);
  }
  return found;
}

template <class AnyScore>
Candidates CandidateFinder::find_binary(AnyScore& score, LeafId leaf, std::span<const double> cells) {
  const Domain& domain = trees_.domain();
  const GrowingTrees::Node& node = trees_.node(leaf);
  const std::span<const double> totals = trees_.counts(leaf);
  const std::uint32_t n_values = domain.arity(node.child);
  const double before = score(totals, node.mass);
  rest_.resize(n_values);
  Candidates found;
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    const std::uint32_t first = domain.first(variable), arity = domain.arity(variable);
    const auto n_open = std::ranges::count(std::span(is_open_).subspan(first, arity), 1);
    if (!is_allowed(node.child, variable) || n_open < 2) continue;
    const double share = 1 / static_cast<double>(n_open);
    // A split on one of two values is a split on the other: the first stands for both.
    for (std::uint32_t value = 0; value < (arity == 2 ? 1 : arity); ++value) {
      if (!is_open_[first + value]) continue;
      const auto held = cells.subspan(std::size_t{first + value} * n_values, n_values);
      for (std::uint32_t x = 0; x < n_values; ++x) rest_[x] = totals[x] - held[x];
      const double gain = score(held, node.mass * share) + score(rest_, node.mass * (1 - share)) - before;
      offer(found, variable, value, gain, n_values);
    }
  }
  return found;
}

}  // namespace learnac
