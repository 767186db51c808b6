"""The digest against a twin in plain Python, and what it does and does not depend on."""

from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from persian_rummy.sim.columns import column_names
from persian_rummy.sim.digest import MODULUS, digest_text, rows_digest

WORD = 2**64


def mix(word: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % WORD
    return word ^ word >> 31


def twin(rows: list[list[int]], a: str, b: str) -> int:
    """The sum modulo 2**128 of each row's hash: two lanes that take in a column at a time."""
    key = blake2b(f"{a}\0{b}".encode(), digest_size=16).digest()
    total = 0
    for row in rows:
        high, low = int.from_bytes(key[:8], "big"), int.from_bytes(key[8:], "big")
        for value in row:
            high = mix(((high ^ value % WORD) + 0x9E3779B97F4A7C15) % WORD)
            low = mix(((low ^ value % WORD) + 0xD1B54A32D192ED03) % WORD)
        total += high * WORD + low
    return total % 2**128


def made_up(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return n rows of random values in all columns of a run."""
    rng = np.random.default_rng(seed)
    names = column_names(2)
    columns = {name: rng.integers(-500, 500, n).astype(np.int32) for name in names}
    return columns | {"board": np.arange(n, dtype=np.int64) // 2}


def some(columns: dict[str, np.ndarray], rows: slice | np.ndarray) -> dict[str, np.ndarray]:
    """Return some of the rows."""
    return {name: column[rows] for name, column in columns.items()}


@given(
    st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3), max_size=30),
    st.text(),
    st.text(),
)
def test_digest__any_rows__as_the_twin(rows, a, b):
    values = np.array(rows, np.int64).reshape(-1, 3)
    columns = {f"c{k}": values[:, k] for k in range(3)}
    assert rows_digest(columns, a, b) == twin(rows, a, b)


def test_digest__no_rows__is_zero():
    assert rows_digest(made_up(0), "a", "b") == 0
    assert digest_text(0) == "0" * 32


def test_digest__order_and_blocks__do_not_matter():
    columns = made_up(500)
    whole = rows_digest(columns, "a", "b")
    order = np.random.default_rng(1).permutation(500)
    assert rows_digest(some(columns, order), "a", "b") == whole
    parts = [slice(0, 7), slice(7, 300), slice(300, 500)]
    assert sum(rows_digest(some(columns, part), "a", "b") for part in parts) % 2**128 == whole


def test_digest__one_cell_changed__is_another():
    columns = made_up(20)
    seen = {rows_digest(columns, "a", "b")}
    for name in columns:
        for row in (0, 19):
            changed = {key: column.copy() for key, column in columns.items()}
            changed[name][row] += 1
            seen.add(rows_digest(changed, "a", "b"))
    assert len(seen) == 1 + 2 * len(columns)


def test_digest__rows_that_trade_values__is_another():
    columns = made_up(2)
    columns["score_a"][:], columns["score_b"][:] = [10, 20], [30, 40]
    traded = {name: column.copy() for name, column in columns.items()}
    traded["score_a"][:], traded["score_b"][:] = [30, 40], [10, 20]
    between = {name: column.copy() for name, column in columns.items()}
    between["score_a"][:] = [20, 10]
    digests = {rows_digest(each, "a", "b") for each in (columns, traded, between)}
    assert len(digests) == 3


def test_digest__names__belong_to_it():
    columns = made_up(10)
    names = [("a", "b"), ("b", "a"), ("a", "c"), ("ab", ""), ("", "ab"), ("a", "bb")]
    assert len({rows_digest(columns, *pair) for pair in names}) == len(names)


def test_digest__width_of_the_integers__does_not_matter():
    columns = made_up(50)
    wide = {name: column.astype(np.int64) for name, column in columns.items()}
    assert rows_digest(columns, "a", "b") == rows_digest(wide, "a", "b")


def test_digest__same_row_twice__does_not_cancel():
    columns = made_up(1)
    twice = {name: np.repeat(column, 2) for name, column in columns.items()}
    assert rows_digest(twice, "a", "b") == 2 * rows_digest(columns, "a", "b") % MODULUS


@pytest.mark.parametrize(
    ("digest", "text"),
    [
        (1, "0" * 31 + "1"),
        (2**128 - 1, "f" * 32),
        (2**128 + 255, "0" * 30 + "ff"),
        (0x0123456789ABCDEF << 64, "0123456789abcdef" + "0" * 16),
    ],
)
def test_digest_text__is_32_hexadecimal_digits_of_the_residue(digest, text):
    assert digest_text(digest) == text
