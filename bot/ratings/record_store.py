"""Stored records: a timeline a person, and one a game of the people who have played rated matches, the latest last."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from play.match import Match
from play.people import Account
from play.ratings.counting import seated
from play.ratings.model import Change
from play.ratings.records import MOST, Played, played_in
from play.table import Table
from storage.ports import FullStore

RANKED: Final = 1000
"""People of a game among whom the best are looked for everywhere: those who have played rated matches last."""


class Records:
    """The records of people."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def add(self, table: Table, match: Match, changes: Sequence[Change | None]) -> None:
        """Store what a match that is over came to for its people; once, however often it is asked."""
        if match.result is None:
            return
        people = await seated(table, match)
        for played in played_in(match, table.course(match), people, changes):
            account = played.player.account
            await self._store.timelines.add(_record(account), played.pack(), played.ended, most=MOST)
            if played.rating is not None:
                text = json.dumps([account.platform, account.uid])
                await self._store.timelines.add(_ranked(match.game), text, played.ended, most=RANKED)

    async def of(self, account: Account, at: datetime) -> Sequence[Played]:
        """Return a person's record, of linked accounts too, earliest first; times are in the zone of `at`."""
        others = (await self._store.settings.get(account)).others
        found: dict[str, Played] = {}
        for each in (account, *others):
            for text in await self._store.timelines.read(_record(each)):
                if (played := Played.unpack(text, at)) is not None:
                    found.setdefault(played.match, played)
        return sorted(found.values(), key=lambda played: played.ended)

    async def ranked(self, game: str, *, since: datetime | None = None) -> Sequence[Account]:
        """Return the people who have played rated matches of a game, anywhere; with `since`, those who have after that."""
        texts = await self._store.timelines.read(_ranked(game))
        if since is not None:
            texts = texts[len(await self._store.timelines.read(_ranked(game), until=since)) :]
        accounts = [Account(*json.loads(text)) for text in texts]
        return await self._first(accounts)

    async def _first(self, accounts: Iterable[Account]) -> Sequence[Account]:
        """Return the first of linked accounts in place of each, once."""
        every = tuple(accounts)
        settings = await self._store.settings.get_many(*every)
        first = (chosen.person or account for account, chosen in zip(every, settings, strict=True))
        return list(dict.fromkeys(first))


def _record(account: Account) -> str:
    return f"record:{account}"


def _ranked(game: str) -> str:
    return f"ranked:{game}"
