"""What is wanted of an answer to a press, on every platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def compared(taken: Mapping[str, Sequence[float]]) -> list[Row]:
    """Each wait in seconds, a sample for every press, beside what is wanted."""
    return [
        Row(
            what,
            "press",
            Series("waited", tuple(waits)),
            Series("wanted", (WANTED[what],) * len(waits)),
            cost=True,
            rate=False,
            goal=Goal(below=1),
            tail=True,
        )
        for what, waits in taken.items()
    ]
