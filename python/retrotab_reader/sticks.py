"""Stick tables: section 6 of docs/format.md."""

import functools

from .table import Table


class StickTable(Table):
    """The number of moves to the end of the stick game from every position."""

    def __init__(self, folder):
        super().__init__(folder)
        self.rows = self.parameters["rows"]
        self.first_entries = {s["name"]: s["first_entry"] for s in self.sections}

    def entry(self, *lengths):
        """The entry of a position, given by the lengths of its segments."""
        lengths = sorted(map(int, lengths), reverse=True)
        if lengths and lengths[-1] < 1:
            raise ValueError(f"{lengths}: lengths are at least 1")
        left = sum(lengths)
        rank = 0
        ways = all_rows(self.rows)
        for length in lengths:
            # Those whose next segment is shorter stand before.
            rank += followers(ways, length - 1, left)
            ways = take(ways, length)
            left -= length
        if not ways:
            raise ValueError(f"{lengths} do not fit on the rows")
        return self.first_entries[str(sum(lengths))] + rank

    def probe(self, *lengths):
        """The number of moves with best play; the player to move wins if it is even."""
        return self.column("moves")[self.entry(*lengths)]


def all_rows(rows):
    """Ways in which segments lie on the rows: what room each row has left."""
    return frozenset([tuple(r + 1 for r in range(1, rows + 1))])


@functools.cache
def take(ways, length):
    """The ways after one more segment, without those that another one makes superfluous."""
    found = set()
    for rooms in ways:
        for i, room in enumerate(rooms):
            if room >= length + 1:
                rest = room - length - 1
                # In a room of 1 no segment fits any more.
                left = (*rooms[:i], rest if rest > 1 else 0, *rooms[i + 1 :])
                found.add(tuple(sorted(left)))
    kept = []
    for rooms in sorted(found, reverse=True):
        if not any(all(a <= b for a, b in zip(rooms, other)) for other in kept):
            kept.append(rooms)
    return frozenset(kept)


@functools.cache
def followers(ways, longest, sticks):
    """How many multisets of so many sticks fit besides, with lengths up to `longest`."""
    if sticks == 0:
        return 1
    if longest == 0 or not ways:
        return 0
    number = followers(ways, longest - 1, sticks)
    more = take(ways, longest)
    if more and sticks >= longest:
        number += followers(more, longest, sticks - longest)
    return number
