"""Lists of matches, and of events, on Redis. Their entries are hints: what is true of a match is in its record alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
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

    async def read(self, whose: Account | Address, kept: int | None, most: int | None = None) -> Sequence[S]:
        """Return matches, the latest change first; one that cannot be read is logged.

        Of the finished ones only as many as are `kept`, of the live ones `most`; None: all.

        One round trip for the hints, one for the records, more only to mend hints.
        """
        live, over = self._list_keys(whose)
        hints = await self._hints({live: most, over: kept})
        if not hints:
            return ()
        sifted = sift(hints, await self._found({hint.match_id for hint in hints}), whose, live, over)
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

    async def _found(self, hinted: set[str]) -> dict[str, S | None]:
        found: dict[str, S | None] = dict.fromkeys(hinted)
        names = [name for name in hinted if keys.is_id(name)]
        records = await self._connection.batch([("GET", keys.match_key(name)) for name in names])
        for name, record in zip(names, cast("list[bytes | None]", records), strict=True):
            try:
                found[name] = None if record is None else self.decode(name, record)
            except Damaged as damaged:
                _log.error("a stored match cannot be read: %s", damaged)
                del found[name]
        return found

    async def _hints(self, most: Mapping[str, int | None]) -> list[Hint]:
        """Return the last hints of lists, of each at most so many."""
        last = {key: -1 if wanted is None else wanted - 1 for key, wanted in most.items() if wanted != 0}
        looks = [("ZREVRANGE", key, 0, end, "WITHSCORES") for key, end in last.items()]
        return [
            Hint(int(float(score)), bytes(name).decode(errors="replace"), key)
            for key, found in zip(last, await self._connection.batch(looks), strict=True)
            for name, score in pairs(found)
        ]

    async def _mend(self, sifted: Sifted[S]) -> None:
        calls: list[Sequence[Word]] = []
        for key in {hint.key for hint in sifted.wrong}:
            wrong = [hint for hint in sifted.wrong if hint.key == key]
            words = [word for hint in wrong for word in (hint.match_id, hint.changed)]
            calls.append(_MEND.call([key], words))
        calls += [("ZADD", hint.key, "NX", hint.changed, hint.match_id) for hint in sifted.missing]
        await self._connection.batch(calls, [_MEND])
