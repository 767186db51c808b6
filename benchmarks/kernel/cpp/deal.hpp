// The state of a deal, how it is played, what it scores, what must hold at its end (sim/state.py,
// sim/deal.py, sim/invariants.py), with the default house rules as constants.
#pragma once

#include <string.h>

#include "melds.hpp"

enum Phase : Int { DRAWING, MELDING };
enum Status : Int { PLAYING, WENT_OUT, EXHAUSTED, CUT_OFF };
constexpr Int NO_CARD = -1, HAND_SIZE = 7, N_SEATS = 4, PACK_SIZE = 56;

enum Reason : Int {
  LEGAL,
  STOCK_IS_EMPTY = 4,
  STOCK_NOT_EMPTY,
  NOT_IN_PILE,
  CANNOT_BIND,
  NOT_IN_HAND,
  NO_CARDS,
  NOT_A_SET,
  NOT_A_RUN,
  BOUND_NOT_PLAYED,
  BOUND_WAITS = 14,
  LAST_CARD_FORBIDDEN,
  NOT_AN_ACTION = 18,
  UNSOUND = 100,
};

// What the seat to act may know. The fields that every turn touches come first.
struct alignas(64) Table {
  Mask hand, sets_mask, runs_mask, pile_mask;
  Mask takeable, playable;
  Int pile_size, stock_size;
  Int seat, bound, status, turns, passes;
  Int points[2];
  mutable uint64_t rng;  // the only thing that a hook may move, by random_below
  Int phase, out_seat;
  Mask known[N_SEATS], discarded[N_SEATS];
  Int counts[N_SEATS];
  Int match_points[2];
  Int dealer, deal;
  uint8_t pile[N_CARDS], pile_by[N_CARDS];
  Mask beneath[N_CARDS];
};

struct alignas(64) Hidden {
  Mask hands[N_SEATS];  // the seat to act: as it was before its turn
  uint64_t streams[N_SEATS];
  Int next_card, doubled;
  Above above[N_CARDS + 1];
  uint8_t deck[N_CARDS];
};

INLINE void put_on_pile(Table& table, Hidden& hidden, Int card, Int seat) {
  Int size = table.pile_size;
  Mask pile = table.pile_mask;
  covered(hidden.above[size + 1], hidden.above[size], pile, card);
  table.pile[size] = static_cast<uint8_t>(card);
  table.pile_by[size] = static_cast<uint8_t>(seat);
  table.beneath[card] = pile;
  table.pile_mask = pile | bit(card);
  table.pile_size = size + 1;
}

INLINE Mask takeable_cards(const Table& table, const Hidden& hidden) {
  const Above& above = hidden.above[table.pile_size];
  return table.pile_mask & bindable(table.hand, above, table.sets_mask, table.runs_mask);
}

INLINE void begin_turn(Table& table, const Hidden& hidden, Int seat) {
  table.seat = seat;
  table.hand = hidden.hands[seat];
  table.phase = DRAWING;
  table.bound = NO_CARD;
  table.takeable = takeable_cards(table, hidden);
  table.playable = ZERO;
}

INLINE void see_plays(Table& table) {
  table.playable = playable_cards(table.hand, table.sets_mask, table.runs_mask);
}

INLINE void has_drawn(Table& table) {
  table.passes = 0;
  table.phase = MELDING;
  table.takeable = ZERO;
  see_plays(table);
}

INLINE void start_deal(Table& table, Hidden& hidden, const uint8_t* deck, Int dealer) {
  memcpy(hidden.deck, deck, PACK_SIZE);
  for (Int place = 0; place < N_SEATS; ++place) {
    Int seat = (dealer + 1 + place) & 3;
    Mask hand = ZERO;
    for (Int round = 0; round < HAND_SIZE; ++round) hand |= bit(deck[place + N_SEATS * round]);
    hidden.hands[seat] = hand;
    table.counts[seat] = HAND_SIZE;
    table.known[seat] = ZERO;
    table.discarded[seat] = ZERO;
  }
  table.pile_mask = ZERO;
  table.pile_size = 0;
  put_on_pile(table, hidden, deck[N_SEATS * HAND_SIZE], N_SEATS);
  hidden.next_card = N_SEATS * HAND_SIZE + 1;
  table.stock_size = PACK_SIZE - hidden.next_card;
  hidden.doubled = 0;
  table.sets_mask = table.runs_mask = ZERO;
  table.points[0] = table.points[1] = 0;
  table.dealer = dealer;
  table.turns = table.passes = 0;
  table.status = PLAYING;
  table.out_seat = NO_CARD;
  begin_turn(table, hidden, (dealer + 1) & 3);
}

INLINE bool is_exhausted(const Table& table) { return table.passes == N_SEATS; }

INLINE void end_turn(Table& table, Hidden& hidden) {
  Int seat = table.seat;
  hidden.hands[seat] = table.hand;
  table.known[seat] &= table.hand;
  table.turns += 1;
  if (table.status != PLAYING) return;
  if (table.stock_size == 0 && is_exhausted(table))
    table.status = EXHAUSTED;
  else
    begin_turn(table, hidden, (seat + 1) & 3);
}

INLINE Mask pile_from(const Table& table, Int card) {
  return table.pile_mask & ~table.beneath[card];
}

INLINE Mask discardable_cards(const Table& table) { return table.hand; }

