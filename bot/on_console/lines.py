"""A line of the room: who says what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from play.people import Account, Address, Player

PLATFORM: Final = "console"
MAX_LINE: Final = 65536
"""Bytes of one line that are looked at: a match file pasted as one line fits."""

_NAME: Final = r"[^\W_][\w.-]{0,31}"
_SAID: Final = re.compile(rf"\s*({_NAME}):\s*(.*)", re.DOTALL)
_NAMED: Final = re.compile(rf"{_NAME}\Z")
_NUMBER: Final = re.compile(r"[1-9][0-9]?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody says something."""

    player: Player
    text: str

    @property
    def number(self) -> int | None:
        """The button that the text is the number of."""
        return int(self.text) if _NUMBER.match(self.text) else None


def somebody(name: str) -> Player | None:
    """The person of that name in the room; case does not tell people apart."""
    return Player(Account(PLATFORM, name.casefold()), name) if _NAMED.match(name) else None


def place(room: str) -> Address:
    """A room as a place."""
    return Address(PLATFORM, room)


def read(line: str, speaker: Player) -> Said | None:
    """Who says what in a line: `name: text`, or plain text from the current speaker; None for an empty line."""
    text = line.strip("\r\n\t ")
    if not text or text.startswith("# "):
        return None
    found = None if text.startswith("/") else _SAID.match(text)
    if found and (player := somebody(found[1])):
        return Said(player, found[2].strip())
    return Said(speaker, text)
