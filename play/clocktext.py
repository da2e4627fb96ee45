"""Clocks as people type them: `3d`, `3d 12h`, `240h+36h`, `240h+36h/480h soft vacation`, `bank`, `none`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from play.clock import DEFAULT_CLOCK, Clock
from play.durations import read as read_length
from play.durations import spell
from play.errors import BadRequest, Refused
from play.people import clean

SHORTEST: Final = timedelta(minutes=5)
"""The least that a turn, or a bank to begin with, has: players of a chat are told of their turn, not waiting for it."""

LONGEST: Final = timedelta(days=60)
"""The most that a turn or a bank has; a match that nobody touches for so long is stale."""

LARGEST_INCREMENT: Final = timedelta(days=30)
"""The most that a bank gets for a turn."""

MAX_TEXT: Final = 120

_NONE: Final = frozenset({"none", "no", "off", "-", "без", "немає", "ні", "нема", "нет"})
_BANK: Final = frozenset({"bank", "default", "банк"})
_SOFT: Final = frozenset({"soft", "м'який", "м’який", "мʼякий", "мягкий"})
_VACATION: Final = frozenset({"vacation", "holiday", "відпустка", "отпуск"})


def read(text: str) -> Clock | None:
    """The clock that a text says; None if it says that there is none.

    Raises:
        BadRequest: it says no clock, or one out of bounds.
    """
    words = text.lower().split() if len(text) <= MAX_TEXT else []
    if len(words) == 1 and words[0] in _NONE:
        return None
    soft = _taken(words, _SOFT)
    vacation = _taken(words, _VACATION)
    if len(words) == 1 and words[0] in _BANK:
        clock = DEFAULT_CLOCK
        return Clock(clock.initial, clock.increment, clock.cap, soft, vacation)
    first, bank, rest = " ".join(words).partition("+")
    second, capped, third = rest.partition("/")
    lengths = [read_length(part) for part in (first, *[second] * bool(bank), *[third] * bool(capped))]
    if any(length is None for length in lengths):
        raise BadRequest(Refused.BAD_CLOCK, text=clean(text, 40))
    initial, increment, cap = (*lengths, None, None)[:3]
    assert initial is not None, "read"  # noqa: S101 - none of the lengths is missing
    if bank and not capped:
        cap = initial
    return checked(Clock(initial, increment, cap, soft, vacation))


def clock_of(wanted: Clock | str | None) -> Clock | None:
    """The clock that a request asks for, as text or as it is.

    Raises:
        BadRequest: as for `read`.
    """
    if isinstance(wanted, str):
        return read(wanted)
    return checked(wanted) if wanted else None


def checked(clock: Clock) -> Clock:
    """A clock, if it is within its bounds.

    Raises:
        BadRequest: it is not.
    """
    _bounded(clock.initial, SHORTEST, LONGEST)
    if clock.increment is not None:
        _bounded(clock.increment, timedelta(), LARGEST_INCREMENT)
    if clock.cap is not None:
        if clock.cap < clock.initial:
            raise BadRequest(Refused.CLOCK_CAP, cap=spell(clock.cap), bank=spell(clock.initial))
        _bounded(clock.cap, SHORTEST, LONGEST)
    return clock


def _taken(words: list[str], known: Collection[str]) -> bool:
    """Whether one of some words is the last or the one before it; it is taken away."""
    for place in (-1, -2):
        if len(words) >= -place and words[place] in known:
            del words[place]
            return True
    return False


def _bounded(length: timedelta, low: timedelta, high: timedelta) -> None:
    if not low <= length <= high:
        raise BadRequest(Refused.CLOCK_BOUNDS, text=spell(length), low=spell(low), high=spell(high))
