"""Identities that Telegram and Discord vouch for, checked before a session begins.

Telegram: "Validating data received via the Mini App" and "… for Third-Party Use",
https://core.telegram.org/bots/webapps. Discord: "Validating Proxy Request Headers",
https://docs.discord.com/developers/activities/development-guides/multiplayer-experience.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

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
    """Return who opened a Mini App, by its init data and the bot's token.

    Raises:
        NotProved: Telegram did not sign this for the bot within the last hour.
    """
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
    """Return whose request Discord's proxy passes on to an Activity; the name is not known from it.

    Raises:
        NotProved: Discord did not sign this for the application, or its time is over.
    """
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
    """Note that a proof is used.

    Raises:
        NotProved: it was used before.
        Unavailable: the store does not answer.
    """
    name = _SEEN + sha256(identity.proof.encode()).hexdigest()
    if not await notes.write_once(name, "", keep=FRESH + _AHEAD):
        raise NotProved
