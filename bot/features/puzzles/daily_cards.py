"""Views of the puzzle of the day: the card of a place, which tells nothing of the answer, and a person's own board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from bot.chat.callback_data import PuzzleStep
from bot.chat.i18n import Words
from bot.chat.presenting.captions import sentence
from bot.chat.presenting.naming import game_title, player_name
from bot.chat.presenting.selection import PartialMove
from bot.chat.view import View
from bot.features.puzzles.cards import JudgedTurn, PuzzleCard, mark_of
from bot.features.puzzles.daily_attempts import (
    EMOJI,
    TRIES,
    DailyAttempt,
    DailyResult,
    WeekLine,
    number_of_day,
)
from render.picture import Sheet, SheetRow, Tone
from rules.core import Highlights, Position

_LISTED: Final = 15  # people named in a card
_TIMED: Final = 10  # people named in the results
_BEST: Final = 3  # people named of the day before
_SUNDAY: Final = 6
_FAILED: Final = "X"
_TONES: Final = {1: Tone.BEST, 2: Tone.GOOD, 3: Tone.FAIR}


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
    lines = [title(card, here.day), card.task(card.start), *_of_before(here, words)]
    if here.streak > 1:
        lines.append(words.count("bot.daily.place-streak", here.streak))
    if here.finished:
        lines += ["", words.count("bot.daily.finished", len(here.finished))]
        lines += [
            words("bot.daily.listed", name=player_name(one.player, words), **_figures(one.attempt))
            for one in sorted(here.finished, key=_ended)[:_LISTED]  # an order that tells no times
        ]
        if (more := len(here.finished) - _LISTED) > 0:
            lines.append(words.count("bot.daily.more", more))
    buttons = (card.button(PuzzleStep.SOLVE), card.button(PuzzleStep.TABLE))
    sheet = _week_sheet(here.week, words) if here.day.weekday() == _SUNDAY and here.week else None
    alt = " ".join(sentence(line, words) for line in _week_lines(here.week, words)) if sheet else ""
    return View(lines=tuple(lines), buttons=buttons, sheet=sheet, alt=alt)


def _of_before(here: PlaceDay, words: Words) -> list[str]:
    lines = [words("bot.puzzle.yesterday", moves=here.solution)] if here.solution else []
    if here.before:
        results = ", ".join(
            words("bot.daily.result", name=player_name(one.player, words), **_figures(one.attempt))
            for one in here.before[:_BEST]
        )
        lines.append(words("bot.daily.yesterday", results=results))
    if here.last_week and (points := here.last_week[0].points):
        best = [player_name(line.player, words) for line in here.last_week if line.points == points]
        lines.append(words.count("bot.daily.crown", points, names=words.list(best[:_BEST])))
    return lines


def _ended(one: DailyResult) -> datetime:
    return one.attempt.began + timedelta(seconds=one.attempt.seconds or 0)


def title(card: PuzzleCard, day: date) -> str:
    """Return the headline: the number of the day's puzzle, and its game."""
    name = game_title(card.game, dict(card.posed.puzzle.options), card.words)
    return card.words("bot.daily.title", number=number_of_day(day), game=name)


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


def results(finished: Sequence[DailyResult], words: Words) -> tuple[str, ...]:
    """Return the results of a day at a place, the best first; for readers who have finished it themselves."""
    lines = [
        words("bot.daily.timed", place=place, name=player_name(one.player, words), **_figures(one.attempt))
        for place, one in enumerate(finished[:_TIMED], 1)
    ]
    more = len(finished) - _TIMED
    return (*lines, words.count("bot.daily.more", more)) if more > 0 else tuple(lines)


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


@dataclass(frozen=True, slots=True)
class DailyCard(PuzzleCard):
    """Views of one person's attempt at the puzzle of the day."""

    attempt: DailyAttempt = field(kw_only=True)

    @property
    def title(self) -> str:
        """The headline."""
        return title(self, self.attempt.day)

    @property
    def state(self) -> str:
        """The squares so far and the tries left."""
        left = self.words.count("bot.daily.left", self.attempt.left)
        return f"{_squares(self.attempt)} {left}".strip()

    @property
    def ways_on(self) -> Sequence[PuzzleStep]:
        """A hint, once a turn."""
        return () if self.attempt.hinted else (PuzzleStep.HINT,)

    def instructions(self) -> Sequence[str]:
        """Return how a turn is typed, and the rules at the beginning, later the squares."""
        return (self.state if self.attempt.squares else self.words("bot.daily.rules"), self.typed)

    @property
    def typed(self) -> str:
        """The line that says how a turn is typed."""
        return self.words("bot.puzzle.how", command="/daily")

    def pose(self, position: Position[Any], *said: str) -> View:
        """Return the board of the present turn, after some words."""
        first, *more = said or (self.task(position),)
        return self._picks(position, first, *more, buttons=self.ways_on)

    def hinted(self, partial: PartialMove, first: str) -> View:
        """Return the board with the first step of the best turn picked."""
        lines = (self.words("bot.daily.hint", step=first), self.state)
        return self.picked(partial, mark_of(self.attempt.position), *lines)

    def wrong(self, position: Position[Any], turn: JudgedTurn) -> View:
        """Return the board before a wrong turn, and what refutes the turn."""
        format_move = self.game.notation.format
        lines = [self.words("bot.puzzle.failed", moves=" ".join(map(format_move, turn.moves)))]
        if turn.reply is not None:
            lines.append(self.words("bot.puzzle.refuted", moves=" ".join(turn.reply.turn)))
        return self.pose(position, *lines)

    def finished(
        self, position: Position[Any], turn: JudgedTurn | None, streak: int, finished: Sequence[DailyResult]
    ) -> View:
        """Return how an attempt ended: the row to pass on, the streak, and the results of the place."""
        words = self.words
        lines = [words("bot.puzzle.solved" if self.attempt.solved else "bot.daily.failed"), ""]
        lines += [row(self.attempt, words), ""]
        if streak > 1:
            lines.append(words.count("bot.daily.streak", streak))
        if len(finished) > 1:
            lines += [words("bot.daily.here"), *results(finished, words)]
        buttons = tuple(map(self.button, (PuzzleStep.SOLUTION, PuzzleStep.NEXT)))
        while not lines[-1]:
            lines.pop()
        if turn is None:
            return View(lines=(self.title, *lines), buttons=buttons)
        diagram = self.game.draw(turn.after, Highlights(last=turn.moves, before=position))
        return self._view(diagram, *lines, buttons=buttons)
