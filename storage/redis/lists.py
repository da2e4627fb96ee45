"""Lists of matches, and of events, on Redis. Their entries are hints: what is true of a match is in its record alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache
from typing import Final, Generic, cast

from play.errors import Unavailable
from play.people import Account, Address
from storage import keys
from storage.client import Connection, Script, Word, pairs
from storage.errors import Damaged
from storage.listing import OVER_KEPT, Hint, S, Sifted, sift
from storage.records import codec

CACHED: Final = 512
"""Records whose matches are kept in memory: a place's finished ones are listed again and again, and never change."""

decode: Final = lru_cache(maxsize=CACHED)(codec.decode)  # see `codec.decode`
decode_event: Final = lru_cache(maxsize=CACHED)(codec.decode_event)

_MEND: Final = Script("mend")
_log: Final = logging.getLogger(__name__)


class RedisLists(Generic[S]):
    """The matches, or events, of each person, and at each place.

    Args:
        connection: To the server.
        list_keys: The keys of a person's or a place's lists.
        decode: What reads a record.
    """

    def __init__(
        self,
        connection: Connection,
        list_keys: Callable[[Account | Address], tuple[str, str]],
        decode: Callable[[str, bytes], S],
    ) -> None:
        self._connection = connection
        self._list_keys = list_keys
        self.decode: Callable[[str, bytes], S] = decode
        self._named: dict[tuple[Account | Address, int | None], tuple[str, ...]] = {}  # by the last readings

    async def read(self, whose: Account | Address, kept: int | None, most: int | None = None) -> Sequence[S]:
        """Return matches, the latest change first; one that cannot be read is logged.

        Of the finished ones only as many as are `kept`, of the live ones `most`; None: all.

        One round trip where the list names only what it named last time, else a second one for the other records; more only
        to mend hints.
        """
        live, over = self._list_keys(whose)
        expected = self._named.pop((whose, kept), ())
        hints, records = await self._looked({live: most, over: kept}, expected)
        if not hints:
            return ()
        hinted = dict.fromkeys(hint.match_id for hint in hints)
        self._expect((whose, kept), tuple(hinted))
        sifted = sift(hints, await self._found(hinted.keys(), records), whose, live, over)
        if sifted.wrong or sifted.missing:
            with suppress(Unavailable):  # what is returned is right all the same
                await self._mend(sifted)
        return [match for match in sifted.shown if match.live] if kept == 0 else sifted.shown

    async def live(self, whose: Account | Address) -> int:
        """Return how many hints of live matches there are."""
        return int(cast("int", await self._connection.command("ZCARD", self._list_keys(whose)[0])))

    async def add(self, match: S, changed: int) -> None:
        """Put a committed match on its lists, on a cluster, where the commit script cannot.

        What fails here is mended by the match's next commit.
        """
        names = list(keys.lists_of(match))
        calls: list[Sequence[Word]] = []
        for live, over in zip(names[::2], names[1::2], strict=True):
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

    def _expect(self, read: tuple[Account | Address, int | None], names: tuple[str, ...]) -> None:
        """Remember what a list named: it will most often name it again."""
        self._named[read] = names
        if len(self._named) > CACHED:
            del self._named[next(iter(self._named))]

    async def _found(
        self, hinted: AbstractSet[str], records: Mapping[str, bytes | None]
    ) -> dict[str, S | None]:
        """Return what is stored under the names that lists gave; the records of some are known."""
        found: dict[str, S | None] = dict.fromkeys(hinted)
        others = [name for name in hinted - records.keys() if keys.is_id(name)]
        loaded = await self._connection.batch([("GET", keys.match_key(name)) for name in others])
        known = [(name, records[name]) for name in hinted & records.keys()]
        for name, record in (*known, *zip(others, loaded, strict=True)):
            try:
                found[name] = None if record is None else self.decode(name, record)
            except Damaged as damaged:
                _log.error("a stored match cannot be read: %s", damaged)
                del found[name]
        return found

    async def _looked(
        self, most: Mapping[str, int | None], expected: Sequence[str]
    ) -> tuple[list[Hint], dict[str, bytes | None]]:
        """Return the last hints of lists, of each at most so many, and the records of those names that are expected."""
        last = {key: -1 if wanted is None else wanted - 1 for key, wanted in most.items() if wanted != 0}
        names: list[str] = [name for name in expected if keys.is_id(name)]
        looks: list[Sequence[Word]] = [("ZREVRANGE", key, 0, end, "WITHSCORES") for key, end in last.items()]
        answers = await self._connection.batch([*looks, *(("GET", keys.match_key(name)) for name in names)])
        hints = [
            Hint(int(float(score)), bytes(name).decode(errors="replace"), key)
            for key, found in zip(last, answers, strict=False)
            for name, score in pairs(found)
        ]
        return hints, dict(zip(names, answers[len(last) :], strict=True))

    async def _mend(self, sifted: Sifted[S]) -> None:
        calls: list[Sequence[Word]] = []
        for key in {hint.key for hint in sifted.wrong}:
            wrong = [hint for hint in sifted.wrong if hint.key == key]
            words = [word for hint in wrong for word in (hint.match_id, hint.changed)]
            calls.append(_MEND.call([key], words))
        calls += [("ZADD", hint.key, "NX", hint.changed, hint.match_id) for hint in sifted.missing]
        await self._connection.batch(calls, [_MEND])
