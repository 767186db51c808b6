"""Random streams by identity: what is dealt and drawn depends on *what* it is, never on *when*.

A stream's key is a hash of its identity: the deck of a deal is a function of (master seed,
board, deal), a seat's stream of (master seed, board, rotation, deal, seat). A stream is the
sequence SplitMix64 gives from its key on. Decks and seats hash under different domains, so a
strategy's draws never move a deck.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), for the
mixing function; Brackett-Rozinsky and Lemire, "Batched ranged random integer generation" (2024),
for several bounded draws out of one word.

The signatures are explicit: a key that passes through Python is a Python int, and without them
would come back to compiled code as an `int64`.
"""

from typing import Any

import numpy as np
from numba import types

from .bits import ONE, ZERO, multiply_high
from .jit import jit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31 = (np.uint64(n) for n in (27, 30, 31))

_DECK_DOMAIN = np.uint64(0x6465636B)  # "deck"
_DRAW_DOMAIN = np.uint64(0x64726177)  # "draw"
_SEAT_DOMAIN = np.uint64(0x73656174)  # "seat"

DRAWS_A_WORD = np.uint64(8)  # 56**8 < 2**47, so that a word is rejected once in 2**17 times


@jit
def mix64(word: Any) -> Any:
    """Return a bijective scramble of a `uint64` in which every input bit moves every output bit."""
    word = (word ^ (word >> _U30)) * _MIX_1
    word = (word ^ (word >> _U27)) * _MIX_2
    return word ^ (word >> _U31)


@jit
def _absorb(key: Any, part: int) -> Any:
    return mix64((key ^ mix64(np.uint64(part) + GOLDEN)) + GOLDEN)


@jit(types.uint64(types.uint64, types.int64, types.int64))
def deck_key(seed: Any, board: int, deal: int) -> Any:
    """Return the key of the stream that shuffles the deck of one deal of a board."""
    return _absorb(_absorb(_absorb(_DECK_DOMAIN, seed), board), deal)


@jit(types.uint64(types.uint64))
def draw_key(seed: Any) -> Any:
    """Return the key of the stream that shuffles the pack for the draw for partners."""
    return _absorb(_DRAW_DOMAIN, seed)


@jit(types.uint64(types.uint64, types.int64, types.int64))
def match_key(seed: Any, board: int, rotation: int) -> Any:
    """Return the key of one match, from which those of its seats' streams come (`seat_key`)."""
    return _absorb(_absorb(_absorb(_SEAT_DOMAIN, seed), board), rotation)


@jit(types.uint64(types.uint64, types.int64, types.int64))
def seat_key(match: Any, deal: int, seat: int) -> Any:
    """Return the key of the private stream of one seat in one deal of a match (`match_key`)."""
    return _absorb(match, 4 * deal + seat)


@jit(types.void(types.uint8[::1], types.int64, types.uint64))
def shuffle(deck: Any, size: int, key: Any) -> None:
    """Fill the first `size` places of `deck` (uint8) with a uniformly shuffled pack.

    Fisher-Yates "inside out": card k is put at a place drawn from the first k + 1, and what lay
    there moves to place k. The draws are exactly uniform, several out of each word.
    """
    state = key
    n_cards = np.uint64(0)
    size_word = np.uint64(size)
    while n_cards < size_word:
        n_draws = min(DRAWS_A_WORD, size_word - n_cards)
        product = np.uint64(1)
        for draw in range(n_draws):
            product *= n_cards + np.uint64(draw) + ONE
        while True:
            state += GOLDEN
            word = mix64(state)
            rest = word * product
            if rest >= product or rest >= (ZERO - product) % product:
                break
        for _ in range(n_draws):
            place = multiply_high(word, n_cards + ONE)
            word *= n_cards + ONE
            deck[n_cards] = deck[place]
            deck[place] = n_cards
            n_cards += ONE
