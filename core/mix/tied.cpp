#include "mix/tied.hpp"

#include <algorithm>
#include <cmath>

#include "clones.hpp"
#include "mix/vector_math.hpp"

namespace learnac {
namespace {

constexpr std::size_t block = lanes_per_block;

std::size_t whole_blocks(std::size_t n) { return (n + block - 1) / block * block; }

// A block of numbers as one value, which compilers keep in as few registers as the machine has for it.
typedef float Vector __attribute__((vector_size(block * sizeof(float)), aligned(alignof(float)), may_alias));

// c (rows x columns) = start of each row + a (rows x inner) * b (inner x columns); columns fill whole blocks.
template <std::size_t n_rows>
LEARNAC_INLINE void multiply_rows(const float* a, const float* b, float* c, std::size_t inner, std::size_t columns,
                                  const float* start) {
  for (std::size_t first = 0; first < columns; first += block) {
    Vector sum[n_rows];
    for (std::size_t r = 0; r < n_rows; ++r) sum[r] = Vector{} + (start == nullptr ? 0.0f : start[r]);
    for (std::size_t i = 0; i < inner; ++i) {
      const Vector from = *reinterpret_cast<const Vector*>(b + i * columns + first);
      for (std::size_t r = 0; r < n_rows; ++r) sum[r] += a[r * inner + i] * from;
    }
    for (std::size_t r = 0; r < n_rows; ++r) *reinterpret_cast<Vector*>(c + r * columns + first) = sum[r];
  }
}

LEARNAC_VECTOR_CLONES void multiply(const float* a, const float* b, float* c, std::size_t rows, std::size_t inner,
                                    std::size_t columns, const float* start) {
  std::size_t row = 0;
  for (; row + 6 <= rows; row += 6)
    multiply_rows<6>(a + row * inner, b, c + row * columns, inner, columns, start == nullptr ? nullptr : start + row);
  for (; row < rows; ++row)
    multiply_rows<1>(a + row * inner, b, c + row * columns, inner, columns, start == nullptr ? nullptr : start + row);
}

LEARNAC_VECTOR_CLONES void adam_step(float* values, const float* gradient, float* mean, float* square, std::size_t n,
                                     float rate, float tiny) {
  for (std::size_t i = 0; i < n; ++i) {
    mean[i] = 0.9f * mean[i] + 0.1f * gradient[i];
    square[i] = 0.999f * square[i] + 0.001f * gradient[i] * gradient[i];
    values[i] += rate * mean[i] / (__builtin_sqrtf(square[i]) + tiny);
  }
}

// The two parameters of a leaf, from the logit of the second.
LEARNAC_VECTOR_CLONES void two_values(const float* logit, float* parameters, float* logs, std::size_t n_lanes) {
  for (std::size_t k = 0; k < n_lanes; ++k) {
    const float z = logit[k];
    const float away = z < 0 ? z : -z;
    const float smaller = fast_exp(away);
    const float rest = 1.0f / (1.0f + smaller);
    const float log_rest = -fast_log(1.0f + smaller);
    const float low = smaller * rest, log_low = away + log_rest;
    parameters[k] = z < 0 ? rest : low;
    parameters[n_lanes + k] = z < 0 ? low : rest;
    logs[k] = z < 0 ? log_rest : log_low;
    logs[n_lanes + k] = z < 0 ? log_low : log_rest;
  }
}

// The parameters of a leaf with a logit for each value.
LEARNAC_VECTOR_CLONES void many_values(const float* logits, float* parameters, float* logs, std::size_t arity,
                                       std::size_t n_lanes) {
  for (std::size_t first = 0; first < n_lanes; first += block) {
    float top[block], sum[block];
    for (std::size_t j = 0; j < block; ++j) {
      top[j] = logits[first + j];
      sum[j] = 0;
    }
    for (std::size_t x = 1; x < arity; ++x)
      for (std::size_t j = 0; j < block; ++j) top[j] = std::max(top[j], logits[x * n_lanes + first + j]);
    for (std::size_t x = 0; x < arity; ++x)
      for (std::size_t j = 0; j < block; ++j) {
        const float value = fast_exp(logits[x * n_lanes + first + j] - top[j]);
        parameters[x * n_lanes + first + j] = value;
        sum[j] += value;
      }
    for (std::size_t x = 0; x < arity; ++x)
      for (std::size_t j = 0; j < block; ++j) {
        parameters[x * n_lanes + first + j] /= sum[j];
        logs[x * n_lanes + first + j] = logits[x * n_lanes + first + j] - top[j] - fast_log(sum[j]);
      }
  }
}

// What the log-likelihood gains by a logit: the expected count less what the parameter expects.
LEARNAC_VECTOR_CLONES void residuals(const float* counts, const float* totals, const float* parameters, float* found,
                                     std::size_t n_lanes, float scale) {
  for (std::size_t k = 0; k < n_lanes; ++k) found[k] = (counts[k] - totals[k] * parameters[k]) * scale;
}

LEARNAC_VECTOR_CLONES float sum_of(const float* values, std::size_t n_lanes) {
  float sums[block] = {};
  for (std::size_t first = 0; first < n_lanes; first += block)
    for (std::size_t j = 0; j < block; ++j) sums[j] += values[first + j];
  float total = 0;
  for (std::size_t j = 0; j < block; ++j) total += sums[j];
  return total;
}

LEARNAC_VECTOR_CLONES void move_towards(float* average, const float* now, float kept, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) average[i] = now[i] + kept * (average[i] - now[i]);
}

LEARNAC_VECTOR_CLONES void add_scaled(float* to, const float* from, float scale, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] += scale * from[i];
}

}  // namespace

