"""Invitations and rematches: /accept, /decline, /withdraw, /join, /leave, /start, /rematch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, shown
from bot.desk.match_lookup import AmongFinished, Retry
from bot.desk.match_setup import check_place, unreached_notice
from bot.desk.people import Homes, homes_of
from bot.desk.registry import Registry
from bot.view import Message
from play import rematching
from play.actions.action import Action
from play.actions.invitations import Decline, Withdraw
from play.actions.leaving import Leave
from play.actions.seating import Join, Start
from play.actions.watching import Watch
from play.errors import PlayError
from play.facts import Fact
from play.match import Match, Phase
from play.rematching import rematch_codes

registry: Final = Registry()

_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)


async def _check_rematch(context: Context, old: Match) -> None:
    """Likewise; of a rematch that has been asked for already, only the answer is left."""
    codes = rematch_codes(old)
    if not any(match.id in codes and match.rematch_of == old.id for match in await context.here.live()):
        await check_place(context, context.game(old))


@registry.command("accept", arguments.MATCH)
async def accept(context: Context) -> Sequence[Message]:
    """Take the chair that is kept for the visitor, or a free one."""
    context.no_words()
    match = await context.invitation(context.finder.for_me, context.finder.joinable, retry=Retry(Verb.ACCEPT))
    return await context.announce(await context.table.act(match.id, Join(), context.request()))


@registry.command("decline", arguments.MATCH)
async def decline(context: Context) -> Sequence[Message]:
    """Refuse a challenge."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.for_me):
        match = await context.match(finder.for_me, retry=Retry(Verb.DECLINE))
    else:  # it is refused anyway: best for a challenge of their own, which can be withdrawn
        match = await context.latest(
            lambda match: finder.hosted(match) and not match.lobby, otherwise=BadCommand.NOTHING_TO_DECLINE
        )
    if finder.joinable(match) and not finder.for_me(match):
        raise CommandError(BadCommand.NOTHING_TO_DECLINE)
    return await context.announce(await context.table.act(match.id, Decline(), context.request()))


@registry.command("withdraw", arguments.MATCH)
async def withdraw(context: Context) -> Sequence[Message]:
    """Take an invitation of one's own back."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.hosted):
        match = await context.match(finder.hosted, retry=Retry(Verb.WITHDRAW))
    else:  # it is refused anyway: best for one of their own, which has begun meanwhile
        match = await context.latest(finder.begun, finder.open, otherwise=BadCommand.NO_INVITATION)
    return await context.announce(await context.table.act(match.id, Withdraw(), context.request()))


@registry.command("join", arguments.MATCH, arguments.text("team", named=True))
async def join(context: Context) -> Sequence[Message]:
    """`/join`, `/join team:2`, `/join #k7q2mz`, also without the `#` and from any other place."""
    typed = context.command.chosen().get("team", "")
    words = context.command.words if context.command.rest else ()
    code = next((word.casefold() for word in words if _CODE.match(word)), None)
    left = [word for word in words if word.casefold() != code]
    typed = typed or " ".join(left)
    team = _team(typed)
    if context.command.code or code:
        match = await context.finder.named(context.command.code or code or "")
    else:
        match = await context.invitation(
            context.finder.joinable, context.finder.for_me, retry=Retry(Verb.JOIN, typed)
        )
    return await _joined(context, match, team)


async def _joined(context: Context, match: Match, team: int | None) -> Sequence[Message]:
    """Join a match, and show it at the place from now on, if it is not shown there yet."""
    table, visitor, request = context.table, context.visitor, context.request()
    if visitor.place not in match.addresses and match.phase is Phase.OPEN:
        # What would be refused is refused before anything is shown anywhere.
        Join(team).decide(match, table.course, request)
        done = request.operation
        again = replace(request, operation=replace(done, id=f"{done.id}:shown") if done else None)
        with suppress(PlayError):
            await table.act(match.id, Watch(visitor.place), again)
    return await context.announce(await table.act(match.id, Join(team), request))


def _team(text: str) -> int | None:
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) == 1:
        return int(text)
    raise CommandError(BadCommand.BAD_TEAM, value=shown(text))


@registry.command("leave", arguments.MATCH)
async def leave(context: Context) -> Sequence[Message]:
    """Give a chair back, or leave a game that the others play on."""
    context.no_words()
    finder = context.finder
    match = await context.in_play(finder.entered, finder.hosted, finder.mine, retry=Retry(Verb.LEAVE))
    return await context.announce(await context.table.act(match.id, Leave(), context.request()))


@registry.command("start", arguments.MATCH)
async def start(context: Context) -> Sequence[Message]:
    """Begin a lobby's match."""
    context.no_words()
    match = await context.invitation(context.finder.hosted, context.finder.entered, retry=Retry(Verb.START))
    return await context.announce(await context.table.act(match.id, Start(), context.request()))


@registry.command("rematch", arguments.MATCH)
async def rematch(context: Context) -> Sequence[Message]:
    """Once more, with the seats swapped."""
    context.no_words()
    match = await context.latest(AmongFinished(context.finder.was_mine), context.finder.mine)
    return await _rematch(context, match)


async def _rematch(context: Context, old: Match) -> Sequence[Message]:
    await _check_rematch(context, old)
    visitor = context.visitor
    others = [
        chair.player for chair in old.chairs if chair.player and chair.player.account != visitor.account
    ]
    homes = await homes_of(context, others)
    if not {*old.addresses} <= {visitor.place, *homes.all}:  # there is a place that they share
        homes = Homes()
    fact = await rematching.rematch(
        context.table, old.id, context.request(), where=visitor.place, also=homes.found
    )
    return [*await context.announce(fact), *unreached_notice(context, fact, homes)]


@registry.button(Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.JOIN, Verb.LEAVE, Verb.START, Verb.REMATCH)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.verb is Verb.JOIN:
        return await _joined(context, await context.table.get(button.match), _team(button.argument))
    if button.verb is Verb.REMATCH:
        return await _rematch(context, await context.table.get(button.match))
    action = _ACTIONS[button.verb]
    return await context.announce(await context.table.act(button.match, action, context.request()))


_ACTIONS: Final[Mapping[Verb, Action[Fact]]] = {
    Verb.ACCEPT: Join(),
    Verb.DECLINE: Decline(),
    Verb.WITHDRAW: Withdraw(),
    Verb.LEAVE: Leave(),
    Verb.START: Start(),
}
