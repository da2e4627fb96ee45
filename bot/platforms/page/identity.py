"""Identities that Telegram and Discord vouch for, checked before a session begins.

Telegram: "Validating data received via the Mini App" and "… for Third-Party Use",
https://core.telegram.org/bots/webapps. Discord: "Validating Proxy Request Headers",
https://docs.discord.com/developers/activities/development-guides/multiplayer-experience.

Sessions that begin by a proof of who reads: a one-time link, Telegram's init data, or what Discord says.

In an Activity Discord's proxy can sign each request. Where it signs none, the page asks the person's client for an authorization
code, and Discord tells for it who they are: https://docs.discord.com/developers/activities/building-an-activity, "Authorizing &
authenticating users".
"""

from __future__ import annotations

import hmac
import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bot.chat.page_links import DISCORD, TELEGRAM, launched_for
from bot.platforms.page import wire
from bot.platforms.page.sessions import SESSION, Session, Sessions
from bot.platforms.platform import Services
from play.errors import Unavailable
from play.people import Account, Player, clean
from play.ports import NoteStore

FRESH: Final = timedelta(hours=1)
"""How old a proof may be when a session begins."""

_AHEAD: Final = timedelta(minutes=1)  # by which the clock of a platform may be ahead of ours
_LONGEST: Final = 4096
_SEEN: Final = "page:proof:"

TELEGRAM_KEY: Final = bytes.fromhex("e7bf03a2fa4602af4580703d88dda5bb59f32ed8b02a56c187fe7d34caed242d")
"""Telegram's public key for init data, production environment."""

DISCORD_HEADERS: Final = ("X-Signature-Ed25519", "X-Signature-Timestamp", "X-Discord-Proxy-Payload")


class NotProved(Exception):
    """A proof of identity that is forged, stale, used before, or meant for another bot."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as a platform vouches for them.

    Attributes:
        player: Who.
        locale: Of their client.
        start: What the link that they opened carries: the code of a match.
        proof: Names this proof, so that it is used once.
    """

    player: Player
    locale: str
    start: str
    proof: str


class _TelegramUser(msgspec.Struct):
    id: int
    first_name: str = ""
    last_name: str = ""
    language_code: str = ""
    is_bot: bool = False


class _DiscordPayload(msgspec.Struct):
    application_id: str
    user_id: str
    created_at: int
    expires_at: int


_read_user: Final = msgspec.json.Decoder(_TelegramUser).decode
_read_payload: Final = msgspec.json.Decoder(_DiscordPayload).decode


def by_token(data: str, token: str, at: datetime) -> Identity:
    """Return who opened a Mini App, by its init data and the bot's token; raises `NotProved`."""
    fields = _fields(data)
    given = fields.pop("hash", "")
    key = hmac.digest(b"WebAppData", token.encode(), sha256)
    if not hmac.compare_digest(hmac.digest(key, _lines(fields), sha256).hex().encode(), given.encode()):
        raise NotProved
    return _telegram(fields, given, at)


def by_public_key(data: str, bot: int, at: datetime, key: bytes = TELEGRAM_KEY) -> Identity:
    """Return who opened a Mini App, by its init data and Telegram's public key: for a process without the bot's token.

    Raises:
        NotProved: as for `by_token`.
    """
    fields = _fields(data)
    fields.pop("hash", None)
    try:
        signature = fields.pop("signature")
        signed = urlsafe_b64decode(signature.encode("ascii") + b"=" * (-len(signature) % 4))
        VerifyKey(key).verify(f"{bot}:WebAppData\n".encode() + _lines(fields), signed)
    except (KeyError, ValueError, Error, BadSignatureError):
        raise NotProved from None
    return _telegram(fields, signed.hex(), at)


