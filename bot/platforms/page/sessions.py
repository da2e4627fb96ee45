"""Who reads a page, and which match they may see: sessions, spectators' keys, one-time links and proofs; rate limits in memory."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

import msgspec

from bot.chat.fair_queue import Recent
from bot.chat.i18n import Words, words_of
from bot.chat.page_links import page_secret, shown_on_page, take_link, watch_address, watch_key
from bot.chat.services import settings_of
from bot.chat.view import theme_of
from bot.platforms import CHATS
from bot.platforms.integration import NotProved
from bot.platforms.page import wire
from bot.platforms.platform import PlatformServices
from play.errors import NoSuchMatch
from play.match import Match, Phase
from play.people import Account, Address, Player
from play.ports import NoteStore
from play.settings import Settings
from render.picture import Theme

SESSION: Final = timedelta(hours=12)  # how long a bearer is good for

_AHEAD: Final = timedelta(minutes=1)
"""By how much the clocks of two processes may differ; a session that lasts longer began before the clock was set back."""

_BEARS: Final = b"session:"
_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII)


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
        """Return the session that a bearer proves; raises `NotProved`."""
        claims, _, signature = bearer.partition(".")
        try:
            said, signed = _bytes(claims), _bytes(signature)
            if not hmac.compare_digest(signed, self._sign(_BEARS + said)):
                raise NotProved
            platform, uid, name, host, end, code, locale = _read_claims(said)
        except (Error, ValueError, msgspec.MsgspecError):
            raise NotProved from None
        until = datetime.fromtimestamp(end, at.tzinfo)
        if not at < until <= at + SESSION + _AHEAD:
            raise NotProved
        return Session(Player(Account(platform, uid), name), host, until, code, locale)

    async def by_link(self, notes: NoteStore, token: str, at: datetime) -> Session:
        """Return the session that a one-time link begins; the link is used up; raises `NotProved`."""
        stored = await take_link(notes, token)
        if stored is None:
            raise NotProved
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


async def begun(shared: PageServices, asked: wire.PageProof, headers: Mapping[str, str]) -> Session:
    """Return the session that a proof in a request with these headers begins; the proof is used up.

    Raises:
        NotProved: it proves nothing.
        CodeNeeded: see there.
    """
    services, sessions = shared.services, shared.sessions
    if asked.kind == "link":
        return await sessions.by_link(services.store.notes, asked.proof, services.now())
    if asked.kind == "guest":
        return await _guest(shared, asked.proof)
    vouching = next(each for each in CHATS if each.key == asked.kind)
    found = await vouching.identity(services, asked.proof, headers)
    code, _, key = found.start.partition("-")
    code = code if _CODE.match(code) and sessions.may_watch(code, key) else found.code
    return Session(found.player, asked.kind, services.now() + SESSION, code, found.locale)


async def _guest(shared: PageServices, carried: str) -> Session:
    """Return the session of a new person of the local room, by what a link to a free seat there carries."""
    services, (code, _, key) = shared.services, carried.partition("-")
    found = await services.table.find(code) if shared.sessions.may_watch(code, key) else None
    if shared.room is None or found is None or not waits(found, guests=True):
        raise NotProved
    name = f"guest{secrets.token_hex(2)}"
    return Session(Player(Account(shared.room.platform, name), name), "link", services.now() + SESSION, code)


def waits(match: Match, *, guests: bool = False) -> bool:
    """Whether a match waits for players; for guests no seat is kept."""
    free = (not chair.player and not (guests and chair.reserved) for chair in match.chairs)
    return match.phase is Phase.OPEN and any(free)


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
    """So many requests in a time for each key, all of which may come at once; who is refused is given a turn."""

    def __init__(self, limit: int, seconds: float, clock: Callable[[], float]) -> None:
        self._limit, self._each = limit, seconds / limit
        self._clock = clock
        self._until = Recent[str, float](_KEPT)  # up to when each key's requests are spent
        self._turns = Recent[str, float](_KEPT)  # the last turn that was given to one who was refused

    def take(self, key: str) -> bool:
        """Take one of a key's; return whether there was one."""
        now = self._clock()
        spent = max(self._until.get(key, now), now) + self._each
        if spent > now + self._limit * self._each + self._each / 2:
            return False
        self._until[key] = spent
        return True

    def turn(self, key: str) -> float:
        """Return after how many seconds one who was refused may ask again: later for each, so that they come one by one."""
        now = self._clock()
        after = min(max(self._turns.get(key, now), now) + self._each, now + self._limit * self._each)
        self._turns[key] = after
        return after - now


_WORDS: Final = (
    "answers", "back", "play", "flip", "menu", "type", "help", "rules", "log", "start", "now", "earlier", "later", "autoplay", "pause", "pace-slow", "pace-normal",
    "pace-fast", "to-game", "typed", "send", "reconnecting", "watching",
    "board", "players", "picked", "choice", "moves", "share", "copy", "invite", "send-link", "copied", "games", "close", "nothing", "expired",
    "missing", "meanwhile", "prepare", "ahead", "unprepared", "keys", "keys-off", "keys-on", "sound-off", "sound-on", "moving", "off", "what-if", "note", "noted", "back-here", "play-from", "story",
)  # fmt: skip
"""The words of the client, by the ends of their keys."""

