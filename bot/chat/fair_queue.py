"""What waits for its turn: for a place among the messages of a chat, for a turn of a rate limit, for a worker.

The rules are those of docs/quotas.md, "Who is next". And what is remembered up to a bound.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from itertools import chain
from typing import Final, Generic, TypeVar

OVERTAKING: Final = 4
"""So many turns in a row one that waits longer is overtaken, and so many one that is less urgent."""
REMEMBERED: Final = 2048  # owners whose last turn is known

T = TypeVar("T", bound=Hashable)
_K = TypeVar("_K")
_V = TypeVar("_V")


class Recent(OrderedDict[_K, _V]):
    """What was set last, at most so many entries."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: _K, value: _V) -> None:
        """Set a value; the oldest one gives way."""
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


def less(counts: Counter[_K], key: _K) -> None:
    """Count one less; a count of nothing is not kept."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


class LastTurns:
    """The numbers of the last turns of owners: persons, chats or matches."""

    def __init__(self) -> None:
        self._number = 0
        self._of = Recent[Hashable, int](REMEMBERED)

    def welcome(self, owner: Hashable) -> int:
        """Return the number of an owner's last turn; a newcomer is behind those who came before."""
        return self._of.setdefault(owner, self._number)

    def note(self, owner: Hashable) -> None:
        """An owner has a turn."""
        self._number += 1
        self._of[owner] = self._number


class FairLine(Generic[T]):
    """Equally urgent items: of the owner whose last turn was the longest ago the one that waits longest."""

    def __init__(self, turns: LastTurns) -> None:
        self.waiting: dict[T, Hashable] = {}
        self._turns = turns
        self._passed = 0

    def __bool__(self) -> bool:
        return bool(self.waiting)

    def put(self, item: T, owner: Hashable) -> None:
        """Let an item of an owner wait."""
        self._turns.welcome(owner)
        self.waiting[item] = owner

    def pop(self) -> T:
        """Remove and return the next item."""
        longest = next(iter(self.waiting))
        item = min(self.waiting, key=lambda each: self._turns.welcome(self.waiting[each]))
        self._passed = 0 if item is longest else self._passed + 1
        if self._passed > OVERTAKING:
            item, self._passed = longest, 0
        self._turns.note(self.waiting.pop(item))
        return item


class FairQueue(Generic[T]):
    """A `FairLine` for each urgency, the most urgent first, but after `OVERTAKING` in a row one of the next ones."""

    def __init__(self, urgencies: Iterable[int], turns: LastTurns) -> None:
        self._lines = {urgency: FairLine[T](turns) for urgency in sorted(urgencies)}
        self._first = Counter[FairLine[T]]()  # turns in a row of a line before the less urgent ones

    def __bool__(self) -> bool:
        return any(self._lines.values())

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(line.waiting for line in self._lines.values())

    def put(self, item: T, urgency: int, owner: Hashable = None) -> None:
        """Let an item of an owner wait."""
        self._lines[urgency].put(item, owner)

    def drop(self, item: T) -> None:
        """Remove an item, if it waits."""
        for line in self._lines.values():
            line.waiting.pop(item, None)

    def pop(self) -> T:
        """Remove and return the next item."""
        *urgent, last = (line for line in self._lines.values() if line)
        for line in urgent:
            if self._first[line] < OVERTAKING:
                self._first[line] += 1
                return line.pop()
            self._first[line] = 0
        return last.pop()
