"""The kernel: plays a block of boards between compiled hooks, checks every action, counts events.

One function, `play_block`, plays all there is to play: a block of a tournament or the one
match that is shown. It is compiled once, whatever the strategies, which come as pointers.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, from_dtype, types
from numba.extending import intrinsic

from .bits import ZERO, address_of, bit, on_stack, pointer, popcount
from .columns import DEAL_DTYPE, ROW_DTYPE, SIDE_DTYPE
from .deal import (
    DISCARD_BITS,
    KEEP_ACTION,
    PASS_ACTION,
    STOCK_ACTION,
    TAKE_BITS,
    deal_score,
    discard,
    discardable_cards,
    draw_stock,
    keep,
    lay,
    pass_turn,
    points_in_hands,
    start_deal,
    take_pile,
    why_not_discard,
    why_not_play,
    why_not_take,
)
from .invariants import cards_are_whole, points_are_conserved
from .jit import jit, jit_apart, jit_merged
from .melds import CARDS_MASK, KIND_SHIFT, SET
from .reasons import (
    BOUND_NOT_PLAYED,
    LEGAL,
    NOT_IN_HAND,
    NOT_IN_PILE,
    STOCK_IS_EMPTY,
    STOCK_NOT_EMPTY,
)
from .seeds import deck_key, match_key, seat_key, shuffle
from .state import DRAWING, HIDDEN_DTYPE, NO_CARD, PLAYING, TABLE_DTYPE, WENT_OUT
from .view import DRAW_PASS, DRAW_STOCK, HOOK_SIGNATURE, NOTHING

RULES_AREA = 4  # of `fixed_at`
UNSOUND = 100  # a failure's code when a position is not sound; below: `deal.REASONS`

WHERE_DTYPE = np.dtype(
    [
        ("seed", "u8"),
        ("first_board", "i8"),
        ("n_boards", "i8"),
        ("first_rotation", "i8"),
        ("n_rotations", "i8"),
        ("watched", "i8"),  # 1: log the actions, or check the position after each of them
        ("check_at", "u8"),  # address of `state_is_ok`, called after every action; 0: not called
        ("log_at", "u8"),  # address of a uint64 array that is filled with the actions
        ("log_size", "i8"),  # its length, 0 for no log
        ("n_logged", "i8"),
        ("fixed_at", "u8", (5,)),  # what no hook may change: four players' parameters, the rules
        ("copies_at", "u8", (5,)),  # copies of them
        ("fixed_words", "i8", (5,)),  # their lengths in words of 64 bits
        ("board", "i8"),  # from here on: what is being played, and where a failure was
        ("rotation", "i8"),
        ("deal", "i8"),
        ("seat", "i8"),
        ("hook", "i8"),
        ("answer", "i8"),
        ("code", "i8"),
    ],
    align=True,
)
"""What a call of the kernel plays, and where it stands; the failure's place when it fails."""

PLAYER_DTYPE = np.dtype(
    [
        ("hooks_at", "u8", (3,)),  # draw, meld, discard
        ("params_at", "u8"),
        ("n_params", "i8"),
        ("work_at", "u8"),
        ("work_size", "i8"),
        ("unused", "u8"),  # 64 bytes a player
    ],
    align=True,
)
"""Where the hooks, the parameters and the memory of one player lie. Arrays that are passed as such
count references at each call of a hook, which costs ten times the call; these are borrowed."""

GAME_DTYPE = np.dtype(
    [
        ("hidden", HIDDEN_DTYPE),
        ("table", TABLE_DTYPE),
        ("where", WHERE_DTYPE),
        ("players", PLAYER_DTYPE, (4,)),
    ],
    align=True,
)
"""What the kernel is given: the rules in `table`, what to play, and who plays. It works on copies
of `table` and `hidden` (`bits.on_stack`)."""

DRAW, MELD, DISCARD_HOOK = range(3)


