"""Library of puzzles: those that come with the games, and the newest from played matches.

Of an analysed match puzzles are made from positions in which one turn alone is proved to win, or to save the game.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import Any, Final

from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import EVERY, JobClass, job_for
from bot.features.analysis.judging import ANALYSED, Judged, Search, proof_of
from bot.features.exercises import code_of, number_of
from engine import puzzles_of, solved_puzzles_of
from engine.core import LONGEST, SHORTEST, GameValue, Puzzle, read_puzzles, task_of, write_puzzles
from play.errors import Unavailable
from play.match import Match, Phase
from play.people import is_forgotten
from play.replay import Course
from rules.core import AnyGame, Position
from storage.ports import FullStore

MOST: Final = 500  # puzzles from played matches stored for one game
_OF_DAY_KEPT: Final = timedelta(days=3)  # how long it is known which puzzle was that of a day

DAYS: Final = range(7)  # days of the week, from Monday on
_LOOKED_AT: Final = timedelta(days=90)
_READ: Final = 8192  # puzzles whose names are known without a look, at less than a kilobyte each


@dataclass(frozen=True, slots=True)
class Posed:
    """A puzzle of a game; `played` where it is from a match."""

    game: str
    puzzle: Puzzle
    played: bool = False

    @property
    def id(self) -> str:
        """The id in buttons: six characters derived from the puzzle, which are no match's code."""
        return _id(self.game, self.puzzle)

    @property
    def text(self) -> str:
        """The puzzle as a line."""
        return write_puzzles([self.puzzle]).rstrip("\n")

    def options(self, game: AnyGame) -> Any:
        """Return the options that its game is played with."""
        return game.choose(dict(self.puzzle.options))

    def start(self, game: AnyGame) -> Position[Any]:
        """Return the position of the puzzle."""
        start: Position[Any] = game.notation.parse_position(self.puzzle.position, self.options(game))
        return start

    def pack(self) -> str:
        """Return the puzzle as text."""
        return json.dumps([self.game, self.played, self.text])

    @classmethod
    def unpack(cls, text: str) -> Posed:
        """Return the puzzle that a text packs.

        Raises:
            ValueError: `pack` does not produce this text.
        """
        try:
            game, played, line = json.loads(text)
            (puzzle,) = read_puzzles(line)
        except TypeError as wrong:
            raise ValueError(text[:80]) from wrong
        return cls(str(game), puzzle, bool(played))


@lru_cache(maxsize=_READ)
def _id(game: str, puzzle: Puzzle) -> str:
    return code_of(game, Posed(game, puzzle).text)


@cache
def shipped(game: str) -> Mapping[str, Posed]:
    """Return the puzzles that come with a game, by id."""
    every = (*solved_puzzles_of(game), *puzzles_of(game))
    return {posed.id: posed for posed in (Posed(game, puzzle) for puzzle in every)}


@cache
def complete(game: str) -> frozenset[str]:
    """Return the ids of the puzzles that are all of a solved game; none where it is not solved."""
    return frozenset(Posed(game, puzzle).id for puzzle in solved_puzzles_of(game))


def days_near(at: datetime) -> Sequence[date]:
    """Return the dates that some time zone has at a moment, with one to spare."""
    return [at.date() + timedelta(days=days) for days in (0, -1, 1)]


