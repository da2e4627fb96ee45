"""Ratings: /rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, no_such_word, shown
from bot.desk.game_words import find_game
from bot.desk.people import first_account
from bot.desk.registry import Registry
from bot.ratings import cards
from bot.ratings.cards import Held
from bot.view import Message
from play.engine_players import is_engine
from play.people import Account, Player, is_forgotten
from rules.core import AnyGame

registry: Final = Registry()

MOST: Final = 10
"""People in the list of a place, for each game."""


@registry.command("rating", arguments.PERSON, arguments.GAME, topic=HelpTopic.REVIEW)
async def rating(context: Context) -> Sequence[Message]:
    """`/rating`, `/rating bob`, `/rating bob lgame`: a person's ratings, and the best of those who play here."""
    games = context.table.games
    named, words = context.command.chosen(), list(context.command.words)
    words += [value for key in ("game", "person") if (value := named.pop(key, ""))]
    for key in named:
        raise no_such_word(key)
    asked = {game.key: game for word in words if (game := find_game(games, word))}
    people = [word for word in words if find_game(games, word) is None]
    if len(people) > 1:
        raise no_such_word(people[1])
    of = await _person(context, *people)
    wanted = asked or games
    own = {
        key: held
        for key in wanted
        for held in await context.store.ratings.get(key, of.account)
        if held is not None
    }
    here = await _here(context, wanted)
    theirs = of.account != context.visitor.account
    return [
        context.private(cards.card(of, own, here, wanted, context.words, theirs=theirs, asked=bool(asked)))
    ]


async def _person(context: Context, name: str = "") -> Player:
    """Return the person who is named or replied to; else the visitor."""
    visitor = context.visitor
    found = visitor.find(name.removeprefix("@")) if name else visitor.replied or visitor.player
    if found is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(name))
    return Player(await first_account(context, found.account), found.name)


async def _here(context: Context, games: Mapping[str, AnyGame]) -> Mapping[str, Sequence[Held]]:
    """Return the best players here, by game; those with settled ratings first."""
    seated: dict[Account, Player] = {}
    for match in await context.here.matches():
        for chair in match.chairs:
            account = chair.player.account if chair.player else None
            if chair.player and account and not is_forgotten(account) and not is_engine(account):
                seated.setdefault(account, chair.player)
    settings = await context.store.settings.get_many(*seated)
    people: dict[Account, Player] = {}
    for (account, player), chosen in zip(seated.items(), settings, strict=True):
        people.setdefault(chosen.person or account, player)
    ranked = {}
    for key in games:
        ratings = await context.store.ratings.get(key, *people)
        held = [Held(who, one) for who, one in zip(people.values(), ratings, strict=True) if one is not None]
        ranked[key] = sorted(held, key=lambda one: (one.rating.provisional, -one.rating.skill))[:MOST]
    return ranked
