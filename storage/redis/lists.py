"""Lists of matches, and of events, on Redis. Their entries are hints: what is true of a match is in its record alone."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from play.errors import Unavailable
from play.events.event import Event
from play.match import Match
from play.people import Account, Address
from storage import keys
from storage.archive import Archive
from storage.client.connection import Connection, Script, Word, pairs
from storage.errors import Damaged
from storage.records import codec

OVER_KEPT: Final = 20  # how many finished matches a list keeps: the "last few" of `MatchStore`


S = TypeVar("S", bound=Match | Event)


class Hint(NamedTuple):
    """An entry of a list: a match, and when it changed. Later ones are greater."""

    changed: int
    match_id: str
    key: str


def concerns(match: Match | Event, whose: Account | Address) -> bool:
    """Return whether a match belongs on the lists of a person or a place."""
    if isinstance(whose, Address):
        return whose in match.addresses
    return whose in match.people()


def last_activity(match: Match | Event) -> datetime:
    """Return when something was last done in a match or an event."""
    touched = match.touched if isinstance(match, Match) else None
    return max([match.opened, *([touched] if touched else []), *[entry.at for entry in match.log[-1:]]])


def sift(
    hints: Iterable[Hint], found: Mapping[str, S | None], whose: Account | Address, live: str, over: str
) -> tuple[list[S], list[Hint], list[Hint]]:
    """Check the hints of two lists, `live` and `over`: return the matches, the latest change first, and hints to delete and to add.

    A match that was not found is None; hints of ids that are not among `found` are kept.
    """
    listed: dict[str, S] = {}
    wrong, missing = [], []
    for hint in sorted(hints, reverse=True):
        if hint.match_id not in found:
            continue
        match = found[hint.match_id]
        if match is None or not concerns(match, whose):
            wrong.append(hint)
            continue
        belongs = live if match.live else over
        if hint.key != belongs:
            wrong.append(hint)
            missing.append(hint._replace(key=belongs))
        listed.setdefault(hint.match_id, match)
    return list(listed.values()), wrong, missing


CACHED: Final = 512
"""Records whose matches are kept in memory: a place's finished ones are listed again and again, and never change."""

decode: Final = lru_cache(maxsize=CACHED)(codec.decode)  # see `codec.decode`
decode_event: Final = lru_cache(maxsize=CACHED)(codec.decode_event)

_MEND: Final = Script("mend")
_log: Final = logging.getLogger(__name__)


