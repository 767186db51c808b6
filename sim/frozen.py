"""What is frozen, and under which version.

Decks, digests, golden logs, trained weights and published figures hang on the random streams, on
the shuffle, on what a strategy sees, and on the columns of a row. All of that is `contract`, and
it may change only together with `ENGINE_VERSION`. The rules of play and the built-in strategies
are watched by the `signature`, which a change of play alters and nothing else does.
"""

from itertools import combinations, product
from typing import Any

import numpy as np

from ..strategies.registry import BUILT_IN, parse_entry
from .cards import deck_text
from .columns import DEAL_COLUMNS, MATCH_COLUMNS, SIDE_COLUMNS, to_columns
from .digest import MODULUS, digest_text, rows_digest
from .match import play_boards
from .rules import PRESETS, RULES_DTYPE
from .seeds import deck_key, match_key, mix64, seat_key, shuffle
from .state import TABLE_FIELDS

ENGINE_VERSION = 1

SIGNATURE_SEED = 1
SIGNATURE_BOARDS = 500

DECK_IDENTITIES = (  # master seed, board, deal, cards
    *((0, 0, 0, 56), (0, 0, 1, 56), (0, 1, 0, 56), (1, 0, 0, 56), (7, 3, 1, 56)),
    *((2**32, 255, 0, 56), (2**63, 1_000_000, 1, 56), (2**64 - 1, 2**40, 2, 56)),
    *((1, 0, 0, 52), (2**64 - 1, 256, 1, 52)),
)
SEAT_IDENTITIES = (  # master seed, board, rotation, deal, seat
    *((0, 0, 0, 0, 0), (0, 0, 0, 0, 1), (0, 0, 0, 1, 0), (0, 0, 1, 0, 0), (0, 1, 0, 0, 0)),
    *((1, 0, 0, 0, 0), (7, 3, 1, 1, 2), (2**32, 255, 0, 0, 3), (2**63, 1_000_000, 1, 1, 1)),
    (2**64 - 1, 2**40, 1, 2, 3),
)


def golden_deck(seed: int, board: int, deal: int, size: int) -> str:
    """Return the deck of an identity as text."""
    deck = np.zeros(size, np.uint8)
    shuffle(deck, size, deck_key(np.uint64(seed), board, deal))
    return deck_text(deck)


def stream_key(seed: int, board: int, rotation: int, deal: int, seat: int) -> str:
    """Return the key of a seat's stream as text, scrambled as its draws are."""
    match = np.uint64(match_key(np.uint64(seed), board, rotation))
    return f"{int(mix64(np.uint64(seat_key(match, deal, seat)))):016x}"


def contract() -> dict[str, Any]:
    """Return all that must not change under one `ENGINE_VERSION`, as JSON can hold it."""
    columns = {"match": MATCH_COLUMNS, "side": SIDE_COLUMNS, "deal": DEAL_COLUMNS}
    return {
        "view": [
            [f.name, "rules" if f.name == "rules" else np.dtype(f.dtype).str, list(f.shape), f.doc]
            for f in TABLE_FIELDS
        ],
        "rules": [[name, RULES_DTYPE[name].base.str] for name in RULES_DTYPE.names or ()],
        "columns": {
            kind: [[c.name, c.dtype, c.unit, c.doc] for c in some] for kind, some in columns.items()
        },
        "decks": {" ".join(map(str, who)): golden_deck(*who) for who in DECK_IDENTITIES},
        "streams": {" ".join(map(str, who)): stream_key(*who) for who in SEAT_IDENTITIES},
    }


def signature() -> str:
    """Return one number over fixed matches of all built-in strategies under all presets."""
    total = 0
    for (preset, rules), (a, b) in product(PRESETS.items(), combinations(sorted(BUILT_IN), 2)):
        players = (parse_entry(a).player(), parse_entry(b).player()) * 2
        block = play_boards(rules, players, SIGNATURE_SEED, 0, SIGNATURE_BOARDS)
        columns = to_columns(block.rows, block.sides, block.deals)
        total += rows_digest(columns, f"{preset} {a}", f"{preset} {b}")
    return digest_text(total % MODULUS)
