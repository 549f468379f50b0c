#include "greedy_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace learnac {

GreedySchedule::GreedySchedule(const GrowingCircuit& circuit, double edge_penalty)
    : circuit_(circuit), edge_penalty_(edge_penalty), ancestry_(circuit.domain().n_variables()), region_(circuit) {}

std::int64_t GreedySchedule::v_floor(VariableId variable) const { return region_.v_side_floor(variable); }

void GreedySchedule::add(LeafId leaf, std::span<const std::uint32_t> variables, std::span<const std::uint32_t> values,
                         std::span<const double> net_gains) {
  LeafEntries made;
  made.leaf = leaf;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const VariableId variable{variables[i]};
    made.entries.push_back({variable, values[i], net_gains[i], 0, v_floor(variable), false});
  }
  n_candidates_ += variables.size();
  if (made.entries.empty()) return;
  find_best(made, SplitRegion::unlimited);
  leaves_.push_back(std::move(made));
}

void GreedySchedule::find_best(LeafEntries& leaf, std::int64_t most_edges) const {
  leaf.best = -1e300;
  for (std::uint32_t i = 0; i < leaf.entries.size(); ++i) {
    const Entry& entry = leaf.entries[i];
    if (entry.d_bound + entry.v_bound > most_edges) continue;
    const double s = score(entry);
    if (s > leaf.best) {
      leaf.best = s;
      leaf.best_entry = i;
    }
  }
}

std::optional<ChosenSplit> GreedySchedule::best_split(std::int64_t most_edges, const ShouldStop& should_stop) {
  for (LeafEntries& leaf : leaves_) find_best(leaf, most_edges);
  double best_exact = 0;
  while (true) {
    LeafEntries* top = nullptr;
    for (LeafEntries& leaf : leaves_)
      if (leaf.best > 0 && (!top || leaf.best > top->best)) top = &leaf;
    if (!top) return std::nullopt;
    Entry& entry = top->entries[top->best_entry];
    const Split split{top->leaf, entry.variable, entry.value};
    if (!ancestry_.may_be_parent(entry.variable, circuit_.leaf(top->leaf).child)) {
      top->entries.erase(top->entries.begin() + top->best_entry);
      find_best(*top, most_edges);
      continue;
    }
    if (entry.is_exact) return ChosenSplit{split, entry.net_gain, entry.d_bound + entry.v_bound};
    if (n_evaluations_ % 256 == 255 && should_stop && should_stop()) return std::nullopt;
    price(*top, entry, best_exact, most_edges);
    if (entry.is_exact) best_exact = std::max(best_exact, score(entry));
    find_best(*top, most_edges);
  }
}

void GreedySchedule::price(LeafEntries& leaf, Entry& entry, double best_known, std::int64_t most_edges) {
  ++n_evaluations_;
  const double most = (entry.net_gain - best_known * 0.5) / edge_penalty_;
  const std::int64_t limit = most < static_cast<double>(most_edges) ? static_cast<std::int64_t>(std::floor(most)) : most_edges;
  const std::int64_t cost = region_.edge_cost({leaf.leaf, entry.variable, entry.value}, limit);
  entry.d_bound = region_.d_side_bound();
  entry.v_bound = cost - entry.d_bound;
  entry.is_exact = region_.is_exact();
}

void GreedySchedule::mark_below(const std::vector<NodeId>& start) {
  if (seen_.size() < circuit_.n_node_ids()) seen_.resize(circuit_.n_node_ids() + circuit_.n_node_ids() / 2, 0);
  ++seen_epoch_;
  std::fill(is_below_.begin(), is_below_.end(), 0);
  is_below_.resize(circuit_.n_leaves(), 0);
  const auto visit = [this](NodeId node) {
    if (seen_[index(node)] == seen_epoch_) return;
    seen_[index(node)] = seen_epoch_;
    if (circuit_.node(node).kind == Kind::parameter)
      is_below_[index(circuit_.leaf_of(ParameterId{circuit_.node(node).label}))] = 1;
    else
      stack_.push_back(node);
  };
  for (const NodeId node : start) visit(node);
  while (!stack_.empty()) {
    const NodeId node = stack_.back();
    stack_.pop_back();
    for (const Ref child : circuit_.children(node))
      if (!child.is_indicator()) visit(child.node());
  }
}

void GreedySchedule::applying(const Split& split) {
  region_.edge_cost(split);
  const Branches branches(circuit_, split);
  const std::uint32_t n_variables = circuit_.domain().n_variables();
  std::vector<Word> touched(circuit_.scopes().n_words(), 0);
  std::int64_t n_lost = 0;
  std::vector<NodeId> changed;
  const auto touch = [&](NodeId node) {
    changed.push_back(node);
    const auto bits = circuit_.scopes().bits(circuit_.node(node).scope);
    for (std::size_t w = 0; w < bits.size(); ++w) touched[w] |= bits[w];
  };
  for (std::uint32_t slot = 0; slot < region_.d_side().size(); ++slot) {
    const NodeId node = region_.d_side()[slot];
    touch(node);
    std::uint32_t n_copies = 0;
    for (const Word word : region_.needed(slot)) n_copies += static_cast<std::uint32_t>(__builtin_popcountll(word));
    if (n_copies < branches.size()) n_lost += circuit_.node(node).children.size;
  }
  for (const NodeId id : region_.v_side()) {
    touch(id);
    const Node& node = circuit_.node(id);
    if (node.kind == Kind::sum && node.label == index(split.variable))
      n_lost += node.children.size;
    else if (node.kind == Kind::product)
      n_lost += 2;
  }
  n_lost += 2 * static_cast<std::int64_t>(region_.deciding_ancestors().size());
  for (const MutualAncestor& m : region_.deciding_ancestors()) changed.push_back(m.node);
  mark_below(changed);

  std::vector<std::uint8_t> is_touched(n_variables, 0);
  for (std::uint32_t i = 0; i < circuit_.domain().n_indicators(); ++i)
    if ((touched[i / 64] >> (i % 64)) & 1) is_touched[index(circuit_.domain().variable(IndicatorId{i}))] = 1;

  std::erase_if(leaves_, [&](const LeafEntries& leaf) { return leaf.leaf == split.leaf; });
  for (LeafEntries& leaf : leaves_) {
    const bool is_below = is_below_[index(leaf.leaf)] != 0;
    for (Entry& entry : leaf.entries) {
      const bool is_same = entry.variable == split.variable;
      if (!is_below && !is_touched[index(entry.variable)] && !is_same) continue;
      entry.is_exact = false;
      entry.v_bound = std::min<std::int64_t>(entry.v_bound, v_floor(entry.variable));
      if (is_below && is_same)
        entry.d_bound = 0;
      else if (is_below)
        entry.d_bound = std::max<std::int64_t>(0, entry.d_bound - (std::int64_t{circuit_.n_branches(entry.variable)} - 1) * n_lost);
    }
  }
  ancestry_.add_arc(split.variable, circuit_.leaf(split.leaf).child);
}

void GreedySchedule::set_edge_penalty(double edge_penalty) { edge_penalty_ = edge_penalty; }

}  // namespace learnac
