// What a strategy sees and answers, judgements that strategies share, and three strategies
// (sim/view.py, strategies/toolkit.py, greedy.py, random.py, hunter.py).
#pragma once

#include "deal.hpp"

using Hook = Int (*)(const Table&, const double* params, Int* work);
#define HOOK static __attribute__((noinline))  // called by its address alone

constexpr Int DRAW_STOCK = -1, DRAW_PASS = -2, NOTHING = 0;

INLINE Int play_set(Mask mask) { return static_cast<Int>(mask | SET_BITS); }

INLINE Int play_run(Mask mask) { return static_cast<Int>(mask | RUN_BITS); }

INLINE Int random_below(const Table& view, Int n) {
  view.rng += GOLDEN;
  return static_cast<Int>(multiply_high(mix64(view.rng), static_cast<uint64_t>(n)));
}

INLINE Int nth_card(Mask mask, Int n) {
  for (Int skipped = 0; skipped < n; ++skipped) mask = without_lowest(mask);
  return trailing_zeros(mask);
}

INLINE Int pile_index(const Table& view, Int card) { return popcount(view.beneath[card]); }

INLINE Mask taken_with(const Table& view, Int card) { return pile_from(view, card); }

INLINE Mask takeable(const Table& view) { return view.takeable; }

INLINE Int plays(const Table& view, Int* out) {
  return legal_plays(view.hand, bound_mask(view), view.sets_mask, view.runs_mask, out);
}

INLINE Mask discards(const Table& view) {
  return view.bound >= 0 ? ZERO : discardable_cards(view);
}

INLINE Int partner(const Table& view) { return (view.seat + 2) & 3; }

INLINE Mask unseen(const Table& view) {
  Mask seen = view.hand | view.sets_mask | view.runs_mask | view.pile_mask;
  for (Int seat = 0; seat < N_SEATS; ++seat) seen |= view.known[seat];
  return FULL_MASK & ~seen;
}

INLINE Mask stretch_of(Mask cards, Int card) {
  Int below = stretch_down(cards, card) - 1;
  return stretch_from(card - 4 * below, below + stretch_up(cards, card));
}

INLINE Mask layoff_stretch(Mask cards, Int card, Mask runs_mask) {
  for (Int length = 1, up = stretch_up(cards, card); length <= up; ++length) {
    Mask stretch = stretch_from(card, length);
    if (touches_run(stretch, runs_mask)) return stretch;
  }
  for (Int length = 2, down = stretch_down(cards, card); length <= down; ++length) {
    Mask stretch = stretch_from(card - 4 * (length - 1), length);
    if (touches_run(stretch, runs_mask)) return stretch;
  }
  return ZERO;
}

APART Int play_with_bound(const Table& view) {
  Int card = view.bound;
  Mask same = view.hand & rank_mask(card);
  Int n_same = popcount(same);
  Mask run = ZERO;
  if (card < FIRST_JOKER) {
    run = stretch_of(view.hand, card);
    if (popcount(run) < MIN_RUN) run = ZERO;
  }
  if (n_same == 4) return play_set(same);
  if (run != ZERO && (n_same < 3 || points_of(run) > points_of(same))) return play_run(run);
  if (n_same >= 3) return play_set(same);
  if ((view.sets_mask & rank_mask(card)) != ZERO) return play_set(same);
  return play_run(layoff_stretch(view.hand, card, view.runs_mask));
}

INLINE Int next_play(const Table& view, Mask held) {
  if (view.bound >= 0) return play_with_bound(view);
  Mask hand = view.hand & ~held;
  Mask threes = ranks_with_three(hand);
  if ((hand & threes) != ZERO) {
    Mask fours = ranks_with_four(hand);
    Mask best = fours != ZERO ? fours : threes;
    return play_set(hand & rank_mask(trailing_zeros(hand & best)));
  }
  Mask runs = run_cards(hand);
  if (runs != ZERO) return play_run(stretch_of(hand, trailing_zeros(runs)));
  Mask fourth = set_layoffs(hand, view.sets_mask);
  if (fourth != ZERO) return play_set(lowest_bit(fourth));
  Mask beside = ((view.runs_mask << 4) | (view.runs_mask >> 4)) & hand & SUITED_MASK;
  if (beside != ZERO) return play_run(lowest_bit(beside));
  return NOTHING;
}

INLINE Mask playable(const Table& view, Mask cards) {
  return playable_cards(cards, view.sets_mask, view.runs_mask);
}

INLINE Mask promising(Mask cards) {
  Mask suited = cards & SUITED_MASK;
  Mask near = (suited << 4) | (suited >> 4) | (suited << 8) | (suited >> 8);
  return (cards & ranks_with_two(cards)) | (suited & near);
}

INLINE Mask completers(Mask cards) { return melded_by(cards) & ~cards; }

INLINE Int hopes_lost(Mask hand, Int card, Mask wanted) {
  if ((promising(hand) & bit(card)) == ZERO) return 0;
  return points_of(wanted & ~completers(hand & ~bit(card)));
}

INLINE Int fours_bonus(Mask cards) {
  return (FOUR_MULTIPLIER - 1) * points_of(ranks_with_four(cards));
}

struct Three {
  Mask first, second, third;
};

INLINE Three run_pairs(Mask some, Mask others) {
  return {(some << 8) & (others << 4) & SUITED_MASK, (some << 4) & (others >> 4) & SUITED_MASK,
          (some >> 4) & (others >> 8)};
}

struct Odds {
  Mask certain, sure;
  double held;
  Three one_more, two_more;
};

