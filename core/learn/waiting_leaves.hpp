// Leaves whose candidates are not known yet, because nobody has counted them: they wait, with a bound on what any of
// their splits can gain. A search goes on for as long as a known candidate beats every bound, and is the same search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "ids.hpp"

namespace learnac {

class WaitingLeaves {
 public:
  // No candidate of the leaf will have more net gain than `most_gain`.
  void add(LeafId leaf, double most_gain) {
    most_gains_[index(leaf)] = most_gain;
    most_ = std::max(most_, most_gain);
  }
  // Its candidates are known now, or it is split.
  void remove(LeafId leaf) {
    const auto found = most_gains_.find(index(leaf));
    if (found == most_gains_.end()) return;
    const bool was_most = found->second >= most_;
    most_gains_.erase(found);
    if (was_most) find_most();
  }
  void clear() {
    most_gains_.clear();
    most_ = none;
  }
  bool empty() const { return most_gains_.empty(); }
  // The greatest net gain that any candidate of a waiting leaf may have.
  double most_gain() const { return most_; }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  void find_most() {
    most_ = none;
    for (const auto& [leaf, gain] : most_gains_) most_ = std::max(most_, gain);
  }

  std::map<std::uint32_t, double> most_gains_;
  double most_ = none;
};

}  // namespace learnac