FILLED: Final = {"download": ("name",), "chosen": ("what",), "at": ("at", "of")}
"""Those into which the client puts something: the ends of their keys, and what it is called."""

KEYS: Final = {"bot.page.{}": ((*_WORDS, *FILLED),)}
"""The keys that the page puts together, by their template: the members of each hole."""

THEMES: Final = {theme.value: theme for theme in Theme}  # the colours of boards, by what a page calls them


@dataclass(frozen=True, slots=True)
class PageServices:
    """What all pages share."""

    services: PlatformServices
    sessions: Sessions
    url: str  # where the page is, without a slash at the end
    room: Address | None = None  # the local room; None where there is none

    def to_watch(self, code: str) -> str:
        """Return the address at which anyone may watch a match."""
        return watch_address(self.url, self.sessions.watch_key(code), code)

    async def ways_in(self, match: Match) -> dict[str, str]:
        """Return the addresses by which others come to a free seat of a match, by platform: with a session. None where no seat is free."""
        if not waits(match):
            return {}
        notes, key = self.services.store.notes, self.sessions.watch_key(match.id)
        found = {chat.key: await chat.invitation(notes, match.id, key) for chat in CHATS}
        if self.room is not None and waits(match, guests=True):
            found[self.room.platform] = f"{self.to_watch(match.id)}&guest"
        return {platform: address for platform, address in found.items() if address}


def invite(view: wire.PageView, match: Match, reader: Reader, ways: Mapping[str, str]) -> None:
    """Add to the view of a match with a free seat how others come to that: for a player a link for a friend, for a stranger the ways."""
    words, names = reader.words, {chat.key: chat.name for chat in CHATS}
    if not waits(match):
        return
    if reader.session is None:
        for platform, url in ways.items():
            name = names.get(platform)
            label = words("bot.page.join-in", name=name) if name else words("bot.page.join-as-guest")
            view.joins.append(wire.PageLink(label, url))
        view.lines.append(words("bot.page.join-here" if ways else "bot.page.join-from-chat"))
    elif reader.plays(match):
        view.invite = ways.get(reader.session.player.account.platform, view.share)


class Denied(Exception):
    """A page that may not see what it asks for; the reason is a word for the client (`wire.PageFrame.over`)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page."""

    session: Session | None  # who they are; None for a spectator
    who: tuple[Account, ...]  # their accounts: the one of the session, and the first of those that are linked
    words: Words
    theme: Theme
    own: Settings = field(default_factory=Settings)

    def plays(self, match: Match) -> bool:
        """Whether they sit in a match."""
        return not set(match.people()).isdisjoint(self.who)

    @property
    def hello(self) -> wire.PageHello:
        """What a page is greeted with."""
        told = {end: self.words(f"bot.page.{end}") for end in _WORDS}
        for end, fields in FILLED.items():
            told[end] = self.words(f"bot.page.{end}", **{field: f"{{{field}}}" for field in fields})
        name = self.session.player.name if self.session else ""
        return wire.PageHello(name, told, self.words.language, bool(self.session))


async def identified(shared: PageServices, asked: wire.PageConnect) -> Reader:
    """Return who reads, by the first frame of their page; raises `Denied`."""
    services, sessions = shared.services, shared.sessions
    session, watches = None, bool(asked.code) and sessions.may_watch(asked.code, asked.key)
    if asked.bearer:
        with suppress(NotProved):  # who was signed in once may still watch
            session = sessions.read(asked.bearer, services.now())
    who: tuple[Account, ...] = ()
    mine = None
    if session is not None:
        account = session.player.account
        (mine,) = await settings_of(services.store, account)
        who = (account,)
        if mine and mine.person:
            who = (mine.person, account)
            (mine,) = await settings_of(services.store, mine.person)
    elif not watches:
        raise Denied("session")
    words = words_of(mine, session.locale if session else None, asked.locale, services.language)
    wanted = THEMES.get(asked.theme, Theme.LIGHT)
    theme = theme_of(mine) if mine and mine.theme else wanted
    return Reader(session, who, words, theme, mine or Settings())


async def admitted(shared: PageServices, reader: Reader, asked: wire.PageConnect) -> Match:
    """Return the match that a page shows, if its reader may see it; raises `Denied`."""
    try:
        match = await shared.services.table.get(asked.code)
    except NoSuchMatch:
        raise Denied("match") from None
    known = asked.key and shared.sessions.may_watch(asked.code, asked.key)
    begun = reader.session is not None and reader.session.code == asked.code
    if not (known or begun or reader.plays(match)):
        raise Denied("match")
    if not await shown_on_page(shared.services.store.settings, match):
        raise Denied("off" if reader.plays(match) else "match")
    return match
