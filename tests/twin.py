"""A slow, obvious twin of the game, written only from RULES.md: the oracle of the fast core.

Cards are texts ("TD", "*S"), hands are sets, pile and stock are lists, and the table is a list of
explicit melds. Legal plays are found by trying every subset of a rank and every stretch of a suit.
Nothing here is shared with the program that it is compared with.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

RANKS, SUITS = "23456789TJQKA*", "CDHS"
RUN_RANKS = "23456789TJQKA"  # aces are high only, a joker is never in a run (RULES section 4)
PIPS = {**{r: int(r) for r in "23456789"}, **dict.fromkeys("TJQK", 10), "A": 15, "*": 20}
FIVES = {**PIPS, **dict.fromkeys("23456789", 5)}
TURN_LIMIT = 200  # with `top_card` = `free` only (RULES section 8)

CHOICES: dict[str, list[Any]] = {  # the default first; "points" may be a table as well
    "points": ["pips", "fives"],
    "double_jokers": [True, False],
    "min_run": [3, 4, 5],
    "jokers": [4, 0],
    "last_discard": ["float", "forbidden", "goes_out"],
    "top_card": ["bound", "free"],
    "bound_in": ["any", "new_meld"],
    "exhausted": ["four_passes", "first_pass", "stock_empty"],
}
AT_LEAST = {"deals": 1, "out_bonus": 0, "four_multiplier": 1}  # any integer from this number
DEFAULT_RULES: dict[str, Any] = {name: values[0] for name, values in CHOICES.items()}
DEFAULT_RULES.update({"deals": 2, "out_bonus": 25, "four_multiplier": 2})


def require(holds: bool, message: str) -> None:
    """Raise ValueError with the message unless it holds."""
    if not holds:
        raise ValueError(message)


def full_rules(rules: Any) -> dict[str, Any]:
    """Every house rule and its value; ValueError for unknown names, values (RULES section 8)."""
    require(isinstance(rules, dict), "rules are not an object")
    for name, value in rules.items():
        require(name in DEFAULT_RULES, f"unknown house rule {name!r}")
        if name in AT_LEAST:
            good = type(value) is int and value >= AT_LEAST[name]
        elif name == "points" and isinstance(value, dict):
            integers = all(type(points) is int and points >= 0 for points in value.values())
            good = set(value) == set(RANKS) and integers
        else:  # 1 is not true, 0 is not false
            good = any(type(value) is type(c) and value == c for c in CHOICES[name])
        require(good, f"unknown value {value!r} of house rule {name!r}")
    return {**DEFAULT_RULES, **rules}


@cache
def card_id(card: str) -> int:
    """4 x rank + suit: 2C is 0, *S is 55 (RULES section 7)."""
    return 4 * RANKS.index(card[0]) + SUITS.index(card[1])


def card_points(card: str, rules: dict[str, Any]) -> int:
    """What a card counts on the table, and against its holder in the hand (RULES section 6)."""
    points = rules.get("points", "pips")
    table = {"pips": PIPS, "fives": FIVES}[points] if isinstance(points, str) else points
    return table[card[0]]


def pack(rules: dict[str, Any]) -> set[str]:
    """The 56 cards, or 52 with `jokers` = 0 (RULES sections 1 and 8)."""
    ranks = RANKS if rules.get("jokers", 4) == 4 else RUN_RANKS
    return {rank + suit for rank in ranks for suit in SUITS}


def subsets_of_a_rank(hand: set[str]) -> list[list[str]]:
    """All ways to choose one or more cards of one rank from the hand."""
    found = []
    for rank in RANKS:
        same = sorted((card for card in hand if card[0] == rank), key=card_id)
        for size in range(1, len(same) + 1):
            found += [list(cards) for cards in combinations(same, size)]
    return found


def stretches_of_a_suit(hand: set[str]) -> list[list[str]]:
    """All ways to choose one or more consecutive cards of one suit from the hand."""
    found = []
    for suit in SUITS:
        for low in range(len(RUN_RANKS)):
            for high in range(low, len(RUN_RANKS)):
                if RUN_RANKS[high] + suit not in hand:
                    break  # a longer stretch from here lacks the same card
                found.append([rank + suit for rank in RUN_RANKS[low : high + 1]])
    return found


@dataclass
class Meld:
    """One set or run that lies on the table (RULES section 4)."""

    kind: str  # "=" is a set, "-" a run
    cards: list[str]  # ascending
    laid_by: dict[str, int]  # the seat that put down each card

    def takes(self, kind: str, cards: list[str]) -> bool:
        """Whether the cards go on a set of their rank or touch a run's end (RULES section 4)."""
        if kind != self.kind:
            return False
        if kind == "=":
            return cards[0][0] == self.cards[0][0]
        low, high = card_id(cards[0]), card_id(cards[-1])
        first, last = card_id(self.cards[0]), card_id(self.cards[-1])
        return high + 4 == first or last + 4 == low  # ids 4 apart: one suit, ranks that follow


