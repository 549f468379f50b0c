// How far a split can lower the edge costs of others.
#pragma once

#include <cstdint>
#include <vector>

#include "growing_circuit.hpp"
#include "split_region.hpp"

namespace learnac {

// What applying one split S(D0, V0) may do to the edge cost of another S(D, V). Why this holds, and how it is tested:
// docs/decisions/0002-edge-cost-bounds.md.
class SplitLoss {
 public:
  explicit SplitLoss(const GrowingCircuit& circuit) : circuit_(circuit) {}

  // To be called before the split is applied; `region` has just been walked for it, without a limit.
  void assess(const Split& split, const SplitRegion& region);

  // Whether the leaf has a changed node among its ancestors: in the region, or a mutual ancestor.
  bool is_below_region(LeafId leaf) const { return is_below_[index(leaf)] == below_region; }
  bool is_below(LeafId leaf) const { return is_below_[index(leaf)] != not_below; }
  // By how much the two parts of the cost of splitting the leaf on V can fall. The D side of V0 itself can lose
  // anything below the region, and its V side anywhere.
  std::int64_t d_side_loss(LeafId leaf, VariableId variable) const;
  std::int64_t v_side_loss(VariableId variable) const;
  std::size_t n_leaves() const { return is_below_.size(); }

 private:
  enum Below : std::uint8_t { not_below, below_ancestor, below_region };

  void lose(NodeId node, std::int64_t n_edges);
  void lose_where_parents_part(const Branches& branches, const SplitRegion& region);
  void lose_at_copied_sums(const Split& split, const SplitRegion& region);
  void begin_walk();
  void spread_over_variables();
  template <class Nodes, class NodeOf>
  void mark_leaves_below(const Nodes& nodes, NodeOf node_of, Below what);

  const GrowingCircuit& circuit_;
  std::int64_t lost_in_all_ = 0;
  std::int64_t lost_at_ancestors_ = 0;
  std::vector<std::int64_t> lost_by_scope_;
  std::vector<ScopeId> scopes_;
  std::vector<std::int64_t> lost_with_;      // by variable: at nodes that have it in scope
  std::vector<std::int64_t> lost_deciding_;  // by variable: at sums that decide it
  std::vector<std::uint8_t> is_below_;       // by leaf
  std::vector<std::uint32_t> n_copies_;      // by D-side slot
  std::vector<std::uint32_t> seen_;
  std::uint32_t epoch_ = 0;
  std::vector<NodeId> stack_;
};

}  // namespace learnac
