"""Ladders: /ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, shown
from bot.chat.people import first_account
from bot.chat.presenting import ladders as cards
from bot.chat.presenting.event_parts import ROWS
from bot.chat.registry import CommandHandler, Registry
from bot.chat.view import Message
from bot.features.events.choosing import (
    BadLadder,
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
from play.events.event import Event, Form
from play.events.ladder import ladder_of
from play.events.ladder_actions import AnswerChallenge, ChallengeAbove, TakeBack
from play.request import check_blocks
from play.settings import on_vacation
from play.time.clock import Span

registry: Final = Registry()

_LADDERS: Final = Perpetual(
    Form.LADDER,
    cards.mine,
    none="bot.ladder.none",
    begin="bot.ladder.button.new",
    which_game="bot.ladder.which-game",
    opened="bot.ladder.opened",
    left="bot.ladder.left",
    stopped="bot.ladder.stopped",
)

DEEDS: Final = (
    "new",
    "join",
    "leave",
    "mine",
    "table",
    "challenge",
    "accept",
    "refuse",
    "back",
    "stop",
    "admin",
)
"""What can be done, as it is typed."""


@registry.command(
    "ladder",
    arguments.choice("do", *DEEDS, named=False),
    arguments.PERSON,
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    topic=HelpTopic.TOGETHER,
    button=Verb.LADDER,
    finishing=False,
)
async def ladder_command(context: Context) -> Sequence[Message]:
    """`/ladder`, `/ladder new lgame clock:1d`, `/ladder join`, `/ladder challenge bob`, `/ladder refuse`."""
    return await do(context, Form.LADDER, _DEEDS, _LADDERS.here)


async def _mine(context: Context) -> Sequence[Message]:
    return [_LADDERS.mine(context, await only_event(context, Form.LADDER))]


async def _table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, Form.LADDER)
    page = page_in(rest, -(-len(ladder_of(event).order) // ROWS))
    return [context.private(cards.table(shown_event(context, event), page))]


async def _challenge(context: Context) -> Sequence[Message]:
    """Challenge a player: by the number that a button has, by name, or by place."""
    event, rest = await find_event(context, Form.LADDER)
    if not rest:
        return [_LADDERS.mine(context, event)]
    target = await _target(context, event, " ".join(rest))
    player = event.state.entrants[target].player
    await check_blocks(context.store.settings, context.visitor.account, [player.account])
    chosen = (await context.store.settings.get_many(player.account))[0].vacation
    away: Span | None = None
    if chosen and on_vacation(chosen, context.at) and chosen.since and chosen.until:
        away = (chosen.since, chosen.until)
    event = await act(context, event, ChallengeAbove(target, accounts(context), away))
    return answer(context, event, "bot.ladder.sent", name=player.name)


async def _target(context: Context, event: Event, text: str) -> int:
    """Return the player on a ladder whom a text means: `=3` by number, `3` by place, or a name.

    Raises:
        CommandError: there is none.
    """
    order = ladder_of(event).order
    digits = text.removeprefix("=")
    if digits.isascii() and digits.isdigit() and len(digits) <= 4:
        number = int(digits)
        if text != digits and number < len(event.state.entrants):
            return number
        if text == digits and 1 <= number <= len(order):
            return order[number - 1]
    name = text.removeprefix("@")
    if (found := context.visitor.find(name)) is not None:
        entrant = event.state.entrant_of(found.account, await first_account(context, found.account))
        if entrant is not None:
            return entrant.number
    for number in order:
        if event.state.entrants[number].player.name.casefold() == name.casefold():
            return number
    raise CommandError(BadLadder.NO_SUCH_PLAYER, name=shown(found.name if found else text))


async def _accept(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    event = await act(context, event, AnswerChallenge(number, True, accounts(context)))
    return answer(context, event, "bot.ladder.accepted")


async def _refuse(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    before = ladder_of(event).order
    event = await act(context, event, AnswerChallenge(number, False, accounts(context)))
    lost = ladder_of(event).order != before
    return answer(context, event, "bot.ladder.refused-lost" if lost else "bot.ladder.refused")


async def _back(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    return answer(
        context, await act(context, event, TakeBack(number, accounts(context))), "bot.ladder.taken-back"
    )


async def _waiting(context: Context) -> tuple[Event, int]:
    """Return the challenge that is named by its number, or the visitor's only one that is not answered."""
    event, rest = await find_event(context, Form.LADDER)
    if rest and rest[0].isascii() and rest[0].isdigit():
        return event, int(rest[0][:6])
    entrant = event.state.entrant_of(*accounts(context))
    own = [
        one.number
        for one in ladder_of(event).waiting
        if entrant is not None and entrant.number in (one.challenged, one.challenger)
    ]
    if len(own) != 1:
        raise CommandError(BadLadder.WHICH if own else BadLadder.NO_CHALLENGE)
    return event, own[0]


async def _admin(context: Context) -> Sequence[Message]:
    return await oversee(context, Form.LADDER)


_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _LADDERS.new,
    "join": _LADDERS.join,
    "leave": _LADDERS.leave,
    "mine": _mine,
    "table": _table,
    "challenge": _challenge,
    "accept": _accept,
    "refuse": _refuse,
    "back": _back,
    "stop": _LADDERS.stop,
    "admin": _admin,
}