INLINE Odds bind_odds(const Table& view, Int seat, Mask hidden) {
  Mask known = view.known[seat];
  Mask sure = view.pile_mask | known;
  Mask certain = melded_by(sure) | set_ranks(view.sets_mask) | run_neighbours(view.runs_mask);
  Int n_hidden = hidden == ZERO ? 1 : popcount(hidden);
  Int n_held = view.counts[seat] - popcount(known);
  double held = static_cast<double>(n_held) / static_cast<double>(n_hidden);
  Mask veiled = hidden & SUITED_MASK;
  Three up = run_pairs(sure & SUITED_MASK, veiled);
  Three down = run_pairs(veiled, sure & SUITED_MASK);
  return {certain, sure, held,
          {up.first | down.first, up.second | down.second, up.third | down.third},
          run_pairs(veiled, veiled)};
}

INLINE Int times_in(const Three& masks, Int place) {
  Mask times = ((masks.first >> place) & ONE) + ((masks.second >> place) & ONE) +
               ((masks.third >> place) & ONE);
  return static_cast<Int>(times);
}

INLINE double bind_chance(Int card, const Odds& odds, Mask hidden) {
  Mask others = rank_mask(card) & ~bit(card);
  Int n_sure = popcount(others & odds.sure), n_hidden = popcount(others & hidden);
  Int by_one = times_in(odds.one_more, card) + n_sure * n_hidden;
  Int by_two = times_in(odds.two_more, card) + ((n_hidden * (n_hidden - 1)) >> 1);
  double chance =
      odds.held * (static_cast<double>(by_one) + odds.held * static_cast<double>(by_two)) +
      static_cast<double>(static_cast<Int>((odds.certain >> card) & ONE));
  return chance < 1.0 ? chance : 1.0;
}

HOOK Int greedy_draw(const Table& view, const double* params, Int*) {
  Mask wanted = takeable(view);
  Int best = view.stock_size > 0 ? DRAW_STOCK : DRAW_PASS;
  double most = -params[0];
  while (wanted != ZERO) {
    Int card = trailing_zeros(wanted);
    wanted = without_lowest(wanted);
    Mask taken = taken_with(view, card);
    Mask down = playable(view, view.hand | taken);
    Int idle = points_of(taken & ~down);
    double worth = static_cast<double>(points_of(down) - idle);
    if (worth > most) {
      most = worth;
      best = pile_index(view, card);
    }
  }
  return best;
}

HOOK Int greedy_meld(const Table& view, const double*, Int*) { return next_play(view, ZERO); }

HOOK Int greedy_discard(const Table& view, const double*, Int*) {
  Mask cards = discards(view);
  Mask idle = cards & ~promising(view.hand);
  return dearest_card(idle != ZERO ? idle : cards);
}

HOOK Int random_draw(const Table& view, const double*, Int*) {
  Mask cards = takeable(view);
  Int choice = random_below(view, popcount(cards) + 1);
  if (choice > 0) return pile_index(view, nth_card(cards, choice - 1));
  return view.stock_size > 0 ? DRAW_STOCK : DRAW_PASS;
}

HOOK Int random_meld(const Table& view, const double*, Int* work) {
  Int n = plays(view, work);
  if (n == 0) return NOTHING;
  Int others = 0;
  if (view.bound < 0) {
    Mask cards = discards(view);
    others = cards == ZERO ? 1 : popcount(cards);
  }
  Int choice = random_below(view, n + others);
  return choice < n ? work[choice] : NOTHING;
}

HOOK Int random_discard(const Table& view, const double*, Int*) {
  Mask cards = discards(view);
  return nth_card(cards, random_below(view, popcount(cards)));
}

HOOK Int hunter_draw(const Table& view, const double* params, Int*) {
  Mask wanted = takeable(view);
  Int best = view.stock_size > 0 ? DRAW_STOCK : DRAW_PASS;
  if (wanted == ZERO) return best;
  Mask hidden = unseen(view);
  Int now = points_of(playable(view, view.hand));
  Int hopes = points_of(completers(view.hand) & hidden);
  double most = 0.0;
  while (wanted != ZERO) {
    Int card = trailing_zeros(wanted);
    wanted = without_lowest(wanted);
    Mask cards = view.hand | taken_with(view, card);
    Mask down = playable(view, cards);
    Int more = points_of(completers(cards & ~down) & hidden) - hopes;
    Int laid = points_of(down) - now + fours_bonus(cards);
    double worth = static_cast<double>(laid) + params[0] * static_cast<double>(more);
    if (worth > most) {
      most = worth;
      best = pile_index(view, card);
    }
  }
  return best;
}

HOOK Int hunter_meld(const Table& view, const double*, Int*) { return next_play(view, ZERO); }

HOOK Int hunter_discard(const Table& view, const double* params, Int*) {
  Mask cards = discards(view);
  Mask hidden = unseen(view);
  Mask wanted = completers(view.hand) & (hidden | view.pile_mask);
  Odds mate = bind_odds(view, partner(view), hidden);
  Odds after = bind_odds(view, (view.seat + 1) & 3, hidden);
  Int best = -1;
  double most = -__builtin_inf();
  while (cards != ZERO) {
    Int card = trailing_zeros(cards);
    cards = without_lowest(cards);
    Int lost = hopes_lost(view.hand, card, wanted);
    double feeds = params[1] * bind_chance(card, mate, hidden);
    feeds -= params[2] * bind_chance(card, after, hidden);
    double points = static_cast<double>(card_points(card));
    double worth = feeds * points - 0.15 * static_cast<double>(lost);
    if (worth > most) {
      most = worth;
      best = card;
    }
  }
  return best;
}
