"""Puzzle selection: easier ones first, harder ones as a person solves them, none twice while there are others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from bot.features.exercises import number_of
from bot.features.puzzles.library import Library, Posed, complete
from play.people import Account
from storage.ports import FullStore

STEP: Final = 2  # puzzles of a game to be solved before the next ones are longer
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
    seen: Sequence[str] = ()
    told: Sequence[str] = ()
    solved: dict[str, int] = field(default_factory=dict)
    done: Sequence[str] = ()


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
    return PuzzleProgress(**json.loads(noted or "{}"))  # sequences are lists then


async def _remember(store: FullStore, account: Account, progress: PuzzleProgress) -> None:
    await store.notes.write(_note(account), json.dumps(asdict(progress)))


def _note(account: Account) -> str:
    return f"puzzles:{account}"
