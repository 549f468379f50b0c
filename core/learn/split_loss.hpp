// How far a split can lower the edge costs of others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/growing_circuit.hpp"
#include "learn/split_region.hpp"

namespace learnac {

// A lower bound on an edge cost, in two parts: what the ancestors of D cost, and the rest.
struct CostBound {
  std::int64_t d_side = 0;
  std::int64_t v_side = 0;

  std::int64_t total() const { return d_side + v_side; }
};

// What applying one split S(D0, V0) may do to the edge cost of another S(D, V). Why this holds, and how it is tested:
// docs/decisions/0002-edge-cost-bounds.md.
class SplitLoss {
 public:
  explicit SplitLoss(const GrowingCircuit& circuit) : circuit_(circuit) {}

  // To be called before the split is applied; `region` has just been walked for it, without a limit.
  void assess(const Split& split, const SplitRegion& region);

  // The leaves that there were.
  std::size_t n_leaves() const { return is_below_.size(); }
  // What holds after the split, of a bound that held before it. `v_side_floor` is that of the circuit as it is now.
  CostBound lowered(CostBound bound, LeafId leaf, VariableId variable, std::int64_t v_side_floor) const;

 private:
  // What a leaf has among the ancestors of its parameters, as bits.
  enum Below : std::uint8_t {
    below_region = 1,    // a node of the region
    below_losing = 2,    // one that loses edges, other than a mutual ancestor
    below_ancestor = 4,  // a mutual ancestor that does
  };

  static constexpr std::uint32_t no_place = ~std::uint32_t{0};

  bool is_below(LeafId leaf, Below what) const { return (is_below_[index(leaf)] & what) != 0; }

  std::int64_t d_side_loss(LeafId leaf, VariableId variable) const;
  std::int64_t v_side_loss(LeafId leaf, VariableId variable) const;
  void lose(NodeId node, std::int64_t n_edges);
  void lose_in_scope(NodeId node, std::int64_t n_edges);
  void lose_where_parents_part(const Branches& branches, const SplitRegion& region);
  void lose_at_copied_sums(const Split& split, const SplitRegion& region);
  void begin_walk();
  void spread_over_variables();
  void mark_leaves_below(std::span<const NodeId> nodes, Below what);

  const GrowingCircuit& circuit_;
  VariableId variable_{};
  std::int64_t lost_in_all_ = 0;
  std::int64_t lost_at_ancestors_ = 0;
  std::vector<NodeId> losing_;
  std::vector<NodeId> ancestors_;
  std::vector<std::int64_t> lost_by_scope_;
  std::vector<ScopeId> scopes_;
  std::vector<std::int64_t> lost_with_;      // by variable: at nodes that have it in scope
  std::vector<VariableId> losers_;           // variables in scope where edges are lost
  std::vector<std::uint32_t> place_;         // by variable: its place among them
  std::vector<std::int64_t> lost_without_;   // by places of child and variable: with the variable, without the child
  std::vector<std::int64_t> lost_here_;      // by place
  std::vector<std::int64_t> lost_deciding_;  // by variable: at sums that decide it
  std::vector<std::uint8_t> is_below_;       // by leaf: bits of Below
  std::vector<std::uint32_t> n_copies_;      // by D-side slot
  std::vector<std::uint32_t> seen_;
  std::uint32_t epoch_ = 0;
  std::vector<NodeId> stack_;
};

}  // namespace learnac