class Library:
    """All puzzles: those that come with the games, and those from played matches in the store."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def of(self, game: str) -> Sequence[Posed]:
        """Return the puzzles of a game, the easiest first."""
        found = dict(shipped(game))
        for posed in await self._played(game):
            found.setdefault(posed.id, posed)
        return sorted(found.values(), key=_grade)

    async def find(self, puzzle_id: str, games: Sequence[str]) -> Posed | None:
        """Return the puzzle of an id among these games, if it still exists."""
        for game in games:
            if posed := shipped(game).get(puzzle_id):
                return posed
        for game in games:
            for posed in await self._played(game):
                if posed.id == puzzle_id:
                    return posed
        return None

    async def takes(self, match_id: str) -> bool:
        """Claim a match to make puzzles of; return whether no bot has claimed it before."""
        return await self._store.notes.write_once(f"harvested:{match_id}", "", keep=_LOOKED_AT)

    async def add(self, posed: Posed, at: datetime) -> None:
        """Store one more puzzle from a match; the oldest makes room for it."""
        if posed.id not in shipped(posed.game):
            await self._store.timelines.add(_timeline(posed.game), posed.text, at, most=MOST)

    async def of_day(self, day: date, games: Sequence[str]) -> Posed | None:
        """Return the puzzle of a day, the same at all places and all day, also if puzzles are added; None if it is of no such game."""
        posed = await self.known_of_day(day)
        if posed is None and (pool := _pool(day.weekday(), tuple(games))):
            posed = pool[(day.toordinal() - 1) // len(DAYS) % len(pool)]
            if not await self._store.notes.write_once(_of_day(day), posed.pack(), keep=_OF_DAY_KEPT):
                posed = await self.known_of_day(day) or posed
        return posed if posed is not None and posed.game in games else None

    async def known_of_day(self, day: date) -> Posed | None:
        """Return the puzzle of a day if it has been asked for already."""
        return _read((await self._store.notes.read(_of_day(day)))[0])

    async def of_these_days(self, at: datetime) -> AbstractSet[str]:
        """Return the ids of the puzzles of the days that some time zone has at a moment, as far as they are known."""
        known = map(_read, await self._store.notes.read(*map(_of_day, days_near(at))))
        return {posed.id for posed in known if posed is not None}

    async def _played(self, game: str) -> Sequence[Posed]:
        lines = await self._store.timelines.read(_timeline(game))
        return [posed for line in lines for posed in _posed(game, line)]


def _timeline(game: str) -> str:
    return f"proved-puzzles:{game}"  # earlier versions have stored puzzles of which not every turn was proved


def _of_day(day: date) -> str:
    return f"puzzle-of-day:{day}"


@cache
def _pool(weekday: int, games: tuple[str, ...]) -> Sequence[Posed]:
    """Return the puzzles for a weekday, in the order in which they come: of each game the easiest on Mondays, the hardest on Sundays.

    They come with the games, so all bots of a version have the same ones. Those of a solution are left out: they are many and
    alike, and a person may be working through them.
    """
    pool: list[Posed] = []
    for game in games:
        graded = sorted((Posed(game, puzzle) for puzzle in puzzles_of(game)), key=_grade)
        first, end = (len(graded) * number // len(DAYS) for number in (weekday, weekday + 1))
        pool += graded[first:end]
    return sorted(pool, key=lambda posed: number_of("daily", posed.id))


def _grade(posed: Posed) -> tuple[int, str, str]:
    """Return the sort key: shorter puzzles are easier; of one length, the order is arbitrary."""
    return posed.puzzle.plies, posed.puzzle.task, posed.id


@lru_cache(maxsize=_READ)
def _posed(game: str, line: str) -> Sequence[Posed]:
    try:
        return tuple(Posed(game, puzzle, played=True) for puzzle in read_puzzles(line))
    except ValueError:  # of another version
        return ()


def _read(noted: str | None) -> Posed | None:
    try:
        return Posed.unpack(noted) if noted else None
    except ValueError:
        return None


SECONDS: Final = 1.0  # seconds of search for all turns of one position
MOST_MADE: Final = 6  # positions searched of one match
_OWNER: Final = "puzzles"  # of the searches, so that no person's searches wait behind them
_log: Final = logging.getLogger(__name__)


@ANALYSED
async def make_puzzles(
    thinker: Thinker, store: FullStore, match: Match, course: Course, turns: Sequence[Judged]
) -> None:
    """Make puzzles of an analysed match in the background."""
    library = Library(store)

    async def make() -> None:
        try:
            if await library.takes(match.id):
                for posed in await puzzles_in(
                    course, turns, lambda job: thinker.search(job, _OWNER, JobClass.SYSTEM)
                ):
                    await library.add(posed, await store.now())
        except (Busy, NoAnswer, Unavailable) as error:
            _log.info("no puzzles of the match %s: %r", match.id, error)

    if fair(match):
        thinker.in_background(make(), name=f"harvest {match.id}")


def fair(match: Match) -> bool:
    """Whether puzzles may be made of a match: two played it here to its end, and neither wants to be forgotten."""
    people = [chair.player for chair in match.chairs]
    return (
        match.phase is Phase.OVER
        and match.result is not None
        and not match.imported
        and len(people) == 2
        and not any(player is None or is_forgotten(player.account) for player in people)
    )


async def puzzles_in(course: Course, turns: Sequence[Judged], ask: Search) -> list[Posed]:
    """Return the puzzles in the judged turns of a fair match."""
    found = []
    for position in _promising(course, turns):
        job = job_for(course.game, course.options, position, seconds=SECONDS, most=EVERY)
        lines = (await ask(job)).lines
        whole = len(lines) == len(position.legal_moves())
        task = task_of([proof_of(line) for line in lines]) if whole else None
        if task is not None:
            found.append(Posed(course.game.key, Puzzle(*task, job.options, job.position), played=True))
    return found


def _promising(course: Course, turns: Sequence[Judged]) -> Iterator[Position[Any]]:
    """None where a turn has several plies: the engines do not prove all of its turns."""
    taken = 0
    for turn in sorted(turns, key=lambda turn: (-turn.lost, turn.played.number)):
        position = course.positions[turn.played.first]
        if taken < MOST_MADE and _may_be(turn) and position.turn_length == 1:
            taken += 1
            yield position


def _may_be(turn: Judged) -> bool:
    best = proof_of(turn.best)
    if best is None or (turn.keep is not None and turn.keep > 1):
        return False
    if best.result is GameValue.WIN:
        return SHORTEST <= best.plies <= LONGEST
    return best.result is GameValue.DRAW and (turn.keep == 1 or turn.sure)
