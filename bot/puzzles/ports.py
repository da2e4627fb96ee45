"""What puzzles need of the store."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from play.ports import NoteStore, SettingsStore
from storage.ports import TimelineStore


class PuzzleStore(Protocol):
    """The parts of the store that puzzles use."""

    @property
    def notes(self) -> NoteStore:
        """Progress, daily puzzles and their solvers."""
        ...

    @property
    def timelines(self) -> TimelineStore:
        """Puzzles from played matches, and when places get their next one."""
        ...

    @property
    def settings(self) -> SettingsStore:
        """What places have chosen."""
        ...

    async def now(self) -> datetime:
        """Return the time that deadlines are measured by: the server's, in UTC."""
        ...
