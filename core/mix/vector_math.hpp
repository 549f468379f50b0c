// Exponentials and logarithms of floats that compilers turn into vector instructions: no calls, no branches.
#pragma once

#include <bit>
#include <cstdint>

#include "clones.hpp"

namespace learnac {

// e^x to about 2e-7 of itself, for x <= 88; 0 below -87.
LEARNAC_INLINE float fast_exp(float x) {
  const float scaled = x * 1.44269504f;
  const float bounded = scaled < -126.0f ? -126.0f : scaled;
  // Adding and taking away 1.5 * 2^23 rounds to the next whole number.
  const float shifted = bounded + 12582912.0f;
  const float whole = shifted - 12582912.0f;
  const float rest = (bounded - whole) * 0.693147181f;
  float sum = 1.0f / 5040;
  sum = sum * rest + 1.0f / 720;
  sum = sum * rest + 1.0f / 120;
  sum = sum * rest + 1.0f / 24;
  sum = sum * rest + 1.0f / 6;
  sum = sum * rest + 0.5f;
  sum = sum * rest + 1.0f;
  sum = sum * rest + 1.0f;
  const std::int32_t exponent = static_cast<std::int32_t>(whole);
  const float power = std::bit_cast<float>((exponent + 127) << 23);
  return scaled < -126.0f ? 0.0f : sum * power;
}

// The logarithm of a positive normal number, to about 2e-7 absolutely near 1 and of itself elsewhere.
LEARNAC_INLINE float fast_log(float x) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(x);
  // The mantissa in [sqrt(1/2), sqrt(2)).
  const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;
  const float mantissa = std::bit_cast<float>(bits - (exponent << 23));
  const float s = (mantissa - 1.0f) / (mantissa + 1.0f);  // log m = 2 atanh(s)
  const float square = s * s;
  float sum = 2.0f / 9;
  sum = sum * square + 2.0f / 7;
  sum = sum * square + 2.0f / 5;
  sum = sum * square + 2.0f / 3;
  sum = sum * square + 2.0f;
  return sum * s + static_cast<float>(exponent) * 0.693147181f;
}

}  // namespace learnac