class Deal:
    """One deal from the shuffled deck to its score (RULES sections 3 to 6).

    When the deal is over, `seat` is the player whose action ended it. `turns` counts turns that
    ended with a discard, a `K` or a pass; going out by a play ends the deal mid-turn instead.
    """

    def __init__(self, rules: dict[str, Any], dealer: int, deck: list[str]) -> None:
        """Seven cards each, one turned up, the rest is the stock (RULES sections 3 and 7)."""
        self.rules = full_rules(rules)
        require(type(dealer) is int and 0 <= dealer <= 3, f"dealer {dealer!r} is not a seat")
        require(sorted(deck) == sorted(pack(self.rules)), "the deck is not the pack")
        self.dealer = dealer
        self.hands: list[set[str]] = [set(), set(), set(), set()]
        for number, card in enumerate(deck[:28]):
            self.hands[(dealer + 1 + number) % 4].add(card)
        self.pile, self.stock = [deck[28]], list(deck[29:])
        self.melds: list[Meld] = []
        self.seat = (dealer + 1) % 4
        self.drawn = False  # has the player in turn drawn?
        self.bound: str | None = None
        self.free_card: str | None = None  # the top card taken unbound in this turn
        self.passes = self.turns = 0  # passes: those one after another
        self.over = self.cut_off = False
        self.out_seat: int | None = None
        self.melded, self.doubled = [0, 0], 0
        self._known: list[set[str]] = [set(), set(), set(), set()]

    def copy(self) -> Deal:
        """A deal that can be played on without a change to this one."""
        return pickle.loads(pickle.dumps(self))  # type: ignore[no-any-return]

    def sets_on_table(self) -> set[str]:
        """The cards that lie in sets."""
        return {card for meld in self.melds if meld.kind == "=" for card in meld.cards}

    def runs_on_table(self) -> set[str]:
        """The cards that lie in runs."""
        return {card for meld in self.melds if meld.kind == "-" for card in meld.cards}

    def known(self) -> list[set[str]]:
        """The cards each seat took from the pile and still holds: everybody saw them."""
        return [set(cards) for cards in self._known]

    def plays(self, hand: set[str], bound: str | None) -> list[str]:
        """Every legal play from the hand, as a text; with a bound card only those that hold it.

        Under `bound_in` = `new_meld` those are as long as a new meld (RULES sections 7 and 8).
        """
        candidates = [("=", cards, 3) for cards in subsets_of_a_rank(hand)]
        min_run = self.rules["min_run"]
        candidates += [("-", cards, min_run) for cards in stretches_of_a_suit(hand)]
        found = []
        for kind, cards, shortest in candidates:
            long_enough = len(cards) >= shortest
            fits = long_enough or self.meld_for(kind, cards) is not None
            may_hold_bound = long_enough or self.rules["bound_in"] == "any"
            if fits and (bound is None or (bound in cards and may_hold_bound)):
                found.append(kind + "".join(cards))
        return found

    def meld_for(self, kind: str, cards: list[str]) -> Meld | None:
        """A meld on the table that takes the cards; of two runs either will do (section 4)."""
        return next((meld for meld in self.melds if meld.takes(kind, cards)), None)

    def top_is_free(self, card: str) -> bool:
        """Whether taking this pile card leaves it unbound (RULES section 8, `top_card`)."""
        return self.rules["top_card"] == "free" and bool(self.stock) and card == self.pile[-1]

    def takeable(self, card: str) -> bool:
        """Whether the card, with hand and cards above, can be played at once (section 5.1)."""
        with_pile = self.hands[self.seat] | set(self.pile[self.pile.index(card) :])
        return self.top_is_free(card) or bool(self.plays(with_pile, bound=card))

    def discardable(self) -> set[str]:
        """The cards that the player in turn may discard (RULES sections 5.3 and 8)."""
        hand = self.hands[self.seat]
        if self.rules["last_discard"] == "forbidden" and len(hand) == 1:
            return set()
        return {card for card in hand if card != self.free_card}

    def legal_actions(self) -> list[str]:
        """The texts of all legal actions, sorted; none when the deal is over (RULES section 7)."""
        if self.over:
            return []
        if not self.drawn:
            takes = ["T" + card for card in self.pile if self.takeable(card)]
            return sorted(["S" if self.stock else "P", *takes])
        plays = self.plays(self.hands[self.seat], self.bound)
        if self.bound is not None:
            return sorted(plays)
        return sorted(plays + (["D" + card for card in self.discardable()] or ["K"]))

    def apply(self, action: str) -> None:
        """Carry out one action; ValueError when it is not legal (RULES sections 5 and 7)."""
        require(action in self.legal_actions(), f"{action!r} is not legal for seat {self.seat}")
        kind, cards = action[0], [action[i : i + 2] for i in range(1, len(action), 2)]
        if kind == "S":
            self.hands[self.seat].add(self.stock.pop(0))
            self.drawn = True
        elif kind == "T":
            self.take(cards[0])
        elif kind in "=-":
            self.play(kind, cards)
        elif kind == "D":
            self.discard(cards[0])
        else:  # "K" or "P"
            self.passes += kind == "P"
            self.end_turn()

    def take(self, card: str) -> None:
        """The card and all above it go to the hand, in everybody's sight (RULES section 5.1)."""
        if self.top_is_free(card):
            self.free_card = card
        else:
            self.bound = card
        where = self.pile.index(card)
        self.hands[self.seat] |= set(self.pile[where:])
        self._known[self.seat] |= set(self.pile[where:])
        del self.pile[where:]
        self.drawn = True
        self.passes = 0

    def play(self, kind: str, cards: list[str]) -> None:
        """The cards go on a meld that they fit, or down as a new one (RULES sections 4 and 6)."""
        meld = self.meld_for(kind, cards)
        if meld is None:
            meld = Meld(kind, [], {})
            self.melds.append(meld)
        meld.cards = sorted(meld.cards + cards, key=card_id)
        meld.laid_by.update(dict.fromkeys(cards, self.seat))
        points = sum(card_points(card, self.rules) for card in cards)
        extra = 0
        if kind == "=" and len(cards) == 4 and (cards[0][0] != "*" or self.rules["double_jokers"]):
            extra = points * (self.rules["four_multiplier"] - 1)
        self.melded[self.seat % 2] += points + extra
        self.doubled += extra
        self.bound = None
        self.hands[self.seat] -= set(cards)
        self._known[self.seat] -= set(cards)
        if not self.hands[self.seat]:
            self.over, self.out_seat = True, self.seat

    def discard(self, card: str) -> None:
        """The card goes on the pile; with the last one he floats or goes out (sections 5, 8)."""
        self.hands[self.seat].discard(card)
        self._known[self.seat].discard(card)
        self.pile.append(card)
        if not self.hands[self.seat] and self.rules["last_discard"] == "goes_out":
            self.over, self.out_seat = True, self.seat
        self.end_turn()

    def end_turn(self) -> None:
        """The left neighbour's turn, unless the deal ends here (RULES sections 5.4 and 8)."""
        self.turns += 1
        self.drawn, self.free_card = False, None
        ends = {"four_passes": self.passes == 4, "first_pass": self.passes == 1}
        ends["stock_empty"] = not self.stock
        self.over = self.over or ends[self.rules["exhausted"]]
        if self.rules["top_card"] == "free" and self.turns == TURN_LIMIT and not self.over:
            self.over = self.cut_off = True
        if not self.over:
            self.seat = (self.seat + 1) % 4

    def score(self) -> list[int]:
        """Each team's points: melded, plus the bonus, minus the hands (RULES section 6)."""
        require(self.over, "the deal is not over: it has no score yet")
        score = list(self.melded)
        for seat, hand in enumerate(self.hands):
            score[seat % 2] -= sum(card_points(card, self.rules) for card in hand)
        if self.out_seat is not None:
            score[self.out_seat % 2] += self.rules["out_bonus"]
        return score


