// Scores: what a leaf with these counts is worth (section 4.1 of the paper). The gain of a split is the difference.
//
// Each is one function of the counts of the child's values and the leaf's prior mass, the share of all configurations
// of its parents that reach it; and says what is added to each count before parameters are read off. Counts that are
// zero add nothing, and may be left out: the arity says how many there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace learnac {

// log(count + shift). Most counts are whole and small: their logarithms are kept.
class ShiftedLog {
 public:
  explicit ShiftedLog(double shift) : shift_(shift) {}

  double operator()(double count) {
    const auto whole = static_cast<std::uint32_t>(std::min(count, static_cast<double>(most_kept)));
    if (whole >= most_kept || static_cast<double>(whole) != count) return computed(count);
    for (std::size_t n = known_.size(); n <= whole; ++n) known_.push_back(computed(static_cast<double>(n)));
    return known_[whole];
  }

 private:
  static constexpr std::uint32_t most_kept = 1u << 16;

  // Without smoothing, zero counts contribute nothing, whatever their logarithm.
  double computed(double count) const { return std::log(std::max(count + shift_, std::numeric_limits<double>::min())); }

  double shift_;
  std::vector<double> known_;
};

// Log-likelihood of the rows under the smoothed parameters (count + alpha) / (total + alpha * arity). The prior is
// alpha itself, or that of a leaf, of which each of its values has an equal share.
class LikelihoodScore {
 public:
  enum class Prior : std::uint8_t { of_value, of_leaf };

  LikelihoodScore(double prior, Prior whose) : prior_(prior), whose_(whose) {}

  double operator()(std::span<const double> counts, std::size_t arity, double) {
    double total = 0, score = 0;
    Logarithms& log = logarithms(arity);
    for (const double count : counts) {
      total += count;
      score += count * log.count(count);
    }
    return score - total * log.total(total);
  }

  double pseudo_count(std::size_t arity, double) const {
    return whose_ == Prior::of_leaf ? prior_ / static_cast<double>(arity) : prior_;
  }

 private:
  struct Logarithms {
    ShiftedLog count, total;
  };

  Logarithms& logarithms(std::size_t arity) {
    for (std::size_t n = by_arity_.size(); n <= arity; ++n) {
      const double alpha = pseudo_count(std::max<std::size_t>(n, 1), 0);
      by_arity_.push_back({ShiftedLog(alpha), ShiftedLog(alpha * static_cast<double>(n))});
    }
    return by_arity_[arity];
  }

  double prior_;
  Prior whose_;
  std::vector<Logarithms> by_arity_;
};

// BDeu: log marginal likelihood under a Dirichlet prior spread evenly over parent configurations and values.
class BayesianDirichletScore {
 public:
  explicit BayesianDirichletScore(double equivalent_sample_size) : sample_size_(equivalent_sample_size) {}

  double operator()(std::span<const double> counts, std::size_t arity, double mass) const {
    const double prior = sample_size_ * mass, cell = pseudo_count(arity, mass);
    double total = 0, score = std::lgamma(prior);
    for (const double count : counts) {
      total += count;
      score += std::lgamma(cell + count) - std::lgamma(cell);
    }
    return score - std::lgamma(prior + total);
  }

  double pseudo_count(std::size_t arity, double mass) const { return sample_size_ * mass / static_cast<double>(arity); }

 private:
  double sample_size_;
};

}  // namespace learnac
