"""`klop setup`, which writes tokens into `.env`; `klop systemd`, the units of this installation; and `klop publish`."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from getpass import getpass
from pathlib import Path
from typing import Final, TypeAlias

from aiohttp import ClientError, ClientSession, ClientTimeout
from dotenv import set_key

from bot.chat.i18n import Words
from bot.chat.i18n import words as words_for
from bot.config import Config
from bot.platforms import CHATS
from bot.platforms.integration import BotProfile, Operations, RejectedToken
from bot.platforms.platform import CannotPublish
from bot.version import ROOT

FILE: Final = Path(".env")

_PATIENCE: Final = ClientTimeout(total=20.0)
_TOKEN: Final = re.compile(r"[\w.:-]{20,256}", re.ASCII)  # what may stand in a header and in a path

Ask: TypeAlias = Callable[[str], Awaitable[str]]
"""Shows a question and returns the answer, which is not to be seen."""


async def asked(question: str) -> str:
    """Ask in the terminal, or read a line from a pipe."""
    if sys.stdin.isatty():
        return await asyncio.to_thread(getpass, f"{question} ")
    return await asyncio.to_thread(sys.stdin.readline)


class Failure(StrEnum):
    """Why a token is not taken: the key of its words."""

    REJECTED = "bot.setup.rejected"
    UNREACHABLE = "bot.setup.unreachable"


async def set_up(
    settings: Config, words: Words, write: Callable[[str], None], ask: Ask = asked, file: Path = FILE
) -> int:
    """Ask for the tokens, and write those that are taken into `.env`; return 0 if the bot has one, else 2."""
    write(words("bot.setup.hello"))
    taken: dict[str, str] = {}
    async with ClientSession(timeout=_PATIENCE) as session:
        for chat in CHATS:
            operations = chat.operations()
            key = "bot.setup.token-or-keep" if chat.token(settings) else "bot.setup.token"
            write("")
            write(words(operations.how))
            while token := (await ask(words(key, platform=chat.name))).strip():
                said = await tried(session, operations, settings, token)
                if isinstance(said, BotProfile):
                    write(words("bot.setup.known", platform=chat.name, name=said.name))
                    write(words("bot.setup.invite", url=said.invitation))
                    taken[chat.source(settings).token_setting] = token
                    break
                write(words(said, platform=chat.name))
    write("")
    if taken:
        _write(file, taken)
        write(words("bot.setup.written", file=str(file)))
    if not taken and not any(chat.token(settings) for chat in CHATS):
        write(words("bot.setup.nothing"))
        return 2
    write(words("bot.setup.start"))
    return 0


async def tried(
    session: ClientSession, operations: Operations, settings: Config, token: str
) -> BotProfile | Failure:
    """Return what a platform says of a token; else why it does not take it."""
    try:
        return (
            await operations.profile(session, settings, token)
            if _TOKEN.fullmatch(token)
            else Failure.REJECTED
        )
    except RejectedToken:
        return Failure.REJECTED
    except (ClientError, TimeoutError, OSError, LookupError, ValueError):  # their words may quote the token
        return Failure.UNREACHABLE


def _write(file: Path, tokens: dict[str, str]) -> None:
    file.touch(mode=0o600)
    file.chmod(0o600)
    for setting, token in tokens.items():
        set_key(file, setting, token, quote_mode="never")


UNITS: Final = ("klop.service", "klop-backup.service", "klop-backup.timer")  # the bot, and its nightly backup

_PLACES: Final = (ROOT / "deploy", ROOT / "bot", ROOT)  # where the files are: in a checkout, and in a wheel

_PROGRAM: Final = "/usr/bin/klop"
_DATA: Final = "Environment=KLOP_DATA=%S/klop"
_HIDDEN: Final = tuple(map(Path, ("/home", "/root", "/run/user")))  # what `ProtectHome` hides from a unit


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
    chats = [chat for chat in CHATS if chat.token(config)]
    status = 0 if chats else 1
    if status:
        write(words("bot.publish.no-token"))
    for chat in chats:
        operations = chat.operations()
        try:
            changed = await operations.publish(config)
        except CannotPublish as refused:
            write(words(refused.reason, **refused.fields))
            status = 1
            continue
        if changed:
            write(words("bot.publish.set", platform=chat.name, parts=words.list(list(changed))))
        else:
            write(words("bot.publish.same", platform=chat.name))
        write(words(operations.by_hand))
    return status
