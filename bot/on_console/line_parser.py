"""Parse a line of the local room into its speaker and its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from play.people import Account, Address, Player

PLATFORM: Final = "console"
MAX_LINE: Final = 65536
"""Most bytes of a line that are read: a match file pasted as one line fits."""

_NAME: Final = r"[^\W_](?:[\w.'’-]{0,30}[\w.-])?"
_SAID: Final = re.compile(rf"\s*({_NAME})[ \t]*:\s*(.*)", re.DOTALL)
_OPTION: Final = re.compile(r"([^\W\d_]{1,20}):\S")
_OPTIONS: Final = frozenset(
    {
        "level", "clock", "engine", "engines", "players", "board", "variant", "side", "rated", "team", "theme",
        "рівень", "годинник", "гравців", "дошка", "варіант", "уровень", "часы", "игроков", "доска", "вариант",
    }
)  # fmt: skip
"""Words of which `level:3` is an option that was typed without its command, not a person's speech."""
_NAMED: Final = re.compile(rf"{_NAME}\Z")
_NUMBER: Final = re.compile(r"-?[0-9]{1,2}\Z", re.ASCII)
_APOSTROPHES: Final = str.maketrans("’ʼ", "''")


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A text and its speaker."""

    player: Player
    text: str

    @property
    def number(self) -> int | None:
        """The number of a button, if the text is one; such a button need not exist."""
        return int(self.text) if _NUMBER.match(self.text) else None


def player_named(name: str) -> Player | None:
    """Return the player of that name, ignoring case and kinds of apostrophes; None if it is no name."""
    if not _NAMED.match(name):
        return None
    return Player(Account(PLATFORM, name.casefold().translate(_APOSTROPHES)), name)


def place(room: str) -> Address:
    """Return the address of a room."""
    return Address(PLATFORM, room)


def parse(line: str, speaker: Player) -> SpokenLine | None:
    """Return the speaker and text of `name: text`, or of plain text by the current speaker; None for an empty line."""
    text = line.strip("\r\n\t ")
    if not text or text.startswith("# "):
        return None
    option = _OPTION.match(text)
    plain = text.startswith("/") or (option is not None and option[1].casefold() in _OPTIONS)
    found = None if plain else _SAID.match(text)
    if found and (player := player_named(found[1])):
        return SpokenLine(player, found[2].strip())
    return SpokenLine(speaker, text)


def misnamed(line: str) -> str | None:
    """Return the text before the colon of a line like `x: /games` if it is no name; None for any other line."""
    name, _, text = line.partition(":")
    name, text = name.strip(), text.lstrip()
    ordered = text.startswith("/") and text[1:2].isalpha()
    return name if ordered and "/" not in name and player_named(name) is None else None
