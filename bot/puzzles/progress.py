"""Puzzle progress: which puzzle each person is solving, at which position, and in which chat. One note a person."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.desk.context import Context
from bot.puzzles.library import Posed
from play.people import Account, Address

KEPT: Final = timedelta(days=14)
"""How long the progress is kept."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A person's attempt at a puzzle.

    Attributes:
        posed: The puzzle.
        position: The position reached.
        place: The chat with others in which it was given; None in a conversation with the bot alone.
    """

    posed: Posed
    position: str
    place: Address | None = None

    @property
    def start(self) -> Attempt:
        """The attempt at the beginning of the puzzle."""
        return replace(self, position=self.posed.puzzle.position)

    @classmethod
    def read(cls, noted: str | None) -> Attempt | None:
        """Return the attempt in a note; None if there is none."""
        try:
            posed, position, *where = json.loads(noted or "[]")
            place = Address(*map(str, where)) if where else None
            return cls(Posed.unpack(posed), str(position), place)
        except (TypeError, ValueError):
            return None

    def write(self) -> str:
        """Return the attempt as a note."""
        where = [self.place.platform, self.place.place] if self.place else []
        return json.dumps([self.posed.pack(), self.position, *where])


async def current(context: Context) -> Attempt | None:
    """Return the visitor's attempt, if any; in a chat with others, its place is that chat."""
    attempt = Attempt.read((await context.store.notes.read(_note(context.visitor.account)))[0])
    if attempt is None or attempt.posed.game not in context.table.games:
        return None
    return attempt if context.visitor.alone else replace(attempt, place=context.visitor.place)


async def begun(context: Context, posed: Posed) -> Attempt:
    """Return an attempt at its beginning; one that was given in a chat stays that chat's."""
    mine = await current(context)
    if mine and mine.posed.id == posed.id:
        return mine.start
    return Attempt(posed, posed.puzzle.position, None if context.visitor.alone else context.visitor.place)


async def note(context: Context, attempt: Attempt) -> None:
    """Store the visitor's attempt."""
    await context.store.notes.write(_note(context.visitor.account), attempt.write(), keep=KEPT)


def _note(whose: Account) -> str:
    return f"puzzle:{whose}"
