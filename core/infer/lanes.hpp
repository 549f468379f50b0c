// Numbers for several rows at once, in two kinds: doubles, and doubles with an exponent of their own.
//
// Linear lanes are fast and underflow near exp(-708). Wide lanes reach as far as a 64-bit exponent; a product or sum of
// them is rounded like one of doubles. Every loop here runs over a constant number of lanes, so that it becomes vector
// instructions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "clones.hpp"

namespace learnac {

template <int N>
struct alignas(8 * N) Linear {
  static constexpr int n_lanes = N;
  static constexpr bool is_linear = true;
  double mantissa[N];
};

// mantissa * 2^exponent, with the mantissa in [1, 2), or zero.
template <int N>
struct alignas(8 * N) Wide {
  static constexpr int n_lanes = N;
  static constexpr bool is_linear = false;
  double mantissa[N];
  std::int64_t exponent[N];
};

// One number of either kind, taken out of its lanes: mantissa * 2^exponent.
struct Scalar {
  double mantissa = 0;
  std::int64_t exponent = 0;
};

inline double log_of(Scalar x) {
  return x.mantissa == 0 ? -HUGE_VAL : std::log(x.mantissa) + static_cast<double>(x.exponent) * 0.6931471805599453094;
}

inline Scalar product(Scalar a, Scalar b) { return {a.mantissa * b.mantissa, a.exponent + b.exponent}; }

// a / b, where it is known to be at most about 1.
inline double ratio(Scalar a, Scalar b) {
  if (a.mantissa == 0) return 0;
  if (a.exponent == b.exponent) return a.mantissa / b.mantissa;
  const std::int64_t exponent = a.exponent - b.exponent;
  if (exponent < -2000) return 0;
  return std::ldexp(a.mantissa / b.mantissa, static_cast<int>(exponent < 2000 ? exponent : 2000));
}

inline bool is_less(Scalar a, Scalar b) {
  if (a.mantissa == 0 || b.mantissa == 0) return a.mantissa < b.mantissa;
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
}

// --- Linear ---

template <int N>
LEARNAC_INLINE Scalar lane(const Linear<N>& x, int i) {
  return {x.mantissa[i], 0};
}

template <int N>
LEARNAC_INLINE void fill(Linear<N>& x, Scalar value) {
  const double number = value.exponent < -2000 ? 0 : std::ldexp(value.mantissa, static_cast<int>(value.exponent));
  for (int i = 0; i < N; ++i) x.mantissa[i] = number;
}

template <int N>
LEARNAC_INLINE void set_lane(Linear<N>& x, int i, double value) {
  x.mantissa[i] = value;
}

template <int N>
LEARNAC_INLINE void copy_lane(Linear<N>& x, const Linear<N>& y, int i) {
  x.mantissa[i] = y.mantissa[i];
}

template <int N>
LEARNAC_INLINE void multiply(Linear<N>& x, const Linear<N>& y) {
  for (int i = 0; i < N; ++i) x.mantissa[i] *= y.mantissa[i];
}

template <int N>
LEARNAC_INLINE void add(Linear<N>& x, const Linear<N>& y) {
  for (int i = 0; i < N; ++i) x.mantissa[i] += y.mantissa[i];
}

template <int N>
LEARNAC_INLINE void maximise(Linear<N>& x, const Linear<N>& y) {
  for (int i = 0; i < N; ++i) x.mantissa[i] = x.mantissa[i] < y.mantissa[i] ? y.mantissa[i] : x.mantissa[i];
}

template <int N>
LEARNAC_INLINE double sum_of(const Linear<N>& x) {
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += x.mantissa[i];
  return sum;
}

// --- Wide ---

// Exponents end here, so that the sum of two never overflows, whatever the circuit; that of zero lies below them all.
inline constexpr std::int64_t largest_exponent = std::int64_t{1} << 60;
inline constexpr std::int64_t exponent_of_zero = -2 * largest_exponent;

// Moves what the mantissas have beyond [1, 2) into the exponents. They must be normal numbers or zero.
template <int N>
LEARNAC_INLINE void normalise(Wide<N>& x) {
  constexpr std::uint64_t exponent_bits = std::uint64_t{0x7ff} << 52;
  for (int i = 0; i < N; ++i) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x.mantissa[i]);
    const bool is_zero = (bits & exponent_bits) == 0;
    const std::int64_t shift = static_cast<std::int64_t>((bits & exponent_bits) >> 52) - 1023;
    const double mantissa = std::bit_cast<double>((bits & ~exponent_bits) | (std::uint64_t{1023} << 52));
    x.mantissa[i] = is_zero ? 0 : mantissa;
    const std::int64_t exponent = x.exponent[i] + shift;
    const std::int64_t bounded = exponent > largest_exponent ? largest_exponent : exponent;
    x.exponent[i] = is_zero ? exponent_of_zero : bounded < -largest_exponent ? -largest_exponent : bounded;
  }
}

