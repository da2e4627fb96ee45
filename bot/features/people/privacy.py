"""/privacy and /forgetme: what is stored of a person, deleted, or exported as a ZIP of `klop.json` and a file for each match."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.presenting.boards import CONFIRMED
from bot.chat.presenting.cards import Operator, paragraphs
from bot.chat.registry import FORGOTTEN, Registry
from bot.chat.view import Button, Message, View, ViewKind
from bot.features.matches.playing import is_sure
from play.actions.renaming import forget as forget_in
from play.errors import PlayError
from play.events.actions import ForgetEntrant
from play.events.event import Event
from play.events.events import Events
from play.files import matchfile
from play.match import Match
from play.people import Account, Player, forgotten
from play.request import Request
from storage.maintenance.backup import last_backup
from storage.maintenance.retention import request_rewrite
from storage.ports import FullStore

LIMIT: Final = 8 * 2**20
"""Bytes of match files; Discord takes no file over ten megabytes. Older matches beyond that are named only."""


async def _export_data(context: Context, accounts: Sequence[Account], matches: Sequence[Match]) -> bytes:
    store, games = context.store, context.table.games
    about: dict[str, Any] = {"accounts": {}, "matches": [], "matches_without_file": [], "events": []}
    about["events"] = [_event(event, accounts) for event in await events_of(store, accounts)]
    for account in accounts:
        ratings = {game: (await store.ratings.get(game, account))[0] for game in games}
        about["accounts"][str(account)] = {
            "settings": asdict(await store.settings.get(account)),
            "ratings": {game: asdict(rating) for game, rating in ratings.items() if rating},
            "stored": [[trace.name, trace.text] for trace in await store.traces(account)],
        }
    held = io.BytesIO()
    size = 0
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for match in sorted(matches, key=lambda match: match.opened, reverse=True):
            about["matches"].append(_summary(match, accounts))
            try:
                text = matchfile.export(match, accounts)
            except PlayError:
                text = ""  # it cannot be replayed
            size += len(text.encode())
            if text and size <= LIMIT:
                _add(archive, f"matches/{match.game}-{match.id}.txt", text)
            else:
                about["matches_without_file"].append(match.id)
        _add(archive, "klop.json", json.dumps(about, ensure_ascii=False, indent=1, default=str))
    return held.getvalue()


async def events_of(store: FullStore, accounts: Sequence[Account]) -> Sequence[Event]:
    """Return every event with one of these accounts; lists hold only recent ones that are over."""
    found = [(await store.events.load(event_id)).event async for event_id in store.events.ids()]
    return [event for event in found if not set(accounts).isdisjoint(event.people())]


def _event(event: Event, accounts: Sequence[Account]) -> dict[str, Any]:
    entrant = event.state.entrant_of(*accounts)
    return {
        "id": event.id,
        "form": event.setup.form,
        "game": event.setup.game,
        "names": sorted({player.name for player in event.players() if player.account in accounts}),
        "host": event.host.account in accounts,
        "entrant": None if entrant is None else entrant.number,
        "opened": event.opened.isoformat(),
        "shown_at": [str(address) for address in event.addresses],
    }


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    info = zipfile.ZipInfo(name)  # without a time, so that the same data makes the same bytes
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, text)


def _summary(match: Match, accounts: Sequence[Account]) -> dict[str, Any]:
    own = [player for player in match.players() if player.account in accounts]
    seats = [int(seat) for account in accounts for seat in match.seats_of(account)]
    return {
        "id": match.id,
        "game": match.game,
        "names": sorted({player.name for player in own}),
        "host": match.host.account in accounts,
        "seats": seats,
        "phase": match.phase.value,
        "opened": match.opened.isoformat(),
        "shown_at": [str(address) for address in match.addresses],
        "plans": [asdict(plan) for plan in match.plans if plan.seat in seats],
    }


registry: Final = Registry()


@registry.command("privacy", arguments.switch("export", "export"), topic=HelpTopic.OPTIONS, finishing=False)
async def privacy(context: Context) -> Sequence[Message]:
    """Show what is stored, and how to delete it; `/privacy export` gives it as a file."""
    words = context.words
    if context.command.rest.casefold() == "export":
        accounts = await _accounts(context)
        matches = [match async for match in context.store.matches.with_people(accounts)]
        data = await _export_data(context, accounts, matches)
        view = View(lines=(words("bot.privacy.exported"),), files=(("klop-data.zip", data),))
        return [context.private(view, secret=True)]
    context.no_words()
    config = context.services.config
    lines = (*paragraphs(words("bot.privacy")), *Operator(config.operator, config.contact).lines(words))
    page = config.page_url
    if page is None:
        return [context.private(View(lines=lines))]
    url = f"{page.rstrip('/')}/privacy?lang={words.language}"
    return [context.private(View(lines=(*lines, words("bot.legal.whole", url=url)), urls=(url,)))]


@registry.command(
    "forgetme", topic=HelpTopic.OPTIONS, button=Verb.FORGET, finishing=False, kind=ViewKind.CARD
)
async def forget_me(context: Context) -> Sequence[Message]:
    """Ask for confirmation; `/forgetme yes` confirms it."""
    if is_sure(context):
        return await _forget_all(context)
    yes = CallbackData.without_match(Verb.FORGET, CONFIRMED)
    button = Button(context.words("bot.forget.sure"), yes, style="danger")
    return [context.private(View(lines=(context.words("bot.forget.ask"),), buttons=(button,)))]


async def _accounts(context: Context) -> Sequence[Account]:
    # The first account comes last: what the others have played counts for it until they are gone.
    first, alias = context.visitor.account, context.visitor.alias
    others = (await context.store.settings.get(first)).others
    return (*others, *([alias] if alias else []), first)


async def _forget_all(context: Context) -> Sequence[Message]:
    store, name = context.store, context.visitor.player.name
    accounts = await _accounts(context)
    matches = [match async for match in store.matches.with_people(accounts)]
    names = {name, *(who.name for match in matches for who in match.players() if who.account in accounts)}
    for account in accounts:
        for match in matches:
            if account in match.people():
                await forget_in(context.table, match.id, Request(Player(account, name), context.at))
        await _forget_in_events(context, account, name)
        await FORGOTTEN.all(store, account, names)
        await store.forget(account)
    if context.visitor.alone:
        await store.settings.change(context.visitor.place, lambda now: replace(now, person=None))
    words, rewritten = context.words, await request_rewrite(store)
    lines = [words("bot.forget.done"), words("bot.forget.files" if rewritten else "bot.forget.refused")]
    if (backup := await last_backup(store, sound=False)) is not None:
        lines.append(words("bot.forget.backup", date=words.date(backup)))
    return [context.private(View(lines=tuple(lines)))]


async def _forget_in_events(context: Context, account: Account, name: str) -> None:
    events = Events(context.table, context.store)
    for event in await events_of(context.store, [account]):
        entrant = event.state.entrant_of(account)
        unknown = forgotten(len(event.state.entrants) if entrant is None else entrant.number)
        await events.act(event.id, ForgetEntrant(unknown), Request(Player(account, name), context.at))
