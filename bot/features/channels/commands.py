"""/vote: what the people of a place that plays do: second, vote, veto, end the talk, join a relay, have themselves called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import MATCH, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, in_match, no_such_word, shown
from bot.chat.grammar import OFF, ON, Command
from bot.chat.match_lookup import AmongFinished, Retry
from bot.chat.people import first_account
from bot.chat.presenting.boards import current_board
from bot.chat.quotas import FREE
from bot.chat.registry import Registry
from bot.chat.view import Message, View
from bot.features.channels.council import (
    Council,
    Member,
    NotNow,
    Stage,
    check_captain,
    hastened,
    joined,
    numbered,
    once,
    second,
    vetoed,
    vote,
)
from bot.features.channels.keeping import REMINDED, Councils, on_turn
from bot.features.channels.showing import deliberating, own_vote, table
from bot.features.channels.speaking import member
from play.match import Match, Phase
from play.people import channel
from play.request import check_fresh

registry: Final = Registry()

_NOW: Final = frozenset({"now", "зараз", "сейчас"})
_VETO: Final = frozenset({"veto", "вето"})
_IN: Final = frozenset({"in", "я", "беру"})
_TABLE: Final = frozenset({"table", "таблиця", "таблица"})
_CAPTAIN: Final = frozenset({"captain", "капітан", "капитан"})
_REMIND: Final = "remind"
_CALLED: Final = 100  # people of a place whom its turns call


@registry.command(
    "vote",
    arguments.text("choice"),
    arguments.choice(_REMIND, "on", "off"),
    MATCH,
    topic=HelpTopic.TOGETHER,
    button=Verb.BALLOT,
    cost=FREE,
    finishing=False,
)
async def ballot(context: Context) -> Sequence[Message]:
    """`/vote b`, `/vote veto b`, `/vote now`, `/vote in`, `/vote table`, `/vote captain bob`, `/vote remind:on`."""
    first, *rest = _at_a_place(context).words or ("",)
    word = first.casefold()
    if (said := context.command.chosen().get(_REMIND)) is not None:
        return await _remind(context, said.casefold())
    match, account = await _match(context), channel(context.visitor.place)
    councils, key = Councils(context.services), "voted"
    council = await councils.present(match, account)
    if not word:
        board, own = current_board(presentation := context.present(match)), context.visitor.account
        return [context.private(deliberating(context, presentation, council, own, board))]
    if word in _TABLE:
        lines = table(context.present(match), council) or (context.words(NotNow.NOTHING),)
        return [_said(context, match, *lines)]
    if word in _CAPTAIN:
        return await _appoint(context, match, council, " ".join(rest))
    who = await member(context, match, council, context.visitor)
    change: Callable[[Council], Council]
    if word in _NOW:
        change, key = once(context.once, lambda now: hastened(now, who, context.at)), "hastened"
    elif word in _IN:
        change, key = lambda now: joined(now, context.visitor.player), "joined"
    else:
        with in_match(match):  # the letters of an old board stand for other moves
            check_fresh(match, context.request(), match.position_since)
        number, turn = numbered(council, rest[0] if word in _VETO and rest else first), council.turn
        if word in _VETO:
            change, key = once(context.once, lambda now: vetoed(now, who, number, context.at)), "vetoed"
        elif turn and turn.crowd and turn.stage(context.at) is Stage.TALK:
            change, key = lambda now: second(now, who, number, context.at), "seconded"
        else:
            change = lambda now: vote(now, who, number, context.at)  # noqa: E731 - as the others
    council = await councils.change(match, account, change, gathered=key == "voted")
    if key == "voted":
        return [_said(context, match, " ".join(own_vote(council, who.key, context.words)))]
    return [_said(context, match, context.words(f"bot.channel.{key}"))]


def _at_a_place(context: Context) -> Command:
    if context.visitor.alone:
        raise CommandError(NotNow.ALONE)
    return context.command


def _said(context: Context, match: Match, *lines: str) -> Message:
    return context.private(context.present(match).note(*lines))


KEYS: Final = {
    "bot.channel.{}": (("hastened", "joined", "vetoed", "seconded"),),
    "bot.channel.remind.{}": (("on", "off"),),
}
"""For the check of the catalogues."""


async def _match(context: Context) -> Match:
    """Return the match that is meant of those that the place plays: one that waits for it, else another, else the last."""
    account = channel(context.visitor.place)

    def ours(match: Match) -> bool:
        return match.phase is not Phase.OPEN and match.seat_of(account) is not None

    def waits(match: Match) -> bool:
        return on_turn(context.services, match, account)

    retry = Retry(Verb.BALLOT, context.command.rest)
    otherwise = BadCommand.NOTHING_FITS
    match = await context.match(
        waits, ours, retry=retry, instead=(AmongFinished(ours),), otherwise=otherwise, reads=True
    )
    if not ours(match):
        raise CommandError(NotNow.NOT_MINE)
    return match


async def _appoint(context: Context, match: Match, council: Council, name: str) -> Sequence[Message]:
    """Make another person the captain, by the word of the captain, or of an admin where the captain has left."""
    if not await context.visitor.is_admin():
        check_captain(council, Member(council.key(context.visitor.account), ""))
    person = context.visitor.find(name.removeprefix("@")) if name else None
    if person is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(name))
    captain = Member(council.key(await first_account(context, person.account)), person.name)
    account = channel(context.visitor.place)
    await Councils(context.services).change(match, account, lambda now: replace(now, captain=captain))
    return [_said(context, match, context.words("bot.channel.captain", name=captain.name))]


async def _remind(context: Context, said: str) -> Sequence[Message]:
    if said not in ON | OFF:
        raise no_such_word(said)
    timelines, name = context.store.timelines, REMINDED.format(context.visitor.place)
    if said in ON:
        await timelines.add(name, str(context.visitor.account), context.at, most=_CALLED)
    else:
        await timelines.remove(name, str(context.visitor.account))
    key = "on" if said in ON else "off"
    return [context.private(View(lines=(context.words(f"bot.channel.remind.{key}"),)))]
