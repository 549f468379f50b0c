// Parameters of many components tied to each other: the logits of a leaf are linear in smooth features of points that
// stand for the components, so that components that lie near each other are alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mix/expectation.hpp"

namespace learnac {

// Adam (Kingma & Ba 2015), upwards.
class Adam {
 public:
  explicit Adam(std::size_t n) : mean_(n), square_(n) {}

  // `step` counts from 1.
  void ascend(std::span<float> values, std::span<const float> gradient, float rate, int step);

  // What it remembers, to be kept and taken up again.
  std::vector<float>& mean() { return mean_; }
  std::vector<float>& square() { return square_; }

 private:
  std::vector<float> mean_, square_;
};

// logit(cell, component) = bias(cell) + weights(cell) . features(component), and component weights, learned by
// gradients. Of a leaf with two values only the second has logits of its own. Changes in place.
class TiedMixture {
 public:
  // Features are (features x components); biases a number for each cell, weights (cells x features).
  TiedMixture(const CellLayout& layout, std::span<const float> features, std::size_t n_components,
              std::span<const float> biases, std::span<const float> weights);

  const CellLayout& layout() const { return layout_; }

  struct Rates {
    float learning;
    float ridge;  // of the weights, against the log-likelihood of all rows
  };

  // One pass over the rows in this order, a step for each batch; returns the mean log-likelihood along the way.
  double epoch(const LeafRows& rows, std::span<const std::uint32_t> order, std::size_t batch, Rates rates);

  // What is learned is an average over the steps, mostly over the last tenth of them (Shamir & Zhang 2013): that is
  // what the following are of.

  // Mean log-likelihood of rows.
  double log_likelihood(const LeafRows& rows);

  // All that steps change, one after the other, and how many steps there were: what `restore` goes on from.
  std::vector<float> state();
  int n_steps() const { return n_steps_; }
  std::size_t n_state() const { return 4 * (now_.biases.size() + now_.weights.size() + now_.component_logits.size()); }
  void restore(std::span<const float> state, int n_steps);

  // (cells x components), and of the components.
  std::vector<double> parameters();
  std::vector<double> component_weights() const { return shares(averages_.component_logits); }

  // The gradient of the mean log-likelihood of all rows by biases (cells), weights (cells x features) and component
  // logits, without a step: what tests compare with differences.
  struct Gradient {
    std::vector<float> biases, weights, components;
  };
  Gradient gradient(const LeafRows& rows);

 private:
  // Of own cells (own), (own x columns); and of components.
  struct Learned {
    std::vector<float> biases, weights, component_logits;
  };

  static std::vector<double> shares(std::span<const float> logits);
  std::vector<std::vector<float>*> changing();
  void average();
  void update_table(const Learned& learned);
  void logits_to_parameters();
  void find_gradient(const LeafRows& rows, const WeightedRows& which);

  CellLayout layout_;
  std::size_t n_features_, n_columns_;  // features, and as many as fill whole vectors
  std::vector<std::uint32_t> own_;      // cells with logits of their own
  std::vector<float> features_;         // (columns x lanes)
  std::vector<float> turned_features_;  // (lanes x columns)
  Learned now_, averages_;
  ComponentTable table_;
  std::vector<float> logits_;                        // (own x lanes)
  std::vector<float> parameters_, log_parameters_;   // (cells x lanes)
  std::vector<float> posteriors_, counts_, totals_;  // of the batch at hand
  std::vector<float> residuals_;                     // (own x lanes)
  std::vector<float> d_biases_, d_weights_, d_components_;
  double last_log_likelihood_ = 0;
  Adam adam_biases_, adam_weights_, adam_components_;
  int n_steps_ = 0;
};

}  // namespace learnac
