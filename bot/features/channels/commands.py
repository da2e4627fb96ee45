"""/vote: what the people of a place that plays do: second, vote, veto, end the talk, join a relay, have themselves called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import MATCH, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, shown
from bot.chat.grammar import OFF, ON
from bot.chat.match_lookup import AmongFinished
from bot.chat.quotas import FREE
from bot.chat.registry import Registry
from bot.chat.view import Message, View
from bot.features.channels.council import (
    LETTERS,
    Council,
    Member,
    NotNow,
    Stage,
    check_captain,
    hastened,
    second,
    vetoed,
    vote,
)
from bot.features.channels.keeping import Councils
from bot.features.channels.showing import counted, deliberating, reminded, table
from bot.features.channels.speaking import joined, member
from play.match import Match
from play.people import channel

registry: Final = Registry()

_CYRILLIC: Final = str.maketrans("АВСЕНДФГавсендфг", "ABCEHDFGabcehdfg")
_NOW: Final = frozenset({"now", "зараз", "сейчас"})
_VETO: Final = frozenset({"veto", "вето"})
_IN: Final = frozenset({"in", "я", "беру"})
_TABLE: Final = frozenset({"table", "таблиця", "таблица"})
_CAPTAIN: Final = frozenset({"captain", "капітан", "капитан"})
_REMIND: Final = "remind"


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
    first, *rest = context.command.words or ("",)
    word = first.casefold()
    if (said := context.command.chosen().get(_REMIND)) is not None:
        return await _remind(context, said.casefold())
    match = await _match(context)
    council = await Councils(context.services).present(match, channel(context.visitor.place))
    if word in _TABLE:
        lines = table(context.present(match), council)
        return [context.private(context.present(match).note(*lines))]
    if not word:
        return [await _shown(context, match, council)]
    who = await member(context, council, context.visitor)
    number = LETTERS.find((rest[0] if word in _VETO and rest else first).translate(_CYRILLIC).upper())
    change: Callable[[Council], Council]
    if word in _NOW:
        change, key = lambda now: hastened(now, who, context.at), "hastened"
    elif word in _IN:
        change, key = lambda now: joined(now, context.visitor.player), "joined"
    elif word in _CAPTAIN:
        return await _appoint(context, match, council, who, " ".join(rest))
    elif (
        council.turn is None
        or len(first) != 1 != (word in _VETO)
        or not 0 <= number < len(council.turn.proposals)
    ):
        raise _no_letter(council, rest[0] if word in _VETO and rest else first)
    elif word in _VETO:
        change, key = lambda now: vetoed(now, who, number, context.at), "vetoed"
    elif council.turn.stage(context.at) is Stage.TALK:
        change, key = lambda now: second(now, who, number, context.at), "seconded"
    else:
        change, key = lambda now: vote(now, who, number, context.at), "voted"
    return await _changed(context, match, change, key, who)


async def _changed(
    context: Context, match: Match, change: Callable[[Council], Council], key: str, who: Member
) -> Sequence[Message]:
    councils, account = Councils(context.services), channel(context.visitor.place)
    council = await councils.change(match, account, change)
    words, turn = context.words, council.turn
    chosen = turn.votes.get(who.key) if turn else None
    said = words(f"bot.channel.{key}", letter="" if chosen is None else LETTERS[chosen])
    lines = (said, counted(council, words)) if key == "voted" else (said,)
    return [context.private(context.present(match).note(" ".join(filter(None, lines))))]


KEYS: Final = {
    "bot.channel.{}": (("hastened", "joined", "vetoed", "seconded", "voted"),),
    "bot.channel.remind.{}": (("on", "off"),),
}
"""For the check of the catalogues."""


async def _match(context: Context) -> Match:
    account = channel(context.visitor.place)

    def ours(match: Match) -> bool:
        return match.seat_of(account) is not None

    match = await context.match(ours, AmongFinished(ours), otherwise=BadCommand.NOTHING_FITS, reads=True)
    if not ours(match):
        raise CommandError(NotNow.NOT_MINE)
    return match


def _no_letter(council: Council, typed: str) -> CommandError:
    proposals = council.turn.proposals if council.turn else ()
    if not proposals:
        return CommandError(NotNow.NOTHING)
    return CommandError(NotNow.NO_LETTER, text=shown(typed), known=", ".join(LETTERS[: len(proposals)]))


async def _appoint(
    context: Context, match: Match, council: Council, who: Member, name: str
) -> Sequence[Message]:
    """Make another person the captain, by the word of the captain, or of an admin where the captain has left."""
    if not await context.visitor.is_admin():
        check_captain(council, who)
    person = context.visitor.find(name.removeprefix("@")) if name else None
    if person is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(name))
    captain = Member(council.key(person.account), person.name)
    account = channel(context.visitor.place)
    await Councils(context.services).change(match, account, lambda now: replace(now, captain=captain))
    said = context.words("bot.channel.captain", name=captain.name)
    return [context.private(context.present(match).note(said))]


async def _remind(context: Context, said: str) -> Sequence[Message]:
    if said not in ON | OFF:
        raise no_such_word(said)
    on, place = said in ON, context.visitor.place
    await reminded(context.store, place, context.visitor.account, on=on, at=context.at)
    return [context.private(View(lines=(context.words(f"bot.channel.remind.{'on' if on else 'off'}"),)))]


async def _shown(context: Context, match: Match, council: Council) -> Message:
    presentation = context.present(match)
    who = council.key(context.visitor.account)
    return context.private(deliberating(presentation, council, context.at, who))
