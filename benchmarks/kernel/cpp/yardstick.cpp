// The kernel of sim/kernel.py in C++, function for function: what hand-written code of the same
// algorithm does on this machine. Default house rules, no log and no check after every action.

#include "seeds.hpp"
#include "strategies.hpp"

namespace {

struct Row {  // ROW_DTYPE
  int64_t board;
  int32_t rotation, dealer, turns;
};
struct Side {  // SIDE_DTYPE
  int32_t score, stock_draws, takes, cards_taken, sets, runs, layoffs, doubles, set_points,
      run_points, layoff_points, double_points, out_points, left_points, outs, passes, floats,
      keeps, decisions;
};
struct Deal {  // DEAL_DTYPE
  int32_t deal_turns, deal_end, deal_score_a, deal_score_b;
};
static_assert(sizeof(Row) == 24 && sizeof(Side) == 76 && sizeof(Deal) == 16);

enum HookNumber : Int { DRAW, MELD, DISCARD_HOOK };

struct Player {
  Hook hooks[3];
  const double* params;
  Int* work;
  Int n_params, work_size;
  const double* copy;  // of the parameters, which no hook may change
};

struct Where {  // what is being played, and where a failure was
  uint64_t seed;
  Int board, rotation, deal, seat, hook, answer, code;
};

int32_t small(Int number) { return static_cast<int32_t>(number); }

INLINE Int ask(const Player& player, HookNumber hook, const Table& table, Side& side,
               Where& where) {
  where.hook = hook;
  side.decisions += 1;
  where.answer = player.hooks[hook](table, player.params, player.work);
  return where.answer;
}

INLINE Int play_draw(Table& table, Hidden& hidden, const Player& player, Side& side,
                     Where& where) {
  Int answer = table.stock_size > 0 ? DRAW_STOCK : DRAW_PASS;
  if (table.takeable != ZERO) answer = ask(player, DRAW, table, side, where);
  if (answer == DRAW_STOCK) {
    if (table.stock_size == 0) return STOCK_IS_EMPTY;
    draw_stock(table, hidden);
    side.stock_draws += 1;
    return LEGAL;
  }
  if (answer == DRAW_PASS) {
    if (table.stock_size != 0) return STOCK_NOT_EMPTY;
    side.passes += 1;
    pass_turn(table, hidden);
    return LEGAL;
  }
  if (answer < 0 || answer >= table.pile_size) return NOT_IN_PILE;
  Int card = table.pile[answer];
  if (Int code = why_not_take(table, card); code != LEGAL) return code;
  side.takes += 1;
  side.cards_taken += small(take_pile(table, card));
  return LEGAL;
}

bool is_fixed(const Player* players) {
  uint64_t changed = ZERO;
  for (Int who = 0; who < N_SEATS; ++who) {
    const Player& player = players[who];
    for (Int place = 0; place < player.n_params; ++place)
      changed |= __builtin_bit_cast(uint64_t, player.params[place]) ^
                 __builtin_bit_cast(uint64_t, player.copy[place]);
  }
  return changed == ZERO;
}

INLINE void lay_and_count(Table& table, Hidden& hidden, Side& side, Mask play) {
  auto [points, doubled] = lay(table, hidden, play);
  Int size = popcount(play & CARDS_MASK);
  if ((play >> KIND_SHIFT) == SET && size >= 3) {
    side.sets += 1;
    side.set_points += small(points);
    if (doubled > 0) {
      side.doubles += 1;
      side.double_points += small(doubled);
    }
  } else if (size >= MIN_RUN) {
    side.runs += 1;
    side.run_points += small(points);
  } else {
    side.layoffs += 1;
    side.layoff_points += small(points);
  }
}

INLINE Int play_melds(Table& table, Hidden& hidden, const Player& player, Side& side,
                      Where& where) {
  while (table.playable != ZERO) {
    Int answer = ask(player, MELD, table, side, where);
    if (answer == NOTHING) return table.bound != NO_CARD ? BOUND_NOT_PLAYED : LEGAL;
    Mask play = static_cast<Mask>(answer);
    if (Int code = why_not_play(table, play); code != LEGAL) return code;
    lay_and_count(table, hidden, side, play);
  }
  return LEGAL;
}

INLINE Int play_discard(Table& table, Hidden& hidden, const Player& player, Side& side,
                        Where& where) {
  Mask cards = discardable_cards(table);
  if (cards == ZERO) {
    side.keeps += 1;
    keep(table, hidden);
    return LEGAL;
  }
  Int answer = ask(player, DISCARD_HOOK, table, side, where);
  if (answer < 0 || answer >= PACK_SIZE) return NOT_IN_HAND;
  if ((cards & bit(answer)) == ZERO) return why_not_discard(table, answer);
  Int seat = table.seat;
  discard(table, hidden, answer);
  if (table.counts[seat] == 0 && table.status != WENT_OUT) side.floats += 1;
  return LEGAL;
}

INLINE Int play_turn(Table& table, Hidden& hidden, const Player& player, Side& side,
                     Where& where) {
  Int turn = table.turns;
  Int code = play_draw(table, hidden, player, side, where);
  if (code != LEGAL || table.turns != turn) return code;
  code = play_melds(table, hidden, player, side, where);
  if (code != LEGAL || table.status != PLAYING) return code;
  return play_discard(table, hidden, player, side, where);
}

Int play_deal(Table& table, Hidden& hidden, const Player* players, Side* sides, Where& where) {
  while (table.status == PLAYING) {
    Int seat = table.seat;
    where.seat = seat;
    table.rng = hidden.streams[seat];
    Side& side = sides[(seat ^ where.rotation) & 1];
    const Player& player = players[seat ^ where.rotation];
    Int code = play_turn(table, hidden, player, side, where);
    hidden.streams[seat] = table.rng;
    if (code != LEGAL) return where.code = code;
  }
  bool whole = cards_are_whole(table, hidden) && points_are_conserved(table, hidden);
  if (!(whole && is_fixed(players))) return where.code = UNSOUND;
  return LEGAL;
}

void score_deal(Table& table, const Hidden& hidden, Side* sides, Deal& deal, Int rotation) {
  deal.deal_turns = small(table.turns);
  deal.deal_end = small(table.status);
  for (Int team = 0; team < 2; ++team) {
    Side& side = sides[team ^ rotation];
    Int score = deal_score(table, hidden, team);
    side.score += small(score);
    side.left_points += small(points_in_hands(table, hidden, team));
    table.match_points[team] += score;
    if (table.status == WENT_OUT && (table.out_seat & 1) == team) {
      side.outs += 1;
      side.out_points += small(OUT_BONUS);
      deal.deal_end = small(team ^ rotation);
    }
    (team == rotation ? deal.deal_score_a : deal.deal_score_b) = small(score);
  }
}

Int play_match(Table& table, Hidden& hidden, const Player* players,
               const uint8_t (*decks)[N_CARDS], Row& row, Side* sides, Deal* deals, Where& where) {
  row.board = where.board;
  row.rotation = small(where.rotation);
  row.dealer = small(where.board & 3);
  table.match_points[0] = table.match_points[1] = 0;
  uint64_t key = match_key(where.seed, where.board, where.rotation);
  for (Int number = 0; number < DEALS; ++number) {
    where.deal = table.deal = number;
    start_deal(table, hidden, decks[number], (row.dealer + number) & 3);
    for (Int who = 0; who < N_SEATS; ++who)
      memset(players[who].work, 0, static_cast<size_t>(players[who].work_size) * sizeof(Int));
    for (Int seat = 0; seat < N_SEATS; ++seat)
      hidden.streams[seat] = seat_key(key, number, seat);
    Int code = play_deal(table, hidden, players, sides, where);
    if (code != LEGAL) return code;
    score_deal(table, hidden, sides, deals[number], where.rotation);
    row.turns += small(table.turns);
  }
  return LEGAL;
}

struct Strategy {
  const char* name;
  Hook hooks[3];
  double params[3];
  Int n_params, work_size;
};

const Strategy STRATEGIES[] = {
    {"greedy", {greedy_draw, greedy_meld, greedy_discard}, {0.0}, 1, 0},
    {"random", {random_draw, random_meld, random_discard}, {}, 0, MAX_PLAYS},
    {"hunter", {hunter_draw, hunter_meld, hunter_discard}, {2.0, 1.0, 12.0}, 3, 0},
};

const Strategy* find(const char* name) {
  for (const Strategy& strategy : STRATEGIES)
    if (strcmp(strategy.name, name) == 0) return &strategy;
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int64_t play_block(
    uint64_t seed, int64_t first_board, int64_t n_boards, const char* a, const char* b, Row* rows,
    Side* sides, Deal* deals) {
  const Strategy* sought[2] = {find(a), find(b)};
  if (sought[0] == nullptr || sought[1] == nullptr) return -1;
  Player players[N_SEATS];
  double params[N_SEATS][3];
  Int work[N_SEATS][MAX_PLAYS];
  for (Int who = 0; who < N_SEATS; ++who) {
    const Strategy& strategy = *sought[who & 1];
    memcpy(players[who].hooks, strategy.hooks, sizeof strategy.hooks);
    memcpy(params[who], strategy.params, sizeof strategy.params);
    players[who].params = params[who];
    players[who].copy = strategy.params;
    players[who].n_params = strategy.n_params;
    players[who].work = work[who];
    players[who].work_size = strategy.work_size;
  }
  Table table{};
  Hidden hidden{};
  uint8_t decks[DEALS][N_CARDS];
  Where where{};
  where.seed = seed;
  Int match = 0;
  for (Int board = first_board; board < first_board + n_boards; ++board) {
    where.board = board;
    for (Int number = 0; number < DEALS; ++number)
      shuffle(decks[number], deck_key(seed, board, number));
    for (Int rotation = 0; rotation < 2; ++rotation) {
      where.rotation = rotation;
      Int code = play_match(table, hidden, players, decks, rows[match], sides + 2 * match,
                            deals + DEALS * match, where);
      if (code != LEGAL) return match;
      ++match;
    }
  }
  return match;
}
