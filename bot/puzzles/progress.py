"""Puzzle progress: which puzzle each person is solving, and at which position. One note a person."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.desk.context import Context
from bot.puzzles.library import Posed
from play.people import Account

KEPT: Final = timedelta(days=14)
"""How long the progress is kept."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A person's attempt at a puzzle.

    Attributes:
        posed: The puzzle.
        position: The position reached.
    """

    posed: Posed
    position: str

    @classmethod
    def of(cls, posed: Posed) -> Attempt:
        """Return an attempt at the beginning of a puzzle."""
        return cls(posed, posed.puzzle.position)

    @property
    def start(self) -> Attempt:
        """The attempt at the beginning of the puzzle."""
        return replace(self, position=self.posed.puzzle.position)

    @classmethod
    def read(cls, noted: str | None) -> Attempt | None:
        """Return the attempt in a note; None if there is none."""
        try:
            posed, position, *_ = json.loads(noted or "[]")  # older versions wrote more
            return cls(Posed.unpack(posed), str(position))
        except (TypeError, ValueError):
            return None

    def write(self) -> str:
        """Return the attempt as a note."""
        return json.dumps([self.posed.pack(), self.position])


async def current(context: Context) -> Attempt | None:
    """Return the visitor's attempt, if any."""
    attempt = Attempt.read((await context.store.notes.read(_note(context.visitor.account)))[0])
    return attempt if attempt is not None and attempt.posed.game in context.table.games else None


async def note(context: Context, attempt: Attempt) -> None:
    """Store the visitor's attempt."""
    await context.store.notes.write(_note(context.visitor.account), attempt.write(), keep=KEPT)


def _note(whose: Account) -> str:
    return f"puzzle:{whose}"
