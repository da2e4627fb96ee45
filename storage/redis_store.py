"""The store on Redis: a match is one key, changed by one script in one trip."""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Final, cast

from redis.exceptions import RedisError

from play.errors import NoSuchMatch, Refused, Stale
from storage import codec, keys
from storage.errors import Damaged
from storage.listing import OVER_KEPT, Hint, Sifted, sift
from storage.trips import PATIENCE, Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import Redis

    from play.match import Match
    from play.people import Account, Address

RECEIPT_SECONDS: Final = 60
"""Far longer than anybody waits for the answer to a commit."""

_scripts = files("storage") / "scripts"
_COMMIT: Final = (_scripts / "commit.lua").read_text(encoding="utf-8")
_MEND: Final = (_scripts / "mend.lua").read_text(encoding="utf-8")
_log = logging.getLogger(__name__)


class RedisStore:
    """A `play.ports.Store` on one Redis, 6.2 or newer.

    Args:
        client: From `storage.client`: it must never repeat a command by itself.
        patience: Seconds before a person is told that the store does not answer.
    """

    def __init__(self, client: Redis, patience: float = PATIENCE) -> None:
        self._client = client
        self._line = Line(client, patience)
        self._commit = client.register_script(_COMMIT)
        self._mend = client.register_script(_MEND)

    async def load(self, match_id: str) -> Match:
        """See `Store.load`.

        Raises:
            Damaged: what is stored cannot be read.
        """
        if not keys.is_match_id(match_id):
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
        return _read(match_id, await self._get(keys.match_key(match_id)))

    async def commit(self, match: Match, expected: int) -> Match:
        """See `Store.commit`.

        Each commit leaves a receipt under a name of its own. So the script may be sent again when an answer was
        lost: if it was carried out, it finds the receipt and writes nothing, even if others have committed since.

        Raises:
            NoSuchMatch: a revision is expected, and nothing at all is stored.
            Damaged: another change came first, and what is stored cannot be read.
            ValueError: the match cannot be stored as it is.
        """
        committed = replace(match, revision=expected + 1)
        names = (
            keys.match_key(match.id),
            keys.receipt_key(match.id, secrets.token_hex(8)),
            *keys.lists_of(match),
        )
        values = (
            codec.pack_revision(expected),
            codec.encode(committed),
            match.id,
            int(match.live),
            OVER_KEPT,
            RECEIPT_SECONDS,
        )
        found = await self._line.ask(lambda: self._commit(names, values))
        if found == 1:
            return committed
        raise Stale(_read(match.id, found))

    async def at(self, address: Address) -> Sequence[Match]:
        """See `Store.at`. A match that cannot be read is left out, and logged."""
        return await self._line.ask(lambda: self._list(address))

    async def of(self, account: Account) -> Sequence[Match]:
        """See `Store.of`. A match that cannot be read is left out, and logged."""
        return await self._line.ask(lambda: self._list(account))

    async def language(self, whose: Account | Address) -> str | None:
        """See `Store.language`."""
        chosen = await self._get(keys.language_key(whose))
        return None if chosen is None else chosen.decode()

    async def set_language(self, whose: Account | Address, language: str) -> None:
        """See `Store.set_language`."""
        key = keys.language_key(whose)
        await self._line.ask(lambda: self._client.set(key, language))

    async def _get(self, key: str) -> bytes | None:
        return cast("bytes | None", await self._line.ask(lambda: self._client.get(key)))

    async def _list(self, whose: Account | Address) -> Sequence[Match]:
        """A person's or a place's matches: one trip for the hints, one for the records, more only to mend."""
        live, over = keys.list_keys(whose)
        hints = await self._hints(live, over)
        if not hints:
            return ()
        sifted = sift(hints, await self._found({hint.match_id for hint in hints}), whose, live, over)
        with suppress(RedisError):  # what is shown is right all the same
            await self._repair(sifted)
        return sifted.shown

    async def _found(self, hinted: set[str]) -> dict[str, Match | None]:
        found: dict[str, Match | None] = dict.fromkeys(hinted)
        names = [name for name in hinted if keys.is_match_id(name)]
        records = await self._client.mget([keys.match_key(name) for name in names]) if names else []
        for name, record in zip(names, cast("list[bytes | None]", records), strict=True):
            try:
                found[name] = None if record is None else codec.decode(name, record)
            except Damaged as damaged:
                _log.error("a stored match cannot be read: %s", damaged)
                del found[name]
        return found

    async def _hints(self, live: str, over: str) -> list[Hint]:
        pipe = self._client.pipeline(transaction=False)
        pipe.zrevrange(live, 0, -1, withscores=True)
        pipe.zrevrange(over, 0, OVER_KEPT - 1, withscores=True)
        lists = await pipe.execute()
        return [
            Hint(int(score), name.decode(errors="replace"), key)
            for key, found in zip((live, over), lists, strict=True)
            for name, score in found
        ]

    async def _repair(self, sifted: Sifted) -> None:
        for key in {hint.key for hint in sifted.wrong}:
            wrong = [hint for hint in sifted.wrong if hint.key == key]
            await self._mend([key], [word for hint in wrong for word in (hint.match_id, hint.changed)])
        for hint in sifted.missing:
            await self._client.zadd(hint.key, {hint.match_id: hint.changed}, nx=True)


def _read(match_id: str, record: bytes | None) -> Match:
    if record is None:
        raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id)
    return codec.decode(match_id, record)
