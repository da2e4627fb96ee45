"""Stories as they are written: who says or presses what, and where. Nothing here knows a platform."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeAlias

from bot.chat.callback_data import CallbackData, Verb
from play.events.events import EventStore
from tests.support.memory.store import MemoryEvents

EVENINGS: Final = Path(__file__).parent / "evenings"
"""The stories; see the README beside it for how they are written."""

PARLOUR: Final = "parlour"
"""The room where a story begins."""

_HEADER: Final = re.compile(r"languages: ([a-z ]+)\Z")
_SAID: Final = re.compile(r"(\w+): (.*)\Z")
_PRESSED: Final = re.compile(r"\[([1-9][0-9]?)(?:<([1-9])|(\?))?\]\Z")
_MORE: Final = "| "
_LATER: Final = re.compile(r"-- ([0-9]+) hours?\Z")
ENGINES_ANSWER: Final = "-- the computer answers"
_ROOM: Final = re.compile(r"@(\w+)\Z")


@dataclass(frozen=True, slots=True)
class Says:
    """A typed line; `{file}` in it stands for the last file that the bot sent."""

    who: str
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Presses:
    """A press on a button of a message that the person can see.

    Attributes:
        who: By name.
        where: In which room.
        number: Which button, from 1.
        back: How many messages with buttons came after that message; its buttons may be out of date.
        missing: Whether there is no such button: its number can be typed in the room, and nothing pressed elsewhere.
    """

    who: str
    where: str
    number: int
    back: int = 0
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Waits:
    """Time goes by; where it is none, engines play and agree."""

    time: timedelta


Step: TypeAlias = Says | Presses | Waits


@dataclass(frozen=True, slots=True)
class Story:
    """An evening: its name, the languages of its transcripts, and each step with the lines that it was written in."""

    name: str
    languages: tuple[str, ...]
    steps: tuple[tuple[Step, str], ...]


def stories() -> Iterator[Story]:
    """Every story there is."""
    for path in sorted(EVENINGS.glob("*.story")):
        yield read(path.stem, path.read_text("utf-8"))


def read(name: str, text: str) -> Story:
    """A story from its text.

    Raises:
        ValueError: a line that says nothing.
    """
    languages: tuple[str, ...] = ("en",)
    steps: list[tuple[Step, str]] = []
    room = PARLOUR
    for line in text.splitlines():
        if line.startswith(_MORE) and steps:
            last, written = steps[-1]
            assert isinstance(last, Says), line
            steps[-1] = replace(last, text=f"{last.text}\n{line[len(_MORE) :]}"), f"{written}\n{line}"
        elif found := _HEADER.match(line):
            languages = tuple(found[1].split())
        elif found := _ROOM.match(line):
            room = found[1]
        elif found := _LATER.match(line):
            steps.append((Waits(timedelta(hours=int(found[1]))), line))
        elif line == ENGINES_ANSWER:
            steps.append((Waits(timedelta()), line))
        elif found := _SAID.match(line):
            steps.append((_done(found[1], room, found[2]), line))
        elif line and not line.startswith("#"):
            raise ValueError(f"{name}: {line!r}")
    return Story(name, languages, tuple(steps))


def _done(who: str, room: str, text: str) -> Step:
    if found := _PRESSED.match(text):
        return Presses(who, room, int(found[1]), int(found[2] or 0), missing=bool(found[3]))
    return Says(who, room, text)


# The codes of a story's events: a request that could come twice has a code of its own on each platform.


_OF_EVENTS = (Verb.EVENT, Verb.CUP, Verb.LADDER, Verb.LEAGUE)


class EventCodes:
    """Knows the events of the room by their order elsewhere.

    Attributes:
        known: By the code in the room: that of the same event here.
    """

    def __init__(self, store: EventStore) -> None:
        assert isinstance(store, MemoryEvents)
        self._events = store.stored
        self.known: dict[str, str] = {}

    def renamed(self, data: CallbackData) -> CallbackData:
        """Return what a button holds here."""
        if data.verb not in _OF_EVENTS:
            return data
        return replace(data, argument=re.sub(r"\be[a-z0-9]{6}\b", self._code, data.argument))

    def here(self, text: str) -> str:
        """Return a text of the room with the codes as they are here."""
        return re.sub(r"#(e[a-z0-9]{6})\b", lambda found: f"#{self._named(found[1])}", text)

    def _code(self, found: re.Match[str]) -> str:
        return self._named(found[0])

    def _named(self, code: str) -> str:
        if code not in self.known:
            by_age = sorted(self._events.values(), key=lambda event: event.opened)
            fresh = [event.id for event in by_age if event.id not in self.known.values()]
            self.known |= {code: fresh[0]} if fresh else {}
        return self.known.get(code, code)