@intrinsic
def _call(typing_context: Any, address: Any, where: Any, table: Any, player: Any) -> Any:
    """Call the hook whose machine code is at an address; what it raises is passed on.

    Returns its answer, which stands in ``where.answer`` too: that is where the hook writes it.
    """
    signature = HOOK_SIGNATURE.return_type(address, where, table, player)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(HOOK_SIGNATURE.return_type, HOOK_SIGNATURE.args)
        hook = builder.inttoptr(args[0], kind.as_pointer())

        def at(record: Any, dtype: np.dtype, field: str) -> Any:
            fields: Any = dtype.fields
            byte = builder.bitcast(record, context.get_value_type(types.voidptr))
            return builder.gep(byte, [context.get_constant(types.intp, fields[field][1])])

        with builder.goto_entry_block():
            raised = builder.alloca(kind.args[1].pointee)
        places = [
            at(args[1], WHERE_DTYPE, "answer"),
            raised,
            args[2],
            at(args[3], PLAYER_DTYPE, "params_at"),
            at(args[3], PLAYER_DTYPE, "work_at"),
        ]
        passed = [builder.bitcast(place, k) for place, k in zip(places, kind.args, strict=True)]
        code = builder.call(hook, passed)
        failed = builder.icmp_signed("!=", code, ir.Constant(code.type, 0))
        with builder.if_then(failed, likely=False):
            status = convention._get_return_status(builder, code, builder.load(raised))
            convention.return_status_propagate(builder, status)
        return builder.load(passed[0])

    return signature, codegen


@jit
def _ask(player: Any, hook: int, table: Any, side: Any, where: Any) -> int:
    """Return what a hook of the player to act answers."""
    where.hook = hook
    side.decisions += 1
    answer: int = _call(player.hooks_at[hook], where, table, player)
    return answer


@jit_apart
def _is_fixed(where: Any) -> bool:
    """Return whether parameters and rules are what they were."""
    changed = ZERO
    for area in range(5):
        n_words = where.fixed_words[area]
        words = carray(pointer(where.fixed_at[area]), (n_words,), np.uint64)
        copy = carray(pointer(where.copies_at[area]), (n_words,), np.uint64)
        for place in range(np.uint64(n_words)):
            changed |= words[place] ^ copy[place]
    return changed == ZERO


@jit_apart
def ask_all(game: Any, hook: int, tables: Any, times: int) -> int:
    """Ask a hook of the first player about each of some tables; return the sum of its answers.

    All of them are gone through so many `times`.

    Parameters
    ----------
    game : GAME_DTYPE record
        With the players; the answers pass through its `where`.
    hook : int
        0: draw, 1: meld, 2: discard.
    tables : TABLE_DTYPE array
    """
    total = 0
    player = game.players[np.uint64(0)]
    for _ in range(times):
        for place in range(tables.size):
            total += _call(player.hooks_at[hook], game.where, tables[place], player)
    return total


@intrinsic
def _is_ok_by(typing_context: Any, address: Any, table: Any, hidden: Any) -> Any:
    """Return what a compiled check of the position says (`invariants.state_is_ok`).

    It stands at an address, so that it is compiled only where somebody wants it.
    """
    signature = types.boolean(address, table, hidden)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        result, kinds = signature.return_type, signature.args[1:]
        function = convention.get_function_type(result, kinds).as_pointer()
        check = builder.inttoptr(args[0], function)
        return convention.call_function(builder, check, result, kinds, args[1:])[1]

    return signature, codegen


@jit_apart
def _look_at(table: Any, hidden: Any, where: Any, action: Any) -> int:
    """Log an action that has been played, while there is room; return `UNSOUND` or `LEGAL`."""
    if where.n_logged < where.log_size:
        carray(pointer(where.log_at), (where.log_size,), np.uint64)[where.n_logged] = action
        where.n_logged += 1
    if where.check_at == 0:
        return LEGAL
    sound = _is_ok_by(where.check_at, table, hidden) and _is_fixed(where)
    return LEGAL if sound else UNSOUND


@jit
def _watch(table: Any, hidden: Any, where: Any, action: Any) -> int:
    """Look at an action that has been played, if anybody wants to; return a code or `LEGAL`."""
    if where.watched == 0:
        return LEGAL
    return _look_at(table, hidden, where, action)


