"""Views of lessons: the choice of a game, a task on a board that can be pressed, the answer to a wrong turn, the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting import picking
from bot.chat.presenting.captions import explained, sentence
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection
from bot.chat.view import Button, View, opens
from bot.features.exercises import Exercise, JudgedTurn, Verdict
from bot.features.lessons.progress import PosedTask, tasks_of
from bot.features.matches.setup_questions import MatchSetup
from rules.core import AnyGame, Position

STEPS: Final = ("hint", "again", "more")  # what is typed after /learn and a game

KEYS: Final = {"bot.button.lesson-{}": (STEPS,)}  # for the check of the catalogues


def choice(games: Iterable[AnyGame], words: Words) -> View:
    """Return the question which game is to be learnt."""
    buttons = [opens(Verb.LEARN, words(f"{game.key}.name"), game.key) for game in games]
    return View(lines=(words("bot.lesson.which"),), buttons=tuple(buttons))


@dataclass(frozen=True, slots=True)
class TaskCard:
    """Views of one task for one reader; see `Exercise`."""

    task: PosedTask
    words: Words
    confirms: bool = False
    flipped: bool = False

    @property
    def exercise(self) -> Exercise:
        """The views of its position."""
        task, words = self.task, self.words
        beside = tasks_of(task.game, further=task.task.further)
        key = "bot.lesson.further" if task.task.further else "bot.lesson.task"
        number, name = beside.index(task) + 1, words(f"{task.game.key}.name")
        title = words(key, game=name, number=number, total=len(beside))
        own = task.position.to_move
        return Exercise(
            task.game, task.options, title, words("bot.lesson.how"), words, self.confirms, self.flipped, own
        )

    def said(self, part: str = "") -> str:
        """Return what is asked, or one of the other texts of the task."""
        return self.words(f"{self.task.game.key}.lesson.{self.task.task.key}{part}")

    @property
    def begins(self) -> CallbackData:
        """What a button carries that shows the task."""
        return self._target.pick(Selection())

    def asked(self, partial: PartialMove, *, hinted: bool = False, typed: bool = False) -> View:
        """Return the task with a turn, as far as it is made; `typed`: with how a turn is typed."""
        game, selection = self.task.game, partial.selection
        lines = [self.said()]
        lines += [self.said(".hint")] if hinted else []
        lines += filter(None, [picking.so_far(game, self.words, partial) if partial.moves else None])
        lines += [self.exercise.typed] if typed else []
        buttons = () if hinted else (self._button("hint"),)
        board = game.draw(self.task.position) if selection == Selection() else None
        view = self.exercise.picked(self._target, partial, *lines, diagram=board, buttons=buttons)
        part = self._target.play(selection.moves)  # of a turn, which would show the same board again
        ways = tuple(button for button in view.buttons if partial.whole or button.data != part)
        return replace(view, buttons=ways, after=() if board else view.after)  # the task says what to pick

    def failed(self, turn: JudgedTurn) -> View:
        """Return what a wrong turn did, why it is not what was asked, and the best reply on a board."""
        exercise, game, words = self.exercise, self.task.game, self.words
        here, did = self.task.position, []
        for move in turn.moves:
            did.append(exercise.phrase(game.say(here, move)))
            here = here.play(move)
        lines = [sentence(words("bot.lesson.played", moves="; ".join(did)), words), self.said(".wrong")]
        diagram = exercise.drawn(self.task.position, turn)
        if turn.reply is not None:
            diagram = explained(game, turn.after, turn.reply.turn)
            lines.append(words("bot.lesson.reply", moves=" ".join(turn.reply.turn)))
        retry = Button(words("bot.button.lesson-retry"), self.begins)
        return exercise.view(diagram, *lines, buttons=(retry, self._button("hint")))

    def right(self, moves: Sequence[Any], after: Position[Any], further: CallbackData) -> View:
        """Return a right turn on its board, why it is right, and the button that shows the next task."""
        on = Button(self.words("bot.button.lesson-next"), further, style="good")
        return self._solved(moves, after, buttons=(on,))

    def over(self, last: tuple[Sequence[Any], Position[Any]] | None, computer: Button) -> View:
        """Return the end of a lesson, after the last right turn, if it was just played; with what can be done next."""
        game, words = self.task.game, self.words
        friend = Button(words("bot.button.lesson-friend"), MatchSetup("c", game=game.key).data, style="good")
        buttons = [computer, friend, self._button("again")]
        if any(each.further for each in game.lesson) and not self.task.task.further:
            buttons.insert(2, self._button("more"))
        line = words("bot.lesson.over")
        if last is None:
            return View(lines=(self.exercise.title, line), buttons=tuple(buttons))
        return self._solved(*last, line, buttons=buttons)

    def _solved(
        self, moves: Sequence[Any], after: Position[Any], *lines: str, buttons: Sequence[Button]
    ) -> View:
        diagram = self.exercise.drawn(self.task.position, JudgedTurn(Verdict.SOLVED, tuple(moves), after))
        why = self.words("bot.lesson.right", why=self.said(".right"))
        return self.exercise.view(diagram, why, *lines, buttons=buttons)

    @property
    def _target(self) -> PickTarget:
        return PickTarget(self.task.code, 0, picks=Verb.LESSON_PICK, plays=Verb.LESSON_TRY)

    def _button(self, step: str) -> Button:
        return opens(Verb.LEARN, self.words(f"bot.button.lesson-{step}"), self.task.game.key, step)
