// Bit operations as single machine instructions, and the scrambler of the random streams
// (sim/bits.py, sim/seeds.py: mix64).
#pragma once

#include <stdint.h>

#define INLINE inline __attribute__((always_inline))  // @jit
#define APART inline __attribute__((noinline))        // @jit_apart

using Mask = uint64_t;
using Int = int64_t;

constexpr Mask ONE = 1, ZERO = 0;

INLINE constexpr Int popcount(Mask word) { return __builtin_popcountll(word); }

INLINE constexpr Int trailing_zeros(Mask word) {
  return word == 0 ? 64 : __builtin_ctzll(word);  // one tzcnt
}

INLINE constexpr Int leading_zeros(Mask word) {
  return word == 0 ? 64 : __builtin_clzll(word);  // one lzcnt
}

INLINE uint64_t multiply_high(uint64_t left, uint64_t right) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(left) * right) >> 64);
}

INLINE constexpr Mask bit(Int index) { return ONE << (static_cast<uint64_t>(index) & 63); }

INLINE constexpr Mask lowest_bit(Mask mask) { return mask & (~mask + ONE); }

INLINE constexpr Mask without_lowest(Mask mask) { return mask & (mask - ONE); }

constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15;

INLINE constexpr uint64_t mix64(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}
