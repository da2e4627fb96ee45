"""What a value can be held against: texts, numbers, lists and objects with bounds, each naming what is wrong and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

_SNOWFLAKE: Final = re.compile(r"[0-9]{1,20}\Z", re.ASCII)

Found: TypeAlias = Iterator[str]
Check: TypeAlias = Callable[[Any, str], Found]


@dataclass(frozen=True, slots=True)
class Form:
    """An object: what each of its fields must be, and which must be there. Unknown ones are refused."""

    fields: Mapping[str, Check]
    needed: Sequence[str] = ()
    also: Sequence[Check] = field(default=())

    def __call__(self, value: Any, at: str) -> Found:
        if not isinstance(value, dict):
            yield f"{at}: no object"
            return
        for key in self.needed:
            if value.get(key) is None:
                yield f"{at}.{key}: is needed"
        for key, held in value.items():
            if key not in self.fields:
                yield f"{at}.{key}: is not known"
            elif held is not None:
                yield from self.fields[key](held, f"{at}.{key}")
        for check in self.also:
            yield from check(value, at)


def text(most: int, least: int = 0) -> Check:
    """Text of so many characters, counted as Discord counts: code points."""

    def check(value: Any, at: str) -> Found:
        if not isinstance(value, str):
            yield f"{at}: no text"
        elif not least <= len(value) <= most:
            yield f"{at}: {len(value)} characters, {least} to {most} are allowed"
        elif least and not value.strip():
            yield f"{at}: blank"

    return check


def number(least: int, most: int) -> Check:
    """A whole number in these bounds."""

    def check(value: Any, at: str) -> Found:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            yield f"{at}: {value!r} is no number from {least} to {most}"

    return check


def one_of(*values: Any) -> Check:
    """One of these."""

    def check(value: Any, at: str) -> Found:
        if value not in values:
            yield f"{at}: {value!r} is none of {values}"

    return check


def several(item: Check, most: int, least: int = 0, *, unique: bool = False) -> Check:
    """A list of so many."""

    def check(value: Any, at: str) -> Found:
        if not isinstance(value, list):
            yield f"{at}: no list"
            return
        if not least <= len(value) <= most:
            yield f"{at}: {len(value)} entries, {least} to {most} are allowed"
        if unique and len(set(map(str, value))) < len(value):
            yield f"{at}: one of them twice"
        for index, held in enumerate(value):
            yield from item(held, f"{at}[{index}]")

    return check


def flag(value: Any, at: str) -> Found:
    """Yes or no."""
    if not isinstance(value, bool):
        yield f"{at}: {value!r} is neither true nor false"


def snowflake(value: Any, at: str) -> Found:
    """An id."""
    if not _SNOWFLAKE.match(str(value)):
        yield f"{at}: {value!r} is no id"


def link(value: Any, at: str) -> Found:
    """An address of the web or of an attachment."""
    yield from text(2048, 1)(value, at)
    if isinstance(value, str) and not value.startswith(("https://", "http://", "attachment://")):
        yield f"{at}: {value!r} is no address"


def anything(_value: Any, _at: str) -> Found:
    """Accept any value."""
    return iter(())