void Adam::ascend(std::span<float> values, std::span<const float> gradient, float rate, int step) {
  const double unbias_mean = 1 - std::pow(0.9, step), unbias_square = std::sqrt(1 - std::pow(0.999, step));
  adam_step(values.data(), gradient.data(), mean_.data(), square_.data(), values.size(),
            static_cast<float>(rate * unbias_square / unbias_mean), static_cast<float>(1e-8 * unbias_square));
}

TiedMixture::TiedMixture(const CellLayout& layout, std::span<const float> features, std::size_t n_components,
                         std::span<const float> biases, std::span<const float> weights)
    : layout_(layout),
      n_features_(features.size() / n_components),
      n_columns_(whole_blocks(n_features_)),
      table_(layout, n_components),
      totals_(table_.n_lanes()),
      d_components_(n_components),
      adam_biases_(0),
      adam_weights_(0),
      adam_components_(n_components) {
  const std::size_t n_lanes = table_.n_lanes();
  for (std::uint32_t leaf = 0; leaf < layout.n_leaves(); ++leaf) {
    const std::uint32_t first = layout.first_of_leaf[leaf], end = layout.first_of_leaf[leaf + 1];
    for (std::uint32_t cell = first; cell < end; ++cell)
      if (end - first > 2 || (end - first == 2 && cell > first)) own_.push_back(cell);
  }
  features_.resize(n_columns_ * n_lanes);
  turned_features_.resize(n_lanes * n_columns_);
  for (std::size_t m = 0; m < n_features_; ++m)
    for (std::size_t k = 0; k < n_components; ++k)
      features_[m * n_lanes + k] = turned_features_[k * n_columns_ + m] = features[m * n_components + k];
  now_ = {std::vector<float>(own_.size()), std::vector<float>(own_.size() * n_columns_),
          std::vector<float>(n_components)};
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const std::uint32_t cell = own_[i];
    now_.biases[i] = biases[cell];
    std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(cell * n_features_), n_features_,
                now_.weights.begin() + static_cast<std::ptrdiff_t>(i * n_columns_));
  }
  averages_ = now_;
  logits_.resize(own_.size() * n_lanes);
  residuals_.resize(own_.size() * n_lanes);
  parameters_.assign(layout.n_cells() * n_lanes, 1.0f);
  log_parameters_.assign(layout.n_cells() * n_lanes, 0.0f);
  counts_.resize(layout.n_cells() * n_lanes);
  d_biases_.resize(now_.biases.size());
  d_weights_.resize(now_.weights.size());
  adam_biases_ = Adam(now_.biases.size());
  adam_weights_ = Adam(now_.weights.size());
  update_table(now_);
}

