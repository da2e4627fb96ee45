"""Deep links to the bot: `https://t.me/klop_bot?start=join-k7q2mz`."""

from __future__ import annotations

import re
from typing import Final

from bot.on_telegram.places import SUPERGROUP, ChatMessage

_JOIN: Final = "join"
_LOOK: Final = "board"
_PUZZLE: Final = "puzzle"
_CARRIED: Final = re.compile(rf"({_JOIN}|{_LOOK}|{_PUZZLE})[-_]([a-z0-9]{{6}})\Z", re.ASCII)
HELLO: Final = "hello"
"""The parameter of links that only open the private chat."""


def join_link(bot: str, code: str) -> str:
    """Return a link that joins a match."""
    return start_link(bot, f"{_JOIN}-{code}")


def look_link(bot: str, code: str | None) -> str:
    """Return a link that shows a match in the private chat."""
    return start_link(bot, f"{_LOOK}-{code}" if code else HELLO)


def puzzle_link(bot: str, puzzle_id: str) -> str:
    """Return a link that begins a puzzle in the private chat."""
    return start_link(bot, f"{_PUZZLE}-{puzzle_id}")


def start_link(bot: str, carried: str = HELLO) -> str:
    """Return a link that opens the private chat."""
    return f"https://t.me/{bot}?start={carried}"


def group_link(bot: str) -> str:
    """Return a link to add the bot to a group; the group gets the command /start with `HELLO`."""
    return f"https://t.me/{bot}?startgroup={HELLO}"


def message_link(message: ChatMessage, topic: int | None) -> str | None:
    """Return the URL of a message in a supergroup, for its members; None for any other chat."""
    if message.chat > SUPERGROUP:
        return None
    parts = [SUPERGROUP - message.chat, *([topic] if topic else []), message.message]
    return "https://t.me/c/" + "/".join(map(str, parts))


def command_of(carried: str) -> str | None:
    """Return the command that a link stands for; None if it only opens the private chat."""
    found = _CARRIED.match(carried)
    return f"/{found[1]} #{found[2]}" if found else None
