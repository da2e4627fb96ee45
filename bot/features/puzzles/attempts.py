"""Attempts at puzzles; at that of the day with three tries and a square for each turn; and what comes of them.

At a place: who has finished, and the points of the week. Streaks of days: a person may miss one day a week, a place none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Final

from bot.features.exercises import Verdict, number_of
from bot.features.puzzles.library import Posed, days_near
from play.people import Account, Address, Player, entering
from storage.ports import FullStore

TRIES: Final = 3  # wrong turns that end an attempt
_MOST_SQUARES: Final = 12  # turns of an attempt; the longest puzzle takes eight

KEPT: Final = timedelta(days=15)
"""How long a daily attempt is kept: as long as results of its week and of the week before are shown."""

_PRACTICE_KEPT: Final = timedelta(days=14)

_MOST_PLACES: Final = 20  # places at which one attempt is listed
_EPOCH: Final = date(2025, 12, 31)  # the day before number 1


class TurnSquare(StrEnum):
    """What became of a turn."""

    RIGHT = "g"
    HINTED = "y"  # right, after a hint
    WRONG = "r"


EMOJI: Final[Mapping[TurnSquare, str]] = {
    TurnSquare.RIGHT: "🟩",
    TurnSquare.HINTED: "🟨",
    TurnSquare.WRONG: "🟥",
}


def number_of_day(day: date) -> int:
    """Return the number of a day's puzzle."""
    return (day - _EPOCH).days


@dataclass(frozen=True, slots=True)
class Attempt:
    """A person's attempt at a puzzle, and the position reached; the one puzzle of practice that they are at is kept."""

    posed: Posed
    position: str

    @classmethod
    def of(cls, posed: Posed) -> Attempt:
        """Return an attempt at the beginning of a puzzle."""
        return cls(posed, posed.puzzle.position)

    @classmethod
    def unpack(cls, text: str | None) -> Attempt | None:
        """Return the attempt in a text of `pack`; None for any other."""
        try:
            posed, position, *_ = json.loads(text or "[]")  # older versions wrote more
            return cls(Posed.unpack(posed), str(position))
        except (TypeError, ValueError):
            return None

    def pack(self) -> str:
        """Return the attempt as text."""
        return json.dumps([self.posed.pack(), self.position])


@dataclass(frozen=True, slots=True)
class DailyAttempt(Attempt):
    """A person's attempt at the puzzle of a day."""

    day: date
    began: datetime
    until: datetime  # when the day ends where the person began
    anchor: str  # the position at the beginning of the present turn
    squares: tuple[TurnSquare, ...] = ()
    wrong: tuple[str, ...] = ()  # signs of the wrong turns of the present position, so that one counts once
    hinted: bool = False  # whether a hint was given for the present turn
    seconds: int | None = None  # from the first look to the end; None while it goes on
    solved: bool = False
    places: tuple[Address, ...] = ()  # where the person began or looked at it, among others

    @classmethod
    def start(cls, day: date, posed: Posed, began: datetime, until: datetime) -> DailyAttempt:
        """Return an attempt at its beginning."""
        return cls(posed, posed.puzzle.position, day, began, until, posed.puzzle.position)

    @property
    def over(self) -> bool:
        """Whether it is solved or failed."""
        return self.seconds is not None

    @property
    def end(self) -> datetime:
        """When it was finished."""
        return self.began + timedelta(seconds=self.seconds or 0)

    @property
    def left(self) -> int:
        """How many tries are left."""
        return TRIES - self.squares.count(TurnSquare.WRONG)

    @property
    def tries(self) -> int:
        """In which try it is, or was solved."""
        return min(TRIES, TRIES - self.left + 1)

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """The sort key among finished attempts: fewer wrong turns, then fewer hints, then less time."""
        hints = self.squares.count(TurnSquare.HINTED)
        return not self.solved, TRIES - self.left, hints, self.seconds or 0

    def at(self, place: Address) -> DailyAttempt:
        """Return the attempt with one more place at which it is listed."""
        if place in self.places or len(self.places) >= _MOST_PLACES:
            return self
        return replace(self, places=(*self.places, place))

    def after(self, verdict: Verdict, position: str, at: datetime) -> DailyAttempt:
        """Return the attempt after a turn that leads to a position, with the reply to it."""
        match verdict:
            case Verdict.PART:
                return replace(self, position=position)
            case Verdict.WRONG:
                return self.missed(position, at)
            case Verdict.RIGHT:
                return self.found(position, at)
            case Verdict.SOLVED:
                return self.found(None, at)

    def missed(self, after: str, at: datetime) -> DailyAttempt:
        """Return the attempt after a wrong turn that leads to a position: back at the turn's beginning, or over."""
        sign = f"{number_of(after):x}"
        back = replace(self, position=self.anchor)
        if sign in self.wrong:
            return back
        back = replace(back, wrong=(*self.wrong, sign), squares=(*self.squares, TurnSquare.WRONG))
        return back if back.left else back.ended(at)

    def found(self, position: str | None, at: datetime) -> DailyAttempt:
        """Return the attempt after a right turn, at the position after the reply; None: it is solved.

        Turns that keep a win and never come to it end the attempt, too.
        """
        square = TurnSquare.HINTED if self.hinted else TurnSquare.RIGHT
        after = replace(
            self, squares=(*self.squares, square), wrong=(), hinted=False, solved=position is None
        )
        if position is None or len(after.squares) >= _MOST_SQUARES:
            return after.ended(at)
        return replace(after, position=position, anchor=position)

    def ended(self, at: datetime) -> DailyAttempt:
        """Return the attempt when it is over."""
        return replace(self, seconds=max(0, round((at - self.began).total_seconds())), wrong=())

    def pack(self) -> str:
        """Return the attempt as text."""
        where = [[place.platform, place.place] for place in self.places]
        times = [self.began.timestamp(), self.until.timestamp()]
        squares, wrong = "".join(self.squares), self.wrong
        state = [self.position, self.anchor, squares, wrong, self.hinted, self.seconds, self.solved]
        return json.dumps([str(self.day), self.posed.pack(), times, state, where], ensure_ascii=False)

    @classmethod
    def unpack(cls, text: str | None) -> DailyAttempt | None:
        """Return the attempt in a text of `pack`; None for any other."""
        try:
            day, posed, (began, until), state, where = json.loads(text or "")
            position, anchor, squares, wrong, hinted, seconds, solved = state
            return cls(
                Posed.unpack(posed),
                str(position),
                date.fromisoformat(day),
                datetime.fromtimestamp(began, UTC),
                datetime.fromtimestamp(until, UTC),
                str(anchor),
                tuple(map(TurnSquare, squares)),
                tuple(map(str, wrong)),
                bool(hinted),
                seconds,
                bool(solved),
                tuple(Address(*each) for each in where),
            )
        except (TypeError, ValueError):
            return None


