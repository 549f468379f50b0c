#include "infer/passes.hpp"

#include "clones.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace learnac {
namespace {

// Numbers below 2^-1022 become zero while this lives: hardware takes a hundred times longer to keep them, and what is
// lost is accounted for in `Program::smallest_linear_root`.
class FlushToZero {
 public:
#if defined(__x86_64__)
  FlushToZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
  ~FlushToZero() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  FlushToZero() {}
#endif
};

struct AnyIndicators {
  template <class Lanes>
  static LEARNAC_INLINE bool counts(const Program& program, const Block<Lanes>& block, std::uint32_t term) {
    return block.is_term_alive(program.term(term));
  }
};

// Where the constants of terms come from: the program, the same in all lanes, or the block, each lane with its own.
struct OfProgram : AnyIndicators {
  static constexpr bool indicators_are_one = false;
  template <int N>
  static LEARNAC_INLINE void fill_constant(Linear<N>& x, const Block<Linear<N>>& block, std::uint32_t term) {
    for (int i = 0; i < N; ++i) x.mantissa[i] = block.program.term(term).constant;
  }
  template <int N>
  static LEARNAC_INLINE void fill_constant(Wide<N>& x, const Block<Wide<N>>& block, std::uint32_t term) {
    fill(x, block.program.constant(term));
  }
};

struct OfBlock : AnyIndicators {
  static constexpr bool indicators_are_one = false;
  template <class Lanes>
  static LEARNAC_INLINE void fill_constant(Lanes& x, const Block<Lanes>& block, std::uint32_t term) {
    x = block.constants[term];
  }
};

// As before, where indicators are 0 or 1, the same in all lanes: nothing need be multiplied by them.
struct OfBlockAlone : OfBlock {
  static constexpr bool indicators_are_one = true;
  template <class Lanes>
  static LEARNAC_INLINE bool counts(const Program&, const Block<Lanes>& block, std::uint32_t term) {
    return block.term_counts[term] != 0;
  }
};

// Calls `pass` with where the constants of a block come from.
template <class Lanes, class Pass>
LEARNAC_INLINE void with_constants(const Block<Lanes>& block, Pass pass) {
  if (block.constants == nullptr)
    pass(OfProgram{});
  else if (block.indicators_are_one)
    pass(OfBlockAlone{});
  else
    pass(OfBlock{});
}

template <class Constants, class Lanes>
LEARNAC_INLINE void value_of_term(const Program& program, const Block<Lanes>& block, std::uint32_t t, Lanes& value) {
  const Term& term = program.term(t);
  Constants::fill_constant(value, block, t);
  const std::uint32_t* edges = program.edges(term);
  if constexpr (!Constants::indicators_are_one)
    for (std::uint32_t e = 0; e < term.n_indicators; ++e) multiply(value, block.indicators[edges[e]]);
  for (std::uint32_t e = term.n_indicators; e < term.n_edges; ++e) multiply(value, block.values[edges[e]]);
}

template <class Constants, class Lanes, class Combine>
LEARNAC_INLINE void upward_with(const Program& program, Block<Lanes>& block, Combine combine) {
  const FlushToZero flush;
  for (std::size_t k = block.alive.size(); k-- > 0;) {
    const std::uint32_t i = block.alive[k];
    const ProgramNode& node = program.node(i);
    Lanes value;
    fill(value, {0, 0});
    for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
      if (!Constants::counts(program, block, t)) continue;
      Lanes term;
      value_of_term<Constants>(program, block, t, term);
      combine(value, term);
    }
    block.values[i] = value;
  }
}

template <class Constants, class Lanes>
LEARNAC_INLINE void sum_values(const Program& program, Block<Lanes>& block) {
  upward_with<Constants>(program, block, [](Lanes& x, const Lanes& y) __attribute__((always_inline)) { add(x, y); });
}

template <class Constants, class Lanes>
LEARNAC_INLINE void maximum_values(const Program& program, Block<Lanes>& block) {
  upward_with<Constants>(program, block,
                         [](Lanes& x, const Lanes& y) __attribute__((always_inline)) { maximise(x, y); });
}

// Each factor's derivative is that of the term times all other factors: those before it, and those after it.
template <class Constants, class Lanes>
LEARNAC_INLINE void term_derivatives(const Program& program, Block<Lanes>& block, std::uint32_t t, std::uint32_t node) {
  const Term& term = program.term(t);
  const std::uint32_t* edges = program.edges(term);
  Lanes before;
  Constants::fill_constant(before, block, t);
  multiply(before, block.derivatives[node]);
  const auto factor = [&](std::uint32_t e) __attribute__((always_inline)) -> const Lanes& {
    return e < term.n_indicators ? block.indicators[edges[e]] : block.values[edges[e]];
  };
  const auto derivative = [&](std::uint32_t e) __attribute__((always_inline)) -> Lanes& {
    return e < term.n_indicators ? block.indicator_derivatives[edges[e]] : block.derivatives[edges[e]];
  };
  if constexpr (Constants::indicators_are_one) {
    // The same products, in the same order, without the factors that are 1.
    const std::uint32_t first = term.n_indicators;
    for (std::uint32_t e = first; e + 1 < term.n_edges; ++e) {
      block.prefixes[e] = before;
      multiply(before, factor(e));
    }
    const auto add_to_indicators = [&](const Lanes& found) __attribute__((always_inline)) {
      for (std::uint32_t e = first; e-- > 0;) add(derivative(e), found);
    };
    if (first == term.n_edges) {
      add_to_indicators(before);
      return;
    }
    std::uint32_t e = term.n_edges - 1;
    add(derivative(e), before);
    Lanes after = factor(e);
    while (e-- > first) {
      Lanes rest = block.prefixes[e];
      multiply(rest, after);
      add(derivative(e), rest);
      multiply(after, factor(e));
    }
    if (first > 0) {
      Lanes rest;
      Constants::fill_constant(rest, block, t);
      multiply(rest, block.derivatives[node]);
      multiply(rest, after);
      add_to_indicators(rest);
    }
    return;
  }
  switch (term.n_edges) {
    case 0:
      return;
    case 1:
      add(derivative(0), before);
      return;
    case 2: {
      Lanes other = before;
      multiply(before, factor(1));
      add(derivative(0), before);
      multiply(other, factor(0));
      add(derivative(1), other);
      return;
    }
    default:
      break;
  }
  for (std::uint32_t e = 0; e < term.n_edges; ++e) {
    block.prefixes[e] = before;
    multiply(before, factor(e));
  }
  Lanes after;
  fill(after, {1, 0});
  for (std::uint32_t e = term.n_edges; e-- > 0;) {
    Lanes rest = block.prefixes[e];
    multiply(rest, after);
    add(derivative(e), rest);
    multiply(after, factor(e));
  }
}

