"""/privacy and /forgetme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.grammar import YES
from bot.desk.hooks import FORGOTTEN
from bot.desk.registry import Registry
from bot.identity import cards
from bot.identity.exporting import events_of, export_data
from bot.presenter.controls import CONFIRMED
from bot.view import Message
from play.actions.renaming import forget as forget_in
from play.events.actions import Forget
from play.events.events import Events
from play.people import Account, Player, forgotten
from play.request import Request
from storage.maintenance.backup import last_backup
from storage.maintenance.rewriting import request_rewrite

registry: Final = Registry()


_EXPORT: Final = "export"


@registry.command("privacy", arguments.switch("export", "export"), topic=HelpTopic.OPTIONS, finishing=False)
async def privacy(context: Context) -> Sequence[Message]:
    """Show what is stored, and how to delete it; `/privacy export` gives it as a file."""
    if context.command.rest.casefold() == _EXPORT:
        accounts = await _accounts(context)
        matches = [match async for match in context.store.matches.with_people(accounts)]
        view = cards.exported(await export_data(context, accounts, matches), context.words)
        return [context.private(view, secret=True)]
    context.no_words()
    return [context.private(cards.stored(context.words, context.resources.operator, context.resources.page))]


@registry.command("forgetme", topic=HelpTopic.OPTIONS, finishing=False)
async def forget_me(context: Context) -> Sequence[Message]:
    """Ask for confirmation; `/forgetme yes` confirms it."""
    if context.command.rest.casefold() in YES:
        return await _forget_all(context)
    context.no_words()
    return [context.private(cards.sure(context.words))]


@registry.button(Verb.FORGET, finishing=False)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.argument != CONFIRMED:
        return [context.private(cards.sure(context.words))]
    return await _forget_all(context)


async def _accounts(context: Context) -> Sequence[Account]:
    """Return the visitor's accounts, whichever asks: linked ones, the one that stands for their user name, then the first one.

    The first account comes last: what the others have played counts for it until they are gone.
    """
    first, alias = context.visitor.account, context.visitor.alias
    others = (await context.store.settings.get(first)).others
    return (*others, *([alias] if alias else []), first)


async def _forget_all(context: Context) -> Sequence[Message]:
    """Forget the visitor and their linked accounts."""
    store, name = context.store, context.visitor.player.name
    accounts = await _accounts(context)
    matches = [match async for match in store.matches.with_people(accounts)]
    names = {name, *(who.name for match in matches for who in match.players() if who.account in accounts)}
    for account in accounts:
        for match in matches:
            if account in match.people():
                await forget_in(context.table, match.id, Request(Player(account, name), context.at))
        await _forget_in_events(context, account, name)
        await FORGOTTEN.fire(store, account, names)
        await store.forget(account)
    if context.visitor.alone:
        await store.settings.change(context.visitor.place, lambda now: replace(now, person=None))
    rewritten = await request_rewrite(store)
    return [context.private(cards.forgotten(context.words, rewritten, await last_backup(store, sound=False)))]


async def _forget_in_events(context: Context, account: Account, name: str) -> None:
    """Take an account out of every event: who plays is out of it, as if they had left."""
    events = Events(context.table, context.store)
    for event in await events_of(context.store, [account]):
        entrant = event.state.entrant_of(account)
        unknown = forgotten(len(event.state.entrants) if entrant is None else entrant.number)
        await events.act(event.id, Forget(unknown), Request(Player(account, name), context.at))