async def attempts(store: FullStore, day: date, *whose: Account) -> Sequence[DailyAttempt | None]:
    """Return the attempts of people at the puzzle of a day, in their order."""
    notes = await store.notes.read(*(_note(each, day) for each in whose)) if whose else ()
    return [DailyAttempt.unpack(text) for text in notes]


async def attempt_marks(store: FullStore, of: Sequence[tuple[Account, date]]) -> Sequence[object]:
    """Return for each person what changes with their attempt at the puzzle of their day."""
    return await store.notes.read(*(_note(each, day) for each, day in of))


async def attempts_near(store: FullStore, whose: Account, at: datetime) -> Sequence[DailyAttempt]:
    """Return a person's attempts at the puzzles of the days that some time zone has now."""
    notes = await store.notes.read(*(_note(whose, day) for day in days_near(at)))
    return [found for text in notes if (found := DailyAttempt.unpack(text)) is not None]


async def practice_of(store: FullStore, whose: Account) -> Attempt | None:
    """Return a person's attempt at a puzzle of practice, if any."""
    return Attempt.unpack((await store.notes.read(f"puzzle:{whose}"))[0])


async def store_attempt(store: FullStore, whose: Account, attempt: Attempt) -> None:
    """Store a person's attempt."""
    if isinstance(attempt, DailyAttempt):
        await store.notes.write(_note(whose, attempt.day), attempt.pack(), keep=KEPT)
    else:
        await store.notes.write(f"puzzle:{whose}", attempt.pack(), keep=_PRACTICE_KEPT)


def _note(whose: Account, day: date) -> str:
    return f"daily-attempt:{whose}:{day}"


@dataclass(frozen=True, slots=True)
class Streak:
    """Consecutive days on which a puzzle was solved: how many, the last one, the longest streak so far, the last day forgiven."""

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
        missed = (
            [self.last + timedelta(days=1 + each) for each in range((day - self.last).days - 1)]
            if self.last
            else []
        )
        forgiven = [each for each in (self.missed, *missed) if each is not None]
        weeks = {each.isocalendar()[:2] for each in forgiven}
        if self.last is None or (missed and not (forgiving and len(weeks) == len(forgiven))):
            return Streak(1, day, max(self.best, 1))
        days = self.days + 1
        return Streak(days, day, max(self.best, days), missed[-1] if missed else self.missed)

    def standing(self, today: date, *, forgiving: bool) -> int:
        """Return how many days it has today, when the day's puzzle may still be solved; 0 where it is over."""
        return self.days if self.counted(today, forgiving=forgiving).days != 1 or self.last == today else 0


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _streaks_note(whose: Account | Address) -> str:
    return f"daily-streak{'' if isinstance(whose, Account) else '-at'}:{whose}"


MOST: Final = 200  # people listed at one place on one day
_POINTS: Final = (3, 2, 1)  # points for the best three who solved a day's puzzle
_WEEK: Final = 7
_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class DailyResult:
    """A person who has finished a day's puzzle, and how."""

    player: Player
    attempt: DailyAttempt


