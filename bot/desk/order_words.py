"""The words of /challenge and /new in any order: the game, its options, engines, names of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.desk import engine_opponents
from bot.desk.command_spec import argument_names
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, shown
from bot.desk.game_words import (
    PRESET,
    RATED,
    counted,
    find_game,
    joined_names,
    meaning,
    rating_words,
    read_words,
    which_game,
)
from bot.desk.people import Name
from play.people import Player
from rules.core import AnyGame

_CLOCK_PARTS: Final = frozenset(
    {
        *("bank", "cap", "increment", "flag", "limit", "soft", "time", "vacation"),
        *("банк", "запас", "межа", "час", "відпустка", "предел", "время", "отпуск"),
    }
)
"""Words before a colon that name a part of the clock."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a command orders.

    Attributes:
        names: The words that are nothing else, so names of people.
        game: The game.
        chosen: Texts of options by key, the command's own among them.
        engines: The engines that sit down at once.
    """

    names: list[Name]
    game: AnyGame
    chosen: dict[str, str]
    engines: list[Player]


def read_order(context: Context) -> Order:
    """Return what the context's command orders.

    Raises:
        CommandError: it makes no sense.
        BadRequest: there is no such game.
    """
    games = context.table.games
    chosen = {key: value for key, value in context.command.chosen().items() if key not in RATED}
    named = argument_names(context.commands[context.command.name])
    chosen = {named.get(key, key): value for key, value in chosen.items()}
    words, numbers = counted(games.values(), rating_words(context.command.words)[0])
    for key, number in numbers.items():
        if chosen.setdefault(key, number) != number:
            raise CommandError(BadCommand.CONTRADICTION, first=f"{key}:{chosen[key]}", second=number)
    words = joined_names(games, _numbered_level(_counted_engines(words, chosen), chosen))
    words += _named_with_options(context, chosen)
    bare = [word for word in words if not engine_opponents.is_called_engine(context, word)]
    bare = _without_klop(context, bare, named="game" in chosen)
    engines = engine_opponents.named(context, chosen, called=len(words) - len(bare))
    game = None
    if called := chosen.pop("game", None):
        game = find_game(games, called)
        if game is None:
            raise which_game(context, called)
    before, after = list(bare), []
    for at, word in enumerate(bare if game is None else ()):
        if found := find_game(games, word):
            game, before, after = found, before[:at], before[at + 1 :]
            break
    if game is None:
        raise which_game(context, *before)
    texts, _ = read_words(game, (*before, *after), chosen)
    _check_known(context, game, texts)
    names = [Name(word, after_game=False) for word in before if not meaning(game, word)]
    names += [Name(word, after_game=True) for word in after if not meaning(game, word)]
    return Order(names, game, texts, engines)


def _named_with_options(context: Context, chosen: dict[str, str]) -> list[str]:
    """Remove `lgame:scoring` from the options and return its words, the game first."""
    for key in chosen:
        if "game" not in chosen and find_game(context.table.games, key):
            return [key, *chosen.pop(key).replace(",", " ").split()]
    return []


def _counted_engines(words: list[str], chosen: dict[str, str]) -> list[str]:
    """Remove `2 bots` from the words and put it into the options."""
    for at, word in enumerate(words[1:], 1):
        if word.casefold() in engine_opponents.ENGINES and words[at - 1].isdigit():
            chosen.setdefault("engines", words[at - 1])
            return words[: at - 1] + words[at + 1 :]
    return words


def _numbered_level(words: list[str], chosen: dict[str, str]) -> list[str]:
    """Remove `level 3` from the words and put it into the options."""
    for at, word in enumerate(words[:-1]):
        if word.casefold() in engine_opponents.LEVEL and words[at + 1].isdigit():
            chosen.setdefault("level", words[at + 1])
            return words[:at] + words[at + 2 :]
    return words


def _without_klop(context: Context, words: list[str], *, named: bool) -> list[str]:
    """Return the words without the engines' name, Klop, where another word names the game."""
    for at, word in enumerate(words):
        others = (*words[:at], *words[at + 1 :])
        if engine_opponents.is_klop(word) and (
            named or any(find_game(context.table.games, each) for each in others)
        ):
            return list(others)
    return words


def _check_known(context: Context, game: AnyGame, texts: Mapping[str, str]) -> None:
    """Check that each option is one of the game or of the command."""
    others = [each.name for each in context.commands[context.command.name].arguments if each.named]
    known = (*(option.key for option in game.schema.options), PRESET, *others)
    for key in texts:
        if key in _CLOCK_PARTS:
            raise CommandError(BadCommand.CLOCK_PART, option=shown(key))
        if key not in known:
            raise CommandError(BadCommand.NO_SUCH_OPTION, option=shown(key), known=", ".join(known))
