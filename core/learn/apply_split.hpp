// SplitAC (Table 2 of the paper), in place.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/growing_circuit.hpp"
#include "learn/split_region.hpp"

namespace learnac {

struct AppliedSplit {
  LeafId first_new_leaf{};  // one for each branch, in order
  std::uint32_t n_new_leaves = 0;
  std::int64_t edge_cost = 0;  // as predicted; debug builds check that it is what happened
};

// Applies splits to one circuit; keeps its scratch memory. Originals that the split would delete are turned into one
// of their own copies, so that their links to the rest of the circuit stay as they are.
class SplitApplication {
 public:
  // `region` may have been walked for the split already, which then need not be done again.
  SplitApplication(GrowingCircuit& circuit, SplitRegion& region) : circuit_(circuit), region_(region) {}

  AppliedSplit apply(const Split& split);

 private:
  Ref& copy(std::uint32_t slot, std::uint32_t branch) { return copies_[std::size_t{slot} * n_branches_ + branch]; }
  Ref copied(Ref child, std::uint32_t branch);
  void forget_region_parents();
  void place_d_copies(const Split& split, const Branches& branches);
  void link_d_copies();
  void build_v_copies(const Branches& branches);
  void keep_children(NodeId original, std::uint32_t branch);
  void turn_into_copy(NodeId original, ScopeId acquired);
  void drop(NodeId original);
  ScopeId conditioned(ScopeId scope, std::uint32_t branch, const Branches& branches);
  void remember_joined_scopes();
  void join_at_ancestors(const Branches& branches);
  NodeId decide(const MutualAncestor& ancestor, ScopeId joined, const Branches& branches);
  void simplify();

  // Drops from bits_ the values of V that `is_kept` refuses.
  template <class Predicate>
  void keep_values(Predicate is_kept) {
    const Domain& domain = circuit_.domain();
    for (std::uint32_t value = 0; value < domain.arity(variable_); ++value) {
      const std::uint32_t v = index(domain.indicator(variable_, value));
      if (!is_kept(value)) bits_[v / 64] &= ~(Word{1} << (v % 64));
    }
  }

  GrowingCircuit& circuit_;
  SplitRegion& region_;
  VariableId variable_{};
  std::uint32_t n_branches_ = 0;
  std::vector<Ref> copies_;       // slot x branch
  std::vector<NodeId> products_;  // that may now have a product as their only parent
  std::vector<ScopeId> joined_;   // per deciding ancestor
  std::vector<Ref> kept_;
  std::uint32_t n_outside_ = 0;
  std::vector<Ref> turned_kept_;
  std::uint32_t turned_n_outside_ = 0;
  std::vector<Word> bits_;
};

}  // namespace learnac
