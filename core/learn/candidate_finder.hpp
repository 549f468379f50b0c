// From the counts of a leaf to its candidate splits and their gains.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "learn/growing_trees.hpp"
#include "learn/leaf_counts.hpp"
#include "learn/scores.hpp"

namespace learnac {

using Score = std::variant<LikelihoodScore, BayesianDirichletScore>;

// The splits of one leaf that may pay, ascending by variable and value.
struct Candidates {
  std::vector<std::uint32_t> variables;
  std::vector<std::uint32_t> values;
  std::vector<double> net_gains;  // gain in score less the parameter penalty
};

class CandidateFinder {
 public:
  // `may_remove_edges` marks the variables whose splits may pay without a gain. `allowed` has a byte for each child and
  // variable, or none if everything is. Of more than `most_candidates` of a leaf, those with the largest gains are
  // kept.
  CandidateFinder(const GrowingTrees& trees, Score score, double parameter_penalty,
                  std::vector<std::uint8_t> may_remove_edges, std::vector<std::uint8_t> allowed,
                  std::size_t most_candidates = std::numeric_limits<std::size_t>::max())
      : trees_(trees),
        score_(std::move(score)),
        parameter_penalty_(parameter_penalty),
        may_remove_edges_(std::move(may_remove_edges)),
        allowed_(std::move(allowed)),
        most_candidates_(most_candidates) {}

  const GrowingTrees& trees() const { return trees_; }

  // No split of the leaf has more net gain than this, whatever its counts are: the rows of a leaf cannot gain more than
  // it takes to predict them with certainty.
  double most_gain(LeafId leaf);
  // `cells` are the leaf's counts, [indicator][value of the child]. Splits that would close a cycle are among them.
  Candidates find(LeafId leaf, std::span<const double> cells);
  Candidates find(LeafId leaf, const SparseCells& cells);

 private:
  // What a leaf is worth before it is split, and what parts of it will be.
  template <class AnyScore>
  struct LeafScore {
    AnyScore& score;
    std::uint32_t n_values;  // of the child
    double mass;
    double before;

    double of_share(std::span<const double> counts, double share) const {
      return score(counts, n_values, mass * share);
    }
  };

  bool is_allowed(VariableId child, VariableId variable) const;
  template <class Cells>
  Candidates find_in(LeafId leaf, Cells cells);
  template <class AnyScore, class Cells>
  Candidates find_complete(AnyScore& score, LeafId leaf, const Cells& cells);
  template <class AnyScore, class Cells>
  Candidates find_binary(AnyScore& score, LeafId leaf, Cells& cells);
  template <class AnyScore, class Cells>
  void offer_values(Candidates& found, const LeafScore<AnyScore>& leaf, VariableId variable, std::uint32_t n_open,
                    Cells& cells) const;
  template <class AnyScore, class Cells>
  void offer_thresholds(Candidates& found, const LeafScore<AnyScore>& leaf, VariableId variable, std::uint32_t n_open,
                        Cells& cells) const;
  Candidates best_of(Candidates found) const;
  void offer(Candidates& found, VariableId variable, std::uint32_t value, double gain, std::uint32_t n_added) const;

  const GrowingTrees& trees_;
  Score score_;
  double parameter_penalty_;
  std::vector<std::uint8_t> may_remove_edges_;
  std::vector<std::uint8_t> allowed_;
  std::size_t most_candidates_;
  std::vector<std::uint8_t> is_open_;  // by indicator: whether the leaf's path leaves the value
};

}  // namespace learnac
