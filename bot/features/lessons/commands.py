"""/learn: a lesson of a game, whose tasks are done by making a move, by pressing or by typing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from bot.chat import arguments, error_handling, taps
from bot.chat.arguments import HelpTopic, in_all_languages
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.game_words import find_game, which_game
from bot.chat.i18n import Words
from bot.chat.presenting import picking
from bot.chat.presenting.captions import explained, sentence
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, follow, left_at_that, turn_over
from bot.chat.quotas import FREE, PICTURES
from bot.chat.registry import OFFERINGS, Offered, Offering, Registry
from bot.chat.services import Services
from bot.chat.thinking.jobs import job_for
from bot.chat.view import Button, Message, View, ViewKind, opens
from bot.features.analysis.judging import read_turn
from bot.features.exercises import Exercise, JudgedTurn, Verdict, reading_of
from bot.features.lessons.progress import (
    PosedTask,
    Progress,
    change_progress,
    newcomers,
    progress_marks,
    progress_of,
    task_of,
    tasks_of,
)
from bot.features.matches.engine_opponents import best_turns
from bot.features.matches.setup_questions import MatchSetup
from play.people import Account
from rules.core import AnyGame, Position, Reason, RulesError, Seat

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


registry: Final = Registry()
registry.composing["newcomers"] = lambda services: partial(newcomers, services.store)

_SECONDS: Final = 1.0  # seconds of search for the reply to a wrong turn


class LessonRefusal(Reason):
    """Why a command of a lesson is refused."""

    NO_LESSON = "bot.command.no-lesson"
    NOT_BEGUN = "bot.command.lesson-not-begun"


@registry.command(
    "learn",
    arguments.GAME,
    arguments.choice("part", *STEPS, named=False),
    arguments.text("move"),
    topic=HelpTopic.BASICS,
    button=Verb.LEARN,
    cost=PICTURES,
    finishing=False,
    kind=ViewKind.CARD,
)
async def learn(context: Context) -> Sequence[Message]:
    """`/learn`, `/learn lgame`, `/learn lgame hint`; `/learn c1-a1-a2` plays a turn of the task."""
    games, words = context.table.games, context.command.words
    progress = await progress_of(context.store, context.visitor.account)
    game = find_game(games, words[0]) if words else None
    rest = context.command.rest.strip()
    if game is not None:
        rest = rest.removeprefix(words[0]).strip()
    step = next((each for each in STEPS if rest and rest.casefold() in _called(each)), "")
    if game is None and rest and not step and not any(map(str.isdigit, rest)):
        raise which_game(context, rest)  # a move names cells, which have numbers
    if game is None and (begun := games.get(progress.game)) is not None:
        game = begun if rest or progress.next(begun) else None
    if game is None and rest:
        raise CommandError(LessonRefusal.NOT_BEGUN)
    if game is None:
        return [context.private(choice(filter(tasks_of, games.values()), context.words))]
    if not tasks_of(game):
        raise CommandError(LessonRefusal.NO_LESSON)
    if rest and not step:
        return await _typed(context, game, progress, rest)
    return await _stepped(context, game, progress, step)


async def _stepped(context: Context, game: AnyGame, progress: Progress, step: str) -> Sequence[Message]:
    """Ask the task of a lesson that a step names; without one the next."""
    if step == "again" or (step == "more" and progress.next(game, further=True) is None):
        progress = await change_progress(context, lambda now: now.anew(game, further=step == "more"))
    task, begun = progress.next(game, further=step == "more"), ""
    if step == "hint":
        task, begun = _task(game, progress), progress.begun
    if task is None:
        return await _over(context, tasks_of(game)[-1])
    return await _asked(context, task, begun, step)


async def _asked(context: Context, task: PosedTask, begun: str, step: str | None = None) -> Sequence[Message]:
    """Ask a task with what is picked of a turn, which a hint and what is typed go on from; `step`: after /learn."""
    picked = follow(task.game, task.position, Selection())
    with suppress(RulesError):  # of another task
        picked = follow(task.game, task.position, Selection.read(begun))
    await change_progress(context, lambda now: now.at(task, str(picked.selection)))
    typed = step == "" and not context.visitor.square_keys
    view = _card(context, task).asked(picked, hinted=step == "hint", typed=typed)
    return [context.private(view, ViewKind.PAGE if step else None)]


def _called(step: str) -> set[str]:
    return {step, *map(str.casefold, in_all_languages(f"bot.slash.word.{step}"))}


@registry.button(Verb.LESSON_PICK, Verb.LESSON_TRY, cost=FREE, finishing=False, kind=ViewKind.PAGE)
async def _pick(context: Context, button: CallbackData) -> Sequence[Message]:
    task = task_of(context.table.games.values(), button.match)
    if task is None:
        raise CommandError(LessonRefusal.NO_LESSON)
    if button.verb is Verb.LESSON_TRY:
        return await _tried(context, task, *read_turn(task.game, task.position, button.argument))
    found = await taps.picked(context, button, task.game, task.position)
    if found is None:
        return []
    picked, _ = found
    whole = picked if picked.whole else left_at_that(task.game, picked)
    right = whole is not None and task.right(whole.moves, whole.position)
    if whole is not None and (right or (picked.whole and not context.visitor.buttons)):
        return await _tried(context, task, whole.moves, whole.position)
    return await _asked(context, task, str(picked.selection))


def _card(context: Context, task: PosedTask) -> TaskCard:
    flipped = context.flip and task.position.to_move is Seat.S2
    return TaskCard(task, context.words, context.visitor.buttons, flipped)


def _task(game: AnyGame, progress: Progress) -> PosedTask | None:
    """Return the task that a person is at, in the lesson of a game."""
    known = {each.task.key: each for each in (*tasks_of(game), *tasks_of(game, further=True))}
    asked = known.get(progress.task) if progress.game == game.key else None
    return asked or progress.next(game)


async def _typed(context: Context, game: AnyGame, progress: Progress, text: str) -> Sequence[Message]:
    task = _task(game, progress)
    if task is None:
        raise CommandError(LessonRefusal.NOT_BEGUN)
    if begun := Selection.read(progress.begun).moves:
        with suppress(RulesError):  # else it is typed anew
            read_turn(game, task.position, f"{begun} {text}")
            text = f"{begun} {text}"
    reading = await reading_of(context, game, task.position, text)
    if isinstance(reading, Message):
        return [reading]
    return await _tried(context, task, *read_turn(game, task.position, reading))


async def _tried(
    context: Context, task: PosedTask, moves: Sequence[Any], after: Position[Any]
) -> Sequence[Message]:
    card = _card(context, task)
    if not turn_over(task.position, after):
        return await _asked(context, task, str(Selection(tuple(map(task.game.notation.format, moves)))))
    if not task.right(moves, after):
        await change_progress(context, lambda now: now.at(task))
        return [context.private(card.failed(await _answered(context, task, moves, after)))]
    progress = await change_progress(context, lambda now: now.solved(task))
    further = progress.next(task.game, further=task.task.further)
    if further is None:
        return await _over(context, task, (moves, after))
    return [context.private(card.right(moves, after, _card(context, further).begins))]


async def _answered(
    context: Context, task: PosedTask, moves: Sequence[Any], after: Position[Any]
) -> JudgedTurn:
    """Return a wrong turn with the best reply, where the engines have time for one."""
    reply = None
    if after.outcome is None:
        with suppress(CommandError):
            job = job_for(task.game, task.options, after, seconds=_SECONDS)
            reply = (await best_turns(context, job)).lines[0]
    return JudgedTurn(Verdict.WRONG, tuple(moves), after, reply)


async def _over(
    context: Context, task: PosedTask, last: tuple[Sequence[Any], Position[Any]] | None = None
) -> Sequence[Message]:
    line = f"/challenge bot {task.game.key} level:1 coached:yes"
    computer = await error_handling.saying(context, line, context.words("bot.greeting.computer"))
    return [context.private(_card(context, task).over(last, computer))]


async def _offered(services: Services, account: Account, words: Words) -> Sequence[Offered]:
    """Offer the task that a person is at, else the first one of a game of which they have not done all."""
    progress = await progress_of(services.store, account)
    games = [game for game in services.table.games.values() if tasks_of(game)]
    games.sort(key=lambda game: (game.key != progress.game, game.key not in progress.done))
    task = next(filter(None, map(progress.next, games)), None)
    if task is None:
        return ()
    exercise, flipped = TaskCard(task, words).exercise, task.position.to_move is Seat.S2
    press = CallbackData.without_match(Verb.LEARN, task.game.key)
    title, drawn = words("bot.lesson.offered"), task.game.draw(task.position)
    return [Offered("lesson", "lesson", title, exercise.title, "", press, (), drawn, exercise, flipped)]


OFFERINGS.append(Offering(_offered, progress_marks))
