"""A line of the room: who says what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from play.people import Account, Address, Player

PLATFORM: Final = "console"
MAX_LINE: Final = 65536
"""Bytes of one line that are looked at: a match file pasted as one line fits."""

_NAME: Final = r"[^\W_](?:[\w.'’-]{0,30}[\w.-])?"
_SAID: Final = re.compile(rf"\s*({_NAME})[ \t]*:\s*(.*)", re.DOTALL)
_NAMED: Final = re.compile(rf"{_NAME}\Z")
_NUMBER: Final = re.compile(r"-?[0-9]{1,2}\Z", re.ASCII)
_APOSTROPHES: Final = str.maketrans("’ʼ", "''")


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """Somebody says something."""

    player: Player
    text: str

    @property
    def number(self) -> int | None:
        """The button that the text is the number of, whether or not there can be such a button."""
        return int(self.text) if _NUMBER.match(self.text) else None


def somebody(name: str) -> Player | None:
    """The person of that name in the room; case and kinds of apostrophes do not tell people apart."""
    if not _NAMED.match(name):
        return None
    return Player(Account(PLATFORM, name.casefold().translate(_APOSTROPHES)), name)


def place(room: str) -> Address:
    """A room as a place."""
    return Address(PLATFORM, room)


def read(line: str, speaker: Player) -> SpokenLine | None:
    """Who says what in a line: `name: text`, or plain text from the current speaker; None for an empty line."""
    text = line.strip("\r\n\t ")
    if not text or text.startswith("# "):
        return None
    found = None if text.startswith("/") else _SAID.match(text)
    if found and (player := somebody(found[1])):
        return SpokenLine(player, found[2].strip())
    return SpokenLine(speaker, text)


def misnamed(line: str) -> str | None:
    """What stands before the colon in a line like `x: /games`, where that is nobody's name; None for any other line."""
    name, _, text = line.partition(":")
    name, text = name.strip(), text.lstrip()
    ordered = text.startswith("/") and text[1:2].isalpha()
    return name if ordered and "/" not in name and somebody(name) is None else None
