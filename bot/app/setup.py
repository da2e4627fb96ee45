"""`klop setup`: asks for the tokens of the platforms, tries them, prints where to invite the bot, and writes `.env`.

The units of this installation for systemd: those in `deploy/` with the path of its own program.

`klop publish`: sets what the platforms show of the bot, where it differs.
"""

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
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from dotenv import set_key

from bot.chat.i18n import Words
from bot.chat.i18n import words as words_for
from bot.config import Config
from bot.platforms.discord.registration import PERMISSIONS
from bot.platforms.platform import CannotPublish
from bot.version import ROOT

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
    file.touch(mode=0o600)
    file.chmod(0o600)
    for setting, token in tokens.items():
        set_key(file, setting, token, quote_mode="never")


UNITS: Final = ("klop.service", "klop-backup.service", "klop-backup.timer")
"""The bot, and its nightly backup."""

_PLACES: Final = (ROOT / "deploy", ROOT / "bot", ROOT)
"""Where the files are: in a checkout, and in a wheel."""

_PROGRAM: Final = "/usr/bin/klop"
_DATA: Final = "Environment=KLOP_DATA=%S/klop"
_HIDDEN: Final = tuple(map(Path, ("/home", "/root", "/run/user")))
"""What `ProtectHome` hides from a unit."""


def packaged(name: str) -> str:
    """Return the text of a file that comes with the program."""
    return next(path for folder in _PLACES if (path := folder / name).exists()).read_text("utf-8").rstrip()


def unit(name: str = UNITS[0]) -> str:
    """Return the text of a unit."""
    text = packaged(name)
    script = Path(sys.argv[0]).absolute()
    if script.name == "klop":
        return text.replace(_PROGRAM, _quoted(script))
    # The modules of a checkout are found where it is, not in the unit's working directory.
    modules = _quoted(f"PYTHONPATH={ROOT}")
    return text.replace(_PROGRAM, f"{_quoted(sys.executable)} -m bot").replace(_DATA, f"{_DATA} {modules}")


def _quoted(word: object) -> str:
    """Return one word of a unit's line: `%` is a specifier there, and a space ends a word (systemd.syntax(7))."""
    escaped = str(word).replace("%", "%%")
    return f'"{escaped}"' if " " in escaped else escaped


def hidden() -> Path | None:
    """Return what a unit cannot see of this installation, for it is in a home directory; None if it sees all."""
    parts = (Path(sys.argv[0]).absolute(), ROOT, Path(sys.executable), Path(sys.executable).resolve())
    return next((part for part in parts if any(map(part.is_relative_to, _HIDDEN))), None)


async def publish(config: Config, write: Callable[[str], None]) -> int:
    """Write what was set on each platform that has a token; return 0, or 1 if one refused, or there is none.

    Raises:
        CannotConnect: a platform rejects its token.
    """
    words = words_for(config.language)
    tokens = {"discord": config.discord_token, "telegram": config.telegram_token}
    status = 0 if any(tokens.values()) else 1
    if status:
        write(words("bot.publish.no-token"))
    for name in (name for name, token in tokens.items() if token is not None):
        module, platform = import_module(f".{name}.publishing", "bot.platforms"), name.capitalize()
        try:
            changed = await module.publish(config)
        except CannotPublish as refused:
            write(words(refused.reason, **refused.fields))
            status = 1
            continue
        if changed:
            write(words("bot.publish.set", platform=platform, parts=words.list(list(changed))))
        else:
            write(words("bot.publish.same", platform=platform))
        write(words(module.BY_HAND))
    return status