template <int N>
LEARNAC_INLINE Scalar lane(const Wide<N>& x, int i) {
  return {x.mantissa[i], x.exponent[i]};
}

template <int N>
LEARNAC_INLINE void fill(Wide<N>& x, Scalar value) {
  for (int i = 0; i < N; ++i) {
    x.mantissa[i] = value.mantissa;
    x.exponent[i] = value.exponent;
  }
  normalise(x);
}

template <int N>
LEARNAC_INLINE void set_lane(Wide<N>& x, int i, double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  x.mantissa[i] = 2 * fraction;
  x.exponent[i] = value == 0 ? exponent_of_zero : exponent - 1;
}

template <int N>
LEARNAC_INLINE void copy_lane(Wide<N>& x, const Wide<N>& y, int i) {
  x.mantissa[i] = y.mantissa[i];
  x.exponent[i] = y.exponent[i];
}

template <int N>
LEARNAC_INLINE void multiply(Wide<N>& x, const Wide<N>& y) {
  for (int i = 0; i < N; ++i) {
    x.mantissa[i] *= y.mantissa[i];
    x.exponent[i] += y.exponent[i];
  }
  normalise(x);
}

template <int N>
LEARNAC_INLINE void add(Wide<N>& x, const Wide<N>& y) {
  for (int i = 0; i < N; ++i) {
    const std::int64_t top = x.exponent[i] > y.exponent[i] ? x.exponent[i] : y.exponent[i];
    // Below 2^-1000 of the other, a number does not change it any more.
    const std::int64_t down_x = top - x.exponent[i] < 1000 ? top - x.exponent[i] : 1000;
    const std::int64_t down_y = top - y.exponent[i] < 1000 ? top - y.exponent[i] : 1000;
    const double scale_x = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - down_x) << 52);
    const double scale_y = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - down_y) << 52);
    x.mantissa[i] = x.mantissa[i] * scale_x + y.mantissa[i] * scale_y;
    x.exponent[i] = top;
  }
  normalise(x);
}

template <int N>
LEARNAC_INLINE void maximise(Wide<N>& x, const Wide<N>& y) {
  for (int i = 0; i < N; ++i) {
    const bool is_y =
        x.exponent[i] < y.exponent[i] || (x.exponent[i] == y.exponent[i] && x.mantissa[i] < y.mantissa[i]);
    x.mantissa[i] = is_y ? y.mantissa[i] : x.mantissa[i];
    x.exponent[i] = is_y ? y.exponent[i] : x.exponent[i];
  }
}

// As a double, to which lanes below 2^-1000 add nothing.
template <int N>
LEARNAC_INLINE double sum_of(const Wide<N>& x) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    if (x.exponent[i] >= -1000) sum += std::ldexp(x.mantissa[i], static_cast<int>(x.exponent[i]));
  return sum;
}

// weight / x, of one lane; 0 for a weight of 0.
template <int N>
LEARNAC_INLINE void set_quotient(Linear<N>& out, int i, double weight, Scalar x) {
  out.mantissa[i] = weight == 0 ? 0 : weight / x.mantissa;
}

template <int N>
LEARNAC_INLINE void set_quotient(Wide<N>& out, int i, double weight, Scalar x) {
  set_lane(out, i, weight == 0 ? 0 : weight / x.mantissa);
  if (weight != 0) out.exponent[i] -= x.exponent;
}

}  // namespace learnac
