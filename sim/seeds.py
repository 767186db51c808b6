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

from .bits import multiply_high
from .jit import jit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31 = (np.uint64(n) for n in (27, 30, 31))

_DECK_DOMAIN = np.uint64(0x6465636B)  # "deck"
_DRAW_DOMAIN = np.uint64(0x64726177)  # "draw"
_SEAT_DOMAIN = np.uint64(0x73656174)  # "seat"

DRAWS_A_WORD = 8  # 56**8 < 2**47, so that a word is rejected once in 2**17 times


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


@jit(types.uint64(types.uint64, types.int64, types.int64, types.int64, types.int64))
def seat_key(seed: Any, board: int, rotation: int, deal: int, seat: int) -> Any:
    """Return the key of the private stream of one seat in one deal."""
    key = _absorb(_absorb(_absorb(_SEAT_DOMAIN, seed), board), rotation)
    return _absorb(_absorb(key, deal), seat)


@jit(types.void(types.uint8[::1], types.int64, types.uint64))
def shuffle(deck: Any, size: int, key: Any) -> None:
    """Fill the first `size` places of `deck` (uint8) with a uniformly shuffled pack.

    Fisher-Yates from the top, with exactly uniform bounded draws, several out of each word.
    """
    for place in range(size):
        deck[place] = place
    state = key
    top = size
    while top > 1:
        n_draws = min(DRAWS_A_WORD, top - 1)
        product = np.uint64(1)
        for draw in range(n_draws):
            product *= np.uint64(top - draw)
        reject_below = (np.uint64(0) - product) % product
        while True:
            state += GOLDEN
            word = mix64(state)
            rest = word
            for draw in range(n_draws):
                rest *= np.uint64(top - draw)
            if rest >= reject_below:
                break
        for _ in range(n_draws):
            other = np.int64(multiply_high(word, np.uint64(top)))
            word *= np.uint64(top)
            top -= 1
            deck[top], deck[other] = deck[other], deck[top]
