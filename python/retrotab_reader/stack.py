"""Stack tables: section 5 of docs/format.md."""

import functools
import itertools
import math

from .table import Table


class StackTable(Table):
    """The success rate of every position of the stack game."""

    def __init__(self, folder):
        super().__init__(folder)
        self.ranking = Ranking(self.parameters["stacks"], self.parameters["cards"])
        self.first_entries = {s["name"]: s["first_entry"] for s in self.sections}

    def entry(self, one, other):
        """The entry of a position, given by its lanes."""
        section, inside = self.ranking.rank(one, other)
        return self.first_entries[section] + inside

    def probe(self, one, other):
        """The value of a position between 0 and 1."""
        return self.column("value")[self.entry(one, other)] / 65535


class Ranking:
    """Positions of N stacks and n cards a lane, in the order of the table."""

    def __init__(self, stacks, cards):
        self.stacks = stacks
        self.cards = cards
        self.renamings = list(itertools.permutations(range(stacks)))
        self.kinds = range(2 ** (stacks - 1))

    def parse(self, text):
        """Number of stock cards and the patterns of a lane."""
        if text == "-":
            text = ""
        if len(text) > self.cards:
            raise ValueError(f"lane {text!r} has more than {self.cards} cards")
        stock = 0
        patterns = [0] * self.stacks
        for card in text:
            if card == ".":
                stock += 1
                continue
            if card not in "01234"[: self.stacks]:
                raise ValueError(f"lane {text!r}: {card!r}")
            if stock > 0:
                patterns[int(card)] |= 1 << (stock - 1)
        return stock, patterns

    def canonical(self, patterns):
        """The canonical patterns, and the renaming that leads from them to these."""
        renaming = tuple(sorted(range(self.stacks), key=lambda s: order(patterns[s])))
        return tuple(patterns[s] for s in renaming), renaming

    def kind(self, canonical):
        return sum(1 << s for s in range(self.stacks - 1) if canonical[s] == canonical[s + 1])

    @functools.cache
    def lanes(self, stock):
        """Kind and place of every canonical lane, and the number of each kind."""
        patterns = sorted(range(1 << stock), key=order)
        of_kind = [[] for _ in self.kinds]
        for lane in ascending(patterns, self.stacks, self.cards - stock):
            of_kind[self.kind(lane)].append(lane)
        found = {}
        for kind, lanes in enumerate(of_kind):
            lanes.sort(key=lambda lane: ([order(q)[0] for q in lane], lane))
            found.update({lane: (kind, place) for place, lane in enumerate(lanes)})
        return found, [len(lanes) for lanes in of_kind]

    def stabiliser(self, kind):
        def alike(a, b):
            return all(kind >> s & 1 for s in range(min(a, b), max(a, b)))

        return [p for p in self.renamings if all(alike(s, p[s]) for s in range(self.stacks))]

    @functools.cache
    def turns(self, x, y):
        """The turn of every renaming, and the representative of every turn."""
        turn_of, representatives = {}, []
        for t in self.renamings:
            if t in turn_of:
                continue
            for a in self.stabiliser(x):
                for b in self.stabiliser(y):
                    turn_of[product(a, product(t, b))] = len(representatives)
            representatives.append(t)
        return turn_of, representatives

    def count(self, x, y):
        """Number of turns."""
        return len(self.turns(x, y)[1])

    def other_side(self, x, y, turn):
        """A turn, seen from the other lane."""
        return self.turns(y, x)[0][inverse(self.turns(x, y)[1][turn])]

    def cell(self, one, other):
        """Stock cards, and (kind, place) of both lanes with their turn."""
        (k, x), (l, y) = self.parse(one), self.parse(other)
        if k < l:
            (k, x), (l, y) = (l, y), (k, x)
        (x, p), (y, q) = self.canonical(x), self.canonical(y)
        x, y = self.lanes(k)[0].get(x), self.lanes(l)[0].get(y)
        if x is None or y is None:
            raise ValueError(f"{one} {other}: too many cards")
        turn = self.turns(x[0], y[0])[0][product(inverse(p), q)]
        return k, l, x, y, turn

    def rank(self, one, other):
        """Name of the section and the number of the entry in it."""
        k, l, x, y, turn = self.cell(one, other)
        if k == l:
            turned = self.other_side(x[0], y[0], turn)
            if x < y:
                x, y, turn = y, x, turned
            elif x == y:
                turn = min(turn, turned)
            inside = self.rank_triangular(k, x, y, turn)
        else:
            inside = self.rank_rectangular(k, l, x, y, turn)
        return f"{k},{l}", inside

    def rank_rectangular(self, k, l, x, y, turn):
        (X, a), (Y, b) = x, y
        rows, columns = self.lanes(k)[1], self.lanes(l)[1]

        def width(kind, kinds):
            return sum(self.count(kind, other) * columns[other] for other in kinds)

        before = sum(rows[kind] * width(kind, self.kinds) for kind in range(X))
        row = before + a * width(X, self.kinds)
        return row + width(X, range(Y)) + turn * columns[Y] + b

    def rank_triangular(self, k, x, y, turn):
        (X, a), (Y, b) = x, y
        lanes = self.lanes(k)[1]

        def full(kind, kinds):
            return sum(self.count(kind, other) * lanes[other] for other in kinds)

        def rows(kind, number):
            triangle = number * (number + 1) // 2
            return number * full(kind, range(kind)) + self.count(kind, kind) * triangle

        before = sum(rows(kind, lanes[kind]) for kind in range(X))
        width = a + 1 if Y == X else lanes[Y]
        return before + rows(X, a) + full(X, range(Y)) + turn * width + b


def order(pattern):
    """What patterns are ordered by: the smallest gap, then the pattern as a number."""
    smallest = (pattern & -pattern).bit_length() if pattern else math.inf
    return smallest, pattern


def ascending(patterns, number, room):
    """All ascending tuples of so many patterns with at most `room` elements together."""
    if number == 0:
        yield ()
        return
    for i, pattern in enumerate(patterns):
        left = room - pattern.bit_count()
        if left >= 0:
            for rest in ascending(patterns[i:], number - 1, left):
                yield (pattern, *rest)


def product(a, b):
    """The renaming that does b first and then a."""
    return tuple(a[s] for s in b)


def inverse(a):
    return tuple(a.index(s) for s in range(len(a)))
