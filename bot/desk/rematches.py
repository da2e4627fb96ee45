"""/rematch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.callback_data import Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.match_lookup import AmongFinished
from bot.desk.match_setup import check_place, unreached_notice
from bot.desk.people import Homes, homes_of
from bot.desk.registry import Registry
from bot.view import Message
from play import rematching
from play.rematching import rematch_codes

registry: Final = Registry()


@registry.command("rematch", arguments.MATCH, topic=HelpTopic.MATCH, button=Verb.REMATCH, finishing=False)
async def rematch(context: Context) -> Sequence[Message]:
    """Propose or accept the same game once more, with the seats swapped."""
    context.no_words()
    old = await context.latest(AmongFinished(context.finder.was_mine), context.finder.mine)
    codes = rematch_codes(old)
    if not any(match.id in codes and match.rematch_of == old.id for match in await context.here.live()):
        await check_place(context, context.game(old))  # answering a proposal is always allowed
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
