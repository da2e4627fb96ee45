"""`klop setup`: asks for the tokens of the platforms, tries them, prints where to invite the bot, and writes `.env`."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from getpass import getpass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeAlias

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from dotenv import set_key

from bot.config import Config
from bot.i18n import Words

PERMISSIONS: Final = 309237697536
"""Of the invitation to a server of Discord: the six in docs/discord.md."""

FILE: Final = Path(".env")

_PATIENCE: Final = ClientTimeout(total=20.0)
_TOKEN: Final = re.compile(r"[\w.:-]{20,256}", re.ASCII)  # what may stand in a header and in a path

Ask: TypeAlias = Callable[[str], Awaitable[str]]
"""Shows a question and returns the answer, which is not to be seen."""


class _Rejected(Exception):
    """The platform does not take the token."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a platform says of a bot: its name, where to invite it, and the key that the platform signs with, if it does."""

    name: str
    invitation: str
    public_key: str | None = None


async def discord(session: ClientSession, api: str, token: str) -> Known:
    """Return the application of a token; raises `_Rejected`, or what aiohttp raises."""
    asking = session.get(f"{api}/oauth2/applications/@me", headers={"Authorization": f"Bot {token}"})
    said = await _said(asking)
    scopes = "bot%20applications.commands"
    link = f"https://discord.com/oauth2/authorize?client_id={said['id']}&scope={scopes}&permissions={PERMISSIONS}"
    return Known(str(said["name"]), link, str(said["verify_key"]))


async def telegram(session: ClientSession, api: str, token: str) -> Known:
    """Return the bot of a token; raises `_Rejected`, or what aiohttp raises."""
    said = (await _said(session.post(f"{api}/bot{token}/getMe")))["result"]
    return Known(f"@{said['username']}", f"https://t.me/{said['username']}?startgroup=klop")


async def _said(asking: AbstractAsyncContextManager[ClientResponse]) -> Any:
    async with asking as answer:
        if answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            raise _Rejected
        answer.raise_for_status()
        return await answer.json()


async def asked(question: str) -> str:
    """Ask in the terminal, or read a line from a pipe."""
    if sys.stdin.isatty():
        return await asyncio.to_thread(getpass, f"{question} ")
    return await asyncio.to_thread(sys.stdin.readline)


class Failure(StrEnum):
    """Why a token is not taken: the key of its words."""

    REJECTED = "bot.setup.rejected"
    UNREACHABLE = "bot.setup.unreachable"


@dataclass(frozen=True, slots=True)
class TokenPlatform:
    """A platform: the setting of its token, where tokens come from, and who the bot of one is."""

    name: str
    setting: str
    how: str
    known_by: Callable[[ClientSession, str, str], Awaitable[Known]]


PLATFORMS: Final = (
    TokenPlatform("Discord", "DISCORD_TOKEN", "bot.setup.how-discord", discord),
    TokenPlatform("Telegram", "TELEGRAM_TOKEN", "bot.setup.how-telegram", telegram),
)


async def set_up(
    settings: Config, words: Words, write: Callable[[str], None], ask: Ask = asked, file: Path = FILE
) -> int:
    """Ask for the tokens, and write those that are taken into `.env`; return 0 if the bot has one, else 2."""
    given = {"DISCORD_TOKEN": settings.discord_token, "TELEGRAM_TOKEN": settings.telegram_token}
    apis = {"DISCORD_TOKEN": settings.discord_api, "TELEGRAM_TOKEN": settings.telegram_api}
    write(words("bot.setup.hello"))
    taken: dict[str, str] = {}
    async with ClientSession(timeout=_PATIENCE) as session:
        for platform in PLATFORMS:
            key = "bot.setup.token-or-keep" if given[platform.setting] else "bot.setup.token"
            write("")
            write(words(platform.how))
            while token := (await ask(words(key, platform=platform.name))).strip():
                known = await tried(session, platform, apis[platform.setting], token)
                if isinstance(known, Known):
                    write(words("bot.setup.known", platform=platform.name, name=known.name))
                    write(words("bot.setup.invite", url=known.invitation))
                    taken[platform.setting] = token
                    if known.public_key is not None:
                        taken["KLOP_DISCORD_PUBLIC_KEY"] = known.public_key
                    break
                write(words(known, platform=platform.name))
    write("")
    if taken:
        _write(file, taken)
        write(words("bot.setup.written", file=str(file)))
    if not taken and not any(given.values()):
        write(words("bot.setup.nothing"))
        return 2
    write(words("bot.setup.start"))
    return 0


async def tried(session: ClientSession, platform: TokenPlatform, api: str, token: str) -> Known | Failure:
    """Return what a platform says of a token; else why it does not take it."""
    try:
        known = await platform.known_by(session, api.rstrip("/"), token) if _TOKEN.fullmatch(token) else None
    except _Rejected:
        known = None
    except (ClientError, TimeoutError, OSError, LookupError, ValueError):  # their words may quote the token
        return Failure.UNREACHABLE
    return known or Failure.REJECTED


def _write(file: Path, tokens: dict[str, str]) -> None:
    """Write tokens into a file that only its owner may read; its other lines stay."""
    file.touch(mode=0o600)
    file.chmod(0o600)
    for setting, token in tokens.items():
        set_key(file, setting, token, quote_mode="never")
