"""Words of a command that name a game, a side, a rated match or options, in any of the languages.

A preset only proposes values: an option named beside it takes precedence. Two presets that propose different values, and
two words for one option, contradict each other and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TypeAlias

from bot.chat.arguments import in_all_languages
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.grammar import Command, switch
from play.errors import BadRequest, Refused
from rules.core import AnyGame, BadOption, OneOf, Schema, Size

RATED: Final = frozenset(
    {"rated", "rating", "рейтинг", "рейтингова", "рейтинговий", "рейтинговая", "рейтинговый"}
)
"""Words for a rated match, bare or before a colon: `rated:yes`."""

_UNRATED: Final = frozenset({"unrated", "нерейтингова", "нерейтинговий", "нерейтинговая", "нерейтинговый"})
_RATING: Final = RATED | {"ratings", "рейтингу", "рейтинга", "рейтингом"}
FOR: Final = frozenset({"for", "with", "на", "з", "із", "с"})
_NOT_FOR: Final = frozenset({"not", "no", "without", "без", "не"})
"""Of two words: `for ratings`, `без рейтингу`."""

PRESET: Final = "preset"


_SIZE: Final = re.compile(r"[0-9]{1,9}[xх×][0-9]{1,9}\Z", re.ASCII)
_TAIL: Final = re.compile(r"[,:].*\Z", re.DOTALL)


def find_game(games: Mapping[str, AnyGame], word: str) -> AnyGame | None:
    """Return the game that a word names: by key, or by a name in any of the languages."""
    wanted = word.casefold()
    return games.get(wanted) or games.get(game_names(games).get(wanted, ""))


def game_names(games: Iterable[str]) -> Mapping[str, str]:
    """Return the keys of games by all that is typed for them."""
    return _game_names(tuple(games))


@lru_cache(maxsize=4)
def _game_names(keys: tuple[str, ...]) -> Mapping[str, str]:
    called: dict[str, str] = {}
    for key in keys:
        aliases = ",".join(in_all_languages(f"{key}.aliases")).split(",")
        for name in (key, *in_all_languages(f"{key}.name"), *aliases):
            called.setdefault(name.strip().casefold(), key)
    return called


def which_game(context: Context, *words: str) -> CommandError | BadRequest:
    """Return the refusal of a command that names no game, or an unknown one."""
    games, name = tuple(context.table.games), context.command.name
    if words and name != "challenge":
        return BadRequest(Refused.NO_SUCH_GAME, game=shown(words[0]), known=games)
    example = f"/{name} bob {games[-1]}" if name == "challenge" else f"/{name} {games[-1]}"
    return CommandError(BadCommand.WHICH_GAME, known=", ".join(games), example=example)


def rating_words(words: Sequence[str]) -> tuple[list[str], set[bool]]:
    """Return the words that are not about ratings, and what the others choose: True for rated, False for not."""
    left: list[str] = []
    said: set[bool] = set()
    for word in words:
        folded = word.casefold()
        before = left[-1].casefold() if left else ""
        if folded in _RATING and before in FOR | _NOT_FOR:
            left.pop()
            said.add(before in FOR)
        elif folded in RATED | _UNRATED:
            said.add(folded in RATED)
        else:
            left.append(word)
    return left, said


def is_rated(command: Command) -> bool:
    """Whether a command is for a rated match."""
    try:
        said = {switch(value) for key, value in command.chosen().items() if key in RATED}
    except CommandError as error:
        if error.reason is not BadCommand.BAD_SWITCH:
            raise
        raise CommandError(BadCommand.BAD_RATED, **error.fields) from error
    said |= rating_words(command.words)[1]
    if len(said) > 1:
        raise CommandError(BadCommand.CONTRADICTION, first="rated", second="rated:no")
    return True in said


_Chosen: TypeAlias = dict[str, tuple[Any, str, str]]  # by option: a value, its text, and the word for it


def _choose(chosen: _Chosen, schema: Schema, key: str, text: str, word: str) -> None:
    value: Any = text  # one that cannot be read is refused later
    with suppress(BadOption):
        value = schema.read({key: text})[key]
    before, _, other = chosen.setdefault(key, (value, text, word))
    if before != value:
        raise CommandError(BadCommand.CONTRADICTION, first=shown(other), second=shown(word))


def read_words(
    game: AnyGame, words: Iterable[str], options: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the options that bare words and `key:value` pairs choose in a game, and the other words.

    Unknown keys are passed on. Two that contradict each other are refused.
    """
    schema, passed, left = game.schema, {}, []
    proposed: _Chosen = {}
    named: _Chosen = {}
    for word in words:
        preset, option = chosen_by(game, word)
        if preset is None and option is None:
            left.append(word)
        if preset is not None:
            for key, text in schema.presets[preset].items():
                _choose(proposed, schema, key, text, word)
        if option is not None:
            _choose(named, schema, *option, word)
    for key, text in options.items():
        if key == PRESET and text.casefold() in schema.presets:
            for each, value in schema.presets[text.casefold()].items():
                _choose(proposed, schema, each, value, f"{key}:{text}")
        elif called := option_names([game]).get(key):
            values = _labels(game.key, tuple(schema.presets), _offered(schema))[1]
            labelled = (value for each, value in values.get(text.casefold(), ()) if each == called)
            _choose(named, schema, called, next(labelled, text), f"{key}:{text}")
        else:
            passed[key] = text
    return passed | {key: text for key, (_, text, _) in {**proposed, **named}.items()}, left


