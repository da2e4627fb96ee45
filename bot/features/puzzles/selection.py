"""Puzzle selection: easier ones first, harder ones as a person solves them, none twice while there are others.

One note a person says which puzzle they are solving, and at which position.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.presenting.naming import line_played, variation_text
from bot.chat.thinking import Busy, NoAnswer
from bot.chat.thinking.jobs import Job, Reply, Variation, job_for
from bot.features.puzzles.library import Library, Posed, complete, number_of
from play.people import Account
from rules.core import AnyGame, Position
from storage.ports import FullStore

STEP: Final = 2
"""Puzzles of a game to be solved before the next ones are longer."""

_REMEMBERED: Final = 900  # puzzles remembered for a person, more than one game has
_PART: Final = 3  # the easy third, the hard third


class Wish(StrEnum):
    """The wished difficulty."""

    EASY = "easy"
    HARD = "hard"


_WISHES: Final = {
    **dict.fromkeys(("easy", "легка", "легкий", "легко", "лёгкая", "легкая", "лёгкий"), Wish.EASY),
    **dict.fromkeys(
        ("hard", "важка", "важкий", "важко", "складна", "трудная", "сложная", "сложно"), Wish.HARD
    ),
}


@dataclass(frozen=True, slots=True)
class PuzzleProgress:
    """How many puzzles a person was given, with their ids, the latest last; and how many they solved alone, by game.

    `told` are those whose solution they know, found or shown; `done` those solved of games that are solved: there all can be done.
    """

    asked: int = 0
    seen: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    solved: dict[str, int] = field(default_factory=dict)
    done: tuple[str, ...] = ()


def wish_in(text: str) -> tuple[Wish | None, str]:
    """Return the wished difficulty, and the other words."""
    wish, others = None, []
    for word in text.split():
        meant = _WISHES.get(word.casefold())
        wish = meant or wish
        if meant is None:
            others.append(word)
    return wish, " ".join(others)


async def chosen(
    store: FullStore, account: Account, games: Sequence[str], wish: Wish | None, at: datetime
) -> Posed | None:
    """Return the next puzzle for a person, of the games by turns; None if they have none.

    Without a wish it is as hard as what the person has solved. It is never the puzzle of the day.
    """
    progress = await _progress(store, account)
    turn = progress.asked % len(games)
    library = Library(store)
    daily = await library.of_these_days(at)
    for game in (*games[turn:], *games[:turn]):
        if every := [posed for posed in await library.of(game) if posed.id not in daily]:
            break
    else:
        return None
    seen = set(progress.seen)
    fresh = [posed for posed in every if posed.id not in seen]
    if not fresh:  # all are known: once more from the beginning
        own = {posed.id for posed in every}
        progress = replace(progress, seen=tuple(each for each in progress.seen if each not in own))
        fresh = [posed for posed in every if posed.id not in progress.done] or list(every)
    fitting = _fitting(every, fresh, progress, wish)
    posed = min(fitting, key=lambda each: number_of(str(account), each.id))  # each person has another order
    seen_now = (*progress.seen, posed.id)[-_REMEMBERED:]
    await _remember(store, account, replace(progress, asked=progress.asked + 1, seen=seen_now))
    return posed


def _fitting(
    every: Sequence[Posed], fresh: Sequence[Posed], progress: PuzzleProgress, wish: Wish | None
) -> Sequence[Posed]:
    part = -(-len(every) // _PART)
    if wish is not None:
        wanted = every[:part] if wish is Wish.EASY else every[-part:]
        nearest = fresh[:1] if wish is Wish.EASY else fresh[-1:]
        new = {posed.id for posed in fresh}
        return [posed for posed in wanted if posed.id in new] or nearest
    lengths = sorted({posed.puzzle.plies for posed in every})
    level = progress.solved.get(every[0].game, 0) // STEP
    least = lengths[min(level, len(lengths) - 1)]
    hard = [posed for posed in fresh if posed.puzzle.plies >= least] or fresh[-1:]
    return [posed for posed in hard if posed.puzzle.plies == hard[0].puzzle.plies]


async def solved(store: FullStore, account: Account, posed: Posed) -> None:
    """Count a solved puzzle: for the difficulty of the next ones, unless the person knew the solution already."""
    before = progress = await _progress(store, account)
    if posed.id in complete(posed.game) and posed.id not in progress.done:
        progress = replace(progress, done=(*progress.done, posed.id))
    if posed.id not in progress.told:
        count = progress.solved.get(posed.game, 0) + 1
        progress = _knowing(replace(progress, solved={**progress.solved, posed.game: count}), posed)
    if progress != before:
        await _remember(store, account, progress)


async def done(store: FullStore, account: Account, posed: Posed) -> tuple[int, int] | None:
    """Return how many puzzles of a solved game a person has solved, of how many; None for a puzzle that is not one of these."""
    every = complete(posed.game)
    if posed.id not in every:
        return None
    return len(every & set((await _progress(store, account)).done)), len(every)


async def solution_shown(store: FullStore, account: Account, posed: Posed) -> None:
    """Remember that a person was shown the solution."""
    progress = await _progress(store, account)
    await _remember(store, account, _knowing(progress, posed))


def _knowing(progress: PuzzleProgress, posed: Posed) -> PuzzleProgress:
    known = [each for each in progress.told if each != posed.id]
    return replace(progress, told=(*known, posed.id)[-_REMEMBERED:])


async def _progress(store: FullStore, account: Account) -> PuzzleProgress:
    (noted,) = await store.notes.read(_note(account))
    try:
        held = json.loads(noted) if noted else {}
        solved_of = {str(game): int(count) for game, count in held.get("solved", {}).items()}
        return PuzzleProgress(
            int(held.get("asked", 0)),
            tuple(held.get("seen", ())),
            tuple(held.get("told", ())),
            solved_of,
            tuple(held.get("done", ())),
        )
    except (AttributeError, TypeError, ValueError):
        return PuzzleProgress()


async def _remember(store: FullStore, account: Account, progress: PuzzleProgress) -> None:
    await store.notes.write(_note(account), json.dumps(asdict(progress)))


def _note(account: Account) -> str:
    return f"puzzles:{account}"


KEPT: Final = timedelta(days=14)
"""How long the progress is kept."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A person's attempt at a puzzle, and the position reached."""

    posed: Posed
    position: str

    @classmethod
    def of(cls, posed: Posed) -> Attempt:
        """Return an attempt at the beginning of a puzzle."""
        return cls(posed, posed.puzzle.position)

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
    attempt = Attempt.read((await context.store.notes.read(_progress_note(context.visitor.account)))[0])
    return attempt if attempt is not None and attempt.posed.game in context.table.games else None


