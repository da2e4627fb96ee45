"""Sessions that begin by a proof of who reads: a one-time link, Telegram's init data, or what Discord says.

In an Activity Discord's proxy can sign each request. Where it signs none, the page asks the person's client for an authorization
code, and Discord tells for it who they are: https://docs.discord.com/developers/activities/building-an-activity, "Authorizing &
authenticating users".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.desk.page_links import DISCORD, TELEGRAM, launched_for
from bot.page import wire
from bot.page.identity import (
    DISCORD_HEADERS,
    Identity,
    NotProved,
    by_proxy,
    by_public_key,
    by_token,
    used_once,
)
from bot.page.sessions import SESSION, Session, Sessions
from bot.platform import Services
from play.errors import Unavailable
from play.people import Account, Player, clean

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
_read_user: Final = msgspec.json.Decoder(_User).decode


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
            Unavailable: the store, or Discord, does not answer.
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
        """Return whom Discord names for an authorization code; what it allows besides is not kept."""
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
                    user = _read_user(await answer.content.read(_MOST))
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
