// Functions compiled several times, of which the one that suits the machine is chosen when the library is loaded.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && defined(__GLIBC__)
#define LEARNAC_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LEARNAC_VECTOR_CLONES
#endif
