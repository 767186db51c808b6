"""The digest of a run: a sum modulo 2**128 of a hash of each row.

A row's hash covers the pairing's two names and every column, so that equal digests mean equal
results; a sum does not depend on the order of rows, so shards and blocks simply add up.
"""

import hashlib
from typing import Any

import numpy as np

from .jit import jit_apart
from .seeds import GOLDEN, mix64

MODULUS = 1 << 128
CHUNK = 1024  # rows that are hashed at a time: they stay in the processor's cache
_SECOND_LANE = np.uint64(0xD1B54A32D192ED03)


@jit_apart
def sum_of_hashes(values: Any, key_high: Any, key_low: Any, out: Any) -> None:
    """Fill `out` (uint64, shape (2,)) with the high and low word of the sum over the rows."""
    high_sum = np.uint64(0)
    low_sum = np.uint64(0)
    for row in range(values.shape[0]):
        high = key_high
        low = key_low
        for column in range(values.shape[1]):
            word = np.uint64(values[row, column])
            high = mix64((high ^ word) + GOLDEN)
            low = mix64((low ^ word) + _SECOND_LANE)
        before = low_sum
        low_sum += low
        high_sum += high
        if low_sum < before:
            high_sum += np.uint64(1)
    out[0] = high_sum
    out[1] = low_sum


def rows_digest(columns: dict[str, np.ndarray], a: str, b: str) -> int:
    """Return the digest, 0 to 2**128 - 1, of some rows of the pairing of `a` with `b`.

    Parameters
    ----------
    columns : dict of integer arrays of one length
        All columns, in the order of `columns.column_names`.
    """
    key = hashlib.blake2b(f"{a}\0{b}".encode(), digest_size=16).digest()
    high, low = (np.uint64(int.from_bytes(part, "big")) for part in (key[:8], key[8:]))
    n_rows = len(next(iter(columns.values())))
    values = np.empty((min(n_rows, CHUNK), len(columns)), np.int64)
    out = np.zeros(2, np.uint64)
    digest = 0
    for start in range(0, n_rows, CHUNK):
        some = values[: n_rows - start]
        for place, column in enumerate(columns.values()):
            some[:, place] = column[start : start + CHUNK]
        sum_of_hashes(some, high, low, out)
        digest += int(out[0]) << 64 | int(out[1])
    return digest % MODULUS


def digest_text(digest: int) -> str:
    """Return a digest as 32 hexadecimal digits."""
    return f"{digest % MODULUS:032x}"
