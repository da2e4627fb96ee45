"""The codes of a story's events: a request that could come twice has a code of its own on each platform."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.chat.callback_data import CallbackData, Verb
from play.events.events import EventStore
from tests.support.memory.events import MemoryEvents

_OF_EVENTS = (Verb.CUP, Verb.LADDER, Verb.LEAGUE)


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
