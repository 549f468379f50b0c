#include "learn/popcount.hpp"

#include "clones.hpp"

namespace learnac {
namespace {

LEARNAC_INLINE TwoCounts two(const std::uint64_t* column, const std::uint32_t* positions, const std::uint64_t* a,
                             const std::uint64_t* b, std::size_t n) {
  std::uint64_t count_a = 0, count_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = column[positions[i]];
    count_a += static_cast<std::uint64_t>(__builtin_popcountll(word & a[i]));
    count_b += static_cast<std::uint64_t>(__builtin_popcountll(word & b[i]));
  }
  return {count_a, count_b};
}

LEARNAC_INLINE std::uint64_t one(const std::uint64_t* column, const std::uint32_t* positions, const std::uint64_t* a,
                                 std::size_t n) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i)
    count += static_cast<std::uint64_t>(__builtin_popcountll(column[positions[i]] & a[i]));
  return count;
}

LEARNAC_INLINE std::uint64_t words(const std::uint64_t* a, std::size_t n) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += static_cast<std::uint64_t>(__builtin_popcountll(a[i]));
  return count;
}

LEARNAC_POPCOUNT_CLONES TwoCounts two_by_word(const std::uint64_t* column, const std::uint32_t* positions,
                                              const std::uint64_t* a, const std::uint64_t* b, std::size_t n) {
  return two(column, positions, a, b, n);
}

LEARNAC_POPCOUNT_CLONES std::uint64_t one_by_word(const std::uint64_t* column, const std::uint32_t* positions,
                                                  const std::uint64_t* a, std::size_t n) {
  return one(column, positions, a, n);
}

LEARNAC_POPCOUNT_CLONES std::uint64_t words_by_word(const std::uint64_t* a, std::size_t n) { return words(a, n); }

// Eight words at a time, where the machine can: half the time.
LEARNAC_VECTOR_POPCOUNT TwoCounts two_by_vector(const std::uint64_t* column, const std::uint32_t* positions,
                                                const std::uint64_t* a, const std::uint64_t* b, std::size_t n) {
  return two(column, positions, a, b, n);
}

LEARNAC_VECTOR_POPCOUNT std::uint64_t one_by_vector(const std::uint64_t* column, const std::uint32_t* positions,
                                                    const std::uint64_t* a, std::size_t n) {
  return one(column, positions, a, n);
}

LEARNAC_VECTOR_POPCOUNT std::uint64_t words_by_vector(const std::uint64_t* a, std::size_t n) { return words(a, n); }

const bool has_vectors = LEARNAC_HAS_VECTOR_POPCOUNT;

}  // namespace

TwoCounts count_two(const std::uint64_t* column, const std::uint32_t* positions, const std::uint64_t* a,
                    const std::uint64_t* b, std::size_t n) {
  return has_vectors ? two_by_vector(column, positions, a, b, n) : two_by_word(column, positions, a, b, n);
}

std::uint64_t count_one(const std::uint64_t* column, const std::uint32_t* positions, const std::uint64_t* a,
                        std::size_t n) {
  return has_vectors ? one_by_vector(column, positions, a, n) : one_by_word(column, positions, a, n);
}

std::uint64_t count_words(const std::uint64_t* a, std::size_t n) {
  return has_vectors ? words_by_vector(a, n) : words_by_word(a, n);
}

}  // namespace learnac
