"""Who is at which puzzle, where in it they are, and in which chat they were given it: a note of each person's own."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.desk.context import Context
from bot.puzzles.library import Posed
from play.people import Account, Address
from storage.ports import FullStore

KEPT: Final = timedelta(days=14)
"""How long it is remembered which puzzle somebody is at."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Somebody at a puzzle.

    Attributes:
        posed: The puzzle.
        position: Where they are now.
        place: Where others are, too, and they were given it; None where they are alone with the bot.
    """

    posed: Posed
    position: str
    place: Address | None = None

    @property
    def start(self) -> Trial:
        """The same at its beginning."""
        return replace(self, position=self.posed.puzzle.position)

    @classmethod
    def read(cls, noted: str | None) -> Trial | None:
        """What a note says; None where that is nothing."""
        try:
            posed, position, *where = json.loads(noted or "[]")
            place = Address(*map(str, where)) if where else None
            return cls(Posed.unpack(posed), str(position), place)
        except (TypeError, ValueError):
            return None

    def write(self) -> str:
        """As a note."""
        where = [self.place.platform, self.place.place] if self.place else []
        return json.dumps([self.posed.pack(), self.position, *where])


async def current(context: Context) -> Trial | None:
    """What the visitor is at, if anything; where they are not alone, that is where they solve it."""
    trial = Trial.read((await context.store.notes.read(_note(context.visitor.account)))[0])
    if trial is None or trial.posed.game not in context.table.games:
        return None
    return trial if context.visitor.home else replace(trial, place=context.visitor.place)


async def begun(context: Context, posed: Posed) -> Trial:
    """A puzzle at its beginning. Where the visitor is alone, it may be that of a chat in which they pressed for it."""
    mine = await current(context)
    if mine and mine.posed.id == posed.id:
        return mine.start
    return Trial(posed, posed.puzzle.position, None if context.visitor.home else context.visitor.place)


async def note(context: Context, trial: Trial) -> None:
    """Remember where the visitor is."""
    await context.store.notes.write(_note(context.visitor.account), trial.write(), keep=KEPT)


async def forget(store: FullStore, account: Account) -> None:
    """Throw away which puzzle somebody is at."""
    await store.notes.write(_note(account), None)


def _note(whose: Account) -> str:
    return f"puzzle:{whose}"
