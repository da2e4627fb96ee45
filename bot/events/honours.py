"""What events say of a person in /profile: the cups that they played to the end, and their places on ladders."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Final

from bot.desk.hooks import PROFILED
from bot.i18n import Words
from play.events import cup
from play.events.entries import Closed
from play.events.event import Form
from play.events.facts import Changed
from play.events.ladder import ladder_of
from play.people import Account, is_forgotten
from storage.ports import FullStore

MOST: Final = 500
"""Cups of a person that are remembered; of more the oldest are forgotten."""

LADDERS: Final = 3
"""Ladders of a person that are named, those where something happened last."""

_MEDALS: Final = {1: "🥇", 2: "🥈", 3: "🥉"}


async def store_places(store: FullStore, fact: Changed) -> None:
    """Store the places of a cup's people, if a fact is its end; again, nothing changes.

    Raises:
        Unavailable: the store does not answer; it has to be done again.
    """
    event = fact.event
    if event.setup.form is not Form.CUP or event.state.stopped or event.live:
        return
    for entry in fact.entries:
        if isinstance(entry, Closed):
            for row in cup.finishers(event):
                person = event.state.entrants[row.entrant].person
                if not is_forgotten(person):
                    text = json.dumps([event.id, row.place])
                    await store.timelines.add(_timeline(person), text, entry.at, most=MOST)


@PROFILED
async def _cups(store: FullStore, account: Account, words: Words, _at: datetime) -> str | None:
    """Return how many cups a person has played to the end, and how often they came in first, second and third."""
    places: dict[str, int] = {}
    for each in (account, *(await store.settings.get(account)).others):
        for text in await store.timelines.read(_timeline(each)):
            event, place = json.loads(text)
            places[event] = place
    counts = Counter(places.values())
    medals = " ".join(f"{medal} {counts[place]}" for place, medal in _MEDALS.items() if counts[place])
    if not places:
        return None
    said = words.count("bot.cup.profile", len(places))
    return f"{said}: {medals}" if medals else said


@PROFILED
async def _ladders(store: FullStore, account: Account, words: Words, _at: datetime) -> str | None:
    """Return a person's places on ladders; the chats of the ladders are not named, since they may be private."""
    settings = await store.settings.get(account)
    accounts = dict.fromkeys((account, *settings.others))
    events = {event.id: event for each in accounts for event in await store.events.of(each)}
    parts = []
    for event in events.values():
        entrant = event.state.entrant_of(*accounts)
        if not event.live or event.setup.form is not Form.LADDER or entrant is None:
            continue
        order = ladder_of(event).order
        if entrant.number in order:
            place = order.index(entrant.number) + 1
            game = words(f"{event.setup.game}.name")
            parts.append(words("bot.ladder.profile", game=game, place=place, of=len(order)))
    return words("bot.ladder.profiles", places="; ".join(parts[:LADDERS])) if parts else None


def _timeline(person: Account) -> str:
    return f"cups:{person}"
