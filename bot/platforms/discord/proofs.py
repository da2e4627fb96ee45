"""Who opens an Activity: "Validating Proxy Request Headers", "Authorizing & authenticating users".

https://docs.discord.com/developers/activities/development-guides/multiplayer-experience,
https://docs.discord.com/developers/activities/building-an-activity

Discord's proxy can sign each request. Where it signs none, the page asks the person's client for an authorization code, and
Discord tells for it who they are.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bot.chat.page_links import launched_for
from bot.chat.services import Services
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.integration import AHEAD, FRESH, LONGEST, CodeNeeded, Identity, NotProved, used_once
from play.errors import Unavailable
from play.people import Account, Player, clean
from play.ports import NoteStore

APPLICATION: Final = "page:discord"
"""The note of the application whose Activities are enabled: its id, a blank, and its public key in hexadecimal."""

HEADERS: Final = ("X-Signature-Ed25519", "X-Signature-Timestamp", "X-Discord-Proxy-Payload")

_WITHIN: Final = ClientTimeout(total=8.0)
_MOST: Final = 65_536  # bytes of an answer of Discord


class _Payload(msgspec.Struct):
    application_id: str
    user_id: str
    created_at: int
    expires_at: int


class _AccessToken(msgspec.Struct):
    access_token: str


class _DiscordUser(msgspec.Struct):
    id: str
    username: str
    global_name: str | None = None
    locale: str = ""


_read_payload: Final = msgspec.json.Decoder(_Payload).decode
_read_token: Final = msgspec.json.Decoder(_AccessToken).decode
_read_user: Final = msgspec.json.Decoder(_DiscordUser).decode


async def identity(services: Services, proof: str, headers: Mapping[str, str]) -> Identity:
    """See `ChatIntegration.identity`."""
    store, config = services.store, services.config.of(DiscordSettings)
    (known,) = await store.notes.read(APPLICATION)
    if known is None:
        raise NotProved
    application, key = known.split()
    secret = config.discord_client_secret
    if secret is None or any(name in headers for name in HEADERS):
        found = by_proxy(headers, application, bytes.fromhex(key), services.now())
    elif not proof:
        raise CodeNeeded
    else:
        form = {"client_id": application, "client_secret": secret.get_secret_value()}
        found = await _by_code(config.discord_api, form, proof)
    await used_once(store.notes, found)
    account = found.player.account
    code = await launched_for(store.notes, account)
    # Discord's proxy tells no name, so it is the one under which the person last sat down.
    seated = (each for match in await store.matches.of(account) for each in match.players())
    player = next((each for each in seated if each.account == account), found.player)
    return replace(found, player=player, code=code)


def activity_link(application: int | str, carried: str) -> str:
    """Return the address that opens the board page as an Activity; what it carries comes to the page as `custom_id`."""
    return f"https://discord.com/activities/{application}?custom_id={carried}"


async def invitation(notes: NoteStore, code: str, key: str) -> str | None:
    """See `ChatIntegration.invitation`: an Activity, where the seat is taken."""
    (known,) = await notes.read(APPLICATION)
    return activity_link(known.split()[0], f"{code}-{key}") if known else None


def by_proxy(headers: Mapping[str, str], application: str, key: bytes, at: datetime) -> Identity:
    """Return whose request Discord's proxy passes on to an Activity; the name is not known from it.

    Raises:
        NotProved: Discord did not sign this for the application, or its time is over.
    """
    signature, timestamp, packed = (headers.get(name, "") for name in HEADERS)
    try:
        said = b64decode(packed[:LONGEST], validate=True)
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
    if at >= expires or not -AHEAD <= at - created < FRESH:
        raise NotProved
    player = Player(_account(payload.user_id), payload.user_id)
    return Identity(player, f"discord:{sha256(said).hexdigest()}")


async def _by_code(api: str, form: Mapping[str, str], code: str) -> Identity:
    """What the code allows besides is not kept."""
    form = {**form, "grant_type": "authorization_code", "code": code}
    try:
        async with ClientSession(timeout=_WITHIN) as client:
            async with client.post(f"{api}/oauth2/token", data=form) as answer:
                if answer.status != 200:
                    raise NotProved
                token = _read_token(await answer.content.read(_MOST)).access_token
            bearer = {"Authorization": f"Bearer {token}"}
            async with client.get(f"{api}/users/@me", headers=bearer) as answer:
                user = _read_user(await answer.content.read(_MOST))
    except (ClientError, TimeoutError, OSError):
        raise Unavailable from None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise NotProved from None
    player = Player(_account(user.id), clean(user.global_name or user.username) or user.id)
    return Identity(player, f"discord:{code}", user.locale[:20])


def _account(uid: str) -> Account:
    if not (uid.isascii() and uid.isdecimal()):
        raise NotProved
    return Account("discord", uid)
