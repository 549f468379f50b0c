// Loops over words that want an instruction which counts bits, of a word or of eight; compiled for machines with and
// without these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace learnac {

// Sums over i of popcount(column[positions[i]] & a[i]) and the same for b.
struct TwoCounts {
  std::uint64_t a, b;
};
TwoCounts count_two(const std::uint64_t* column, const std::uint32_t* positions, const std::uint64_t* a,
                    const std::uint64_t* b, std::size_t n);
std::uint64_t count_one(const std::uint64_t* column, const std::uint32_t* positions, const std::uint64_t* a,
                        std::size_t n);
std::uint64_t count_words(const std::uint64_t* a, std::size_t n);

}  // namespace learnac
