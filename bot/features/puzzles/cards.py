"""Views of puzzles: the question on a board that can be pressed, and verdicts on turns, with the engine's reply to each.

At the puzzle of the day a person has their own board, too; the card of a place tells nothing of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.i18n import Words
from bot.chat.presenting import picking
from bot.chat.presenting.captions import ALT, cut, marked, sentence
from bot.chat.presenting.naming import game_title, player_name, variation_text
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, follow
from bot.chat.thinking.jobs import Variation
from bot.chat.view import Button, ButtonStyle, View
from bot.features.analysis.explaining import UNITS, explained_reply, unit, value_text
from bot.features.exercises import Exercise, JudgedTurn, number_of
from bot.features.puzzles.attempts import (
    EMOJI,
    TRIES,
    DailyAttempt,
    DailyResult,
    WeekLine,
    number_of_day,
)
from bot.features.puzzles.library import Posed
from engine.core import Task
from render.picture import Sheet, SheetRow, Tone
from rules.core import AnyGame, Diagram, Highlights, Mark, Position

KEYS: Final = {
    "bot.button.puzzle-{}": (PuzzleStep,),
    "bot.puzzle.{}.{}": (Task, UNITS),
}  # for the check of the catalogues

_MORE: Final = 2  # turns shown after the answer to a wrong turn
_LISTED: Final = 15  # people named in a card
_TIMED: Final = 10  # people named in the results
_BEST: Final = 3  # people named of the day before
_FAILED: Final = "X"
_TONES: Final = {1: Tone.BEST, 2: Tone.GOOD, 3: Tone.FAIR}
_SOLVED: Final = {
    Task.WIN: "bot.puzzle.solved",
    Task.SAVE: "bot.puzzle.saved",
    Task.HOLD: "bot.puzzle.held",
}


def mark_of(position: str) -> int:
    """Return the number of a position in its buttons, by which outdated ones are recognised."""
    return number_of(position) % 36**4


@dataclass(frozen=True, slots=True)
class PuzzleCard:
    """Views of one puzzle for one reader, at the puzzle of the day with their attempt.

    With `confirms` a picked turn is played by a press of its own, and can be gone back in.
    """

    game: AnyGame
    posed: Posed
    words: Words
    confirms: bool = False
    flipped: bool = False
    attempt: DailyAttempt | None = None

    @property
    def start(self) -> Position[Any]:
        """The position of the puzzle."""
        return self.posed.start(self.game)

    def title(self, day: date | None = None) -> str:
        """Return the headline; for the puzzle of a day, its number."""
        name = game_title(self.game, dict(self.posed.puzzle.options), self.words)
        if day is not None:
            return self.words("bot.daily.title", number=number_of_day(day), game=name)
        return self.words("bot.puzzle.played" if self.posed.played else "bot.puzzle.title", game=name)

    @property
    def _ways_on(self) -> Sequence[PuzzleStep]:
        if self.attempt is None:
            return PuzzleStep.AGAIN, PuzzleStep.SOLUTION
        return () if self.attempt.hinted else (PuzzleStep.HINT,)

    @property
    def _state(self) -> str:
        assert self.attempt is not None, "the puzzle of the day"  # noqa: S101
        left = self.words.count("bot.daily.left", self.attempt.left)
        return f"{_squares(self.attempt)} {left}".strip()

    @property
    def _typed(self) -> str:
        return self.words("bot.puzzle.how", command="/puzzle" if self.attempt is None else "/daily")

    @property
    def exercise(self) -> Exercise:
        """The views of its positions."""
        title = self.title(self.attempt.day if self.attempt else None)
        options, typed = self.posed.options(self.game), self._typed
        return Exercise(self.game, options, title, typed, self.words, self.confirms, self.flipped)

    def button(self, what: PuzzleStep) -> Button:
        """Return a button of this puzzle."""
        data = CallbackData(Verb.PUZZLE, self.posed.id, 0, what)
        style: ButtonStyle = "good" if what == PuzzleStep.SOLVE else "plain"
        return Button(self.words(f"bot.button.puzzle-{what}"), data, style=style)

    def task(self, position: Position[Any]) -> str:
        """Return the sentences that say who is to move and what to find."""
        puzzle, number = self.posed.puzzle, position.to_move.number
        named = f"{self.game.key}.to-move.{number}"
        turn = self.words(named) if self.words.has(named) else self.words("core.to-move", number=number)
        return self.words.count(f"bot.puzzle.{puzzle.task.value}.{unit(position)}", puzzle.plies, turn=turn)

    def asked(self, position: Position[Any], *said: str) -> View:
        """Return the question to one person, with what is said besides."""
        buttons = self._ways_on if self.attempt else (PuzzleStep.SOLUTION, PuzzleStep.NEXT)
        return self._asks(position, self.task(position), *said, buttons=buttons)

    def retried(self, position: Position[Any]) -> View:
        """Return the position in which a turn has failed, to try another."""
        said = self.task(position) if position == self.start else self.words("bot.puzzle.retry")
        return self._asks(position, said, buttons=self._ways_on)

    def picked(
        self,
        partial: PartialMove,
        *said: str,
        diagram: Diagram | None = None,
        buttons: Sequence[PuzzleStep] = (),
    ) -> View:
        """Return the board with the half-made turn, after some words or what is picked so far."""
        lines = said or (picking.so_far(self.game, self.words, partial) or self.task(partial.start),)
        mark = mark_of(self.game.notation.format_position(partial.start))
        target = PickTarget(self.posed.id, mark, picks=Verb.PICK, plays=Verb.TRY)
        shown = tuple(map(self.button, buttons))
        return self.exercise.picked(target, partial, *lines, diagram=diagram, buttons=shown)

    def _asks(
        self,
        position: Position[Any],
        *said: str,
        diagram: Diagram | None = None,
        buttons: Sequence[PuzzleStep] = (),
    ) -> View:
        lines = [*said, self._typed]
        if self.attempt is not None:
            lines.insert(-1, self._state if self.attempt.squares else self.words("bot.daily.rules"))
        diagram = diagram or self.game.draw(position)
        begun = follow(self.game, position, Selection())
        return self.picked(begun, *lines, diagram=diagram, buttons=buttons)

    def hinted(self, partial: PartialMove, first: str) -> View:
        """Return the board with the first step of the best turn picked."""
        return self.picked(partial, self.words("bot.daily.hint", step=first), self._state)

    def goes_on(self, position: Position[Any], turn: JudgedTurn) -> View:
        """Return the board in the middle of a turn."""
        said = self.words.count("bot.puzzle.goes-on", turn.after.plies_left)
        return self._asks(turn.after, said, diagram=self.exercise.drawn(position, turn))

    def answered(self, turn: JudgedTurn) -> View:
        """Return the answer to a right turn: the other side's best reply."""
        diagram = self.game.draw(turn.here, Highlights(last=turn.answer, before=turn.after))
        said = self.words("bot.puzzle.right", moves=self.exercise.text(turn.answer))
        return self._asks(turn.here, said, diagram=diagram, buttons=self._ways_on)

    def solved(self, position: Position[Any], turn: JudgedTurn, *said: str) -> View:
        """Return the answer to a solution, with what is said besides."""
        lines = (self.words(_SOLVED[self.posed.puzzle.task]), *said)
        return self.exercise.view(
            self.exercise.drawn(position, turn), *lines, buttons=(self.button(PuzzleStep.NEXT),)
        )

    def failed(self, position: Position[Any], turn: JudgedTurn) -> View:
        """Return the answer to a wrong turn: what refutes it, on a board, and why; with tries left, the board before it."""
        lines = [self.words("bot.puzzle.failed", moves=self.exercise.text(turn.moves))]
        if self.attempt is not None:
            if turn.reply is not None:
                lines.append(self.words("bot.puzzle.refuted", moves=" ".join(turn.reply.turn)))
            return self._asks(position, *lines, buttons=self._ways_on)
        diagram = self.exercise.drawn(position, turn)
        marks: tuple[Mark, ...] = ()
        if (reply := turn.reply) is not None:
            coach = explained_reply(self.game, turn.after, reply, self.words, self.exercise.phrase)
            diagram, lines, marks = coach.diagram, [*lines, *coach.lines], coach.marks
            if further := variation_text(self.game, turn.after, reply.line, _MORE, skip=1):
                lines.append(self.words("bot.puzzle.further", moves=further))
            if reply.plies is None:
                lines.append(self.words("bot.puzzle.not-forced"))
        steps = (PuzzleStep.RETRY, PuzzleStep.SOLUTION, PuzzleStep.NEXT)
        view = self.exercise.view(diagram, *lines, buttons=map(self.button, steps))
        return replace(view, alt=cut(" ".join((*marked(marks, self.words), view.alt)), ALT))

    def finished(
        self,
        attempt: DailyAttempt,
        last: tuple[Position[Any], JudgedTurn] | None,
        streak: int,
        finished: Sequence[DailyResult],
    ) -> View:
        """Return how an attempt ended: the row to pass on, the streak, and the results of the place; and its last turn."""
        words = self.words
        lines = [
            words("bot.puzzle.solved" if attempt.solved else "bot.daily.failed"),
            "",
            row(attempt, words),
        ]
        below = [words.count("bot.daily.streak", streak)] if streak > 1 else []
        if len(finished) > 1:
            below += [words("bot.daily.here"), *results(finished, words)]
        if below:
            lines += ["", *below]
        buttons = tuple(map(self.button, (PuzzleStep.SOLUTION, PuzzleStep.NEXT)))
        if last is None:
            return View(lines=(self.title(attempt.day), *lines), buttons=buttons)
        return self.exercise.view(self.exercise.drawn(*last), *lines, buttons=buttons)

    def solution(self, position: Position[Any], best: Variation, moves: str) -> View:
        """Return the solution from a position; `moves` is its text."""
        lines = (self.words("bot.puzzle.solution", moves=moves), value_text(best, position, self.words))
        buttons = map(self.button, (PuzzleStep.AGAIN, PuzzleStep.NEXT))
        return self.exercise.view(self.game.draw(position), *lines, mover=position.to_move, buttons=buttons)


