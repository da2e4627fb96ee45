"""Identity: accounts on two platforms that are one person (/link, /unlink), /privacy, and /forgetme."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import CommandError
from bot.desk.grammar import YES
from bot.desk.hooks import FORGOTTEN
from bot.desk.registry import Registry
from bot.identity import cards
from bot.identity.exporting import export_data
from bot.presenter.controls import CONFIRMED
from bot.view import Message
from play.actions.renaming import Rename
from play.actions.renaming import forget as forget_in
from play.errors import NoSuchMatch
from play.match import Match
from play.people import Account, Player
from play.randomness import ALPHABET
from play.request import Request
from rules.core import Reason
from storage.maintenance.backup import last_backup
from storage.maintenance.rewriting import request_rewrite
from storage.ports import FullStore

registry: Final = Registry()


class LinkRefusal(Reason):
    """Why accounts are not linked, or not unlinked."""

    BAD_LINK = "bot.command.bad-link"
    LINKED_TO_ITSELF = "bot.command.linked-to-itself"
    LINKED_ALREADY = "bot.command.linked-already"
    LINKED_BOTH_PLAY = "bot.command.linked-both-play"  # code
    NOT_LINKED = "bot.command.not-linked"


KEPT: Final = timedelta(minutes=10)
"""How long a code links."""

CODE: Final = 8
"""Characters of a code."""

_EXPORT: Final = "export"
_PIECE: Final = 64  # matches that are looked at at once


@registry.command("link", arguments.text("code"), topic=HelpTopic.OPTIONS)
async def link(context: Context) -> Sequence[Message]:
    """`/link` gives a code, `/link CODE` on the other platform makes both accounts one person's."""
    typed = context.command.rest.strip().lower()
    if not typed:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE))
        first = context.visitor.player
        text = json.dumps([first.account.platform, first.account.uid, first.name])
        await context.store.notes.write(_note(code), text, keep=KEPT)
        return [context.private(cards.code(code, KEPT, context.words))]
    noted = await context.store.notes.take(_note(typed)) if len(typed) == CODE and typed.isalnum() else None
    if noted is None:
        raise CommandError(LinkRefusal.BAD_LINK)
    platform, uid, name = json.loads(noted)
    first = Player(Account(platform, uid), name)
    await _link(context, first)
    return [context.private(cards.linked(first, context.words))]


async def _link(context: Context, first: Player) -> None:
    store, second = context.store, context.asker
    theirs = await store.settings.get(second)
    if first.account in (second, theirs.person):
        raise CommandError(LinkRefusal.LINKED_TO_ITSELF)
    if theirs.person is not None or theirs.others or first.account.platform == second.platform:
        raise CommandError(LinkRefusal.LINKED_ALREADY)
    live = [match for match in await store.matches.of(second) if match.live]
    both = [match for match in live if {first.account, second} <= set(match.people())]
    if both:
        raise CommandError(LinkRefusal.LINKED_BOTH_PLAY, code=both[0].id)
    await store.settings.change(
        first.account,
        lambda now: replace(now, others=tuple(dict.fromkeys((*now.others, second)))),
    )
    await store.settings.change(second, lambda now: replace(now, person=first.account))
    await store.ratings.merge(second, first.account)
    for match in live:
        request = Request(Player(second, ""), context.at)
        renamed = Rename(Player(first.account, _name_in(match, second)))
        await context.table.act(match.id, renamed, request)


def _name_in(match: Match, account: Account) -> str:
    """Return the name of an account in a match."""
    people = (match.host, *(who for chair in match.chairs for who in (chair.player, chair.reserved)))
    return next(player.name for player in people if player and player.account == account)


@registry.command("unlink", topic=HelpTopic.OPTIONS)
async def unlink(context: Context) -> Sequence[Message]:
    """Unlink the account; the first account unlinks all of them."""
    context.no_words()
    store, asker = context.store, context.asker
    mine = await store.settings.get(asker)
    if mine.person is None and not mine.others:
        raise CommandError(LinkRefusal.NOT_LINKED)
    gone = mine.others if mine.person is None else (asker,)
    first = mine.person or asker
    await store.settings.change(
        first, lambda now: replace(now, others=tuple(other for other in now.others if other not in gone))
    )
    for account in gone:
        await store.settings.change(account, lambda now: replace(now, person=None))
    return [context.private(cards.unlinked(context.words))]


@registry.command("privacy", arguments.switch("export", "export"), topic=HelpTopic.OPTIONS)
async def privacy(context: Context) -> Sequence[Message]:
    """Show what is stored, and how to delete it; `/privacy export` gives it as a file."""
    if context.command.rest.casefold() == _EXPORT:
        accounts = await _accounts(context)
        matches = [match async for match in _matches(context, accounts)]
        view = cards.exported(await export_data(context, accounts, matches), context.words)
        return [context.private(view, secret=True)]
    context.no_words()
    return [context.private(cards.stored(context.words))]


@registry.command("forgetme", topic=HelpTopic.OPTIONS)
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


async def _accounts(context: Context) -> Sequence[Account]:
    """Return the visitor's accounts: linked ones, the one that stands for their user name, then the first one.

    The first account comes last: what the others have played counts for it until they are gone.
    """
    own, alias = context.asker, context.visitor.alias
    others = (await context.store.settings.get(own)).others
    return (*others, *([alias] if alias else []), own)


async def _forget_all(context: Context) -> Sequence[Message]:
    """Forget the visitor and their linked accounts."""
    store, name = context.store, context.visitor.player.name
    accounts = await _accounts(context)
    matches = [match async for match in _matches(context, accounts)]
    for account in accounts:
        for match in matches:
            if account in match.people():
                await forget_in(context.table, match.id, Request(Player(account, name), context.at))
        await store.forget(account)
    if context.visitor.alone:
        await store.settings.change(context.visitor.place, lambda now: replace(now, person=None))
    names = {name, *(who.name for match in matches for who in match.players() if who.account in accounts)}
    await FORGOTTEN.fire(accounts, names)
    rewritten = await request_rewrite(store)
    return [context.private(cards.forgotten(context.words, rewritten, await last_backup(store)))]


async def _matches(context: Context, accounts: Sequence[Account]) -> AsyncIterator[Match]:
    """Yield every match with one of these accounts; lists hold only recent finished ones."""
    store = context.store
    ids = [match_id async for match_id in store.matches.ids()]
    for start in range(0, len(ids), _PIECE):
        piece = ids[start : start + _PIECE]
        for match in await asyncio.gather(*(_match(store, match_id) for match_id in piece)):
            if match is not None and not set(accounts).isdisjoint(match.people()):
                yield match


async def _match(store: FullStore, match_id: str) -> Match | None:
    try:
        return (await store.matches.load(match_id)).match
    except NoSuchMatch:
        return None


def _note(code: str) -> str:
    return f"link:{code}"
