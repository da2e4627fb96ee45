"""What words of a command name: a game, one of its sides, that a match is to be rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from bot.desk.context import Context, shown
from bot.desk.grammar import BadCommand, Command, CommandError
from bot.desk.settings import switch
from bot.i18n import LANGUAGES
from bot.i18n import words as words_for
from play.errors import BadRequest, Refused
from rules.core import SEATS, AnyGame

RATED: Final = frozenset(
    {"rated", "rating", "рейтинг", "рейтингова", "рейтинговий", "рейтинговая", "рейтинговый"}
)
"""Words for a rated match, bare or before a colon: `rated:yes`."""

_UNRATED: Final = frozenset({"unrated", "нерейтингова", "нерейтинговий", "нерейтинговая", "нерейтинговый"})
_RATING: Final = RATED | {"ratings", "рейтингу", "рейтинга", "рейтингом"}
_FOR: Final = frozenset({"for", "with", "на", "з", "із", "с"})
_NOT_FOR: Final = frozenset({"not", "no", "without", "без", "не"})
"""Of two words: `for ratings`, `без рейтингу`."""


def find_game(games: Mapping[str, AnyGame], word: str) -> AnyGame | None:
    """The game that a word names: by key, or by a name it has in any of the languages."""
    wanted = word.casefold()
    return games.get(wanted) or games.get(_called(tuple(games)).get(wanted, ""))


@lru_cache(maxsize=4)
def _called(keys: tuple[str, ...]) -> Mapping[str, str]:
    """The keys of games by what they are called in any of the languages."""
    called: dict[str, str] = {}
    for key in keys:
        for language in LANGUAGES:
            words = words_for(language)
            for name in (words(f"{key}.name"), *words(f"{key}.aliases").split(",")):
                called.setdefault(name.strip().casefold(), key)
    return called


def which_game(context: Context, *words: str) -> CommandError | BadRequest:
    """No game is named; or, where only a game could have been meant, none of that name."""
    games, name = tuple(context.table.games), context.command.name
    if words and name != "challenge":
        return BadRequest(Refused.NO_SUCH_GAME, game=shown(words[0]), known=games)
    example = f"/{name} bob {games[-1]}" if name == "challenge" else f"/{name} {games[-1]}"
    return CommandError(BadCommand.WHICH_GAME, known=", ".join(games), example=example)


def seat_called(game: AnyGame, side: str) -> str:
    """A side as the table knows it: one that has a name in the game (white) by its number, in any of the languages."""
    wanted = side.casefold()
    for seat in SEATS:
        key = f"{game.key}.seat.{seat.number}"
        for words in map(words_for, LANGUAGES):
            if words.has(key) and words(key).casefold() == wanted:
                return str(seat.number)
    return wanted


def rating_words(words: Sequence[str]) -> tuple[list[str], set[bool]]:
    """The words that say nothing of ratings, and what the others say: that the match is to be rated, or that it is not."""
    left: list[str] = []
    said: set[bool] = set()
    for word in words:
        folded = word.casefold()
        before = left[-1].casefold() if left else ""
        if folded in _RATING and before in _FOR | _NOT_FOR:
            left.pop()
            said.add(before in _FOR)
        elif folded in RATED | _UNRATED:
            said.add(folded in RATED)
        else:
            left.append(word)
    return left, said


def is_rated(command: Command) -> bool:
    """Whether a command asks for a rated match.

    Raises:
        CommandError: what it says of that is neither yes nor no, or both.
    """
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