@dataclass(frozen=True, slots=True)
class PlaceDay:
    """What a card says of a place on a day: who has finished, the streak there, on a Sunday the week so far.

    `before` are those who finished the puzzle of the day before, whose `solution` is empty where it is not known; on a Monday
    `last_week` is the week before.
    """

    day: date
    finished: Sequence[DailyResult] = ()
    streak: int = 0
    week: Sequence[WeekLine] = ()
    before: Sequence[DailyResult] = ()
    last_week: Sequence[WeekLine] = ()
    solution: str = ""


def place_card(card: PuzzleCard, here: PlaceDay) -> View:
    """Return the card of a place: the question in words, and who has finished. It has no board, so that times are fair."""
    words = card.words
    lines = [card.title(here.day), card.task(card.start), *_of_before(here, words)]
    if here.streak > 1:
        lines.append(words.count("bot.daily.place-streak", here.streak))
    if here.finished:
        by_end = sorted(here.finished, key=lambda one: one.attempt.end)  # an order that tells no times
        lines += ["", words.count("bot.daily.finished", len(by_end))]
        lines += _people("bot.daily.listed", by_end, _LISTED, words)
    buttons = (card.button(PuzzleStep.SOLVE), card.button(PuzzleStep.TABLE))
    sheet = _week_sheet(here.week, words) if here.week else None
    alt = " ".join(sentence(line, words) for line in _week_lines(here.week, words)) if sheet else ""
    return View(lines=tuple(lines), buttons=buttons, sheet=sheet, alt=alt)


