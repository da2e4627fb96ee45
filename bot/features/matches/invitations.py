"""Invitations: /accept, /decline, /withdraw, /join, /leave, /start."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import MATCH, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.grammar import number_in
from bot.chat.match_lookup import Retry
from bot.chat.presenting.naming import button, game_title
from bot.chat.quotas import FREE
from bot.chat.registry import Registry
from bot.chat.sending.delivery import MessageState
from bot.chat.view import Message, View
from bot.features.matches.playing import resigned
from play.actions.leaving import Leave
from play.actions.renaming import show
from play.actions.seating import Decline, Join, Start, Withdraw, of_those_present
from play.errors import PlayError
from play.match import Match, Phase, open_size

registry: Final = Registry()

_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)


@registry.command(
    "accept",
    MATCH,
    arguments.CHANNEL,
    topic=HelpTopic.INVITATIONS,
    button=Verb.ACCEPT,
    cost=FREE,
    finishing=False,
)
async def accept(context: Context) -> Sequence[Message]:
    """Take the chair reserved for the visitor, or a free one."""
    context.no_words()
    match = await context.invitation(context.finder.for_me, context.finder.joinable, retry=Retry(Verb.ACCEPT))
    return await context.act(match, Join())


@registry.command("decline", MATCH, topic=HelpTopic.INVITATIONS, cost=FREE, finishing=True)
async def decline(context: Context) -> Sequence[Message]:
    """Refuse a challenge."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.for_me):
        match = await context.match(finder.for_me, retry=Retry(Verb.DECLINE))
    else:  # it is refused anyway: best for a challenge of their own, which can be withdrawn
        match = await context.match(
            lambda match: finder.hosted(match) and not match.lobby, otherwise=BadCommand.NOTHING_TO_DECLINE
        )
    if finder.joinable(match) and not finder.for_me(match):
        raise CommandError(BadCommand.NOTHING_TO_DECLINE)
    return await context.act(match, Decline())


@registry.button(Verb.DECLINE, cost=FREE, finishing=True)
async def _decline(context: Context, button: CallbackData) -> Sequence[Message]:
    return await context.act(await context.table.get(button.match), Decline())


@registry.command("withdraw", MATCH, topic=HelpTopic.INVITATIONS, button=Verb.WITHDRAW, finishing=True)
async def withdraw(context: Context) -> Sequence[Message]:
    """Withdraw one's own invitation."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.hosted):
        match = await context.match(finder.hosted, retry=Retry(Verb.WITHDRAW))
    else:  # it is refused anyway: best for one of their own, which has begun meanwhile
        match = await context.match(finder.begun, finder.open, otherwise=BadCommand.NO_INVITATION)
    stored = await context.store.outgoing().shown(match.id, match.addresses[0]) if match.addresses else None
    done = await context.act(match, Withdraw())
    if MessageState.unpack(stored).given_away:  # no message says it
        return [*done, context.private(View(lines=(context.words("bot.seek.off-some"),)))]
    return done


@registry.command(
    "join",
    MATCH,
    arguments.text("team", named=True),
    arguments.CHANNEL,
    topic=HelpTopic.INVITATIONS,
    button=Verb.JOIN,
    finishing=False,
)
async def join(context: Context) -> Sequence[Message]:
    """`/join`, `/join team:2`, `/join #k7q2mz`, also without the `#` and from any other place."""
    typed = context.command.chosen().get("team", "")
    words = context.command.words if context.command.rest else ()
    code = next((word.casefold() for word in words if _CODE.match(word)), None)
    left = [word for word in words if word.casefold() != code]
    typed = typed or " ".join(left)
    team = number_in(typed, 0, 9)
    if typed and team is None:
        raise CommandError(BadCommand.BAD_TEAM, value=shown(typed))
    if context.command.code or code:
        match = await context.finder.named(context.command.code or code or "")
    else:
        match = await context.invitation(
            context.finder.joinable, context.finder.for_me, retry=Retry(Verb.JOIN, typed)
        )
    return await join_match(context, match, team)


async def join_match(context: Context, match: Match, team: int | None = None) -> Sequence[Message]:
    """Join a match, and show it at the place from now on, if it is not shown there yet."""
    table, visitor, request = context.table, context.visitor, context.request()
    if visitor.place not in match.addresses and match.phase is Phase.OPEN:
        # What would be refused is refused before anything is shown anywhere.
        await table.decide(match, Join(team), request)
        done = request.operation
        again = replace(request, operation=replace(done, id=f"{done.id}:shown") if done else None)
        with suppress(PlayError):
            await show(table, match, visitor.place, again, joins=True)
    return await context.announce(await table.act(match.id, Join(team), request))


@registry.command("leave", MATCH, topic=HelpTopic.INVITATIONS, cost=FREE, finishing=True)
async def leave(context: Context) -> Sequence[Message]:
    """Give a chair back; in a match that has begun, resign."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.entered, finder.hosted):
        match = await context.match(finder.entered, finder.hosted, retry=Retry(Verb.LEAVE))
    else:
        match = await context.in_play(finder.mine, retry=Retry(Verb.RESIGN))
    if match.phase in (Phase.PLAYING, Phase.OVER):
        return await resigned(context, match, sure=False)
    return await context.act(match, Leave())


@registry.button(Verb.LEAVE, cost=FREE, finishing=True)
async def _leave_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    return await context.act(await context.table.get(button.match), Leave())


@registry.command("start", MATCH, topic=HelpTopic.INVITATIONS, button=Verb.START, finishing=False)
async def start(context: Context) -> Sequence[Message]:
    """Begin a lobby's match; a press may agree to play it with as many people as there are."""
    if context.seen is None:
        context.no_words()
    match = await context.invitation(context.finder.hosted, context.finder.entered, retry=Retry(Verb.START))
    game, agreed = context.game(match), context.command.rest
    present = str(sum(chair.player is not None for chair in match.chairs))
    hosted = context.finder.hosted(match)
    if hosted and agreed != present and int(present) < len(match.chairs) and not open_size(game, match):
        with suppress(PlayError):  # what is refused is refused by the start itself
            smaller = of_those_present(game, match)
            words, shown = context.words, game_title(game, dict(smaller.options), context.words)
            said = words("bot.lobby.shrinks", seats=len(match.chairs), taken=present, game=shown)
            agree = button(context.present(match), Verb.START, present)
            return [context.private(View(lines=(said,), buttons=(agree,)))]
    return await context.act(match, Start())
