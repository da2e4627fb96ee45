"""Leagues: /league."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import no_such_word
from bot.chat.presenting import leagues as cards
from bot.chat.registry import CommandHandler, Registry
from bot.chat.view import Message
from bot.features.events.choosing import (
    accounts,
    act,
    answer,
    do,
    find_event,
    only_event,
    page_in,
    shown_event,
)
from bot.features.events.fair_play import Perpetual, oversee
from play.events.event import Form
from play.events.league import league_of
from play.events.league_actions import NextSeason

registry: Final = Registry(place=8)

_LEAGUES: Final = Perpetual(
    Form.LEAGUE,
    cards.mine,
    none="bot.league.none",
    begin="bot.league.button.new",
    which_game="bot.league.which-game",
    opened="bot.league.opened",
    left="bot.league.left",
    stopped="bot.league.stopped",
)

DEEDS: Final = ("new", "join", "leave", "mine", "table", "skip", "stay", "stop", "admin")
"""What can be done, as it is typed."""


@registry.command(
    "league",
    arguments.choice("do", *DEEDS, named=False),
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    topic=HelpTopic.TOGETHER,
    button=Verb.LEAGUE,
    finishing=False,
)
async def league_command(context: Context) -> Sequence[Message]:
    """`/league`, `/league new lgame clock:1d`, `/league join`, `/league table`, `/league skip`, `/league stop`."""
    return await do(context, Form.LEAGUE, _DEEDS, _LEAGUES.here)


async def _mine(context: Context) -> Sequence[Message]:
    return [_LEAGUES.mine(context, await only_event(context, Form.LEAGUE, over=True))]


async def _table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, Form.LEAGUE, over=True)
    if len(rest) > 1 or (rest and not rest[0].isdecimal()):
        raise no_such_word(rest[0])
    shown = shown_event(context, event)
    count = cards.pages(league_of(event).season)
    page = page_in(rest, count) if rest else cards.page_of(shown, context.visitor.account)
    return [context.private(cards.table_page(shown, page))]


async def _skip(context: Context) -> Sequence[Message]:
    return await _next_season(context, stays=False)


async def _stay(context: Context) -> Sequence[Message]:
    return await _next_season(context, stays=True)


async def _next_season(context: Context, *, stays: bool) -> Sequence[Message]:
    """Note whether the visitor plays in the next season; who has played in none yet leaves instead."""
    event = await only_event(context, Form.LEAGUE)
    event = await act(context, event, NextSeason(stays, accounts(context)))
    entrant = event.state.entrant_of(*accounts(context))
    if entrant is None or entrant.out is not None:
        return answer(context, event, "bot.league.left")
    return [context.private(cards.staying(shown_event(context, event), stays=stays))]


async def _admin(context: Context) -> Sequence[Message]:
    return await oversee(context, Form.LEAGUE)


_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _LEAGUES.new,
    "join": _LEAGUES.join,
    "leave": _LEAGUES.leave,
    "mine": _mine,
    "table": _table,
    "skip": _skip,
    "stay": _stay,
    "stop": _LEAGUES.stop,
    "admin": _admin,
}
