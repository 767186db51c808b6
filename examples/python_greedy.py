"""The strategy `greedy` in plain Python: it plays the very matches that the compiled one plays.

    prummy tournament random examples/python_greedy.py:PythonGreedy --matches 200

Everything of Python may be used here. Cards are ids, 4 x rank + suit; sets of cards are masks.
"""

from persian_rummy.sim.view import DRAW_PASS, DRAW_STOCK, NOTHING, play_run, play_set
from persian_rummy.strategies import Param, PythonStrategy

JOKER = 13  # the rank


def cards_of(mask):
    """Return the ids of the cards of a mask, the lowest first."""
    return [card for card in range(56) if int(mask) >> card & 1]


def mask_of(cards):
    """Return the mask of some cards."""
    return sum(1 << card for card in cards)


def stretches(cards):
    """Return the longest stretches of consecutive cards of one suit, lowest card first."""
    found = []
    for card in sorted(cards):
        if card // 4 == JOKER or (card - 4 in cards):
            continue
        stretch = [card]
        while stretch[-1] + 4 in cards and (stretch[-1] + 4) // 4 < JOKER:
            stretch.append(stretch[-1] + 4)
        found.append(stretch)
    return found


class PythonGreedy(PythonStrategy):
    """Melds all it can at once, takes the pile when that pays, throws its dearest idle card."""

    params = (Param("pile_bias", 0.0, -200, 200, "points added to the worth of taking the pile"),)

    def draw(self, view):
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        most = -self.param_values["pile_bias"]
        pile = view.pile[: view.pile_size].tolist()
        for card in cards_of(view.takeable):
            index = pile.index(card)
            taken = set(pile[index:])
            down = self.playable(view, set(cards_of(view.hand)) | taken)
            worth = self.points(view, down) - self.points(view, taken - down)
            if worth > most:
                most, best = worth, index
        return best

    def meld(self, view):
        hand = set(cards_of(view.hand))
        if view.bound >= 0:
            return self.play_bound(view, hand, int(view.bound))
        ranks = [[card for card in sorted(hand) if card // 4 == rank] for rank in range(14)]
        for size in (4, 3):
            for same in ranks:
                if len(same) == size:
                    return self.set_of(same)
        runs = [s for s in stretches(hand) if len(s) >= view.rules.min_run]
        if runs:
            lowest = min(runs, key=lambda run: run[0])
            return self.run_of(lowest)
        on_table = cards_of(view.sets_mask)
        for card in sorted(hand):
            if card // 4 in {other // 4 for other in on_table}:
                return self.set_of([card])
        in_runs = set(cards_of(view.runs_mask))
        for card in sorted(hand):
            if card // 4 != JOKER and (card - 4 in in_runs or card + 4 in in_runs):
                return self.run_of([card])
        return NOTHING

    def discard(self, view):
        hand = set(cards_of(view.hand))
        cards = hand - {int(view.free_top)}
        idle = [card for card in cards if not self.promising(card, hand)]
        return max(idle or cards, key=lambda card: (self.points(view, [card]), card))

    # What the hooks share

    def play_bound(self, view, hand, card):
        """Return the dearest simple play that holds the bound card."""
        same = [other for other in sorted(hand) if other // 4 == card // 4]
        run = next((s for s in stretches(hand) if card in s), [])
        if len(run) < view.rules.min_run:
            run = []
        if len(same) == 4:
            return self.set_of(same)
        if run and (len(same) < 3 or self.points(view, run) > self.points(view, same)):
            return self.run_of(run)
        if len(same) >= 3 or card // 4 in {other // 4 for other in cards_of(view.sets_mask)}:
            return self.set_of(same)
        in_runs = set(cards_of(view.runs_mask))
        for step in (4, -4):  # the fewest cards upward that touch a run, else downward
            stretch = [card]
            while stretch[-1] in hand:
                if any(other + 4 in in_runs or other - 4 in in_runs for other in stretch):
                    return self.run_of(stretch)
                stretch.append(stretch[-1] + step)
        raise AssertionError("a bound card can always be played")

    def playable(self, view, cards):
        """Return those of some cards that could go down one way or another."""
        ranks = [card // 4 for card in cards]
        sets = {card // 4 for card in cards_of(view.sets_mask)}
        down = {card for card in cards if ranks.count(card // 4) >= 3 or card // 4 in sets}
        in_runs = set(cards_of(view.runs_mask))
        for stretch in stretches(cards):
            if len(stretch) >= view.rules.min_run:
                down |= set(stretch)
            for place, card in enumerate(stretch):
                if card + 4 in in_runs:
                    down |= set(stretch[: place + 1])
                if card - 4 in in_runs:
                    down |= set(stretch[place:])
        return down

    @staticmethod
    def promising(card, hand):
        """Return whether a card has company: its rank, or its suit one or two ranks off."""
        if any(card // 4 == other // 4 for other in hand - {card}):
            return True
        suited = {other for other in hand if other // 4 != JOKER}
        return card in suited and bool(suited & {card - 8, card - 4, card + 4, card + 8})

    @staticmethod
    def points(view, cards):
        """Return what cards are worth."""
        return sum(int(view.rules.rank_points[card // 4]) for card in cards)

    @staticmethod
    def set_of(cards):
        """Return the answer of `meld` that lays cards as a set, or on one."""
        return play_set(mask_of(cards))

    @staticmethod
    def run_of(cards):
        """Return the answer of `meld` that lays cards as a run, or on one."""
        return play_run(mask_of(cards))