void TiedMixture::update_table(const Learned& learned) {
  const std::size_t n_lanes = table_.n_lanes();
  multiply(learned.weights.data(), features_.data(), logits_.data(), own_.size(), n_columns_, n_lanes,
           learned.biases.data());
  logits_to_parameters();
  std::vector<float> log_weights(n_lanes);
  const std::vector<double> weights = shares(learned.component_logits);
  for (std::size_t k = 0; k < weights.size(); ++k) log_weights[k] = static_cast<float>(std::log(weights[k]));
  table_.set(log_parameters_, log_weights);
}

void TiedMixture::logits_to_parameters() {
  const std::size_t n_lanes = table_.n_lanes();
  for (std::size_t i = 0, leaf = 0; i < own_.size(); ++leaf) {
    const std::uint32_t first = layout_.first_of_leaf[leaf], arity = layout_.first_of_leaf[leaf + 1] - first;
    if (arity < 2) continue;
    float* const parameters = parameters_.data() + first * n_lanes;
    float* const logs = log_parameters_.data() + first * n_lanes;
    const float* const logits = logits_.data() + i * n_lanes;
    if (arity == 2) {
      two_values(logits, parameters, logs, n_lanes);
      i += 1;
    } else {
      many_values(logits, parameters, logs, arity, n_lanes);
      i += arity;
    }
  }
}

void TiedMixture::find_gradient(const LeafRows& rows, const WeightedRows& which) {
  const std::size_t n_lanes = table_.n_lanes();
  posteriors_.resize(which.size() * n_lanes);
  last_log_likelihood_ = table_.posteriors(rows, which, posteriors_);
  table_.expected_counts(rows, which, posteriors_, counts_, totals_);
  const float scale = static_cast<float>(1 / which.total_weight());
  std::vector<float> of_leaf(n_lanes);
  std::size_t i = 0;
  for (std::uint32_t leaf = 0; leaf < layout_.n_leaves(); ++leaf) {
    const std::uint32_t first = layout_.first_of_leaf[leaf], end = layout_.first_of_leaf[leaf + 1];
    if (end - first < 2) continue;
    std::fill(of_leaf.begin(), of_leaf.end(), 0.0f);
    for (std::uint32_t cell = first; cell < end; ++cell)
      add_scaled(of_leaf.data(), counts_.data() + cell * n_lanes, 1.0f, n_lanes);
    for (std::uint32_t cell = end - first == 2 ? first + 1 : first; cell < end; ++cell, ++i) {
      float* const found = residuals_.data() + i * n_lanes;
      residuals(counts_.data() + cell * n_lanes, of_leaf.data(), parameters_.data() + cell * n_lanes, found, n_lanes,
                scale);
      d_biases_[i] = sum_of(found, n_lanes);
    }
  }
  multiply(residuals_.data(), turned_features_.data(), d_weights_.data(), own_.size(), n_lanes, n_columns_, nullptr);
  const std::vector<double> weights = shares(now_.component_logits);
  for (std::size_t k = 0; k < weights.size(); ++k)
    d_components_[k] = totals_[k] * scale - static_cast<float>(weights[k]);
}