class RedisLists(Generic[S]):
    """The matches, or events, of each person, and at each place; `archive` has the records of those with a head in Redis."""

    def __init__(
        self,
        connection: Connection,
        list_keys: Callable[[Account | Address], tuple[str, str]],
        decode: Callable[[str, bytes], S],
        archive: Archive | None = None,
    ) -> None:
        self._connection = connection
        self._list_keys = list_keys
        self.decode: Callable[[str, bytes], S] = decode
        self.archive = archive
        self._named: dict[tuple[Account | Address, int | None], tuple[str, ...]] = {}  # by the last readings

    async def read(self, whose: Account | Address, kept: int | None, most: int | None = None) -> Sequence[S]:
        """Return matches, the latest change first; one that cannot be read is logged.

        Of the finished ones only as many as are `kept`, of the live ones `most`; None: all.

        One round trip where the list names only what it named last time, else a second one for the other records; more only
        to mend hints.
        """
        calls, answer = self.query(whose, kept, most)
        return await answer(await self._connection.batch(calls))

    def query(
        self, whose: Account | Address, kept: int | None, most: int | None = None
    ) -> tuple[list[Sequence[Word]], Callable[[Sequence[Any]], Awaitable[Sequence[S]]]]:
        """Return the first trip of `read`, to be made with others, and what makes the result of its replies."""
        live, over = self._list_keys(whose)
        wanted = {live: most} if kept == 0 else {live: most, over: kept}
        expected = tuple(name for name in self._named.pop((whose, kept), ()) if keys.is_id(name))
        calls: list[Sequence[Word]] = [
            ("ZREVRANGE", key, 0, -1 if count is None else count - 1, "WITHSCORES")
            for key, count in wanted.items()
        ]
        calls += [("GET", keys.match_key(name)) for name in expected]
        return calls, partial(self._listed, whose, kept, expected)

    async def _listed(
        self, whose: Account | Address, kept: int | None, expected: Sequence[str], replies: Sequence[Any]
    ) -> Sequence[S]:
        live, over = self._list_keys(whose)
        lists = (live,) if kept == 0 else (live, over)
        hints = [
            Hint(int(float(score)), name.decode(errors="replace"), key)
            for key, found in zip(lists, replies, strict=False)
            for name, score in pairs(found)
        ]
        if not hints:
            return ()
        records = dict(zip(expected, replies[len(lists) :], strict=True))
        hinted = dict.fromkeys(hint.match_id for hint in hints)
        self._named[whose, kept] = tuple(hinted)  # it will most often name them again
        if len(self._named) > CACHED:
            del self._named[next(iter(self._named))]
        found = await self._found(hinted.keys(), records)
        listed, wrong, missing = sift(hints, found, whose, live, over)
        if wrong or missing:
            with suppress(Unavailable):  # what is returned is right all the same
                await self._mend(wrong, missing)
        return [match for match in listed if match.live] if kept == 0 else listed

    async def live(self, whose: Sequence[Account | Address]) -> Sequence[S]:
        """Return what is live on the lists of any of those; one that cannot be read is logged."""
        names = [self._list_keys(each)[0] for each in whose]
        on_each = [("ZRANGE", name, 0, -1) for name in names]
        calls = on_each if self._connection.clustered else [("ZUNION", len(names), *names)]
        listed = {bytes(name).decode() for reply in await self._connection.batch(calls) for name in reply}
        found = (await self._found(listed, {})).values()
        return [each for each in found if each and each.live and any(concerns(each, one) for one in whose)]

    async def marks(self, whose: Sequence[Account | Address]) -> Sequence[int]:
        """Return when what is on the lists of each changed last, in microseconds; 0 where nothing is."""
        calls = [("ZREVRANGE", key, 0, 0, "WITHSCORES") for each in whose for key in self._list_keys(each)]
        found = [
            max((int(float(score)) for _, score in pairs(each)), default=0)
            for each in await self._connection.batch(calls)
        ]
        return list(map(max, found[::2], found[1::2]))

    async def add(self, match: S, changed: int) -> None:
        """Put a committed match on its lists, on a cluster, where the commit script cannot.

        What fails here is mended by the match's next commit.
        """
        calls: list[Sequence[Word]] = []
        for live, over in keys.lists_of(match):
            on, off = (live, over) if match.live else (over, live)
            calls += [("ZREM", off, match.id), ("ZADD", on, "GT", changed, match.id)]
            if not match.live:
                calls.append(("ZREMRANGEBYRANK", over, 0, -OVER_KEPT - 1))
        try:
            await self._connection.batch(calls)
        except Unavailable as error:
            _log.warning("match %s is not on its lists yet: %s", match.id, error.__cause__)

    async def sift(self, whose: Account | Address) -> None:
        """Delete the hints that are wrong, and of finished matches all but the last few."""
        _, over = self._list_keys(whose)
        await self.read(whose, None)
        await self._connection.command("ZREMRANGEBYRANK", over, 0, -OVER_KEPT - 1)

    async def whole(self, records: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return records as they are stored, with those from the archive in place of their heads.

        A head stays where the archive is not here, or has none as new.

        Raises:
            Unavailable: the archive does not answer.
        """
        heads = {name: record for name, record in records.items() if codec.is_head(record)}
        if not heads or self.archive is None:
            return records
        archived = {}
        for name, record in (await self.archive.read(heads)).items():
            if codec.head(record) >= heads[name]:
                archived[name] = record
            if codec.head(record) > heads[name]:  # Redis has fallen back, and goes on from its own revision
                with suppress(Damaged):  # decoding the record says so
                    archived[name] = codec.revised(name, record, heads[name])
        return {**records, **archived}

    async def _found(
        self, hinted: AbstractSet[str], records: Mapping[str, bytes | None]
    ) -> dict[str, S | None]:
        found: dict[str, S | None] = dict.fromkeys(hinted)
        others = [name for name in hinted - records.keys() if keys.is_id(name)]
        loaded = await self._connection.batch([("GET", keys.match_key(name)) for name in others])
        known = [(name, records[name]) for name in hinted & records.keys()]
        stored = (*known, *zip(others, loaded, strict=True))
        there: Mapping[str, bytes] = {name: record for name, record in stored if record is not None}
        with suppress(Unavailable):  # then matches in the archive are left out
            there = await self.whole(there)
        for name, record in there.items():
            try:
                found[name] = self.decode(name, record)
            except Damaged as damaged:
                _log.error("a stored match cannot be read: %s", damaged)
                del found[name]
        return found

    async def _mend(self, wrong: Sequence[Hint], missing: Sequence[Hint]) -> None:
        calls: list[Sequence[Word]] = [
            *(_MEND.call([hint.key], [hint.match_id, hint.changed]) for hint in wrong),
            *(("ZADD", hint.key, "NX", hint.changed, hint.match_id) for hint in missing),
        ]
        await self._connection.batch(calls, [_MEND])