def chosen_by(game: AnyGame, word: str) -> tuple[str | None, tuple[str, str] | None]:
    """Return the preset that a bare word names, and an option with the value that no other has, or with a board's size."""
    wanted = word.casefold()
    preset: str | None = wanted if wanted in game.schema.presets else None
    offering = [(o.key, wanted) for o in game.schema.options if isinstance(o, OneOf) and wanted in o.offered]
    if not offering and _SIZE.match(wanted):
        offering = [(o.key, word) for o in game.schema.options if isinstance(o, Size)]
    if preset is None and not offering:
        presets, values = _labels(game.key, tuple(game.schema.presets), _offered(game.schema))
        preset, offering = presets.get(wanted), list(values.get(wanted, ()))
    return preset, offering[0] if len(offering) == 1 else None


def _offered(schema: Schema) -> tuple[tuple[str, str], ...]:
    return tuple((o.key, value) for o in schema.options if isinstance(o, OneOf) for value in o.offered)


@lru_cache(maxsize=32)
def _labels(
    key: str, presets: Sequence[str], offered: Sequence[tuple[str, str]]
) -> tuple[Mapping[str, str], Mapping[str, Sequence[tuple[str, str]]]]:
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
    for label in map(str.casefold, in_all_languages(key)):
        said = label if whole else _TAIL.sub("", label)
        joined = said.replace(" ", "-")
        if joined.replace("-", "").isalpha():
            yield said
            yield joined


def option_names(games: Iterable[AnyGame]) -> Mapping[str, str]:
    """Return the keys of options by what is typed for them: the key, or the first word of its label in a language."""
    called: dict[str, str] = {PRESET: PRESET}
    for game in games:
        called |= {option.key: option.key for option in game.schema.options}
    for game in games:
        for option in game.schema.options:
            for label in in_all_languages(f"{game.key}.option.{option.key}"):
                called.setdefault(label.casefold().split()[0], option.key)
    return called


def value_names(games: Iterable[AnyGame]) -> Mapping[str, str]:
    """Return the presets and values of games that a bare word chooses, by what is typed for them."""
    called: dict[str, str] = {}
    for game in games:
        offered = _offered(game.schema)
        presets, values = _labels(game.key, tuple(game.schema.presets), offered)
        called |= {name: name for name in (*game.schema.presets, *(value for _, value in offered))}
        called |= presets
        called |= {label: found[0][1] for label, found in values.items() if len(found) == 1}
    return called