double TiedMixture::epoch(const LeafRows& rows, std::span<const std::uint32_t> order, std::size_t batch, Rates rates) {
  double log_likelihood = 0, weight = 0;
  const float ridge = static_cast<float>(-2 * rates.ridge / rows.total_weight());
  for (std::size_t first = 0; first < order.size(); first += batch) {
    const WeightedRows which = rows.together(order.subspan(first, std::min(batch, order.size() - first)));
    find_gradient(rows, which);
    log_likelihood += last_log_likelihood_;
    weight += which.total_weight();
    add_scaled(d_weights_.data(), now_.weights.data(), ridge, now_.weights.size());
    ++n_steps_;
    adam_biases_.ascend(now_.biases, d_biases_, rates.learning, n_steps_);
    adam_weights_.ascend(now_.weights, d_weights_, rates.learning, n_steps_);
    adam_components_.ascend(now_.component_logits, d_components_, rates.learning, n_steps_);
    average();
    update_table(now_);
  }
  return log_likelihood / weight;
}

void TiedMixture::average() {
  const float kept = static_cast<float>(n_steps_) / static_cast<float>(n_steps_ + 9);
  move_towards(averages_.biases.data(), now_.biases.data(), kept, now_.biases.size());
  move_towards(averages_.weights.data(), now_.weights.data(), kept, now_.weights.size());
  move_towards(averages_.component_logits.data(), now_.component_logits.data(), kept, now_.component_logits.size());
}

double TiedMixture::log_likelihood(const LeafRows& rows) {
  update_table(averages_);
  const double found = table_.log_likelihood(rows);
  update_table(now_);
  return found;
}

std::vector<std::vector<float>*> TiedMixture::changing() {
  return {&now_.biases,
          &now_.weights,
          &now_.component_logits,
          &averages_.biases,
          &averages_.weights,
          &averages_.component_logits,
          &adam_biases_.mean(),
          &adam_biases_.square(),
          &adam_weights_.mean(),
          &adam_weights_.square(),
          &adam_components_.mean(),
          &adam_components_.square()};
}

std::vector<float> TiedMixture::state() {
  std::vector<float> found;
  found.reserve(n_state());
  for (const std::vector<float>* part : changing()) found.insert(found.end(), part->begin(), part->end());
  return found;
}

void TiedMixture::restore(std::span<const float> state, int n_steps) {
  for (std::vector<float>* part : changing()) {
    std::copy_n(state.begin(), part->size(), part->begin());
    state = state.subspan(part->size());
  }
  n_steps_ = n_steps;
  update_table(now_);
}

std::vector<double> TiedMixture::parameters() {
  std::vector<double> found;
  const std::size_t n = table_.n_components();
  found.reserve(layout_.n_cells() * n);
  update_table(averages_);
  for (std::size_t cell = 0; cell < layout_.n_cells(); ++cell)
    for (std::size_t k = 0; k < n; ++k) found.push_back(parameters_[cell * table_.n_lanes() + k]);
  update_table(now_);
  return found;
}

std::vector<double> TiedMixture::shares(std::span<const float> logits) {
  std::vector<double> found(logits.begin(), logits.end());
  const double top = *std::max_element(found.begin(), found.end());
  double total = 0;
  for (double& value : found) total += value = std::exp(value - top);
  for (double& value : found) value /= total;
  return found;
}

TiedMixture::Gradient TiedMixture::gradient(const LeafRows& rows) {
  find_gradient(rows, rows.all(0, rows.n_distinct()));
  Gradient found{std::vector<float>(layout_.n_cells()), std::vector<float>(layout_.n_cells() * n_features_),
                 d_components_};
  for (std::size_t i = 0; i < own_.size(); ++i) {
    found.biases[own_[i]] = d_biases_[i];
    std::copy_n(d_weights_.begin() + static_cast<std::ptrdiff_t>(i * n_columns_), n_features_,
                found.weights.begin() + static_cast<std::ptrdiff_t>(own_[i] * n_features_));
  }
  return found;
}

}  // namespace learnac
