"""Sessions: bearers, spectators' keys, one-time links and proofs; nothing is stored of one. And rate limits, in memory."""

from __future__ import annotations

import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

import msgspec

from bot.chat.fair_queue import Recent
from bot.chat.page_links import page_secret, take_link, watch_key
from bot.chat.services import Services
from bot.platforms import CHATS
from bot.platforms.page import wire
from play.people import Account, Player
from play.ports import NoteStore

SESSION: Final = timedelta(hours=12)  # how long a bearer is good for

_AHEAD: Final = timedelta(minutes=1)
"""By how much the clocks of two processes may differ; a session that lasts longer began before the clock was set back."""

_BEARS: Final = b"session:"
_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII)


class NotASession(Exception):
    """A bearer that is forged, of another store, or past its time; or a link that is used or lapsed."""


_read_claims: Final = msgspec.json.Decoder(tuple[str, str, str, str, int, str, str]).decode
"""Reads the platform, the account, the name, the host, the end, the code and the locale of a session."""


@dataclass(frozen=True, slots=True)
class Session:
    """A person at a page."""

    player: Player
    host: str  # where the page was opened: `link`, `telegram`, `discord`
    until: datetime
    code: str = ""  # the match for which it was made: it may be seen, also by one who does not play
    locale: str = ""


class Sessions:
    """Makes and checks bearers with a key that lies in the store, so that any process of the bot accepts them."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    async def of(cls, notes: NoteStore) -> Sessions:
        """Return the sessions of a store; its key is made when it is first needed."""
        return cls(await page_secret(notes))

    def bearer(self, session: Session) -> str:
        """Return the text that proves a session."""
        account, name = session.player.account, session.player.name
        until = int(session.until.timestamp())
        claims = msgspec.json.encode(
            [account.platform, account.uid, name, session.host, until, session.code, session.locale]
        )
        return f"{_text(claims)}.{_text(self._sign(_BEARS + claims))}"

    def read(self, bearer: str, at: datetime) -> Session:
        """Return the session that a bearer proves; raises `NotASession`."""
        claims, _, signature = bearer.partition(".")
        try:
            said, signed = _bytes(claims), _bytes(signature)
            if not hmac.compare_digest(signed, self._sign(_BEARS + said)):
                raise NotASession
            platform, uid, name, host, end, code, locale = _read_claims(said)
        except (Error, ValueError, msgspec.MsgspecError):
            raise NotASession from None
        until = datetime.fromtimestamp(end, at.tzinfo)
        if not at < until <= at + SESSION + _AHEAD:
            raise NotASession
        return Session(Player(Account(platform, uid), name), host, until, code, locale)

    async def by_link(self, notes: NoteStore, token: str, at: datetime) -> Session:
        """Return the session that a one-time link begins; the link is used up; raises `NotASession`."""
        stored = await take_link(notes, token)
        if stored is None:
            raise NotASession
        platform, uid, name, code, locale = json.loads(stored)
        return Session(Player(Account(platform, uid), name), "link", at + SESSION, code, locale)

    def watch_key(self, code: str) -> str:
        """Return the key with which anyone may watch a match."""
        return watch_key(self._key, code)

    def may_watch(self, code: str, key: str) -> bool:
        """Whether a key is that of a match."""
        return hmac.compare_digest(self.watch_key(code).encode(), key.encode())

    def _sign(self, said: bytes) -> bytes:
        return hmac.digest(self._key, said, sha256)


async def begun(
    services: Services, sessions: Sessions, asked: wire.PageProof, headers: Mapping[str, str]
) -> Session:
    """Return the session that a proof in a request with these headers begins; the proof is used up.

    Raises:
        NotASession, NotProved: it proves nothing.
        CodeNeeded: see there.
    """
    if asked.kind == "link":
        return await sessions.by_link(services.store.notes, asked.proof, services.now())
    vouching = next(each for each in CHATS if each.key == asked.kind)
    found = await vouching.identity(services, asked.proof, headers)
    code, _, key = found.start.partition("-")
    code = code if _CODE.match(code) and sessions.may_watch(code, key) else found.code
    return Session(found.player, asked.kind, services.now() + SESSION, code, found.locale)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """Return what `_text` was given; other texts of the same bytes are refused, so that a bearer has one spelling."""
    data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    if _text(data) != text:
        raise ValueError(text[:8])
    return data


_KEPT: Final = 10_000  # keys that are remembered; the one used longest ago is forgotten first


class Allowance:
    """So many requests in a time for each key, all of which may come at once."""

    def __init__(self, limit: int, seconds: float, clock: Callable[[], float]) -> None:
        self._limit, self._each = limit, seconds / limit
        self._clock = clock
        self._until = Recent[str, float](_KEPT)  # up to when each key's requests are spent

    def take(self, key: str) -> bool:
        """Take one of a key's; return whether there was one."""
        now = self._clock()
        spent = max(self._until.get(key, now), now) + self._each
        if spent > now + self._limit * self._each + self._each / 2:
            return False
        self._until[key] = spent
        return True
