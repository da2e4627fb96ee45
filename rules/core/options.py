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


@dataclass(frozen=True, slots=True)
class Option(ABC):
    """One thing to choose. `key` is what people type and part of its catalogue key; `default` is canonical text."""

    key: str
    default: str

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value of folded text.

        Raises:
            BadOption: the text is no value of this option, or one out of bounds.
        """

    def write(self, value: Any) -> str:
        """The canonical text of a value; `read` gives the value back."""
        return str(value)


@dataclass(frozen=True, slots=True)
class OneOf(Option):
    """One of some words."""

    offered: tuple[str, ...]

    def read(self, text: str) -> str:
        word = text.replace(" ", "-").replace("_", "-")
        if word not in self.offered:
            raise BadOption(
                OptionReason.NOT_OFFERED, option=self.key, value=quoted(text), offered=self.offered
            )
        return word


@dataclass(frozen=True, slots=True)
class Number(Option):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def read(self, text: str) -> int:
        if not _NUMBER.match(text):
            raise BadOption(
                OptionReason.NOT_A_NUMBER, option=self.key, value=quoted(text), low=self.low, high=self.high
            )
        number = int(text)
        if not self.low <= number <= self.high:
            raise BadOption(
                OptionReason.OUT_OF_BOUNDS, option=self.key, value=number, low=self.low, high=self.high
            )
        return number


@dataclass(frozen=True, slots=True)
class Size(Option):
    """A board, `WxH`: files by ranks, each within bounds. A single number is a square board."""

    files: tuple[int, int]
    ranks: tuple[int, int]

    def read(self, text: str) -> Grid:
        found = _SIZE.match(f"{text}x{text}" if _NUMBER.match(text) else text)
        if not found:
            raise BadOption(OptionReason.NOT_A_SIZE, option=self.key, value=quoted(text))
        grid = Grid(int(found[1]), int(found[2]))
        if not self.files[0] <= grid.files <= self.files[1]:
            low, high = self.files
            raise BadOption(
                OptionReason.FILES_OUT_OF_BOUNDS, option=self.key, value=grid.files, low=low, high=high
            )
        if not self.ranks[0] <= grid.ranks <= self.ranks[1]:
            low, high = self.ranks
            raise BadOption(
                OptionReason.RANKS_OUT_OF_BOUNDS, option=self.key, value=grid.ranks, low=low, high=high
            )
        return grid


@dataclass(frozen=True, slots=True)
class Squares(Option):
    """Some squares, in order; the empty default leaves the choice to the game."""

    def read(self, text: str) -> tuple[Square, ...]:
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
        """A value for every option, from what was typed; `preset` names a set that the rest is put on top of.

        Raises:
            BadOption: an option or a preset that does not exist, or a value it cannot have.
        """
        texts = {option.key: option.default for option in self.options}
        known = (*texts, "preset")
        for key in chosen:
            if key not in known:
                raise BadOption(OptionReason.UNKNOWN_OPTION, option=quoted(key), known=known)
        typed = {key: _folded(value) for key, value in chosen.items()}
        if (preset := typed.pop("preset", None)) is not None:
            if preset not in self.presets:
                raise BadOption(OptionReason.UNKNOWN_PRESET, preset=quoted(preset), known=tuple(self.presets))
            texts |= self.presets[preset]
        texts |= typed
        return {option.key: option.read(texts[option.key]) for option in self.options}

    def write(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The canonical text of every value that is not the default; `read` gives the values back."""
        texts = {option.key: option.write(values[option.key]) for option in self.options}
        return {
            option.key: texts[option.key] for option in self.options if texts[option.key] != option.default
        }


def _folded(text: str) -> str:
    """Folded text; what cannot be folded stays, quoted, for the option to refuse in its own words."""
    try:
        return fold(text)
    except BadNotation:
        return quoted(text.strip(" "))
