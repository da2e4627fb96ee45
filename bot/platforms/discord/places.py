"""Discord's users and channels as accounts and addresses, and its markup: typed text shows as typed, and mentions no one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

import discord

from bot.chat.i18n.catalogue import Dated
from play.people import Account, Address, Player, visible

PLATFORM: Final = "discord"
"""`platform` of Discord's addresses and accounts. A place is the id of a channel, an account that of a user."""


def player(user: discord.abc.User) -> Player:
    """Return a user as a player, under the name that is shown in the channel."""
    return Player(Account(PLATFORM, str(user.id)), user.display_name)


def place(channel_id: int) -> Address:
    """Return the address of a channel, a thread or a conversation."""
    return Address(PLATFORM, str(channel_id))


_ANYWHERE: Final = re.compile(r"([\\*_~`|<@\[\]])")
_AT_START: Final = re.compile(r"^(\s*)(#{1,3}(?=\s)|[-+>](?=\s|>)|-#(?=\s)|>>>)", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^(\s*[0-9]+)([.)])(?=\s)", re.MULTILINE)
_LINK: Final = re.compile(r"(https?|steam|discord)(:)(?=//)", re.IGNORECASE)


def plain(text: str) -> str:
    """Return text without direction marks, control characters and odd line ends."""
    return visible(text, "\n")


def escaped(text: str) -> str:
    """Return text with all markup escaped: emphasis, mentions, links, headings, lists, quotations."""
    text = _ANYWHERE.sub(r"\\\1", plain(text))
    text = _AT_START.sub(lambda found: f"{found[1]}\\{found[2]}", text)
    text = _NUMBERED.sub(r"\1\\\2", text)
    return _LINK.sub(r"\1\\\2", text)


def paragraphs(lines: Iterable[str]) -> str:
    """Return lines as escaped paragraphs, whose moments Discord writes in the reader's language and time zone."""
    return "\n".join(map(_line, lines))


def _line(text: str) -> str:
    line = escaped(text)
    for written, when in text.moments if isinstance(text, Dated) else ():
        line = line.replace(escaped(written), f"<t:{int(when.timestamp())}:f>", 1)
    return line


def fenced(text: str) -> str:
    """Return text as a code block."""
    return f"```\n{plain(text).replace('`', 'ˋ')}\n```"


def linked(text: str, links: Iterable[tuple[str, str]], urls: Iterable[str] = ()) -> str:
    """Return escaped text in which the codes of matches link to their messages, and some URLs, without a preview, to themselves."""
    for code, url in links:
        text = text.replace(f"#{code}", f"[#{code}](<{url}>)", 1)
    for url in urls:
        text = text.replace(escaped(url), f"<{url}>", 1)
    return text


def mention(user_id: str) -> str:
    """Return the mention of a user, whose id is a number."""
    return f"<@{int(user_id)}>"


def remaining(moment: datetime) -> str:
    """Return a moment as the time until it, which Discord counts in the reader's language."""
    return f"<t:{int(moment.timestamp())}:R>"


def cut(text: str, most: int) -> str:
    """Return text of at most so many characters, with a sign at the end if it was longer."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
