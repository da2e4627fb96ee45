"""Lengths of time as people write them: `3d 12h`, `3д 12г`, `3д 12ч`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

_UNITS: Final = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
}
_WEEK: Final = timedelta(days=7)
_WORDS: Final[tuple[tuple[timedelta, tuple[str, ...]], ...]] = (
    (
        _WEEK,
        (
            "w",
            "week",
            "weeks",
            "т",
            "тиж",
            "тиждень",
            "тижні",
            "тижнів",
            "н",
            "нед",
            "неделя",
            "недели",
            "недель",
            "неделю",
        ),
    ),
    (
        _UNITS["d"],
        (
            "d",
            "day",
            "days",
            "д",
            "дн",
            "день",
            "дні",
            "днів",
            "дня",
            "дней",
            "доба",
            "доби",
            "діб",
            "сутки",
            "суток",
        ),
    ),
    (
        _UNITS["h"],
        (
            *("h", "hr", "hrs", "hour", "hours"),
            *("г", "год", "година", "години", "годин", "годину"),
            *("ч", "час", "часа", "часов"),
        ),
    ),
    (
        _UNITS["m"],
        (
            *("m", "min", "mins", "minute", "minutes"),
            *("хв", "хвилина", "хвилини", "хвилин", "хвилину"),
            *("м", "мин", "минута", "минуты", "минут", "минуту"),
        ),
    ),
)
_LENGTHS: Final = {word: length for length, words in _WORDS for word in words}
_PART: Final = re.compile(r" *([0-9]{1,5}) ?([a-zа-яіїєґ]+)\.?")
_MAX_TEXT: Final = 60


def read(text: str) -> timedelta | None:
    """The length that a text says, or None if it says none.

    Whole numbers with their units, the longer unit first and each at most once; minutes are the shortest.
    """
    text = text.strip().lower()
    if not text or len(text) > _MAX_TEXT:
        return None
    total = timedelta()
    last: timedelta | None = None
    place = 0
    while place < len(text):
        found = _PART.match(text, place)
        unit = _LENGTHS.get(found[2]) if found else None
        if found is None or unit is None or (last is not None and unit >= last):
            return None
        total += int(found[1]) * unit
        last = unit
        place = found.end()
    return total


def is_unit(word: str) -> bool:
    """Whether a word alone is a unit, such as `days` or `год`."""
    return word.lower() in _LENGTHS


def spell(length: timedelta) -> str:
    """A length in whole minutes, in the shortest text that `read` understands; `0m` for none."""
    parts = []
    for letter, unit in _UNITS.items():
        count, length = divmod(length, unit)
        if count:
            parts.append(f"{count}{letter}")
    return "".join(parts) or "0m"