@jit_merged
def _draw(table: Any, hidden: Any, player: Any, side: Any, where: Any) -> int:
    """Play the draw of a turn; return a failure's code or `LEGAL`."""
    answer = DRAW_STOCK if table.stock_size > 0 else DRAW_PASS
    if table.takeable != ZERO:
        answer = _ask(player, DRAW, table, side, where)
    if answer == DRAW_STOCK:
        if table.stock_size == 0:
            return STOCK_IS_EMPTY
        draw_stock(table, hidden)
        side.stock_draws += 1
        return _watch(table, hidden, where, STOCK_ACTION)
    if answer == DRAW_PASS:
        if table.stock_size != 0:
            return STOCK_NOT_EMPTY
        pass_turn(table, hidden)
        side.passes += 1
        return _watch(table, hidden, where, PASS_ACTION)
    if answer < 0 or answer >= table.pile_size:
        return NOT_IN_PILE
    card = np.int64(table.pile[np.uint64(answer)])
    code = why_not_take(table, card)
    if code != LEGAL:
        return code
    side.takes += 1
    side.cards_taken += take_pile(table, card)
    return _watch(table, hidden, where, TAKE_BITS | bit(card))


@jit_merged
def _lay(table: Any, hidden: Any, side: Any, play: Any) -> None:
    """Lay a legal play and count it."""
    points, doubled = lay(table, hidden, play)
    size = popcount(play & CARDS_MASK)
    if np.int64(play >> KIND_SHIFT) == SET and size >= 3:
        side.sets += 1
        side.set_points += points
        if doubled > 0:
            side.doubles += 1
            side.double_points += doubled
    elif size >= table.rules.min_run:
        side.runs += 1
        side.run_points += points
    else:
        side.layoffs += 1
        side.layoff_points += points


@jit_merged
def _meld(table: Any, hidden: Any, player: Any, side: Any, where: Any) -> int:
    """Play the melds of a turn; return a failure's code or `LEGAL`."""
    while table.playable != ZERO:
        answer = _ask(player, MELD, table, side, where)
        if answer == NOTHING:
            if table.bound != NO_CARD:
                return BOUND_NOT_PLAYED
            return LEGAL
        play = np.uint64(answer)
        code = why_not_play(table, play)
        if code != LEGAL:
            return code
        _lay(table, hidden, side, play)
        code = _watch(table, hidden, where, play)
        if code != LEGAL:
            return code
    return LEGAL


@jit_merged
def _discard(table: Any, hidden: Any, player: Any, side: Any, where: Any) -> int:
    """Play the discard of a turn; return a failure's code or `LEGAL`."""
    cards = discardable_cards(table)
    if cards == ZERO:
        keep(table, hidden)
        side.keeps += 1
        return _watch(table, hidden, where, KEEP_ACTION)
    answer = _ask(player, DISCARD_HOOK, table, side, where)
    if answer < 0 or answer >= table.rules.pack_size:
        return NOT_IN_HAND
    if cards & bit(answer) == ZERO:
        return why_not_discard(table, answer)
    seat = np.uint64(table.seat)
    discard(table, hidden, answer)
    if table.counts[seat] == 0 and table.status != WENT_OUT:
        side.floats += 1
    return _watch(table, hidden, where, DISCARD_BITS | bit(answer))


@jit_merged
def _play_turn(table: Any, hidden: Any, player: Any, side: Any, where: Any) -> int:
    """Play one turn: draw, meld, discard; return a failure's code or `LEGAL`."""
    code = _draw(table, hidden, player, side, where)
    if code != LEGAL or table.phase == DRAWING:  # a pass is the whole turn
        return code
    code = _meld(table, hidden, player, side, where)
    if code != LEGAL or table.status != PLAYING:
        return code
    return _discard(table, hidden, player, side, where)


