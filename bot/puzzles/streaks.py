"""Streaks of days with a solved puzzle: a person may miss one day a week, a place none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta

from bot.puzzles.ports import PuzzleStore
from play.people import Account, Address

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Streak:
    """Consecutive days.

    Attributes:
        days: How many of them were solved.
        last: The latest of them.
        best: The longest streak so far.
        missed: The last day that was forgiven.
    """

    days: int = 0
    last: date | None = None
    best: int = 0
    missed: date | None = None

    def counted(self, day: date, *, forgiving: bool) -> Streak:
        """Return the streak with a solved day; a day that is not later than the last one changes nothing.

        Where it is `forgiving`, one missed day in each week from Monday to Sunday does not end it.
        """
        if self.last is not None and day <= self.last:
            return self
        missed = self._missed(day)
        goes_on = missed is not None and (not missed or (forgiving and self._forgiven(missed)))
        days = self.days + 1 if goes_on else 1
        forgiven = missed[-1] if goes_on and missed else self.missed if goes_on else None
        return Streak(days, day, max(self.best, days), forgiven)

    def standing(self, today: date, *, forgiving: bool) -> int:
        """Return how many days it has today, when the day's puzzle may still be solved; 0 where it is over."""
        return self.days if self.counted(today, forgiving=forgiving).days != 1 or self.last == today else 0

    def _missed(self, day: date) -> list[date] | None:
        """Return the days between the last one and a day; None for too many, or where there was none."""
        if self.last is None or (between := (day - self.last).days - 1) > 2:
            return None
        return [self.last + _DAY * (number + 1) for number in range(between)]

    def _forgiven(self, missed: list[date]) -> bool:
        weeks = [each.isocalendar()[:2] for each in missed]
        used = self.missed.isocalendar()[:2] if self.missed else None
        return len(set(weeks)) == len(weeks) and used not in weeks


class Streaks:
    """The streaks of people and places, a note each."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def read(self, whose: Account | Address) -> Streak:
        """Return a streak."""
        return _unpacked((await self._store.notes.read(_note(whose)))[0])

    async def count(self, whose: Account | Address, day: date) -> Streak:
        """Count a solved day, once; return the streak then."""
        before = await self.read(whose)
        after = before.counted(day, forgiving=isinstance(whose, Account))
        if after != before:
            days = [after.last and str(after.last), after.missed and str(after.missed)]
            await self._store.notes.write(_note(whose), json.dumps([after.days, after.best, *days]))
        return after


def _unpacked(text: str | None) -> Streak:
    try:
        days, best, last, missed = json.loads(text or "")
        return Streak(int(days), _day(last), int(best), _day(missed))
    except (TypeError, ValueError):
        return Streak()


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _note(whose: Account | Address) -> str:
    return f"daily-streak{'' if isinstance(whose, Account) else '-at'}:{whose}"
