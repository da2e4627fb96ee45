"""Lessons of games and their tasks, and how far a person has come in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bot.chat.context import Context
from bot.chat.services import Services
from bot.features.exercises import code_of
from bot.features.ratings.commands import Records
from play.match import Match, Phase, is_engine
from play.people import Account
from rules.core import AnyGame, LessonTask, Position
from storage.ports import FullStore


@dataclass(frozen=True)
class PosedTask:
    """A task of a game's lesson, or of the rules of its variants that are learnt afterwards."""

    game: AnyGame
    task: LessonTask

    @property
    def code(self) -> str:
        """What stands for it in buttons."""
        return code_of(self.game.key, self.task.key)

    @cached_property
    def options(self) -> Any:
        """The options that its game is played with."""
        return self.game.choose(self.task.chosen)

    @cached_property
    def position(self) -> Position[Any]:
        """The position in which a turn is to be found."""
        start: Position[Any] = self.game.notation.parse_position(self.task.position, self.options)
        return start

    def right(self, moves: Sequence[Any], after: Position[Any]) -> bool:
        """Whether a turn does what is asked."""
        return self.task.right(self.position, moves, after)


def tasks_of(game: AnyGame, *, further: bool = False) -> Sequence[PosedTask]:
    """Return the tasks of a game's lesson, or the further ones."""
    return [PosedTask(game, each) for each in game.lesson if each.further is further]


def task_of(games: Iterable[AnyGame], code: str) -> PosedTask | None:
    """Return the task that a button names."""
    every = (PosedTask(game, each) for game in games for each in game.lesson)
    return next((task for task in every if task.code == code), None)


@dataclass(frozen=True, slots=True)
class Progress:
    """The task that a person is at, and those that they have solved, by game.

    `begun` is what is picked of a turn, as in a button.
    """

    game: str = ""
    task: str = ""
    begun: str = ""
    done: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def next(self, game: AnyGame, *, further: bool = False) -> PosedTask | None:
        """Return the first task of a part that is not solved; None once all are."""
        done = self.done.get(game.key, ())
        return next((each for each in tasks_of(game, further=further) if each.task.key not in done), None)

    def at(self, task: PosedTask, begun: str = "") -> Progress:
        """Return the progress of a person who is asked a task."""
        return replace(self, game=task.game.key, task=task.task.key, begun=begun)

    def solved(self, task: PosedTask) -> Progress:
        """Return the progress after a task: at the next of its part, if there is one."""
        key = task.game.key
        done = tuple(dict.fromkeys((*self.done.get(key, ()), task.task.key)))
        after = replace(self, game=key, task="", begun="", done={**self.done, key: done})
        further = after.next(task.game, further=task.task.further)
        return after.at(further) if further else after

    def anew(self, game: AnyGame, *, further: bool = False) -> Progress:
        """Return the progress without what was solved of a part of a game's lesson."""
        part = {each.task.key for each in tasks_of(game, further=further)}
        left = [key for key in self.done.get(game.key, ()) if key not in part]
        return replace(self, done={**self.done, game.key: left})


async def progress_of(store: FullStore, whose: Account) -> Progress:
    """Return how far a person has come."""
    (noted,) = await store.notes.read(_note(whose))
    return _read(noted)


async def progress_marks(services: Services, accounts: Sequence[Account]) -> Sequence[object]:
    """Return the progress of each person, as it is stored."""
    return await services.store.notes.read(*map(_note, accounts))


async def change_progress(context: Context, change: Callable[[Progress], Progress]) -> Progress:
    """Change how far the visitor has come, and return it; of several changes at once none is lost."""

    def changed(noted: str | None) -> str:
        progress = change(_read(noted))
        return json.dumps([progress.game, progress.task, progress.begun, dict(progress.done)])

    return _read(await context.store.notes.change(_note(context.visitor.account), changed))


def _read(noted: str | None) -> Progress:
    try:
        game, task, begun, done = json.loads(noted or "")
        return Progress(
            str(game), str(task), str(begun), {str(key): tuple(keys) for key, keys in done.items()}
        )
    except (TypeError, ValueError, AttributeError):
        return Progress()


async def newcomers(store: FullStore, match: Match) -> Sequence[Account]:
    """Return whom of those for whom a challenge waits have never played its game, nor done a task of its lesson.

    Of the challenges to a game it is the first for each person, whose card may be made several times.
    """
    kept = [chair.reserved.account for chair in match.chairs if chair.reserved and not chair.player]
    return [each for each in kept if not is_engine(each) and await _is_new(store, each, match)]


async def _is_new(store: FullStore, whose: Account, match: Match) -> bool:
    game, note = match.game, f"lesson:{whose}:{match.game}"
    noted, first = await store.notes.read(_note(whose), note)
    if first not in (None, match.id) or _read(noted).done.get(game):
        return False
    here, at = await store.matches.of(whose), await store.now()
    if any(each.game == game and each.phase in (Phase.PLAYING, Phase.OVER) for each in here):
        return False
    if any(played.game == game for played in await Records(store).of(whose, at)):
        return False
    return bool(first) or match.id == await store.notes.change(note, lambda now: now or match.id)


def _note(whose: Account) -> str:
    return f"lesson:{whose}"