async def note(context: Context, attempt: Attempt) -> None:
    """Store the visitor's attempt."""
    await context.store.notes.write(_progress_note(context.visitor.account), attempt.write(), keep=KEPT)


def _progress_note(whose: Account) -> str:
    return f"puzzle:{whose}"


_FIRST: Final = 1.5  # seconds of search in the position of the puzzle

NEXT: Final = 0.5
"""Seconds of search for each further turn; what is proved takes less."""

_ALL: Final = 5.0  # seconds for all further turns

MOST: Final = 24
"""Further turns, at most."""

_UNPROVED: Final = 4  # turns shown of a solution that is no win


async def solution_of(
    game: AnyGame, options: Any, position: Position[Any], ask: Callable[[Job], Awaitable[Reply]]
) -> tuple[Variation, str]:
    """Return the best variation, and its text: to the end of the game where it is won or lost for sure.

    Raises:
        CommandError, Busy, NoAnswer: `ask` cannot have the position searched.
    """
    best = (await ask(job_for(game, options, position, seconds=_FIRST))).lines[0]
    plies = list(best.line)
    if best.plies is not None and round(best.value):
        _, here = line_played(game, position, plies)
        until = time.monotonic() + _ALL
        with suppress(CommandError, Busy, NoAnswer):
            for _ in range(MOST):
                if here.outcome is not None or time.monotonic() >= until:
                    break
                line = (await ask(job_for(game, options, here, seconds=NEXT))).lines[0]
                if line.plies is None:
                    break
                _, here = line_played(game, here, line.turn)
                plies += line.turn
    won = best.plies is not None and best.value > 0
    return best, variation_text(game, position, plies, None if won else _UNPROVED)
