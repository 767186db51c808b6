"""The draw for partners and dealer (RULES section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from .cards import JOKER_RANK, RANKS
from .errors import PrummyError

ACE_RANK = RANKS.index("A")


@dataclass(frozen=True)
class Seating:
    """Who sits where: `players[s]` is the index of the player at seat s; seat 0 deals first.

    `rounds` holds, for each round of drawing, the card id that each player drew then.
    """

    players: tuple[int, int, int, int]
    rounds: tuple[dict[int, int], ...]


def draw_rank(card: int) -> int:
    """Return a card's place in the order of the draw: aces low, jokers high."""
    rank = card >> 2
    if rank == ACE_RANK:
        return -1
    return JOKER_RANK if rank == JOKER_RANK else rank


def draw_for_partners(pack: Sequence[int]) -> Seating:
    """Return the seating that a shuffled pack gives.

    Each of four players draws a card; the two lowest are partners, the very lowest deals and
    takes seat 0, his partner seat 2; of the other two the lower takes seat 1. Players whose ranks
    are equal draw again, in the order of their numbers, and the new cards order only them among
    themselves, until the order is strict.

    Parameters
    ----------
    pack : sequence of card ids, the first drawn first

    Raises
    ------
    PrummyError
        When the pack runs out before the order is strict.
    """
    drawn: dict[int, list[int]] = {player: [] for player in range(4)}
    rounds: list[dict[int, int]] = []
    place = 0
    tied = list(range(4))
    while tied:
        if place + len(tied) > len(pack):
            raise PrummyError(
                "the pack ran out before the draw was decided: shuffle and draw again"
            )
        rounds.append(dict(zip(tied, pack[place : place + len(tied)], strict=True)))
        place += len(tied)
        for player, card in rounds[-1].items():
            drawn[player].append(draw_rank(card))
        tied = [p for p in tied if any(drawn[p] == drawn[q] for q in tied if q != p)]
    lowest, second, third, highest = sorted(range(4), key=lambda player: drawn[player])
    return Seating((lowest, third, second, highest), tuple(rounds))
