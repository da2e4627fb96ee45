"""/watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, no_such_word
from bot.desk.grammar import OFF
from bot.desk.match_lookup import AmongFinished, Retry
from bot.desk.registry import Registry
from bot.quotas import WATCHES
from bot.view import Message
from play.actions.watching import Watch, show
from play.errors import Refused, WrongPhase
from play.match import Match

registry: Final = Registry()


@registry.command(
    "watch", arguments.MATCH, arguments.switch("stop", "off"), topic=HelpTopic.REVIEW, finishing=False
)
async def watch(context: Context) -> Sequence[Message]:
    """`/watch #k7q2mz` shows a match here too; `/watch off` ends that."""
    off = context.command.rest.casefold() in OFF
    here = context.visitor.place

    def watched(match: Match) -> bool:
        return here in match.addresses[1:]

    if context.command.rest and not off:
        raise no_such_word(context.command.rest)
    if off:
        if not (context.command.code or await context.finder.fitting(watched, AmongFinished(watched))):
            raise WrongPhase(Refused.NOT_WATCHING)
        match = await context.match(watched, AmongFinished(watched), retry=Retry(Verb.UNWATCH))
    elif context.command.code:
        match = await context.finder.named(context.command.code)
    else:
        raise CommandError(BadCommand.WHICH_CODE)
    return await _switch(context, match, on=not off)


@registry.button(Verb.WATCH, Verb.UNWATCH, finishing=False)
async def _watch(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    return await _switch(context, match, on=button.verb is Verb.WATCH)


async def _switch(context: Context, match: Match, *, on: bool) -> Sequence[Message]:
    here = context.visitor.place
    if not on:
        return await context.act(match, Watch(here, on=False))
    await context.take(WATCHES, match.id)
    return await context.announce(await show(context.table, match, here, context.request()))