@dataclass(frozen=True, slots=True)
class WeekLine:
    """A person's week: the points, and the result of each day from Monday on; None where there is none."""

    player: Player
    points: int
    days: tuple[DailyAttempt | None, ...]

    @property
    def solved(self) -> int:
        """On how many days they solved the puzzle."""
        return sum(each is not None and each.solved for each in self.days)


class DailyResults:
    """The results at places, and the streaks of people and places."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def finished(self, player: Player, attempt: DailyAttempt) -> None:
        """List a finished attempt at its places, once, and count it for the streaks."""
        for place in attempt.places:
            await self._list(place, attempt.day, entering(player))
            if attempt.solved:
                await self._count(place, attempt.day)
        if attempt.solved:
            await self._count(player.account, attempt.day)

    async def streak_of(self, whose: Account | Address) -> Streak:
        """Return the streak of a person or a place."""
        try:
            days, best, last, missed = json.loads(
                (await self._store.notes.read(_streaks_note(whose)))[0] or ""
            )
            return Streak(int(days), _day(last), int(best), _day(missed))
        except (TypeError, ValueError):
            return Streak()

    async def _count(self, whose: Account | Address, day: date) -> None:
        before = await self.streak_of(whose)
        after = before.counted(day, forgiving=isinstance(whose, Account))
        if after != before:
            days = [after.last and str(after.last), after.missed and str(after.missed)]
            await self._store.notes.write(_streaks_note(whose), json.dumps([after.days, after.best, *days]))

    async def _list(self, place: Address, day: date, player: Player) -> None:
        """Write a person into the first free note of a place and day, once, also if it is done twice at the same time."""
        text = json.dumps([player.account.platform, player.account.uid, player.name], ensure_ascii=False)
        while True:
            listed = await self._listed(place, day)
            if any(each and each.account == player.account for each in listed):
                return
            for number in (number for number, each in enumerate(listed) if each is None):
                name = _daily_results_note(place, day, number)
                if await self._store.notes.write_once(name, text, keep=KEPT):
                    return
                there = _player((await self._store.notes.read(name))[0])
                if there and there.account == player.account:
                    return
            if len(listed) == MOST:
                return

    async def _listed(self, place: Address, day: date) -> list[Player | None]:
        """Return who is in the notes of a place and day, with free ones after and, where a person was forgotten, between."""
        found: list[Player | None] = []
        while len(found) < MOST:
            numbers = range(len(found), len(found) + _AT_ONCE)
            notes = await self._store.notes.read(
                *(_daily_results_note(place, day, number) for number in numbers)
            )
            found += map(_player, notes)
            if not any(notes):
                break
        return found

    async def table(self, place: Address, day: date) -> Sequence[DailyResult]:
        """Return who has finished a day's puzzle at a place, the best first."""
        people = [each for each in await self._listed(place, day) if each is not None]
        made = await attempts(self._store, day, *(each.account for each in people))
        found = [
            DailyResult(player, attempt)
            for player, attempt in zip(people, made, strict=True)
            if attempt is not None and attempt.over
        ]
        return sorted(found, key=lambda each: (each.attempt.rank, each.player.name))

    async def week(self, place: Address, day: date) -> Sequence[WeekLine]:
        """Return the week of a day at a place: most points first, then most solved."""
        lines: dict[Account, WeekLine] = {}
        monday = day - timedelta(days=day.weekday())
        for number in range(day.weekday() + 1):
            table = await self.table(place, monday + timedelta(days=number))
            for result, gained in zip(table, points_of(table), strict=True):
                player, attempt = result.player, result.attempt
                line = lines.get(player.account, WeekLine(player, 0, (None,) * _WEEK))
                days = (*line.days[:number], attempt, *line.days[number + 1 :])
                lines[player.account] = WeekLine(player, line.points + gained, days)
        return sorted(lines.values(), key=lambda line: (-line.points, -line.solved, line.player.name))

    async def streak(self, whose: Account | Address, day: date) -> int:
        """Return how many days a person's or a place's streak has on a day."""
        return (await self.streak_of(whose)).standing(day, forgiving=isinstance(whose, Account))


def points_of(table: Sequence[DailyResult]) -> Sequence[int]:
    """Return the points of each result of a day: 3, 2 and 1 for the best who solved it; equal results get the same."""
    points: list[int] = []
    for rank, results in groupby(table, key=lambda each: each.attempt.rank):
        place, same = len(points), len(list(results))
        failed, *_ = rank
        points += [0 if failed or place >= len(_POINTS) else _POINTS[place]] * same
    return points


def _player(text: str | None) -> Player | None:
    try:
        platform, uid, name = json.loads(text or "")
        return Player(Account(platform, uid), name)
    except (TypeError, ValueError):
        return None


def _daily_results_note(place: Address, day: date, number: int) -> str:
    return f"daily-finished:{place}:{day}:{number}"