def perft(deal: Deal, depth: int) -> int:
    """The number of sequences of `depth` actions; one that ends earlier counts once (section 7)."""
    if depth == 0 or deal.over:
        return 1
    if depth == 1:
        return len(deal.legal_actions())
    nodes = 0
    for action in deal.legal_actions():
        after = deal.copy()
        after.apply(action)
        nodes += perft(after, depth - 1)
    return nodes


def check_score(claimed: Any, true: list[int]) -> None:
    """ValueError unless the claimed score is the true one, in integers (RULES section 7)."""
    integers = isinstance(claimed, list) and all(type(points) is int for points in claimed)
    require(integers and claimed == true, f"score {claimed} should be {true}")


def check_transcript(obj: Any) -> list[int]:
    """The match score of a transcript, replayed; ValueError on any fault (RULES section 7)."""
    require(isinstance(obj, dict), "a transcript is an object")
    require(obj.get("format") == "persian-rummy-transcript", "the format is another")
    version, seats, deals = obj.get("version"), obj.get("seats"), obj.get("deals")
    require(type(version) is int and version == 1, f"version {version!r} is not 1")
    rules = full_rules(obj.get("rules"))
    names = isinstance(seats, list) and [type(seat) for seat in seats] == [str] * 4 and all(seats)
    require(names, "seats are not four names")
    require(isinstance(deals, list) and len(deals) == rules["deals"], "wrong number of deals")
    total = [0, 0]
    for number, played in enumerate(deals):
        try:
            score = check_deal(played, rules)
            next_dealer = (deals[0]["dealer"] + number) % 4
            require(played["dealer"] == next_dealer, f"seat {next_dealer} has to deal")
        except ValueError as fault:
            raise ValueError(f"deal {number}: {fault}") from None
        total = [total[0] + score[0], total[1] + score[1]]
    check_score(obj.get("score"), total)
    return total


def check_deal(played: Any, rules: dict[str, Any]) -> list[int]:
    """The score of one deal of a transcript, replayed; ValueError on any fault (section 7)."""
    require(isinstance(played, dict), "a deal is an object")
    deck, actions = played.get("deck"), played.get("actions")
    require(isinstance(deck, str) and isinstance(actions, list), "deck or actions are missing")
    deal = Deal(rules, played.get("dealer"), deck.split(" "))
    for number, action in enumerate(actions):
        try:
            deal.apply(action)
        except ValueError as fault:
            raise ValueError(f"action {number}: {fault}") from None
    require(deal.over, "the deal is not over")
    check_score(played.get("score"), deal.score())
    return deal.score()
