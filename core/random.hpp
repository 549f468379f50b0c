// Random numbers that depend on a seed and a stream alone, so that threads and blocks make no difference.
#pragma once

#include <cstdint>
#include <span>

namespace learnac {

// A stream of its own for each number it is made of (Steele, Lea & Flood 2014, "Fast splittable pseudorandom numbers").
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mixed(seed) ^ mixed(stream + golden)) {}

  // A whole number below n, nearly uniform.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 11) % n); }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // A position in proportion to its weight; `otherwise` if all are zero.
  std::uint32_t choice(std::span<const double> weights, std::uint32_t otherwise) {
    double total = 0;
    for (const double weight : weights) total += weight;
    double left = uniform() * total;
    std::uint32_t chosen = otherwise;
    for (std::uint32_t i = 0; i < weights.size() && left >= 0; ++i) {
      if (weights[i] == 0) continue;
      chosen = i;
      left -= weights[i];
    }
    return chosen;
  }

 private:
  std::uint64_t next() { return mixed(state_ += golden); }
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

}  // namespace learnac
