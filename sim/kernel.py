"""The kernel: plays a block of boards between compiled hooks, checks every action, counts events.

One function, `play_block`, plays all there is to play: a block of a tournament or the one
match that is shown. It is compiled once, whatever the strategies, which come as pointers.
"""

from typing import Any

import numpy as np
from numba import carray, from_dtype, types
from numba.extending import intrinsic

from .bits import ZERO, bit, pointer, popcount
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
from .invariants import cards_are_whole, points_are_conserved, state_is_ok
from .jit import jit, jit_apart, jit_merged
from .melds import CARDS_MASK, KIND_SHIFT, SET
from .readonly import read_only
from .reasons import (
    BOUND_NOT_PLAYED,
    LEGAL,
    NOT_IN_HAND,
    NOT_IN_PILE,
    STOCK_IS_EMPTY,
    STOCK_NOT_EMPTY,
)
from .seeds import deck_key, seat_key, shuffle
from .state import HIDDEN_TYPE, NO_CARD, PLAYING, TABLE_TYPE, WENT_OUT
from .view import DRAW_PASS, DRAW_STOCK, HOOK_SIGNATURE, NOTHING

UNSOUND = 100  # a failure's code when a position is not sound; below: `deal.REASONS`

WHERE_DTYPE = np.dtype(
    [
        ("seed", "u8"),
        ("first_board", "i8"),
        ("n_boards", "i8"),
        ("first_rotation", "i8"),
        ("n_rotations", "i8"),
        ("checked", "i8"),  # 1: state_is_ok after every action
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

SEATS_DTYPE = np.dtype(
    [
        ("hooks_at", "u8", (3, 4)),
        ("params_at", "u8", (4,)),
        ("n_params", "i8", (4,)),
        ("work_at", "u8", (4,)),
        ("work_size", "i8", (4,)),
    ],
    align=True,
)
"""Where the hooks (draw, meld, discard), the parameters and the memory of four players lie, by seat
in rotation 0. Arrays that are passed as such count references at each call of a hook, which costs
ten times the call; these are borrowed."""

WHERE_TYPE = from_dtype(WHERE_DTYPE)
SEATS_TYPE = from_dtype(SEATS_DTYPE)
DRAW, MELD, DISCARD_HOOK = range(3)


@intrinsic
def _call(typing_context: Any, address: Any, view: Any, params: Any, work: Any) -> Any:
    """Call the hook whose machine code is at an address; what it raises is passed on."""
    signature = HOOK_SIGNATURE.return_type(types.uint64, *HOOK_SIGNATURE.args)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        result, kinds = signature.return_type, signature.args[1:]
        convention = context.call_conv
        function = convention.get_function_type(result, kinds).as_pointer()
        hook = builder.inttoptr(args[0], function)
        status, answer = convention.call_function(builder, hook, result, kinds, args[1:])
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return answer

    return signature, codegen


@jit
def _ask(seats: Any, table: Any, where: Any) -> int:
    """Return what a hook of the seat to act answers."""
    who = np.uint64(where.seat ^ where.rotation)  # unsigned: an index that is never negative
    params = carray(pointer(seats.params_at[who]), (seats.n_params[who],), np.float64)
    work = carray(pointer(seats.work_at[who]), (seats.work_size[who],), np.int64)
    hook = seats.hooks_at[where.hook, who]
    where.answer = _call(hook, read_only(table), read_only(params), work)
    return where.answer


@jit
def _note(where: Any, action: Any) -> None:
    """Add an action to the log while there is room."""
    if where.n_logged < where.log_size:
        carray(pointer(where.log_at), (where.log_size,), np.uint64)[where.n_logged] = action
        where.n_logged += 1


@jit
def _draw(table: Any, hidden: Any, seats: Any, side: Any, where: Any) -> int:
    """Play the draw of a turn; return a failure's code or `LEGAL`."""
    where.hook = DRAW
    answer = _ask(seats, table, where)
    side.decisions += 1
    if answer == DRAW_STOCK:
        if table.stock_size == 0:
            return STOCK_IS_EMPTY
        _note(where, STOCK_ACTION)
        draw_stock(table, hidden)
        side.stock_draws += 1
        return LEGAL
    if answer == DRAW_PASS:
        if table.stock_size != 0:
            return STOCK_NOT_EMPTY
        _note(where, PASS_ACTION)
        side.passes += 1
        pass_turn(table, hidden)
        return LEGAL
    if answer < 0 or answer >= table.pile_size:
        return NOT_IN_PILE
    card = np.int64(table.pile[answer])
    code = why_not_take(table, card)
    if code != LEGAL:
        return code
    _note(where, TAKE_BITS | bit(card))
    side.takes += 1
    side.cards_taken += take_pile(table, card)
    return LEGAL


@jit_apart
def _is_fixed(where: Any) -> bool:
    """Return whether parameters and rules are what they were."""
    for area in range(5):
        n_words = where.fixed_words[area]
        words = carray(pointer(where.fixed_at[area]), (n_words,), np.uint64)
        copy = carray(pointer(where.copies_at[area]), (n_words,), np.uint64)
        for place in range(n_words):
            if words[place] != copy[place]:
                return False
    return True


@jit_apart
def _is_sound(table: Any, hidden: Any, where: Any) -> bool:
    """Return whether the whole position is sound, and nothing has been changed by a hook."""
    return state_is_ok(table, hidden) and _is_fixed(where)


@jit
def _lay(table: Any, hidden: Any, side: Any, play: Any) -> None:
    """Lay a legal play and count it."""
    team = table.seat & 1
    points, doubled = table.points[team], hidden.doubled
    lay(table, hidden, play)
    doubled = hidden.doubled - doubled
    points = table.points[team] - points - doubled
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


@jit
def _meld(table: Any, hidden: Any, seats: Any, side: Any, where: Any) -> int:
    """Play the melds of a turn; return a failure's code or `LEGAL`."""
    while table.status == PLAYING:
        where.hook = MELD
        answer = _ask(seats, table, where)
        side.decisions += 1
        if answer == NOTHING:
            if table.bound != NO_CARD:
                return BOUND_NOT_PLAYED
            return LEGAL
        play = np.uint64(answer)
        code = why_not_play(table, play)
        if code != LEGAL:
            return code
        _note(where, play)
        _lay(table, hidden, side, play)
        if where.checked != 0 and not _is_sound(table, hidden, where):
            return UNSOUND
    return LEGAL


@jit
def _discard(table: Any, hidden: Any, seats: Any, side: Any, where: Any) -> int:
    """Play the discard of a turn; return a failure's code or `LEGAL`."""
    cards = discardable_cards(table)
    if cards == ZERO:
        _note(where, KEEP_ACTION)
        side.keeps += 1
        keep(table, hidden)
        return LEGAL
    where.hook = DISCARD_HOOK
    answer = _ask(seats, table, where)
    side.decisions += 1
    if answer < 0 or answer >= table.rules.pack_size:
        return NOT_IN_HAND
    if cards & bit(answer) == ZERO:
        return why_not_discard(table, answer)
    _note(where, DISCARD_BITS | bit(answer))
    seat = table.seat
    discard(table, hidden, answer)
    if table.counts[seat] == 0 and table.status != WENT_OUT:
        side.floats += 1
    return LEGAL


@jit_merged
def _play_turn(table: Any, hidden: Any, seats: Any, side: Any, where: Any) -> int:
    """Play one turn: draw, meld, discard; return a failure's code or `LEGAL`."""
    turn = table.turns
    code = _draw(table, hidden, seats, side, where)
    if code != LEGAL or table.turns != turn:
        return code
    if where.checked != 0 and not _is_sound(table, hidden, where):
        return UNSOUND
    code = _meld(table, hidden, seats, side, where)
    if code != LEGAL or table.status != PLAYING:
        return code
    code = _discard(table, hidden, seats, side, where)
    if code == LEGAL and where.checked != 0 and not _is_sound(table, hidden, where):
        return UNSOUND
    return code


@jit_merged
def _play_deal(table: Any, hidden: Any, seats: Any, side_a: Any, side_b: Any, where: Any) -> int:
    """Play a deal that has been dealt; return a failure's code or `LEGAL`."""
    while table.status == PLAYING:
        seat = table.seat
        where.seat = seat
        table.rng = hidden.streams[seat]
        side = side_a if (seat ^ where.rotation) & 1 == 0 else side_b
        code = _play_turn(table, hidden, seats, side, where)
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
def _clear_work(seats: Any) -> None:
    """Empty the memory of all players, as it is when a deal begins."""
    for who in range(4):
        work = carray(pointer(seats.work_at[who]), (seats.work_size[who],), np.int64)
        work[:] = 0


@jit_merged
def _play_match(
    state: Any,
    seats: Any,
    decks: Any,
    row: Any,
    sides: Any,
    deals: Any,
    where: Any,
) -> int:
    """Play one match and fill its row; return a failure's code or `LEGAL`."""
    table, hidden = state
    row.board = where.board
    row.rotation = where.rotation
    row.dealer = where.board & 3
    table.match_points[0] = 0
    table.match_points[1] = 0
    for number in range(table.rules.deals):
        where.deal = number
        table.deal = number
        start_deal(table, hidden, decks[number], (row.dealer + number) & 3)
        _clear_work(seats)
        for seat in range(4):
            hidden.streams[seat] = seat_key(where.seed, where.board, where.rotation, number, seat)
        code = _play_deal(table, hidden, seats, sides[0], sides[1], where)
        if code != LEGAL:
            return code
        _score_deal(table, hidden, sides[0], sides[1], deals[number], where.rotation)
        row.turns += table.turns
    return LEGAL


@jit(
    types.int64(
        types.Tuple((TABLE_TYPE, HIDDEN_TYPE)),
        SEATS_TYPE,
        types.uint8[:, ::1],
        types.Array(from_dtype(ROW_DTYPE), 1, "C"),
        types.Array(from_dtype(SIDE_DTYPE), 2, "C"),
        types.Array(from_dtype(DEAL_DTYPE), 2, "C"),
        WHERE_TYPE,
    )
)
def play_block(
    state: Any,
    seats: Any,
    decks: Any,
    rows: Any,
    sides: Any,
    deals: Any,
    where: Any,
) -> int:
    """Play a block of boards, each in its rotations; return matches played.

    Fewer than asked for when a strategy failed: `where` then says where and how.

    Parameters
    ----------
    state : (TABLE_DTYPE, HIDDEN_DTYPE) records
        With the rules filled in.
    seats : SEATS_DTYPE record
        Who plays, by *seat in rotation 0*; in rotation 1 the player of seat s sits at s ^ 1.
    decks : uint8 array, shape (deals, 56), overwritten
    rows, sides, deals : arrays, shapes (n,), (n, 2), (n, deals)
        Zeros; filled with the rows (`sim.columns`).
    where : WHERE_DTYPE record
    """
    table, _ = state
    size = table.rules.pack_size
    match = 0
    for board in range(where.first_board, where.first_board + where.n_boards):
        where.board = board
        for number in range(table.rules.deals):
            shuffle(decks[number], size, deck_key(where.seed, board, number))
        for rotation in range(where.first_rotation, where.first_rotation + where.n_rotations):
            where.rotation = rotation
            code = _play_match(state, seats, decks, rows[match], sides[match], deals[match], where)
            if code != LEGAL:
                return match
            match += 1
    return match
