"""What can be chosen before a game: described once, for reading, writing, menus and slash commands."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.core.errors import BadNotation, BadOption, OptionReason
from rules.core.grid import Grid, Square, fold, quoted, sq

_SIZE: Final = re.compile(r"([0-9]{1,3}) ?[x*] ?([0-9]{1,3})\Z", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,6}\Z", re.ASCII)


AUTO: Final = "auto"
"""The default of an option that depends on the others: read as None, and settled by the game."""


@dataclass(frozen=True, slots=True)
class Option(ABC):
    """One thing to choose. `key` is what people type and part of its catalogue key; `default` is canonical text."""

    key: str
    default: str

    def read(self, text: str) -> Any:
        """Return the value of folded text, or raise BadOption."""
        return None if text == self.default == AUTO else self._value(text)

    @abstractmethod
    def _value(self, text: str) -> Any: ...

    def write(self, value: Any) -> str:
        """The canonical text of a value; `read` gives the value back."""
        return AUTO if value is None else str(value)


@dataclass(frozen=True, slots=True)
class OneOf(Option):
    """One of some words."""

    offered: tuple[str, ...]

    def _value(self, text: str) -> str:
        word = text.replace(" ", "-").replace("_", "-")
        if word in self.offered:
            return word
        raise BadOption(OptionReason.NOT_OFFERED, option=self.key, value=quoted(text), offered=self.offered)


@dataclass(frozen=True, slots=True)
class Number(Option):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def _value(self, text: str) -> int:
        bounds = {"low": self.low, "high": self.high}
        if not _NUMBER.match(text):
            raise BadOption(OptionReason.NOT_A_NUMBER, option=self.key, value=quoted(text), **bounds)
        number = int(text)
        if not self.low <= number <= self.high:
            raise BadOption(OptionReason.OUT_OF_BOUNDS, option=self.key, value=number, **bounds)
        return number


@dataclass(frozen=True, slots=True)
class Size(Option):
    """A board, `WxH`: files by ranks, each within bounds. A single number is a square board."""

    files: tuple[int, int]
    ranks: tuple[int, int]

    def _value(self, text: str) -> Grid:
        found = _SIZE.match(f"{text}x{text}" if _NUMBER.match(text) else text)
        if not found:
            raise BadOption(OptionReason.NOT_A_SIZE, option=self.key, value=quoted(text))
        grid = Grid(int(found[1]), int(found[2]))
        for number, (low, high), reason in (
            (grid.files, self.files, OptionReason.FILES_OUT_OF_BOUNDS),
            (grid.ranks, self.ranks, OptionReason.RANKS_OUT_OF_BOUNDS),
        ):
            if not low <= number <= high:
                raise BadOption(reason, option=self.key, value=number, low=low, high=high)
        return grid


@dataclass(frozen=True, slots=True)
class Squares(Option):
    """Some squares, in order; the empty default leaves the choice to the game."""

    def _value(self, text: str) -> tuple[Square, ...]:
        try:
            return tuple(sq(word) for word in text.replace(",", " ").split())
        except BadNotation:
            raise BadOption(OptionReason.NOT_SQUARES, option=self.key, value=quoted(text)) from None

    def write(self, value: Sequence[Square]) -> str:
        return ",".join(map(str, value))


@dataclass(frozen=True, slots=True)
class Schema:
    """The options of a game, in the order in which people are asked."""

    options: tuple[Option, ...]
    presets: Mapping[str, Mapping[str, str]]

    def read(self, chosen: Mapping[str, str]) -> dict[str, Any]:
        """Return a value for every option; `preset` names a set that the rest is put on top of. May raise BadOption."""
        texts = {option.key: option.default for option in self.options}
        known = (*texts, "preset")
        for key in chosen:
            if key not in known:
                raise BadOption(OptionReason.UNKNOWN_OPTION, option=quoted(key), known=known)
        typed = {key: folded(value) for key, value in chosen.items()}
        if (preset := typed.pop("preset", None)) is not None:
            if preset not in self.presets:
                raise BadOption(OptionReason.UNKNOWN_PRESET, preset=quoted(preset), known=tuple(self.presets))
            texts |= self.presets[preset]
        texts |= typed
        return {option.key: option.read(texts[option.key]) for option in self.options}

    def write(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The canonical text of every value that is not the default; `read` gives the values back."""
        texts = {option: option.write(values[option.key]) for option in self.options}
        return {option.key: text for option, text in texts.items() if text != option.default}


def folded(text: str) -> str:
    """Folded text; what cannot be folded stays, quoted, for the option to refuse in its own words."""
    try:
        return fold(text)
    except BadNotation:
        return quoted(text.strip(" "))
