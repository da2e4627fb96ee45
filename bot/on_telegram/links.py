"""Links that lead to the bot, and what they carry: `https://t.me/klop_bot?start=join-k7q2mz`."""

from __future__ import annotations

import re
from typing import Final

from bot.on_telegram.places import SUPERGROUP, ChatMessage

_JOIN: Final = "join"
_LOOK: Final = "board"
_PUZZLE: Final = "puzzle"
_CARRIED: Final = re.compile(rf"({_JOIN}|{_LOOK}|{_PUZZLE})[-_]([a-z0-9]{{6}})\Z", re.ASCII)
HELLO: Final = "hello"
"""Carried by links that only open the conversation."""


def join_link(bot: str, code: str) -> str:
    """Joins a match, from anywhere."""
    return start_link(bot, f"{_JOIN}-{code}")


def look_link(bot: str, code: str | None) -> str:
    """Shows a match in private."""
    return start_link(bot, f"{_LOOK}-{code}" if code else HELLO)


def puzzle_link(bot: str, puzzle_id: str) -> str:
    """Begins a puzzle in private."""
    return start_link(bot, f"{_PUZZLE}-{puzzle_id}")


def start_link(bot: str, carried: str = HELLO) -> str:
    """Opens the conversation with the bot."""
    return f"https://t.me/{bot}?start={carried}"


def message_link(message: ChatMessage, topic: int | None) -> str | None:
    """A message in a supergroup, for those who are in it; messages anywhere else have no links."""
    if message.chat > SUPERGROUP:
        return None
    parts = [SUPERGROUP - message.chat, *([topic] if topic else []), message.message]
    return "https://t.me/c/" + "/".join(map(str, parts))


def meant(carried: str) -> str | None:
    """The command that a link stands for; None where it only opens the conversation."""
    found = _CARRIED.match(carried)
    return f"/{found[1]} #{found[2]}" if found else None
