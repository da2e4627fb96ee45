"""What events say of a person in /profile: the cups that they played to the end, and their places on ladders and in leagues."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.desk.hooks import PROFILED
from bot.i18n import Words
from play.events import cup, league
from play.events.entries import Closed
from play.events.event import Event, Form
from play.events.facts import Changed
from play.events.ladder import ladder_of
from play.people import Account, is_forgotten
from storage.ports import FullStore

MOST: Final = 500
"""Cups of a person that are remembered; of more the oldest are forgotten."""

NAMED: Final = 3
"""Ladders, and leagues, of a person that are named: those where something happened last."""

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
    parts = []
    for event, entrant in await _entered(store, account, Form.LADDER):
        order = ladder_of(event).order
        if entrant in order:
            game, place = words(f"{event.setup.game}.name"), order.index(entrant) + 1
            parts.append(words("bot.ladder.profile", game=game, place=place, of=len(order)))
    return words("bot.ladder.profiles", places="; ".join(parts[:NAMED])) if parts else None


@PROFILED
async def _leagues(store: FullStore, account: Account, words: Words, _at: datetime) -> str | None:
    """Return a person's divisions in leagues, and their places there in the last season."""
    parts = []
    for event, entrant in await _entered(store, account, Form.LEAGUE):
        season = league.league_of(event).season
        division = season.division_of(entrant) if season else None
        if season is None or division is None:
            continue
        rows = league.table(event, season, division)
        said = {"game": words(f"{event.setup.game}.name"), "division": division + 1}
        if any(row.won or row.drawn for row in rows):  # before that no one has a place
            place = next(row.place for row in rows if row.player == entrant)
            parts.append(words("bot.league.profile", **said, place=place, of=len(rows)))
        else:
            parts.append(words("bot.league.profile.begun", **said))
    return words("bot.league.profiles", places="; ".join(parts[:NAMED])) if parts else None


async def _entered(store: FullStore, account: Account, form: Form) -> Sequence[tuple[Event, int]]:
    """Return the live events of a form that a person is in, each with their number there."""
    accounts = dict.fromkeys((account, *(await store.settings.get(account)).others))
    events = {event.id: event for each in accounts for event in await store.events.of(each)}
    found = ((event, event.state.entrant_of(*accounts)) for event in events.values())
    return [
        (event, entrant.number)
        for event, entrant in found
        if entrant is not None and event.live and event.setup.form is form
    ]


def _timeline(person: Account) -> str:
    return f"cups:{person}"
