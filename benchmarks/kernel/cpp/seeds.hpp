// Random streams by identity, and the shuffle (sim/seeds.py).
#pragma once

#include "melds.hpp"

constexpr uint64_t DECK_DOMAIN = 0x6465636B, SEAT_DOMAIN = 0x73656174;  // "deck", "seat"

INLINE uint64_t absorb(uint64_t key, uint64_t part) {
  return mix64((key ^ mix64(part + GOLDEN)) + GOLDEN);
}

INLINE uint64_t deck_key(uint64_t seed, Int board, Int deal) {
  uint64_t key = absorb(absorb(DECK_DOMAIN, seed), static_cast<uint64_t>(board));
  return absorb(key, static_cast<uint64_t>(deal));
}

INLINE uint64_t match_key(uint64_t seed, Int board, Int rotation) {
  uint64_t key = absorb(absorb(SEAT_DOMAIN, seed), static_cast<uint64_t>(board));
  return absorb(key, static_cast<uint64_t>(rotation));
}

INLINE uint64_t seat_key(uint64_t match, Int deal, Int seat) {
  return absorb(match, static_cast<uint64_t>(4 * deal + seat));
}

constexpr uint64_t DRAWS_A_WORD = 8;
static_assert(N_CARDS % DRAWS_A_WORD == 0);

inline void shuffle(uint8_t* deck, uint64_t key) {
  uint64_t state = key, n_cards = 0;
  while (n_cards < N_CARDS) {
    uint64_t product = 1;
    for (uint64_t draw = 0; draw < DRAWS_A_WORD; ++draw) product *= n_cards + draw + 1;
    uint64_t word, rest;
    do {
      state += GOLDEN;
      word = mix64(state);
      rest = word * product;
    } while (rest < product && rest < (0 - product) % product);
    for (uint64_t draw = 0; draw < DRAWS_A_WORD; ++draw) {
      uint64_t place = multiply_high(word, n_cards + 1);
      word *= n_cards + 1;
      deck[n_cards] = deck[place];
      deck[place] = static_cast<uint8_t>(n_cards);
      ++n_cards;
    }
  }
}
