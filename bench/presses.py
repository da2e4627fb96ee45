"""What is wanted of an answer to a press, on every platform: soon, and with little work."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.measure import Goal, Row, Series

WANTED: Final = {
    "press to acknowledgement": 0.05,
    "tap to new keys": 0.2,
    "five quick taps to the keys of the last": 1.5,
}
"""Seconds in which 99 of 100 presses are to have each."""

ACKNOWLEDGED, NEW_KEYS, FIVE_TAPS = WANTED

SQUARES: Final = "a2", "b2", "a2", "b2", "c2"
"""What five quick taps touch."""

PAUSE: Final = 0.05  # seconds between quick taps

SPENT: Final = {
    "processor time of a typed move": 0.015,
    "processor time of a tap": 0.008,
    "a move alone: the bot": 0.020,
    "a move alone: its children": 0.010,
}
"""Seconds that the bot's own process works for each, pictures included. The first two while one follows the other, without what is done
after the last; the others of a move after a rest, with all that follows it, and without what the bot and its children, the store
among them, do anyway."""

SPENT_ON_MOVE, SPENT_ON_TAP, SPENT_ALONE, SPENT_BY_CHILDREN = SPENT

_TICKS: Final = os.sysconf("SC_CLK_TCK")


def spent(pid: int) -> float:
    """Seconds that a process, with all its threads, has worked so far; from Linux's /proc."""
    after_name = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / _TICKS


def children_of(pid: int) -> list[int]:
    """The processes below another one that run now; from Linux's /proc."""
    found = []
    for task in (Path("/proc") / str(pid) / "task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *children_of(child)]
    return found


def spent_in_all(pid: int) -> tuple[float, float]:
    """Seconds that a process, and all its children, have worked so far, to the nanosecond, of threads that have not ended."""
    return _of_threads(pid), sum(map(_of_threads, children_of(pid)))


def _of_threads(pid: int) -> float:
    threads = (Path("/proc") / str(pid) / "task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9


def worked(taken: Mapping[str, Sequence[float]]) -> list[Row]:
    """Processor time in seconds, a sample for each round, beside what is wanted."""
    return _beside_wanted(taken, SPENT, "request", "worked", tail=False)


def compared(taken: Mapping[str, Sequence[float]]) -> list[Row]:
    """Each wait in seconds, a sample for every press, beside what is wanted."""
    return _beside_wanted(taken, WANTED, "press", "waited", tail=True)


def _beside_wanted(
    taken: Mapping[str, Sequence[float]], wanted: Mapping[str, float], unit: str, name: str, *, tail: bool
) -> list[Row]:
    return [
        Row(
            what,
            unit,
            Series(name, tuple(seconds)),
            Series("wanted", (wanted[what],) * len(seconds)),
            cost=True,
            rate=False,
            goal=Goal(below=1),
            tail=tail,
        )
        for what, seconds in taken.items()
    ]
