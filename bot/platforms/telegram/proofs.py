"""Who opens a Mini App: "Validating data received via the Mini App" and "… for Third-Party Use".

https://core.telegram.org/bots/webapps
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode
from binascii import Error
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bot.chat.services import Services
from bot.platforms.integration import AHEAD, FRESH, LONGEST, Identity, NotProved, used_once
from bot.platforms.telegram.integration import TelegramSettings
from bot.platforms.telegram.places import PLATFORM, start_link
from play.people import Account, Player, clean
from play.ports import NoteStore

BOT: Final = "page:telegram"  # the note of the bot's id, for a page that has no token of it
NAME: Final = "page:telegram:name"  # and of its name

PUBLIC_KEY: Final = bytes.fromhex("e7bf03a2fa4602af4580703d88dda5bb59f32ed8b02a56c187fe7d34caed242d")
"""Telegram's public key for init data, production environment."""


class _TelegramUser(msgspec.Struct):
    id: int
    first_name: str = ""
    last_name: str = ""
    language_code: str = ""
    is_bot: bool = False


_read_user: Final = msgspec.json.Decoder(_TelegramUser).decode


async def identity(services: Services, proof: str, _headers: Mapping[str, str]) -> Identity:
    """See `ChatIntegration.identity`."""
    notes, token = services.store.notes, services.config.of(TelegramSettings).telegram_token
    if token is not None:
        found = by_token(proof, token.get_secret_value(), services.now())
    else:
        (bot,) = await notes.read(BOT)
        if bot is None:
            raise NotProved
        found = by_public_key(proof, int(bot), services.now())
    await used_once(notes, found)
    return found


async def invitation(notes: NoteStore, code: str, _key: str) -> str | None:
    """See `ChatIntegration.invitation`: the person takes the seat in the private chat, and so the bot can write to them."""
    (name,) = await notes.read(NAME)
    return start_link(name, "join", code) if name else None


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
    return _identity(fields, given, at)


def by_public_key(data: str, bot: int, at: datetime, key: bytes = PUBLIC_KEY) -> Identity:
    """Likewise by Telegram's public key: for a process without the bot's token."""
    fields = _fields(data)
    fields.pop("hash", None)
    try:
        signature = fields.pop("signature")
        signed = urlsafe_b64decode(signature.encode("ascii") + b"=" * (-len(signature) % 4))
        VerifyKey(key).verify(f"{bot}:WebAppData\n".encode() + _lines(fields), signed)
    except (KeyError, ValueError, Error, BadSignatureError):
        raise NotProved from None
    return _identity(fields, signed.hex(), at)


def _fields(data: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(data, keep_blank_values=True, strict_parsing=True, max_num_fields=32)
    except ValueError:
        raise NotProved from None
    fields = dict(pairs)
    if len(data) > LONGEST or len(fields) < len(pairs):
        raise NotProved
    return fields


def _lines(fields: Mapping[str, str]) -> bytes:
    return "\n".join(f"{name}={fields[name]}" for name in sorted(fields)).encode(errors="replace")


def _identity(fields: Mapping[str, str], proof: str, at: datetime) -> Identity:
    try:
        when = datetime.fromtimestamp(int(fields["auth_date"]), UTC)
        user = _read_user(fields["user"])
    except (KeyError, ValueError, OverflowError, OSError, msgspec.MsgspecError):
        raise NotProved from None
    if user.is_bot or not -AHEAD <= at - when < FRESH:
        raise NotProved
    name = clean(f"{user.first_name} {user.last_name}") or str(user.id)
    player = Player(Account(PLATFORM, str(user.id)), name)
    start = fields.get("start_param", "")[:64]
    return Identity(player, f"{PLATFORM}:{proof}", user.language_code[:20], start)