template <class Lanes>
void clear_indicator_derivatives(const Program& program, Block<Lanes>& block) {
  Lanes zero;
  fill(zero, {0, 0});
  block.indicator_derivatives.assign(program.n_indicators(), zero);
}

template <class Constants, class Lanes>
LEARNAC_INLINE void derivatives(const Program& program, Block<Lanes>& block, const std::uint64_t* within,
                                const Lanes& of_root) {
  const FlushToZero flush;
  Lanes zero;
  fill(zero, {0, 0});
  block.derivatives.resize(program.n_nodes());
  block.prefixes.resize(program.most_edges());
  for (const std::uint32_t i : block.alive) block.derivatives[i] = zero;
  block.derivatives[program.root()] = of_root;
  for (const std::uint32_t i : block.alive) {
    if (within != nullptr && (within[i / 64] >> (i % 64) & 1) == 0) continue;
    const ProgramNode& node = program.node(i);
    for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t)
      if (Constants::counts(program, block, t)) term_derivatives<Constants>(program, block, t, i);
  }
}

template <class Constants, class Lanes>
LEARNAC_INLINE void expected_terms(const Program& program, const Block<Lanes>& block, const Lanes& scales,
                                   std::span<double> counts) {
  const FlushToZero flush;
  for (const std::uint32_t i : block.alive) {
    const ProgramNode& node = program.node(i);
    for (std::uint32_t t = node.first_term; t < node.first_term + node.n_terms; ++t) {
      if (!Constants::counts(program, block, t)) continue;
      Lanes joint;
      value_of_term<Constants>(program, block, t, joint);
      multiply(joint, block.derivatives[i]);
      multiply(joint, scales);
      counts[t] += sum_of(joint);
    }
  }
}

}  // namespace

#define LEARNAC_PASSES(Lanes)                                                                                       \
  LEARNAC_VECTOR_CLONES void upward(const Program& program, Block<Lanes>& block) {                                  \
    with_constants(block, [&](auto constants)                                                                       \
                              __attribute__((always_inline)) { sum_values<decltype(constants)>(program, block); }); \
  }                                                                                                                 \
  LEARNAC_VECTOR_CLONES void upward_maximum(const Program& program, Block<Lanes>& block) {                          \
    with_constants(block, [&](auto constants) __attribute__((always_inline)) {                                      \
      maximum_values<decltype(constants)>(program, block);                                                          \
    });                                                                                                             \
  }                                                                                                                 \
  LEARNAC_VECTOR_CLONES void add_downward(const Program& program, Block<Lanes>& block, const std::uint64_t* within, \
                                          const Lanes& weights) {                                                   \
    with_constants(block, [&](auto constants) __attribute__((always_inline)) {                                      \
      derivatives<decltype(constants)>(program, block, within, weights);                                            \
    });                                                                                                             \
  }                                                                                                                 \
  void downward(const Program& program, Block<Lanes>& block, const std::uint64_t* within) {                         \
    Lanes one;                                                                                                      \
    fill(one, {1, 0});                                                                                              \
    clear_indicator_derivatives(program, block);                                                                    \
    add_downward(program, block, within, one);                                                                      \
  }                                                                                                                 \
  LEARNAC_VECTOR_CLONES void add_expected_terms(const Program& program, const Block<Lanes>& block,                  \
                                                const Lanes& scales, std::span<double> counts) {                    \
    with_constants(block, [&](auto constants) __attribute__((always_inline)) {                                      \
      expected_terms<decltype(constants)>(program, block, scales, counts);                                          \
    });                                                                                                             \
  }                                                                                                                 \
  Lanes term_value(const Program& program, const Block<Lanes>& block, std::uint32_t term) {                         \
    const FlushToZero flush;                                                                                        \
    Lanes value;                                                                                                    \
    if (block.constants == nullptr)                                                                                 \
      value_of_term<OfProgram>(program, block, term, value);                                                        \
    else                                                                                                            \
      value_of_term<OfBlock>(program, block, term, value);                                                          \
    return value;                                                                                                   \
  }

LEARNAC_PASSES(Linear<1>)
LEARNAC_PASSES(Linear<2>)
LEARNAC_PASSES(Linear<8>)
LEARNAC_PASSES(Linear<16>)
LEARNAC_PASSES(Wide<1>)
LEARNAC_PASSES(Wide<8>)
LEARNAC_PASSES(Wide<16>)

}  // namespace learnac
