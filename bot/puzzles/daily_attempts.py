"""Attempts at the puzzle of the day: three tries, a square for each turn, and one note a person and day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from bot.puzzles.library import Posed, number_of
from bot.puzzles.ports import PuzzleStore
from play.people import Account, Address

TRIES: Final = 3
"""Wrong turns that end an attempt."""

MOST_SQUARES: Final = 12
"""Turns of an attempt; the longest puzzle takes eight."""

KEPT: Final = timedelta(days=15)
"""How long an attempt is kept: as long as results of its week and of the week before are shown."""

MOST_PLACES: Final = 20
"""Places at which one attempt is listed."""

_EPOCH: Final = date(2025, 12, 31)  # the day before number 1


class Square(StrEnum):
    """What became of a turn."""

    RIGHT = "g"
    HINTED = "y"  # right, after a hint
    WRONG = "r"


EMOJI: Final[Mapping[Square, str]] = {Square.RIGHT: "🟩", Square.HINTED: "🟨", Square.WRONG: "🟥"}


def number_of_day(day: date) -> int:
    """Return the number of a day's puzzle."""
    return (day - _EPOCH).days


@dataclass(frozen=True, slots=True)
class DailyAttempt:
    """A person's attempt at the puzzle of a day.

    Attributes:
        day: Whose puzzle.
        posed: The puzzle.
        began: When the person first saw the board.
        until: When the day ends where the person began.
        position: The position reached.
        anchor: The position at the beginning of the present turn.
        squares: What became of each turn so far.
        wrong: Signs of the wrong turns of the present position, so that one counts once.
        hinted: Whether a hint was given for the present turn.
        seconds: From the first look to the end; None while it goes on.
        solved: Whether it is solved.
        places: Where the person began or looked at it, among others.
    """

    day: date
    posed: Posed
    began: datetime
    until: datetime
    position: str
    anchor: str
    squares: tuple[Square, ...] = ()
    wrong: tuple[str, ...] = ()
    hinted: bool = False
    seconds: int | None = None
    solved: bool = False
    places: tuple[Address, ...] = ()

    @classmethod
    def start(cls, day: date, posed: Posed, began: datetime, until: datetime) -> DailyAttempt:
        """Return an attempt at its beginning."""
        return cls(day, posed, began, until, posed.puzzle.position, posed.puzzle.position)

    @property
    def over(self) -> bool:
        """Whether it is solved or failed."""
        return self.seconds is not None

    @property
    def left(self) -> int:
        """How many tries are left."""
        return TRIES - self.squares.count(Square.WRONG)

    @property
    def tries(self) -> int:
        """In which try it is, or was solved."""
        return min(TRIES, TRIES - self.left + 1)

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """The sort key among finished attempts: fewer wrong turns, then fewer hints, then less time."""
        hints = self.squares.count(Square.HINTED)
        return not self.solved, TRIES - self.left, hints, self.seconds or 0

    def at(self, place: Address) -> DailyAttempt:
        """Return the attempt with one more place at which it is listed."""
        if place in self.places or len(self.places) >= MOST_PLACES:
            return self
        return replace(self, places=(*self.places, place))

    def moved(self, position: str) -> DailyAttempt:
        """Return the attempt in the middle of a turn."""
        return replace(self, position=position)

    def missed(self, after: str, at: datetime) -> DailyAttempt:
        """Return the attempt after a wrong turn that leads to a position: back at the turn's beginning, or over."""
        sign = f"{number_of(after):x}"
        back = replace(self, position=self.anchor)
        if sign in self.wrong:
            return back
        back = replace(back, wrong=(*self.wrong, sign), squares=(*self.squares, Square.WRONG))
        return back if back.left else _ended(back, at)

    def found(self, position: str | None, at: datetime) -> DailyAttempt:
        """Return the attempt after a right turn, at the position after the reply; None: it is solved.

        Turns that keep a win and never come to it end the attempt, too.
        """
        square = Square.HINTED if self.hinted else Square.RIGHT
        after = replace(self, squares=(*self.squares, square), wrong=(), hinted=False)
        if position is None:
            return _ended(replace(after, solved=True), at)
        if len(after.squares) >= MOST_SQUARES:
            return _ended(after, at)
        return replace(after, position=position, anchor=position)

    def pack(self) -> str:
        """Return the attempt as text."""
        where = [[place.platform, place.place] for place in self.places]
        times = [self.began.timestamp(), self.until.timestamp()]
        state = [
            self.position,
            self.anchor,
            "".join(self.squares),
            list(self.wrong),
            self.hinted,
            self.seconds,
            self.solved,
        ]
        return json.dumps([str(self.day), self.posed.pack(), times, state, where], ensure_ascii=False)

    @classmethod
    def unpack(cls, text: str | None) -> DailyAttempt | None:
        """Return the attempt in a text of `pack`; None for any other."""
        try:
            day, posed, (began, until), state, where = json.loads(text or "")
            position, anchor, squares, wrong, hinted, seconds, solved = state
            return cls(
                date.fromisoformat(day),
                Posed.unpack(posed),
                datetime.fromtimestamp(began, UTC),
                datetime.fromtimestamp(until, UTC),
                str(position),
                str(anchor),
                tuple(map(Square, squares)),
                tuple(map(str, wrong)),
                bool(hinted),
                seconds,
                bool(solved),
                tuple(Address(*each) for each in where),
            )
        except (TypeError, ValueError):
            return None


def _ended(attempt: DailyAttempt, at: datetime) -> DailyAttempt:
    return replace(attempt, seconds=max(0, round((at - attempt.began).total_seconds())), wrong=())


class DailyAttempts:
    """The attempts of people, by day."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def read(self, day: date, *whose: Account) -> Sequence[DailyAttempt | None]:
        """Return the attempts of people at the puzzle of a day, in their order."""
        if not whose:
            return []
        notes = await self._store.notes.read(*(_note(each, day) for each in whose))
        return [DailyAttempt.unpack(text) for text in notes]

    async def near(self, whose: Account, at: datetime) -> Sequence[DailyAttempt]:
        """Return a person's attempts at the puzzles of the days that some time zone has now."""
        notes = await self._store.notes.read(*(_note(whose, day) for day in days_near(at)))
        return [found for text in notes if (found := DailyAttempt.unpack(text)) is not None]

    async def write(self, whose: Account, attempt: DailyAttempt) -> None:
        """Store a person's attempt."""
        await self._store.notes.write(_note(whose, attempt.day), attempt.pack(), keep=KEPT)


def days_near(at: datetime) -> Sequence[date]:
    """Return the dates that some time zone has at a moment, with one to spare."""
    return [at.date() + timedelta(days=days) for days in (0, -1, 1)]


def _note(whose: Account, day: date) -> str:
    return f"daily-attempt:{whose}:{day}"
