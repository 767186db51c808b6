// Melds and lay-offs as bit tricks on masks, and what cards are worth (sim/melds.py, sim/cards.py),
// with the default house rules as constants.
#pragma once

#include "bits.hpp"

constexpr Int N_RANKS = 14, N_SUITS = 4, N_CARDS = 56, FIRST_JOKER = 52;
constexpr Mask FULL_MASK = (ONE << N_CARDS) - 1;
constexpr Mask SUITED_MASK = (ONE << FIRST_JOKER) - 1;  // all but the jokers
constexpr Mask RANK_MASK = 0xF;                         // the four cards of rank 0
constexpr Mask SUIT_MASK = 0x11111111111111;            // the fourteen ranks of suit 0

constexpr Int DEALS = 2, MIN_RUN = 3, OUT_BONUS = 25, FOUR_MULTIPLIER = 2;
constexpr Int RANK_POINTS[N_RANKS] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15, 20};
constexpr Int N_PLANES = 5;

constexpr Int KIND_SHIFT = 56;
constexpr Mask CARDS_MASK = FULL_MASK;
enum Kind : Int { STOCK, TAKE, PASS, SET, RUN, DISCARD, KEEP };
constexpr Mask SET_BITS = static_cast<Mask>(SET) << KIND_SHIFT;
constexpr Mask RUN_BITS = static_cast<Mask>(RUN) << KIND_SHIFT;

constexpr Mask EVERY_FOURTH = 0x1111111111111111;

INLINE constexpr Mask rank_mask(Int card) { return RANK_MASK << (card & ~Int{3}); }

INLINE Mask whole_ranks(Mask starts) { return (starts << 4) - starts; }

struct Starts {
  Mask some, pairs;
};

INLINE Starts some_and_pairs(Mask mask) {
  Mask both = mask & (mask >> 1), either = mask | (mask >> 1);
  Mask some = either | (either >> 2);
  Mask pairs = both | (both >> 2) | (either & (either >> 2));
  return {some & SUIT_MASK, pairs & SUIT_MASK};
}

INLINE Mask three_starts(Mask mask) {
  Mask both = mask & (mask >> 1), either = mask | (mask >> 1);
  return ((both & (either >> 2)) | (either & (both >> 2))) & SUIT_MASK;
}

INLINE Mask ranks_with_two(Mask mask) { return whole_ranks(some_and_pairs(mask).pairs); }

INLINE Mask ranks_with_three(Mask mask) { return whole_ranks(three_starts(mask)); }

INLINE Mask ranks_with_four(Mask mask) {
  Mask pairs = mask & (mask >> 1);
  return whole_ranks(pairs & (pairs >> 2) & SUIT_MASK);
}

INLINE Mask set_starts(Mask sets_mask) { return (sets_mask | (sets_mask >> 1)) & SUIT_MASK; }

INLINE Mask set_ranks(Mask sets_mask) { return whole_ranks(set_starts(sets_mask)); }

INLINE Mask set_cards(Mask cards) { return cards & ranks_with_three(cards); }

INLINE Mask run_cards(Mask cards) {
  Mask suited = cards & SUITED_MASK;
  Mask starts = suited & (suited >> 4) & (suited >> 8);
  return starts | (starts << 4) | (starts << 8);
}

INLINE Mask run_neighbours(Mask runs_mask) {
  return ((runs_mask << 4) | (runs_mask >> 4)) & SUITED_MASK & ~runs_mask;
}

INLINE Mask run_layoffs(Mask cards, Mask runs_mask) {
  Mask suited = cards & SUITED_MASK;
  Mask up = (runs_mask << 4) & suited;
  Mask down = (runs_mask >> 4) & suited;
  if ((up | down) == ZERO) return ZERO;
  // Kogge-Stone fill along the suits, both ways, over 1, 2, 4 and 8 ranks.
  up |= suited & (up << 4);
  down |= suited & (down >> 4);
  Mask rising = suited & (suited << 4);
  Mask falling = suited & (suited >> 4);
  up |= rising & (up << 8);
  down |= falling & (down >> 8);
  rising &= rising << 8;
  falling &= falling >> 8;
  up |= rising & (up << 16);
  down |= falling & (down >> 16);
  rising &= rising << 16;
  falling &= falling >> 16;
  up |= rising & (up << 32);
  down |= falling & (down >> 32);
  return up | down;
}