INLINE Mask bound_mask(const Table& table) {
  return table.bound == NO_CARD ? ZERO : bit(table.bound);
}

INLINE Int why_not_take(const Table& table, Int card) {
  if ((table.takeable & bit(card)) != ZERO) return LEGAL;
  return (table.pile_mask & bit(card)) == ZERO ? NOT_IN_PILE : CANNOT_BIND;
}

INLINE Int why_not_play(const Table& table, Mask play) {
  Mask cards = play & CARDS_MASK;
  if (cards == ZERO) return NO_CARDS;
  if ((cards & ~table.hand) != ZERO) return NOT_IN_HAND;
  Mask kind = play >> KIND_SHIFT;
  bool alone = popcount(cards) >= 3;  // MIN_RUN is 3 too
  if (kind == SET) {
    if (!is_one_rank(cards)) return NOT_A_SET;
    if (!alone && (table.sets_mask & rank_mask(trailing_zeros(cards))) == ZERO) return NOT_A_SET;
  } else if (kind == RUN) {
    if (!is_stretch(cards)) return NOT_A_RUN;
    if (!alone && !touches_run(cards, table.runs_mask)) return NOT_A_RUN;
  } else {
    return NOT_AN_ACTION;
  }
  if (table.bound != NO_CARD && (cards & bit(table.bound)) == ZERO) return BOUND_NOT_PLAYED;
  return LEGAL;
}

INLINE Int why_not_discard(const Table& table, Int card) {
  if (table.bound != NO_CARD) return BOUND_WAITS;
  if ((table.hand & bit(card)) == ZERO) return NOT_IN_HAND;
  return discardable_cards(table) == ZERO ? LAST_CARD_FORBIDDEN : LEGAL;
}

INLINE void draw_stock(Table& table, Hidden& hidden) {
  table.hand |= bit(hidden.deck[hidden.next_card]);
  hidden.next_card += 1;
  table.stock_size -= 1;
  table.counts[table.seat] += 1;
  has_drawn(table);
}

INLINE Int take_pile(Table& table, Int card) {
  Mask taken = pile_from(table, card);
  table.bound = card;
  Int n_taken = popcount(taken);
  table.pile_size -= n_taken;
  table.pile_mask &= ~taken;
  table.hand |= taken;
  table.known[table.seat] |= taken;
  table.counts[table.seat] += n_taken;
  has_drawn(table);
  return n_taken;
}

INLINE void pass_turn(Table& table, Hidden& hidden) {
  table.passes += 1;
  end_turn(table, hidden);
}

struct Laid {
  Int points, doubled;
};

INLINE Laid lay(Table& table, Hidden& hidden, Mask play) {
  Mask cards = play & CARDS_MASK;
  if ((play & ~CARDS_MASK) == SET_BITS)
    table.sets_mask |= cards;
  else
    table.runs_mask |= cards;
  table.hand &= ~cards;
  Int seat = table.seat;
  table.counts[seat] -= popcount(cards);
  Int points = points_of(cards), doubled = four_bonus(play);
  hidden.doubled += doubled;
  table.points[seat & 1] += points + doubled;
  table.bound = NO_CARD;
  table.known[seat] &= table.hand;
  if (table.hand == ZERO) {
    table.status = WENT_OUT;
    table.out_seat = seat;
    table.playable = ZERO;
    end_turn(table, hidden);
  } else {
    see_plays(table);
  }
  return {points, doubled};
}

INLINE void discard(Table& table, Hidden& hidden, Int card) {
  Int seat = table.seat;
  table.hand &= ~bit(card);
  table.counts[seat] -= 1;
  table.discarded[seat] |= bit(card);
  put_on_pile(table, hidden, card, seat);
  end_turn(table, hidden);
}

INLINE void keep(Table& table, Hidden& hidden) { end_turn(table, hidden); }

INLINE Mask hand_of(const Table& table, const Hidden& hidden, Int seat) {
  return seat == table.seat ? table.hand : hidden.hands[seat];
}

INLINE Int points_in_hands(const Table& table, const Hidden& hidden, Int team) {
  Int first = points_of(hand_of(table, hidden, team));
  return first + points_of(hand_of(table, hidden, team + 2));
}

INLINE Int deal_score(const Table& table, const Hidden& hidden, Int team) {
  Int score = table.points[team] - points_in_hands(table, hidden, team);
  if (table.status == WENT_OUT && (table.out_seat & 1) == team) score += OUT_BONUS;
  return score;
}

INLINE bool points_are_conserved(const Table& table, const Hidden& hidden) {
  Int on_table = points_of(table.sets_mask | table.runs_mask);
  return table.points[0] + table.points[1] == on_table + hidden.doubled;
}

INLINE bool cards_are_whole(const Table& table, const Hidden& hidden) {
  Mask whole = table.sets_mask | table.runs_mask | table.pile_mask;
  Int total = popcount(table.sets_mask) + popcount(table.runs_mask) + popcount(table.pile_mask);
  for (Int seat = 0; seat < N_SEATS; ++seat) {
    Mask hand = hand_of(table, hidden, seat);
    whole |= hand;
    total += popcount(hand);
    if (popcount(hand) != table.counts[seat] || (table.known[seat] & ~hand) != ZERO) return false;
  }
  return total == popcount(whole) && total + table.stock_size == PACK_SIZE;
}