@jit_merged
def _play_deal(table: Any, hidden: Any, game: Any, side_a: Any, side_b: Any) -> int:
    """Play a deal that has been dealt; return a failure's code or `LEGAL`."""
    where = game.where
    while table.status == PLAYING:
        where.seat = table.seat
        seat = np.uint64(table.seat)
        table.rng = hidden.streams[seat]
        side = side_a if (where.seat ^ where.rotation) & 1 == 0 else side_b
        player = game.players[np.uint64(where.seat ^ where.rotation)]
        code = _play_turn(table, hidden, player, side, where)
        hidden.streams[seat] = table.rng
        if code != LEGAL:
            where.code = code
            return code
    whole = cards_are_whole(table, hidden) and points_are_conserved(table, hidden)
    if not (whole and _is_fixed(where)):
        where.code = UNSOUND
        return UNSOUND
    return LEGAL


@jit_merged
def _score_deal(
    table: Any, hidden: Any, side_a: Any, side_b: Any, deal: Any, rotation: int
) -> None:
    """Add a finished deal to both sides and fill its row."""
    deal.deal_turns = table.turns
    deal.deal_end = table.status  # EXHAUSTED is 2, CUT_OFF is 3
    for team in range(2):
        side = side_a if team == rotation else side_b
        score = deal_score(table, hidden, team)
        side.score += score
        side.left_points += points_in_hands(table, hidden, team)
        table.match_points[team] += score
        if table.status == WENT_OUT and table.out_seat & 1 == team:
            side.outs += 1
            side.out_points += table.rules.out_bonus
            deal.deal_end = team ^ rotation
        if team == rotation:
            deal.deal_score_a = score
        else:
            deal.deal_score_b = score


@jit_merged
def _clear_work(game: Any) -> None:
    """Empty the memory of all players, as it is when a deal begins."""
    for player in game.players:
        work = carray(pointer(player.work_at), (player.work_size,), np.int64)
        work[:] = 0


@jit_merged
def _play_match(
    table: Any, hidden: Any, game: Any, decks: Any, row: Any, sides: Any, deals: Any
) -> int:
    """Play one match and fill its row; return a failure's code or `LEGAL`."""
    where = game.where
    row.board = where.board
    row.rotation = where.rotation
    row.dealer = where.board & 3
    table.match_points[0] = 0
    table.match_points[1] = 0
    key = match_key(where.seed, where.board, where.rotation)
    for number in range(table.rules.deals):
        where.deal = number
        table.deal = number
        start_deal(table, hidden, decks[number], (row.dealer + number) & 3)
        _clear_work(game)
        for seat in range(4):
            hidden.streams[seat] = seat_key(key, number, seat)
        code = _play_deal(table, hidden, game, sides[0], sides[1])
        if code != LEGAL:
            return code
        _score_deal(table, hidden, sides[0], sides[1], deals[number], where.rotation)
        row.turns += table.turns
    return LEGAL


@jit(
    types.int64(
        from_dtype(GAME_DTYPE),
        types.uint8[:, ::1],
        types.Array(from_dtype(ROW_DTYPE), 1, "C"),
        types.Array(from_dtype(SIDE_DTYPE), 2, "C"),
        types.Array(from_dtype(DEAL_DTYPE), 2, "C"),
    )
)
def play_block(game: Any, decks: Any, rows: Any, sides: Any, deals: Any) -> int:
    """Play a block of boards, each in its rotations; return matches played.

    Fewer than asked for when a strategy failed: `game.where` then says where and how.

    Parameters
    ----------
    game : GAME_DTYPE record
        With the rules, what to play and who plays: the players by *seat in rotation 0*; in
        rotation 1 the player of seat s sits at s ^ 1.
    decks : uint8 array, shape (deals, 56), overwritten
    rows, sides, deals : arrays, shapes (n,), (n, 2), (n, deals)
        Zeros; filled with the rows (`sim.columns`).
    """
    table, hidden, where = on_stack(game.table), on_stack(game.hidden), game.where
    where.fixed_at[RULES_AREA] = address_of(table.rules)
    size = table.rules.pack_size
    match = 0
    for board in range(where.first_board, where.first_board + where.n_boards):
        where.board = board
        for number in range(table.rules.deals):
            shuffle(decks[number], size, deck_key(where.seed, board, number))
        for rotation in range(where.first_rotation, where.first_rotation + where.n_rotations):
            where.rotation = rotation
            code = _play_match(table, hidden, game, decks, rows[match], sides[match], deals[match])
            if code != LEGAL:
                return match
            match += 1
    return match