INLINE Mask set_layoffs(Mask cards, Mask sets_mask) { return cards & set_ranks(sets_mask); }

// Cards beside which others are at hand in their suit: one rank above, two above, one below, two
// below.
struct Near {
  Mask up, up2, down, down2;
};

INLINE Mask in_company(const Near& near, Mask runs_mask) {
  auto [up, up2, down, down2] = near;
  Mask cards = (up & (up2 | down | (runs_mask >> 8))) | (down & (down2 | (runs_mask << 8)));
  return (cards | (runs_mask >> 4) | (runs_mask << 4)) & SUITED_MASK;
}

INLINE Mask playable_cards(Mask cards, Mask sets_mask, Mask runs_mask) {
  Mask in_sets = cards & whole_ranks(three_starts(cards) | set_starts(sets_mask));
  Mask suited = cards & SUITED_MASK;
  Near near = {suited >> 4, suited >> 8, suited << 4, suited << 8};
  return in_sets | (cards & in_company(near, runs_mask));
}

using Four = Mask __attribute__((vector_size(32)));  // four masks in one vector

// What lies above the cards of a pile: in their suit, the card one rank above, two above, one
// below, two below; one or more, two or more of their rank.
struct alignas(64) Above {
  Four suit;
  Mask one, two;
};

struct SuitMates {
  Four card[N_CARDS];
};

constexpr SuitMates suit_mates() {
  SuitMates mates{};
  for (Int card = 0; card < FIRST_JOKER; ++card) {
    Mask suited = bit(card);
    mates.card[card] = Four{suited >> 4, suited >> 8, (suited << 4) & SUITED_MASK,
                            (suited << 8) & SUITED_MASK};
  }
  return mates;
}

inline constexpr SuitMates SUIT_MATES = suit_mates();

INLINE void covered(Above& after, const Above& above, Mask pile_mask, Int card) {
  Mask same = pile_mask & rank_mask(card);
  after.suit = above.suit | (SUIT_MATES.card[card] & pile_mask);
  after.one = above.one | same;
  after.two = above.two | (above.one & same);
}

INLINE Mask bindable(Mask hand, const Above& above, Mask sets_mask, Mask runs_mask) {
  Mask suited = hand & SUITED_MASK;
  Near near = {above.suit[0] | (suited >> 4), above.suit[1] | (suited >> 8),
               above.suit[2] | (suited << 4), above.suit[3] | (suited << 8)};
  auto [some, pairs] = some_and_pairs(hand);
  Mask cards = above.two | (above.one & whole_ranks(some));
  return cards | whole_ranks(pairs | set_starts(sets_mask)) | in_company(near, runs_mask);
}

INLINE Mask melded_by(Mask hand) {
  Mask suited = hand & SUITED_MASK;
  Mask up = suited << 4, down = suited >> 4;
  Mask runs = (up & (suited << 8)) | (down & (suited >> 8)) | (up & down);
  return ranks_with_two(hand) | (runs & SUITED_MASK);
}

INLINE Int stretch_up(Mask cards, Int card) {
  Mask missing = ~((cards & SUITED_MASK) >> card) & EVERY_FOURTH;
  return trailing_zeros(missing) >> 2;
}

INLINE Int stretch_down(Mask cards, Int card) {
  Mask missing = ~((cards & SUITED_MASK) << (60 - card)) & EVERY_FOURTH;
  return leading_zeros(missing) >> 2;
}

