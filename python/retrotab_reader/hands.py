"""Hand tables: section 7 of docs/format.md."""

import collections
import itertools
import math
from fractions import Fraction

from .table import Table

RANKS = "23456789TJQKA"
SUITS = "shdc"
CARDS = {"holdem": 2, "omaha": 4}
BOARDS = {"holdem": 1_712_304, "omaha": 1_086_008}

Counts = collections.namedtuple("Counts", "win tie loss placements")


class HandTable(Table):
    """Every cluster of starting hands against every other."""

    def __init__(self, folder):
        super().__init__(folder)
        game = self.parameters["game"]
        self.cards = CARDS[game]
        self.boards = BOARDS[game]
        self.clusters = all_clusters(self.cards)
        self.numbers = {parts: number for number, parts in enumerate(self.clusters)}

    def cluster(self, hand):
        """The number of the cluster of a hand like `AsKd`."""
        parts = suit_parts(hand)
        if parts not in self.numbers:
            raise ValueError(f"{hand!r} is no hand of {self.cards} cards")
        return self.numbers[parts]

    def entry(self, one, other):
        """The entry of the cell of two hands."""
        r, c = sorted((self.cluster(one), self.cluster(other)), reverse=True)
        return r * (r + 1) // 2 + c

    def probe(self, one, other):
        """The counts with the representative of the first hand's cluster fixed."""
        entry = self.entry(one, other)
        win, tie, placements = (column[entry] for column in self.columns)
        loss = placements * self.boards - win - tie
        first, second = self.cluster(one), self.cluster(other)
        if first >= second:
            return Counts(win, tie, loss, placements)
        turned = Fraction(hands(self.clusters[second]), hands(self.clusters[first]))
        return Counts(*(int(turned * count) for count in (loss, tie, win, placements)))

    def representative(self, cluster):
        """The hand that stands for a cluster, the highest rank first."""
        parts = self.clusters[cluster]
        cards = [(r, s) for r in range(13) for s in range(4) if parts[s] >> r & 1]
        cards.sort(key=lambda card: (-card[0], card[1]))
        return "".join(RANKS[r] + SUITS[s] for r, s in cards)


def suit_parts(hand):
    """The suit parts of a hand in descending order."""
    parts = [0] * 4
    for rank, suit in zip(hand[::2], hand[1::2], strict=True):
        parts[SUITS.index(suit)] |= 1 << RANKS.index(rank)
    return tuple(sorted(parts, reverse=True))


def hands(parts):
    """The number of hands of a cluster."""
    number = 24
    for times in collections.Counter(parts).values():
        number //= math.factorial(times)
    return number


def all_clusters(cards):
    """The suit parts of all clusters in order."""

    def parts(hand):
        of_suit = [0] * 4
        for card in hand:
            of_suit[card % 4] |= 1 << card // 4
        return tuple(sorted(of_suit, reverse=True))

    def order(parts):
        counts = [sum(part >> rank & 1 for part in parts) for rank in reversed(range(13))]
        return counts, parts

    found = {parts(hand) for hand in itertools.combinations(range(52), cards)}
    return sorted(found, key=order, reverse=True)
