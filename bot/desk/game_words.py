"""How a game is to be played, from words: ready-made settings, single words, boards, in any of the languages.

A ready-made setting only proposes: an option named beside it is set on top of it. Two of them that propose different
things, and two words for one option, contradict each other; nobody can know which was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from bot.desk.context import shown
from bot.desk.grammar import BadCommand, CommandError
from bot.i18n import LANGUAGES
from bot.i18n import words as words_for
from rules.core import AnyGame, BadOption, OneOf, Schema, Size

PRESET: Final = "preset"

_SIZE: Final = re.compile(r"[0-9]{1,9}[xх×][0-9]{1,9}\Z", re.ASCII)
_TAIL: Final = re.compile(r"[,:].*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word says of a game.

    Attributes:
        preset: The ready-made setting that it names.
        option: The option it is a value of.
        value: That value.
    """

    preset: str | None = None
    option: str | None = None
    value: str = ""

    def __bool__(self) -> bool:
        return self.preset is not None or self.option is not None


@dataclass(slots=True)
class _Claims:
    """What has been said of each option, and in which word."""

    game: AnyGame
    said: dict[str, tuple[Any, str, str]] = field(default_factory=dict)

    def add(self, key: str, text: str, word: str) -> None:
        """One more claim.

        Raises:
            CommandError: it contradicts an earlier one.
        """
        value = _value(self.game.schema, key, text)
        before, _, other = self.said.setdefault(key, (value, text, word))
        if before != value:
            raise CommandError(BadCommand.CONTRADICTION, first=shown(other), second=shown(word))

    @property
    def texts(self) -> dict[str, str]:
        return {key: text for key, (_, text, _) in self.said.items()}


def read_words(
    game: AnyGame, words: Iterable[str], options: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """What is chosen for a game, option by option, and the words that say nothing of it.

    Args:
        game: Which game.
        words: Bare words.
        options: What was typed as `key:value`; whatever is no option of the game is passed on.

    Raises:
        CommandError: two of them contradict each other.
    """
    proposed, named = _Claims(game), _Claims(game)
    passed, left = {}, []
    for word in words:
        meant = meaning(game, word)
        if not meant:
            left.append(word)
        if meant.preset is not None:
            for key, text in game.schema.presets[meant.preset].items():
                proposed.add(key, text, word)
        if meant.option is not None:
            named.add(meant.option, meant.value, word)
    for key, text in options.items():
        if key == PRESET and text.casefold() in game.schema.presets:
            for each, value in game.schema.presets[text.casefold()].items():
                proposed.add(each, value, f"{key}:{text}")
        elif any(option.key == key for option in game.schema.options):
            named.add(key, text, f"{key}:{text}")
        else:
            passed[key] = text
    return {**passed, **proposed.texts, **named.texts}, left


def _value(schema: Schema, key: str, text: str) -> Any:
    """What a text means; the text itself where it means nothing, which is refused later."""
    try:
        return schema.read({key: text})[key]
    except BadOption:
        return text


def meaning(game: AnyGame, word: str) -> Meaning:
    """What a bare word says of a game: it names a ready-made setting, a value that one option alone has, or a board."""
    wanted = word.casefold()
    preset: str | None = wanted if wanted in game.schema.presets else None
    offering = [(o.key, wanted) for o in game.schema.options if isinstance(o, OneOf) and wanted in o.offered]
    if not offering and _SIZE.match(wanted):
        offering = [(o.key, word) for o in game.schema.options if isinstance(o, Size)]
    if preset is None and not offering:
        presets, values = _labels(game.key, tuple(game.schema.presets), _offered(game.schema))
        preset, offering = presets.get(wanted), list(values.get(wanted, ()))
    option, value = offering[0] if len(offering) == 1 else (None, "")
    return Meaning(preset, option, value)


def _offered(schema: Schema) -> tuple[tuple[str, str], ...]:
    return tuple((o.key, value) for o in schema.options if isinstance(o, OneOf) for value in o.offered)


@lru_cache(maxsize=32)
def _labels(
    key: str, presets: Sequence[str], offered: Sequence[tuple[str, str]]
) -> tuple[Mapping[str, str], Mapping[str, Sequence[tuple[str, str]]]]:
    """Ready-made settings and values by what they are called in any of the languages."""
    named: dict[str, str] = {}
    for whole in (True, False):  # a name in full comes before one that is followed by more
        for name in presets:
            for label in _called(f"{key}.preset.{name}", whole=whole):
                named.setdefault(label, name)
    values: dict[str, dict[tuple[str, str], None]] = {}
    for option, value in offered:
        for label in _called(f"{key}.value.{option}.{value}", whole=True):
            values.setdefault(label, {})[option, value] = None
    return named, {label: tuple(found) for label, found in values.items()}


def _called(key: str, *, whole: bool) -> Iterator[str]:
    """The labels of a key, as typed: with blanks and with hyphens; only those made of letters, for a board has numbers."""
    for words in map(words_for, LANGUAGES):
        if words.has(key):
            label = words(key).casefold()
            label = label if whole else _TAIL.sub("", label)
            joined = label.replace(" ", "-")
            if joined.replace("-", "").isalpha():
                yield label
                yield joined
