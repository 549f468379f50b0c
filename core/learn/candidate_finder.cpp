#include "learn/candidate_finder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace learnac {

namespace {

// The counts of a leaf, and for each indicator those with it and those without; and what the indicators that were added
// since `begin_below` have together, and leave over.
class DenseView {
 public:
  DenseView(std::span<const double> cells, std::span<const double> totals)
      : cells_(cells), totals_(totals), rest_(totals.size()) {}

  std::span<const double> held(std::uint32_t indicator) const {
    return cells_.subspan(indicator * totals_.size(), totals_.size());
  }
  std::span<const double> rest(std::uint32_t indicator) {
    const auto without = held(indicator);
    for (std::size_t x = 0; x < rest_.size(); ++x) rest_[x] = totals_[x] - without[x];
    return rest_;
  }

  void begin_below() {
    below_.assign(totals_.size(), 0);
    rest_.assign(totals_.begin(), totals_.end());
  }
  void add_below(std::uint32_t indicator) {
    const auto added = held(indicator);
    for (std::size_t x = 0; x < added.size(); ++x) {
      below_[x] += added[x];
      rest_[x] -= added[x];
    }
  }
  std::span<const double> below() const { return below_; }
  std::span<const double> above() const { return rest_; }

 private:
  std::span<const double> cells_;
  std::span<const double> totals_;
  std::vector<double> rest_;
  std::vector<double> below_;
};

// The same, without values of the child that the leaf has no rows of: nothing is gained or lost by them.
class SparseView {
 public:
  SparseView(const SparseCells& cells, std::span<const double> totals) : cells_(cells), place_(totals.size()) {
    for (std::uint32_t x = 0; x < totals.size(); ++x) {
      place_[x] = static_cast<std::uint32_t>(totals_.size());
      if (totals[x] != 0) totals_.push_back(totals[x]);
    }
    rest_ = totals_;
  }

  std::span<const double> held(std::uint32_t indicator) const { return cells_.row(indicator).counts; }
  std::span<const double> rest(std::uint32_t indicator) {
    for_each_place(taken_, [&](std::uint32_t place, double) { rest_[place] = totals_[place]; });
    taken_ = cells_.row(indicator);
    for_each_place(taken_, [&](std::uint32_t place, double count) { rest_[place] -= count; });
    return rest_;
  }

  void begin_below() {
    below_.assign(totals_.size(), 0);
    above_ = totals_;
  }
  void add_below(std::uint32_t indicator) {
    for_each_place(cells_.row(indicator), [&](std::uint32_t place, double count) {
      below_[place] += count;
      above_[place] -= count;
    });
  }
  std::span<const double> below() const { return below_; }
  std::span<const double> above() const { return above_; }

 private:
  template <class Visit>
  void for_each_place(const SparseCells::Row& row, Visit visit) const {
    for (std::size_t i = 0; i < row.values.size(); ++i)
      if (row.counts[i] != 0) visit(place_[row.values[i]], row.counts[i]);
  }

  const SparseCells& cells_;
  std::vector<std::uint32_t> place_;  // by value of the child: where it is among those with rows
  std::vector<double> totals_;
  std::vector<double> rest_;
  SparseCells::Row taken_;
  std::vector<double> below_;
  std::vector<double> above_;
};

}  // namespace

Candidates CandidateFinder::find(LeafId leaf, std::span<const double> cells) {
  return find_in(leaf, DenseView(cells, trees_.counts(leaf)));
}

Candidates CandidateFinder::find(LeafId leaf, const SparseCells& cells) {
  return find_in(leaf, SparseView(cells, trees_.counts(leaf)));
}

// Scores are logarithms of probabilities: at most 0. The margin is for rounding, of sums and to single precision.
double CandidateFinder::most_gain(LeafId leaf) {
  constexpr double margin = 1e-6;
  const GrowingTrees::Node& node = trees_.node(leaf);
  const std::span<const double> counts = trees_.counts(leaf);
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double before = std::visit([&](auto& score) { return score(counts, counts.size(), node.mass); }, score_);
  const double most = -before * (1 + margin) + margin * margin * total * std::log(total + 2) + margin * margin;
  return most - parameter_penalty_ * static_cast<double>(counts.size());
}

template <class Cells>
Candidates CandidateFinder::find_in(LeafId leaf, Cells cells) {
  is_open_.assign(trees_.domain().n_indicators(), 1);
  trees_.for_each_excluded(leaf, [&](VariableId variable, std::uint32_t value) {
    is_open_[index(trees_.domain().indicator(variable, value))] = 0;
  });
  return best_of(std::visit(
      [&](auto& score) {
        return trees_.space().kind() == SplitKind::complete ? find_complete(score, leaf, cells)
                                                            : find_binary(score, leaf, cells);
      },
      score_));
}