INLINE Mask stretch_from(Int card, Int length) {
  return (EVERY_FOURTH & (bit(4 * length) - ONE)) << card;
}

INLINE bool touches_run(Mask mask, Mask runs_mask) {
  return (((mask << 4) | (mask >> 4)) & runs_mask) != ZERO;
}

INLINE bool is_one_rank(Mask mask) { return (mask & ~rank_mask(trailing_zeros(mask))) == ZERO; }

INLINE bool is_stretch(Mask mask) {
  if ((mask & ~SUITED_MASK) != ZERO) return false;
  Int length = popcount(mask);
  Mask wanted = EVERY_FOURTH & (bit(4 * length) - ONE);
  return length <= 13 && (mask >> trailing_zeros(mask)) == wanted;
}

constexpr Int MAX_PLAYS = 5 * N_RANKS + N_SUITS * 13 * 14 / 2;

APART Int legal_plays(Mask cards, Mask must, Mask sets_mask, Mask runs_mask, Int* plays) {
  Int n = 0;
  Mask left = set_cards(cards) | set_layoffs(cards, sets_mask);
  while (left != ZERO) {
    Mask rank = rank_mask(trailing_zeros(left));
    Mask mine = cards & rank;
    left &= ~rank;
    if ((must & ~mine) != ZERO) continue;
    plays[n++] = static_cast<Int>(mine | SET_BITS);
    if ((sets_mask & rank) != ZERO) continue;
    if (popcount(mine) == 4) {
      for (Int card = trailing_zeros(mine), end = card + N_SUITS; card < end; ++card) {
        Mask three = mine & ~bit(card);
        if ((must & ~three) == ZERO) plays[n++] = static_cast<Int>(three | SET_BITS);
      }
    }
  }
  Mask fit = run_cards(cards) | run_layoffs(cards, runs_mask);
  left = fit;
  while (left != ZERO) {
    Int card = trailing_zeros(left);
    left = without_lowest(left);
    Mask stretch = ZERO;
    Int length = 0;
    while (card < FIRST_JOKER && (fit & bit(card)) != ZERO) {
      stretch |= bit(card);
      ++length;
      card += 4;
      bool fits = length >= MIN_RUN || touches_run(stretch, runs_mask);
      if (fits && (must & ~stretch) == ZERO) plays[n++] = static_cast<Int>(stretch | RUN_BITS);
    }
  }
  return n;
}

// Plane k is the mask of the cards whose points have bit k set.
constexpr Mask plane(Int k) {
  Mask mask = ZERO;
  for (Int rank = 0; rank < N_RANKS; ++rank)
    if ((RANK_POINTS[rank] >> k) & 1) mask |= RANK_MASK << (4 * rank);
  return mask;
}

inline constexpr Mask PLANES[N_PLANES] = {plane(0), plane(1), plane(2), plane(3), plane(4)};

INLINE Int points_of(Mask mask) {  // Horner's scheme, which no compiler makes slow vectors of
  Int points = popcount(mask & PLANES[4]);
  points = 2 * points + popcount(mask & PLANES[3]);
  points = 2 * points + popcount(mask & PLANES[2]);
  points = 2 * points + popcount(mask & PLANES[1]);
  return 2 * points + popcount(mask & PLANES[0]);
}

INLINE Int card_points(Int card) { return RANK_POINTS[card >> 2]; }

constexpr bool is_rising() {  // no card is worth more than one of a higher rank
  for (Int rank = 1; rank < N_RANKS; ++rank)
    if (RANK_POINTS[rank - 1] > RANK_POINTS[rank]) return false;
  return true;
}
static_assert(is_rising());

INLINE Int dearest_card(Mask mask) { return 63 - leading_zeros(mask); }

INLINE Int four_bonus(Mask play) {
  Mask cards = play & CARDS_MASK;
  if ((play >> KIND_SHIFT) != SET || popcount(cards) != 4) return 0;
  return (FOUR_MULTIPLIER - 1) * points_of(cards);
}
