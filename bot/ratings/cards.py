"""The card of /rating: a person's ratings, and the best of those who play here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.i18n import Words
from bot.presenter.naming import player_name
from bot.presenter.ratings import number
from bot.view import View
from play.people import Player
from play.ratings.model import SETTLED, Rating
from rules.core import AnyGame

_BULLET = "· "


@dataclass(frozen=True, slots=True)
class Held:
    """A person's rating."""

    player: Player
    rating: Rating


def card(
    of: Player,
    own: Mapping[str, Rating],
    here: Mapping[str, Sequence[Held]],
    games: Mapping[str, AnyGame],
    words: Words,
    *,
    theirs: bool,
    asked: bool = False,
) -> View:
    """Return a person's ratings, and those of the people who play at a place.

    Args:
        of: The person.
        own: Their ratings, by game.
        here: The best players here, by game, best first.
        games: The games, by key.
        words: In the reader's language.
        theirs: Whether another person reads the card.
        asked: Whether the games were named in the command.
    """
    held = [(key, own[key]) for key in games if key in own]
    lines = []
    if held:
        lines.append(
            words("bot.rating.of", name=player_name(of, words)) if theirs else words("bot.rating.own")
        )
        lines += [
            _BULLET
            + words.count("bot.rating.line", rating.played, game=words(f"{key}.name"), rating=number(rating))
            for key, rating in held
        ]
    elif asked and theirs:
        lines.append(words("bot.rating.none-of-in", name=player_name(of, words), games=_named(games, words)))
    elif theirs:
        lines.append(words("bot.rating.none-of", name=player_name(of, words)))
    elif asked:
        example = _example(games)
        lines.append(words("bot.rating.none-in", games=_named(games, words), example=example))
    else:
        lines.append(words("bot.rating.none", example=_example(games)))
    for key in games:
        if ranked := here.get(key):
            lines += ["", words("bot.rating.here", game=words(f"{key}.name"))]
            lines += [
                words(
                    "bot.rating.place",
                    place=place,
                    name=player_name(one.player, words),
                    rating=number(one.rating),
                )
                for place, one in enumerate(ranked, 1)
            ]
    seen = [rating for _, rating in held] + [one.rating for ranked in here.values() for one in ranked]
    if any(rating.provisional for rating in seen):
        lines += ["", words("bot.rating.provisional", count=SETTLED)]
    return View(lines=tuple(lines))


def _named(games: Mapping[str, AnyGame], words: Words) -> str:
    return words.list([words(f"{key}.name") for key in games])


def _example(games: Mapping[str, AnyGame]) -> str:
    return f"/challenge bob {next(iter(games))} rated:yes"
