"""/privacy and /forgetme."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.grammar import YES
from bot.desk.hooks import FORGOTTEN
from bot.desk.registry import Registry
from bot.identity import cards
from bot.presenter.controls import CONFIRMED
from bot.view import Message
from play.actions.renaming import forget as forget_in
from play.errors import NoSuchMatch
from play.match import Match
from play.people import Account, Player
from play.request import Request
from storage.ports import FullStore

registry: Final = Registry()


_PIECE: Final = 64  # matches that are looked at at once


@registry.command("privacy", topic=HelpTopic.PEOPLE)
async def privacy(context: Context) -> Sequence[Message]:
    """Show what is stored, and how to delete it."""
    context.no_words()
    return [context.private(cards.stored(context.words))]


@registry.command("forgetme", topic=HelpTopic.PEOPLE)
async def forget_me(context: Context) -> Sequence[Message]:
    """Ask for confirmation; `/forgetme yes` confirms it."""
    if context.command.rest.casefold() in YES:
        return await _forget_all(context)
    context.no_words()
    return [context.private(cards.sure(context.words))]


@registry.button(Verb.FORGET)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.argument != CONFIRMED:
        return [context.private(cards.sure(context.words))]
    return await _forget_all(context)


async def _forget_all(context: Context) -> Sequence[Message]:
    """Forget the visitor and their linked accounts."""
    store, player = context.store, context.visitor.player
    others = (await store.settings.get(player.account)).others
    # The first account last: what the others have played counts for it until they are gone.
    for account in (*others, player.account):
        await _forget(context, account, player.name)
    if context.visitor.alone:
        await store.settings.change(context.visitor.place, lambda now: replace(now, person=None))
    return [context.private(cards.forgotten(context.words))]


async def _forget(context: Context, account: Account, name: str) -> None:
    """Replace an account in all matches with an anonymous one, then delete what else is stored about it."""
    store, table = context.store, context.table
    ids = [match_id async for match_id in store.matches.ids()]
    theirs: list[str] = []
    names = {name}
    for start in range(0, len(ids), _PIECE):
        piece = ids[start : start + _PIECE]
        for match in await asyncio.gather(*(_match(store, match_id) for match_id in piece)):
            if match is not None and account in match.people():
                theirs.append(match.id)
                names.update(player.name for player in match.players() if player.account == account)
    for match_id in theirs:
        await forget_in(table, match_id, Request(Player(account, name), context.at))
    await FORGOTTEN.fire(store, account)
    for each in sorted(names):
        await store.forget(account, each, theirs)


async def _match(store: FullStore, match_id: str) -> Match | None:
    try:
        return (await store.matches.load(match_id)).match
    except NoSuchMatch:
        return None
