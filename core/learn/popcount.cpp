#include "learn/popcount.hpp"

#include "clones.hpp"

namespace learnac {

LEARNAC_POPCOUNT_CLONES TwoCounts count_two(const std::uint64_t* column, const std::uint32_t* positions,
                                            const std::uint64_t* a, const std::uint64_t* b, std::size_t n) {
  std::uint64_t count_a = 0, count_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = column[positions[i]];
    count_a += static_cast<std::uint64_t>(__builtin_popcountll(word & a[i]));
    count_b += static_cast<std::uint64_t>(__builtin_popcountll(word & b[i]));
  }
  return {count_a, count_b};
}

LEARNAC_POPCOUNT_CLONES std::uint64_t count_one(const std::uint64_t* column, const std::uint32_t* positions,
                                                const std::uint64_t* a, std::size_t n) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i)
    count += static_cast<std::uint64_t>(__builtin_popcountll(column[positions[i]] & a[i]));
  return count;
}

LEARNAC_POPCOUNT_CLONES std::uint64_t count_words(const std::uint64_t* a, std::size_t n) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += static_cast<std::uint64_t>(__builtin_popcountll(a[i]));
  return count;
}

}  // namespace learnac