def _fields(data: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(data, keep_blank_values=True, strict_parsing=True, max_num_fields=32)
    except ValueError:
        raise NotProved from None
    fields = dict(pairs)
    if len(data) > _LONGEST or len(fields) < len(pairs):
        raise NotProved
    return fields


def _lines(fields: Mapping[str, str]) -> bytes:
    return "\n".join(f"{name}={fields[name]}" for name in sorted(fields)).encode(errors="replace")


def _telegram(fields: Mapping[str, str], proof: str, at: datetime) -> Identity:
    try:
        when = datetime.fromtimestamp(int(fields["auth_date"]), UTC)
        user = _read_user(fields["user"])
    except (KeyError, ValueError, OverflowError, OSError, msgspec.MsgspecError):
        raise NotProved from None
    if user.is_bot or not -_AHEAD <= at - when < FRESH:
        raise NotProved
    name = clean(f"{user.first_name} {user.last_name}") or str(user.id)
    player = Player(Account("telegram", str(user.id)), name)
    return Identity(player, user.language_code[:20], fields.get("start_param", "")[:64], f"telegram:{proof}")


def by_proxy(headers: Mapping[str, str], application: str, key: bytes, at: datetime) -> Identity:
    """Return whose request Discord's proxy passes on to an Activity; the name is not known from it; raises `NotProved`."""
    signature, timestamp, packed = (headers.get(name, "") for name in DISCORD_HEADERS)
    try:
        said = b64decode(packed[:_LONGEST], validate=True)
        signed = (
            bytes.fromhex(signature) if len(signature) == 128 else b64decode(signature[:128], validate=True)
        )
        VerifyKey(key).verify(said, signed)
        payload = _read_payload(said)
        expires = datetime.fromtimestamp(payload.expires_at, UTC)
        created = datetime.fromtimestamp(payload.created_at, UTC)
    except (ValueError, Error, OverflowError, OSError, BadSignatureError, msgspec.MsgspecError):
        raise NotProved from None
    if payload.application_id != application or str(payload.created_at) != timestamp:
        raise NotProved
    if at >= expires or not -_AHEAD <= at - created < FRESH:
        raise NotProved
    if not (payload.user_id.isascii() and payload.user_id.isdecimal()):
        raise NotProved
    player = Player(Account("discord", payload.user_id), payload.user_id)
    return Identity(player, "", "", f"discord:{sha256(said).hexdigest()}")


async def used_once(notes: NoteStore, identity: Identity) -> None:
    """Note that a proof is used; raises `NotProved`."""
    name = _SEEN + sha256(identity.proof.encode()).hexdigest()
    if not await notes.write_once(name, "", keep=FRESH + _AHEAD):
        raise NotProved


_WITHIN: Final = ClientTimeout(total=8.0)
_MOST: Final = 65_536  # bytes of an answer of Discord
_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII)


class CodeNeeded(NotProved):
    """A request that Discord's proxy has not signed: the page is to bring an authorization code."""


class _Token(msgspec.Struct):
    access_token: str


class _User(msgspec.Struct):
    id: str
    username: str
    global_name: str | None = None
    locale: str = ""


_read_token: Final = msgspec.json.Decoder(_Token).decode
_proving_read_user: Final = msgspec.json.Decoder(_User).decode


class Proving:
    """Checks proofs; each begins one session."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._config = services.config

    async def session(self, sessions: Sessions, asked: wire.Proof, headers: Mapping[str, str]) -> Session:
        """Return the session that a proof in a request with these headers begins; the proof is used up.

        Raises:
            NotASession, NotProved: it proves nothing.
            CodeNeeded: see there.
        """
        notes, now = self._services.store.notes, self._services.now()
        if asked.kind == "link":
            return await sessions.by_link(notes, asked.proof, now)
        in_telegram = asked.kind == "telegram"
        found = await (self._in_telegram(asked.proof) if in_telegram else self._in_discord(asked, headers))
        await used_once(notes, found)
        account = found.player.account
        code, _, key = found.start.partition("-")
        code = code if _CODE.match(code) and sessions.may_watch(code, key) else ""
        if asked.kind == "discord":
            code = await launched_for(notes, account)
            found = replace(found, player=await self._named(found.player))
        return Session(found.player, asked.kind, now + SESSION, code, found.locale)

    async def _in_telegram(self, data: str) -> Identity:
        token, now = self._config.telegram_token, self._services.now()
        if token is not None:
            return by_token(data, token.get_secret_value(), now)
        (bot,) = await self._services.store.notes.read(TELEGRAM)
        if bot is None:
            raise NotProved
        return by_public_key(data, int(bot), now)

    async def _in_discord(self, asked: wire.Proof, headers: Mapping[str, str]) -> Identity:
        (known,) = await self._services.store.notes.read(DISCORD)
        if known is None:
            raise NotProved
        application, key = known.split()
        secret = self._config.discord_client_secret
        if secret is None or any(name in headers for name in DISCORD_HEADERS):
            return by_proxy(headers, application, bytes.fromhex(key), self._services.now())
        if not asked.proof:
            raise CodeNeeded
        return await self._by_code(application, secret.get_secret_value(), asked.proof)

    async def _by_code(self, application: str, secret: str, code: str) -> Identity:
        """What the code allows besides is not kept."""
        api = self._config.discord_api
        form = {
            "client_id": application,
            "client_secret": secret,
            "grant_type": "authorization_code",
            "code": code,
        }
        try:
            async with ClientSession(timeout=_WITHIN) as client:
                async with client.post(f"{api}/oauth2/token", data=form) as answer:
                    if answer.status != 200:
                        raise NotProved
                    token = _read_token(await answer.content.read(_MOST)).access_token
                bearer = {"Authorization": f"Bearer {token}"}
                async with client.get(f"{api}/users/@me", headers=bearer) as answer:
                    user = _proving_read_user(await answer.content.read(_MOST))
        except (ClientError, TimeoutError, OSError):
            raise Unavailable from None
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise NotProved from None
        if not (user.id.isascii() and user.id.isdecimal()):
            raise NotProved
        player = Player(Account("discord", user.id), clean(user.global_name or user.username) or user.id)
        return Identity(player, user.locale[:20], "", f"discord:{code}")

    async def _named(self, player: Player) -> Player:
        """Return a person by the name under which they last sat down: Discord's proxy tells none."""
        for match in await self._services.store.matches.of(player.account):
            for seated in match.players():
                if seated.account == player.account:
                    return seated
        return player
