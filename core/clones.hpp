// What compilers are told: functions to put in place, and functions compiled several times, of which the one that suits
// the machine is chosen when the library is loaded.
#pragma once

#define LEARNAC_INLINE inline __attribute__((always_inline))
#define LEARNAC_INLINE_LAMBDA __attribute__((always_inline))

// Choosing among versions of a function needs the C library's help.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__GLIBC__)
#define LEARNAC_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define LEARNAC_POPCOUNT_CLONES __attribute__((target_clones("popcnt", "default")))
// Compilers do not choose this one by themselves: ask first.
#define LEARNAC_VECTOR_POPCOUNT __attribute__((target("avx512f,avx512vpopcntdq")))
#define LEARNAC_HAS_VECTOR_POPCOUNT (__builtin_cpu_supports("avx512vpopcntdq") != 0)
#else
#define LEARNAC_VECTOR_CLONES
#define LEARNAC_POPCOUNT_CLONES
#define LEARNAC_VECTOR_POPCOUNT
#define LEARNAC_HAS_VECTOR_POPCOUNT false
#endif