def _of_before(here: PlaceDay, words: Words) -> list[str]:
    lines = [words("bot.puzzle.yesterday", moves=here.solution)] if here.solution else []
    if here.before:
        best = ", ".join(_people("bot.daily.result", here.before[:_BEST], _BEST, words))
        lines.append(words("bot.daily.yesterday", results=best))
    if here.last_week and (points := here.last_week[0].points):
        names = [player_name(line.player, words) for line in here.last_week if line.points == points]
        lines.append(words.count("bot.daily.crown", points, names=words.list(names[:_BEST])))
    return lines


def row(attempt: DailyAttempt, words: Words) -> str:
    """Return a finished attempt as a line to pass on, which tells nothing of the answer."""
    number, letter = number_of_day(attempt.day), attempt.posed.game[0].upper()
    return words("bot.daily.row", number=number, letter=letter, **_figures(attempt))


def _figures(attempt: DailyAttempt) -> Mapping[str, str]:
    """Return the squares of an attempt, in which try of how many it was solved, "2/3" or "X/3", and its time, "0:48" or "1:02:03"."""
    minutes, seconds = divmod(attempt.seconds or 0, 60)
    hours, minutes = divmod(minutes, 60)
    time = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    tries = f"{attempt.tries if attempt.solved else _FAILED}/{TRIES}"
    return {"squares": _squares(attempt), "tries": tries, "time": time}


def _squares(attempt: DailyAttempt) -> str:
    return "".join(EMOJI[square] for square in attempt.squares)


def results(finished: Sequence[DailyResult], words: Words) -> Sequence[str]:
    """Return the results of a day at a place, the best first; for readers who have finished it themselves."""
    return _people("bot.daily.timed", finished, _TIMED, words)


def _people(key: str, finished: Sequence[DailyResult], most: int, words: Words) -> Sequence[str]:
    lines = [
        words(key, place=place, name=player_name(one.player, words), **_figures(one.attempt))
        for place, one in enumerate(finished[:most], 1)
    ]
    more = len(finished) - most
    return [*lines, words.count("bot.daily.more", more)] if more > 0 else lines


def _week_sheet(week: Sequence[WeekLine], words: Words) -> Sheet:
    days = tuple(words.weekday(number) for number in range(len(week[0].days)))
    rows = [
        SheetRow(
            player_name(line.player, words),
            tuple(_cell(attempt) for attempt in line.days),
            str(line.points),
            crowned=line.points > 0 and line.points == week[0].points,
        )
        for line in week[:_LISTED]
    ]
    return Sheet(words("bot.daily.week"), days, tuple(rows), sums=words("bot.sheet.points"))


def _cell(attempt: DailyAttempt | None) -> tuple[str, Tone]:
    if attempt is None:
        return "", Tone.NONE
    return (str(attempt.tries), _TONES[attempt.tries]) if attempt.solved else (_FAILED, Tone.POOR)


def _week_lines(week: Sequence[WeekLine], words: Words) -> tuple[str, ...]:
    points = (
        words.count("bot.daily.points", line.points, name=player_name(line.player, words))
        for line in week[:_LISTED]
    )
    return (words("bot.daily.week"), *points)