// Of equal gains the first are kept, as schedules would choose them.
Candidates CandidateFinder::best_of(Candidates found) const {
  if (found.variables.size() <= most_candidates_) return found;
  std::vector<std::uint32_t> order(found.variables.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::nth_element(
      order, order.begin() + static_cast<std::ptrdiff_t>(most_candidates_), [&](std::uint32_t a, std::uint32_t b) {
        return found.net_gains[a] != found.net_gains[b] ? found.net_gains[a] > found.net_gains[b] : a < b;
      });
  order.resize(most_candidates_);
  std::ranges::sort(order);
  Candidates best;
  for (const std::uint32_t i : order) {
    best.variables.push_back(found.variables[i]);
    best.values.push_back(found.values[i]);
    best.net_gains.push_back(found.net_gains[i]);
  }
  return best;
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

template <class AnyScore, class Cells>
Candidates CandidateFinder::find_complete(AnyScore& score, LeafId leaf, const Cells& cells) {
  const Domain& domain = trees_.domain();
  const GrowingTrees::Node& node = trees_.node(leaf);
  const std::uint32_t n_values = domain.arity(node.child);
  const double before = score(trees_.counts(leaf), n_values, node.mass);
  Candidates found;
  for (std::uint32_t v = 0; v < domain.n_variables(); ++v) {
    const VariableId variable{v};
    const std::uint32_t first = domain.first(variable), arity = domain.arity(variable);
    // A variable on the path has one value left, at most.
    const auto open = std::span(is_open_).subspan(first, arity);
    if (!is_allowed(node.child, variable) || std::ranges::count(open, 0) > 0) continue;
    double after = 0;
    for (std::uint32_t value = 0; value < arity; ++value)
      after += score(cells.held(first + value), n_values, node.mass / arity);
    offer(found, variable, 0, after - before, (arity - 1) * n_values);
  }
  return found;
}

template <class AnyScore, class Cells>
Candidates CandidateFinder::find_binary(AnyScore& score, LeafId leaf, Cells& cells) {
  const SplitSpace& space = trees_.space();
  const GrowingTrees::Node& node = trees_.node(leaf);
  const std::uint32_t n_values = space.domain().arity(node.child);
  const LeafScore<AnyScore> scored{score, n_values, node.mass, score(trees_.counts(leaf), n_values, node.mass)};
  Candidates found;
  for (std::uint32_t v = 0; v < space.domain().n_variables(); ++v) {
    const VariableId variable{v};
    const auto open = std::span(is_open_).subspan(space.domain().first(variable), space.domain().arity(variable));
    const auto n_open = static_cast<std::uint32_t>(std::ranges::count(open, 1));
    if (!is_allowed(node.child, variable) || n_open < 2) continue;
    if (space.groups_values(variable) && space.is_ordered(variable))
      offer_thresholds(found, scored, variable, n_open, cells);
    else
      offer_values(found, scored, variable, n_open, cells);
  }
  return found;
}

// One value against the rest.
template <class AnyScore, class Cells>
void CandidateFinder::offer_values(Candidates& found, const LeafScore<AnyScore>& leaf, VariableId variable,
                                   std::uint32_t n_open, Cells& cells) const {
  const std::uint32_t first = trees_.domain().first(variable), arity = trees_.domain().arity(variable);
  const double share = 1 / static_cast<double>(n_open);
  // Values that no row has leave everything to the rest, one like the other.
  std::optional<double> rest_of_none;
  // A split on one of two values is a split on the other: the first stands for both.
  for (std::uint32_t value = 0; value < (arity == 2 ? 1 : arity); ++value) {
    if (!is_open_[first + value]) continue;
    const auto held = cells.held(first + value);
    double rest;
    if (held.empty() && rest_of_none) {
      rest = *rest_of_none;
    } else {
      rest = leaf.of_share(cells.rest(first + value), 1 - share);
      if (held.empty()) rest_of_none = rest;
    }
    offer(found, variable, value, leaf.of_share(held, share) + rest - leaf.before, leaf.n_values);
  }
}

// The values up to one against those above it: sums that grow value by value, so that all thresholds together take one
// pass over the variable's cells.
template <class AnyScore, class Cells>
void CandidateFinder::offer_thresholds(Candidates& found, const LeafScore<AnyScore>& leaf, VariableId variable,
                                       std::uint32_t n_open, Cells& cells) const {
  const std::uint32_t first = trees_.domain().first(variable);
  cells.begin_below();
  for (std::uint32_t value = 0, n_below = 0; n_below + 1 < n_open; ++value) {
    if (!is_open_[first + value]) continue;
    cells.add_below(first + value);
    const double share = static_cast<double>(++n_below) / n_open;
    const double below = leaf.of_share(cells.below(), share), above = leaf.of_share(cells.above(), 1 - share);
    offer(found, variable, value, below + above - leaf.before, leaf.n_values);
  }
}

}  // namespace learnac
