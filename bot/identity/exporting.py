"""A person's data as a file: one ZIP with `klop.json` and a file for each of their matches."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from bot.desk.context import Context
from play.errors import PlayError
from play.events.event import Event
from play.files import matchfile
from play.match import Match
from play.people import Account
from storage.ports import FullStore

LIMIT: Final = 8 * 2**20
"""Bytes of match files; Discord takes no file over ten megabytes. Older matches beyond that are named only."""


async def export_data(context: Context, accounts: Sequence[Account], matches: Sequence[Match]) -> bytes:
    """Return all that is stored of a person's accounts."""
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
        "form": event.setup.form.value,
        "game": event.setup.game,
        "names": sorted({player.name for player in event.players() if player.account in accounts}),
        "host": event.host.account in accounts,
        "entrant": None if entrant is None else entrant.number,
        "opened": event.opened.isoformat(),
        "shown_at": [str(address) for address in event.addresses],
    }


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    """Add a file; without a time, so that the same data makes the same bytes."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, text)


def _summary(match: Match, accounts: Sequence[Account]) -> dict[str, Any]:
    own = [player for player in match.players() if player.account in accounts]
    return {
        "id": match.id,
        "game": match.game,
        "names": sorted({player.name for player in own}),
        "host": match.host.account in accounts,
        "seats": [int(seat) for account in accounts for seat in match.seats_of(account)],
        "phase": match.phase.value,
        "opened": match.opened.isoformat(),
        "shown_at": [str(address) for address in match.addresses],
        "plans": [asdict(plan) for plan in match.plans if _own(match, plan.seat, accounts)],
    }


def _own(match: Match, seat: int, accounts: Sequence[Account]) -> bool:
    player = match.chairs[seat].player
    return player is not None and player.account in accounts
