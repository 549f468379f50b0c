// Which splits may be chosen soon, so that their branches can be counted before they are.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/candidates.hpp"
#include "learn/split_region.hpp"

namespace learnac {

// The best splits of a circuit as it is, one for each leaf, from candidates whose edge costs may be known from below.
class LookAhead {
 public:
  explicit LookAhead(SplitRegion& region) : region_(region) {}

  void offer(const Split& split, double net_gain, std::int64_t least_cost) {
    candidates_.push_back({split, net_gain, least_cost, 0, false});
  }
  // So many splits, best first: those that pay at this price, and then those that will if it is halved, if it may be.
  std::vector<Split> best(std::size_t n_leaves, double edge_penalty, bool may_be_halved);

 private:
  struct Candidate {
    Split split;
    double net_gain;
    std::int64_t cost;
    double score;
    bool is_priced;
  };

  void choose(std::size_t n_leaves, double edge_penalty, std::vector<Split>& chosen);

  SplitRegion& region_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint8_t> is_chosen_;  // by leaf
};

}  // namespace learnac
