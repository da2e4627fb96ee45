"""Views of an analysis: an overview, and each turn on a board, to step through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.analysis.judging import Judged
from bot.callback_data import Verb
from bot.i18n import Words
from bot.presenter.boards import show
from bot.presenter.captions import alt_text
from bot.presenter.controls import button
from bot.presenter.naming import Naming
from bot.presenter.presentation import Presentation
from bot.presenter.roster import roster
from bot.presenter.variations import value_text, variation_text
from bot.view import Button, View
from play.replay import Course
from rules.core import Highlights, Seat

POINTS: Final = 5
"""Turning points listed: those that cost the most."""

_BARS: Final = "▁▂▃▄▅▆▇█"
_LONGEST: Final = 60
"""Bars in the curve of a match."""


def overview(presentation: Presentation, turns: Sequence[Judged]) -> View:
    """Return the curve of a match, its turning points, and buttons to its turns."""
    names, words, course = presentation.names, presentation.words, presentation.course
    view = show(presentation)
    if not turns:
        return replace(view, lines=(names.title, words("bot.analysis.nothing")), buttons=(), controls=())
    worst = sorted((turn for turn in turns if turn.turning), key=lambda turn: (-turn.sure, -turn.lost))
    points = sorted(worst[:POINTS], key=lambda turn: turn.played.number)
    lines = [
        names.title,
        words("bot.analysis.curve", name=names.seat(_curve_seat(course, turns)), curve=_curve(course, turns)),
    ]
    if points:
        lines.append(words("bot.analysis.points"))
        lines += [_point(names, turn) for turn in points]
    else:
        lines.append(words("bot.analysis.no-points"))
    buttons = [
        _to(presentation, turn.played.number, words("bot.button.analyse-turn", number=turn.played.number))
        for turn in points
    ]
    buttons.append(_to(presentation, turns[0].played.number, words("bot.button.analyse-first")))
    return replace(view, lines=tuple(lines), buttons=tuple(buttons), controls=(), ping=())


def page(presentation: Presentation, turns: Sequence[Judged], number: int) -> View:
    """Return one turn: its value, and the best turn with its line."""
    match, course, names = presentation.match, presentation.course, presentation.names
    game, words = presentation.game, presentation.words
    by_number = {turn.played.number: turn for turn in turns}
    number = min(max(number, turns[0].played.number), turns[-1].played.number)
    turn = by_number[number]
    played = turn.played
    lines = [
        names.title,
        words("bot.analysis.turn", number=number, name=names.seat(played.seat), moves=" ".join(played.plies)),
    ]
    start = course.positions[played.first]
    if turn.same:
        lines += [words("bot.analysis.best"), value_text(turn.best, start, words)]
    else:
        if turn.value is not None:
            lines.append(_worth(turn, words))
        if turn.turning:
            lines.append(_verdict(turn, words))
        key = "bot.analysis.better" if turn.lost > 0 else "bot.analysis.also"
        lines.append(words(key, moves=" ".join(turn.best.turn)))
        if turn.lost > 0 or turn.best.plies is not None:  # what is just as good is not given another figure
            lines.append(value_text(turn.best, start, words))
        if len(turn.best.line) > len(turn.best.turn):
            lines.append(words("bot.hint.line", moves=variation_text(game, start, turn.best.line)))
    diagram = game.draw(
        course.positions[played.end],
        Highlights(
            last=[move for move in course.moves[played.first : played.end] if move is not None],
            before=start,
        ),
    )
    ways: list[Button] = []
    if number > turns[0].played.number:
        ways.append(_to(presentation, number - 1, words("bot.button.analyse-back")))
    if number < turns[-1].played.number:
        ways.append(_to(presentation, number + 1, words("bot.button.analyse-on")))
    ways.append(button(presentation, Verb.ANALYSE, label=words("bot.button.analyse-all")))
    return View(
        lines=tuple(lines),
        diagram=diagram,
        roster=roster(presentation),
        buttons=tuple(ways),
        alt=alt_text(presentation, lines[1:], diagram=diagram),
        theme=presentation.theme,
        flipped=presentation.flipped,
        code=match.id,
        revision=match.revision,
    )


def _to(presentation: Presentation, number: int, label: str) -> Button:
    return button(presentation, Verb.ANALYSE, str(number), label=label)


def _percent(value: float) -> int:
    return round(50 * (1 + value))


def _worth(turn: Judged, words: Words) -> str:
    """Return the result or the estimate after a turn."""
    assert turn.value is not None, "judged"  # noqa: S101
    if turn.proved:
        result = round(turn.value)
        return words(f"bot.analysis.proved.{('draw', 'win', 'loss')[result]}")
    return words("bot.judged.guess", percent=_percent(turn.value))


def _verdict(turn: Judged, words: Words) -> str:
    """Return the result lost, if that is certain, and how many turns would have kept it; else the estimated cost."""
    if not turn.sure:
        return words("bot.analysis.cost", before=_percent(turn.best.value), after=_percent(turn.value or 0.0))
    lost = words("bot.analysis.lost.win" if turn.best.value > 0 else "bot.analysis.lost.draw")
    if turn.keep is None:
        return lost
    return f"{lost} {words.count('bot.analysis.kept', turn.keep)}"


def _point(names: Naming, turn: Judged) -> str:
    played = turn.played
    return names.words(
        "bot.analysis.point",
        number=played.number,
        name=names.seat(played.seat),
        moves=" ".join(played.plies),
        verdict=_verdict(turn, names.words),
        better=" ".join(turn.best.turn),
    )


def _curve_seat(course: Course, turns: Sequence[Judged]) -> Seat:
    """Return the seat of the curve: the first; of more than two sides, the first with a turn."""
    first = next(side for side in course.sides if Seat.S1 in side)
    if len(course.sides) == 2 or any(turn.played.seat in first for turn in turns):
        return Seat.S1
    return turns[0].played.seat


def _curve(course: Course, turns: Sequence[Judged]) -> str:
    """Return the value for the seat of the curve before each turn, as bars."""
    seat = _curve_seat(course, turns)
    first = next(side for side in course.sides if seat in side)
    duel = len(course.sides) == 2
    heights = []
    for turn in turns:
        if turn.played.seat in first:
            heights.append(turn.best.value)
        elif duel:
            heights.append(-turn.best.value)
    step = max(1, -(-len(heights) // _LONGEST))
    return "".join(_BARS[round((len(_BARS) - 1) * (1 + value) / 2)] for value in heights[::step])
