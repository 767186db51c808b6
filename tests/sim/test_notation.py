"""The text of actions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from persian_rummy.sim.cards import TEXTS, mask_of
from persian_rummy.sim.melds import DISCARD, KEEP, PASS, RUN, SET, STOCK, TAKE
from persian_rummy.sim.notation import (
    action_cards,
    action_kind,
    action_text,
    make_action,
    parse_action,
)


@pytest.mark.parametrize(
    ("text", "kind", "ids"),
    [
        ("S", STOCK, []),
        ("P", PASS, []),
        ("K", KEEP, []),
        ("T7H", TAKE, [22]),
        ("DKS", DISCARD, [47]),
        ("=7C7D7H", SET, [20, 21, 22]),
        ("-5H6H7H", RUN, [14, 18, 22]),
        ("=*S", SET, [55]),
    ],
)
def test_action__examples_of_rules__round_trip(text, kind, ids):
    action = parse_action(text)
    assert action.dtype == np.dtype("u8")
    assert (action_kind(action), action_cards(action)) == (kind, ids)
    assert int(action) == kind << 56 | mask_of(ids)
    assert action_text(action) == text


def test_action__all_cards__round_trip():
    texts = [letter + card for letter in "TD=-" for card in TEXTS]
    assert [action_text(parse_action(text)) for text in texts] == texts
    assert len({int(parse_action(text)) for text in texts}) == 4 * 56


@given(st.sampled_from([SET, RUN]), st.sets(st.integers(0, 55), min_size=1))
def test_action__any_play__round_trip(kind, ids):
    action = make_action(kind, mask_of(ids))
    text = action_text(action)
    assert text == "=-"[kind == RUN] + "".join(TEXTS[card] for card in sorted(ids))
    assert parse_action(text) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not an action"),
        ("s", "is not an action"),
        ("X7H", "is not an action"),
        ("S7H", "is not an action"),
        ("SS", "is not an action"),
        ("K7H", "is not an action"),
        ("P ", "is not an action"),
        ("T", "two characters a card after T"),
        ("=", "two characters a card after ="),
        ("-5H6", "two characters a card"),
        ("D10H", "two characters a card"),
        ("T7h", "'7h' is not a card"),
        ("=7C 7D7H ", "is not a card"),
        ("T7H8H", "T names one card"),
        ("D7H8H", "D names one card"),
        ("=7D7C7H", "ascending order, '=7C7D7H'"),
        ("-7H6H5H", "ascending order, '-5H6H7H'"),
        ("=7C7C7D", "ascending order, '=7C7D'"),
        ("D\n\n7H", "is not a card"),
        ("D7H\n", "two characters a card"),
        (" S", "is not an action"),
        ("−5H6H7H", "is not an action"),
    ],
)
def test_parse_action__malformed__says_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message):
        parse_action(text)


@given(st.text(alphabet="STPKD=-27*CHX \n", max_size=9))
def test_parse_action__any_text__is_an_error_or_written_back(text):
    try:
        action = parse_action(text)
    except ValueError:
        return
    assert action_text(action) == text
