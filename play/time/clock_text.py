"""Clocks as people type them: `3d awake`, `3d 12h`, `240h+36h/480h soft vacation`, `3d pause:weekend`, `bank`, `none`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from play.errors import BadRequest, Refused
from play.people import clean
from play.time.clock import DEFAULT_CLOCK, Clock, Pause, is_unit
from play.time.clock import read as read_length

SHORTEST: Final = timedelta(minutes=5)
"""The least that a turn, or a bank to begin with, has: players of a chat do not wait for their turn in front of a screen."""

LONGEST: Final = timedelta(days=60)
"""The most that a turn or a bank has; a match in which nothing is done for so long is closed."""

LARGEST_INCREMENT: Final = timedelta(days=30)  # the most that a bank gets for a turn

MAX_TEXT: Final = 120

_NONE: Final = frozenset({"none", "no", "off", "-", "без", "немає", "ні", "нема", "нет"})
_BANK: Final = frozenset({"bank", "default", "банк"})
_SOFT: Final = frozenset(
    {
        "soft",
        *(f"м{apostrophe}{end}" for apostrophe in "'’ʼ`" for end in ("який", "яка", "яке", "які")),
        *("мягкий", "мягкая", "мягкое", "мягкие"),
    }
)
_VACATION: Final = frozenset(
    {"vacation", "vacations", "holiday", "holidays", "відпустка", "відпусткою", "отпуск", "отпуском"}
)
AWAKE: Final = frozenset({"awake", "вдень", "днем", "днём"})
_PAUSES: Final = {
    **dict.fromkeys(AWAKE, Pause.AWAKE),
    **dict.fromkeys(("night", "nights", "ніч", "ночі", "ночь", "ночи"), Pause.NIGHT),
    **dict.fromkeys(("weekend", "weekends", "вихідні", "выходные"), Pause.WEEKEND),
    **dict.fromkeys(("night,weekend", "weekend,night"), Pause.BOTH),
}
_BEFORE_A_WORD: Final = re.compile(r"[\s,;+]+(?=[^\W\d])")
_MARK: Final = re.compile(r"[+/]\Z")
_NUMBER: Final = re.compile(r"[+/]?[0-9]{1,5}\Z", re.ASCII)
_LENGTHS: Final = re.compile(r"(?:[+/]?[0-9]{1,5}([^\W\d_]{1,12})\.?)+[+/]?\Z")
_PIECE: Final = re.compile(r"[0-9]([^\W\d_]+)")
_SHORT: Final = 2  # letters after a number that can hardly be anything but a mistyped unit


def read(text: str) -> Clock | None:
    """The clock that a text says; None if it says that there is none.

    Raises:
        BadRequest: it says no clock, or one out of bounds.
    """
    words = _BEFORE_A_WORD.sub(" ", text.lower()).split() if len(text) <= MAX_TEXT else []
    if len(words) == 1 and words[0] in _NONE:
        return None
    soft, vacation, pause = _marks(words)
    if len(words) == 1 and words[0] in _BANK:
        return replace(DEFAULT_CLOCK, soft=soft, vacation=vacation, pause=pause)
    first, bank, rest = " ".join(words).partition("+")
    second, capped, third = rest.partition("/")
    lengths = [read_length(part) for part in (first, *[second] * bool(bank), *[third] * bool(capped))]
    if any(length is None for length in lengths):
        raise BadRequest(Refused.BAD_CLOCK, text=clean(text, 40))
    initial, increment, cap = (*lengths, None, None)[:3]
    assert initial is not None, "read"  # noqa: S101 - none of the lengths is missing
    if bank and not capped:
        cap = initial
    return checked(Clock(initial, increment, cap, soft, vacation, pause))


def goes_on(text: str, words: Sequence[str]) -> int:
    """How many words go on with the clock that a text begins: `3d` and `12h soft`, `3` and `days`, `240h` and `+ 36h`.

    What looks like a length but is none goes on with it too, so that it is refused as a clock.
    """
    for count, word in enumerate(words):
        before = words[count - 1] if count else text
        after = words[count + 1] if count + 1 < len(words) else ""
        if not _belongs(_bare(before), _bare(word), _bare(after)):
            return count
    return len(words)


def _belongs(before: str, word: str, after: str) -> bool:
    if _MARK.match(word) or word in _SOFT or word in _VACATION or _pause(word):
        return True
    if _NUMBER.match(word):
        return before[-1:] in ("+", "/", "") or word[0] in "+/" or is_unit(after)
    if _LENGTHS.match(word):
        return all(is_unit(unit) or len(unit) <= _SHORT for unit in _PIECE.findall(word))
    return is_unit(word) and _NUMBER.search(before.rpartition(" ")[2]) is not None


def _bare(word: str) -> str:
    return word.lower().strip(",;").rstrip(".")


def clock_of(wanted: Clock | str | None) -> Clock | None:
    """The clock that a request asks for, as text or as it is."""
    if isinstance(wanted, str):
        return read(wanted)
    return checked(wanted) if wanted else None


def checked(clock: Clock) -> Clock:
    """A clock, if it is within its bounds."""
    _bounded(clock.initial, SHORTEST, LONGEST)
    if clock.increment is not None:
        _bounded(clock.increment, timedelta(), LARGEST_INCREMENT)
    if clock.cap is not None:
        if clock.cap < clock.initial:
            raise BadRequest(Refused.CLOCK_CAP, cap=clock.cap, bank=clock.initial)
        _bounded(clock.cap, SHORTEST, LONGEST)
    return clock


def _marks(words: list[str]) -> tuple[bool, bool, Pause]:
    """Take the words off that come after the lengths, in any order: whether soft, whether with vacations, and the pause."""
    soft, vacation, pause = False, False, Pause.NONE
    while len(words) > 1:
        word = words[-1]
        if word in _SOFT and not soft:
            soft = True
        elif word in _VACATION and not vacation:
            vacation = True
        elif named := _pause(word):
            pause = named if pause in (Pause.NONE, named) else Pause.BOTH
        else:
            break
        words.pop()
    return soft, vacation, pause


def _pause(word: str) -> Pause | None:
    return _PAUSES.get(word.removeprefix("pause:").removeprefix("пауза:"))


def _bounded(length: timedelta, low: timedelta, high: timedelta) -> None:
    if not low <= length <= high:
        raise BadRequest(Refused.CLOCK_BOUNDS, text=length, low=low, high=high)
