"""Views of an analysis: an overview, each turn on a board, and another turn that is picked in its place and refuted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting import picking
from bot.chat.presenting.boards import as_it_was, show
from bot.chat.presenting.captions import alt_text, explained, marked
from bot.chat.presenting.forecast import foregone
from bot.chat.presenting.naming import (
    Naming,
    Presentation,
    button,
    line_played,
    roster,
    turns_in,
    variation_text,
)
from bot.chat.presenting.selection import PartialMove, PickTarget
from bot.chat.view import Button, View
from bot.features.analysis.explaining import (
    EXACT,
    UNITS,
    ExplainedReply,
    brief_value,
    compared_values,
    counted,
    explained_replies,
    explained_reply,
    percent,
    value_text,
)
from bot.features.analysis.judging import Alternative, Judged, decided, idea_of
from play.replay import Course, PlayedTurn
from rules.core import AmbiguousMove, Diagram, Highlights, Mark, Position, Seat

_POINTS: Final = 5  # turning points listed: those that cost the most

PLAYED: Final = "played"  # in the argument of a button: the board shows what was played, not what was better
_BARS: Final = "▁▂▃▄▅▆▇█"
_LONGEST: Final = 60  # bars in the curve of a match


def overview(presentation: Presentation, turns: Sequence[Judged]) -> View:
    """Return the curve of a match, its turning points, and buttons to its turns."""
    names, words, course = presentation.names, presentation.words, presentation.course
    view = show(presentation)
    if not turns:
        return replace(view, lines=(names.title, words("bot.analysis.nothing")), buttons=(), controls=())
    worst = sorted((turn for turn in turns if turn.turning), key=lambda turn: (-turn.sure, -turn.lost))
    points = sorted(worst[:_POINTS], key=lambda turn: turn.played.number)
    lines = [
        names.title,
        words("bot.analysis.curve", name=names.seat(_curve_seat(course, turns)), curve=_curve(course, turns)),
    ]
    match = presentation.match
    if match.start is None and (known := foregone(presentation.game, dict(match.options), words)):
        lines.append(known)
    if points:
        lines.append(words("bot.analysis.points"))
        lines += [_point(names, course, turn) for turn in points]
    else:
        lines.append(words("bot.analysis.no-points"))
    if certain := decided(course, turns):
        lines.append(_decided(names, course, *certain))
    buttons = [
        _to(
            presentation, str(turn.played.number), words("bot.button.analyse-turn", number=turn.played.number)
        )
        for turn in points
    ]
    buttons.append(_to(presentation, str(turns[0].played.number), words("bot.button.analyse-first")))
    buttons += (button(presentation, Verb.REPLAY), button(presentation, Verb.STORY))
    return replace(view, lines=tuple(lines), buttons=tuple(buttons), controls=(), ping=())


def page(presentation: Presentation, turns: Sequence[Judged], number: int, *, played: bool = False) -> View:
    """Return one turn: its value, and the best turn with its line.

    The board shows what was better at a turning point, with the idea of it; else, or with `played`, what was played.
    """
    course, game, words = presentation.course, presentation.game, presentation.words
    by_number = {turn.played.number: turn for turn in turns}
    number = min(max(number, turns[0].played.number), turns[-1].played.number)
    turn = by_number[number]
    start = course.positions[turn.played.first]
    moves, name = " ".join(turn.played.plies), presentation.names.seat(turn.played.seat)
    said = [words("bot.analysis.turn", number=number, name=name, moves=moves)]
    ways: list[Button] = []
    if turn.turning:
        idea = idea_of(game, start, turn.best)
        said += _turning_described(presentation, turn)
        if idea is not None:
            said.append(words("bot.analysis.idea", idea=presentation.names.phrase(idea.phrase)))
        key, argument = ("better", str(number)) if played else ("played", f"{number} {PLAYED}")
        ways.append(_to(presentation, argument, words(f"bot.button.analyse-{key}")))
        marks = () if played or idea is None else idea.marks
        diagram = as_played(course, turn.played) if played else explained(game, start, turn.best.turn, marks)
    else:
        said += _described(turn, start, words)
        diagram, marks = as_played(course, turn.played), ()
    if not turn.same and len(turn.best.line) > len(turn.best.turn):
        said.append(words("bot.hint.line", moves=variation_text(game, start, turn.best.line)))
    if number > turns[0].played.number:
        ways.append(_to(presentation, str(number - 1), words("bot.button.analyse-back")))
    if number < turns[-1].played.number:
        ways.append(_to(presentation, str(number + 1), words("bot.button.analyse-on")))
    ways.append(_other_turn(presentation, number))
    ways.append(button(presentation, Verb.WHAT_IF, str(number), label=words("bot.page.what-if")))
    ways.append(button(presentation, Verb.FROM, str(number)))
    ways.append(button(presentation, Verb.ANALYSE, label=words("bot.button.analyse-all")))
    return board(presentation, turn.played, said, diagram, ways, alt=marked(marks, words))


def board(
    presentation: Presentation,
    turn: PlayedTurn,
    said: Sequence[str],
    diagram: Diagram,
    buttons: Sequence[Button],
    *,
    alt: Iterable[str] = (),
) -> View:
    """Return a board about a turn, with what is said of it; `alt` is said besides where the board is not seen."""
    match, then = presentation.match, as_it_was(presentation, turn.first)
    return View(
        lines=(presentation.names.title, *said),
        diagram=diagram,
        roster=roster(then),
        buttons=tuple(buttons),
        alt=alt_text(then, (*said, *alt), diagram=diagram),
        theme=presentation.theme,
        flipped=presentation.flipped,
        code=match.id,
        revision=match.revision,
    )


def _other_turn(presentation: Presentation, number: int) -> Button:
    return Button(presentation.words("bot.button.why"), CallbackData(Verb.WHY, presentation.match.id, number))


def as_played(course: Course, turn: PlayedTurn) -> Diagram:
    """Return the board after a turn, with what was played on it."""
    first, end = turn.first, turn.end
    last = [move for move in course.moves[first:end] if move is not None]
    return course.game.draw(course.positions[end], Highlights(last=last, before=course.positions[first]))


def _described(turn: Judged, start: Position[Any], words: Words) -> Iterator[str]:
    if turn.same:
        yield words("bot.analysis.best")
        yield value_text(turn.best, start, words)
        return
    if turn.after.value is not None:
        yield _worth(turn.after.value, turn.after.plies, words)
    key = "bot.analysis.better" if turn.lost > 0 else "bot.analysis.also"
    yield words(key, moves=" ".join(turn.best.turn))
    if turn.lost > 0 or turn.best.plies is not None:  # what is just as good is not given another figure
        yield value_text(turn.best, start, words)


def _turning_described(presentation: Presentation, turn: Judged) -> Iterator[str]:
    course, words = presentation.course, presentation.words
    before, after = _change(course, turn, words)
    key = "bot.analysis.turned" if len(course.sides) == 2 else "bot.analysis.turned-round"
    line = words(key, before=before, after=after)
    if turn.sure and turn.keep is not None:
        line = f"{line} {words.count('bot.analysis.kept', turn.keep)}"
    yield line
    yield words("bot.analysis.better", moves=" ".join(turn.best.turn))


def _to(presentation: Presentation, argument: str, label: str) -> Button:
    return button(presentation, Verb.ANALYSE, argument, label=label)


def _worth(value: float, plies: int | None, words: Words) -> str:
    if plies is None:
        return words("bot.judged.guess", percent=percent(value))
    return words(f"bot.analysis.proved.{('draw', 'win', 'loss')[round(value)]}")


def _change(course: Course, turn: Judged, words: Words) -> tuple[str, str]:
    return compared_values(turn.best, turn.after, course.positions[turn.played.first], words)


def _point(names: Naming, course: Course, turn: Judged) -> str:
    played = turn.played
    before, after = _change(course, turn, names.words)
    return names.words(
        "bot.analysis.point",
        number=played.number,
        name=names.seat(played.seat),
        moves=" ".join(played.plies),
        before=before,
        after=after,
        better=" ".join(turn.best.turn),
    )


def _decided(names: Naming, course: Course, turn: Judged, winner: Seat) -> str:
    start = course.positions[turn.played.first]
    assert turn.best.plies is not None, "certain"  # noqa: S101
    return names.words.count(
        f"bot.analysis.decided.{counted(turn.best, start)}",
        turn.best.plies,
        number=turn.played.number,
        name=names.seats(course.side_of(winner)),
    )


def _curve_seat(course: Course, turns: Sequence[Judged]) -> Seat:
    first = next(side for side in course.sides if Seat.S1 in side)
    if len(course.sides) == 2 or any(turn.played.seat in first for turn in turns):
        return Seat.S1
    return turns[0].played.seat


def _curve(course: Course, turns: Sequence[Judged]) -> str:
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


KEYS: Final = {  # for the check of the catalogues
    "bot.button.analyse-{}": (("better", "played"),),
    "bot.analysis.proved.{}": (("draw", "win", "loss"),),
    "bot.analysis.decided.{}": ((*UNITS, EXACT),),
    "bot.why.{}": (("same-result", "even-better"),),
}

END: Final = "="  # before the text of a turn in the argument of a button: the board shows how it ends
_LINE: Final = 6  # turns played out, unless the game is over before


def asked(presentation: Presentation, turn: PlayedTurn, partial: PartialMove) -> View:
    """Return the board before a turn, on which another one is picked."""
    match, words = presentation.match, presentation.words
    then = as_it_was(presentation, turn.first)
    target = PickTarget(match.id, turn.number, picks=Verb.WHY, plays=Verb.REFUTE)
    view = picking.choose(then, partial, target=target)
    typed = words("bot.why.typed", command=f"/analyse #{match.id} {turn.number}")
    title, *said = view.lines
    moves = " ".join(turn.plies)
    question = words("bot.why.which", number=turn.number, moves=moves)
    return replace(
        view,
        lines=(title, question, *said, typed),
        buttons=(*view.buttons, _back(presentation, turn)),
        code=None,  # what is typed in a field of the match would be played in it
        picking=target.picking(presentation.game, partial, typed),
    )


def ambiguous(presentation: Presentation, turn: PlayedTurn, error: AmbiguousMove) -> View:
    """Return the turns that a text may mean, to choose from."""
    view = picking.candidates(as_it_was(presentation, turn.first), error)
    buttons = tuple(
        replace(each, data=CallbackData(Verb.REFUTE, presentation.match.id, turn.number, each.data.argument))
        for each in view.buttons
    )
    lines = (presentation.names.title, presentation.words("bot.why.several"))
    return replace(view, lines=lines, buttons=buttons, code=None)


def answer(presentation: Presentation, found: Alternative, *, to_the_end: bool = False) -> View:
    """Return what another turn comes to: the reply that refutes it on a board, or with `to_the_end` the expected line played out."""
    words, course, game = presentation.words, presentation.course, presentation.game
    start = course.positions[found.instead.first]
    turn, moves, name = found.instead, " ".join(found.plies), presentation.names.seat(found.instead.seat)
    key = "bot.analysis.turn" if sorted(found.plies) == sorted(turn.plies) else "bot.why.instead"
    said = [words(key, number=turn.number, name=name, moves=moves, played=" ".join(turn.plies))]
    said += _verdict(presentation, found)
    reply = _reply(presentation, found)
    if reply is not None:
        said += reply.lines
    turns = turns_in(game, start, (*found.plies, *found.line))[:_LINE]
    line = [text for turn in turns for text in turn]
    if len(line) > len(found.plies):
        said.append(words("bot.hint.line", moves=variation_text(game, start, line)))
    marks: tuple[Mark, ...] = ()
    if reply is None or to_the_end:
        diagram = _played_out(presentation, found, line)
    else:
        diagram, marks = reply.diagram, reply.marks
    buttons = [*_other_board(presentation, found, reply, to_the_end=to_the_end)]
    buttons += [_other_turn(presentation, found.instead.number), _back(presentation, found.instead)]
    return board(presentation, found.instead, said, diagram, buttons, alt=marked(marks, words))


def _verdict(presentation: Presentation, found: Alternative) -> Iterator[str]:
    words = presentation.words
    start = presentation.course.positions[found.instead.first]
    best = " ".join(found.best)
    own, other = found.worth, found.better
    better = brief_value(other, start, words)
    if found.worth.value is None:
        yield words("bot.why.unknown")
    elif found.same:
        yield words("bot.why.best", value=better)
    elif found.equal or found.lost < 0:
        worth, there = compared_values(own, other, start, words)
        if found.equal and brief_value(own, start, words) == better:
            yield words("bot.why.equal", best=best, value=worth)
        else:
            key = "same-result" if found.equal else "even-better"
            yield words(f"bot.why.{key}", best=best, value=worth, better=there)
    else:
        better, worth = compared_values(other, own, start, words)
        yield words("bot.why.worse", best=best, value=worth, better=better)


def _reply(presentation: Presentation, found: Alternative) -> ExplainedReply | None:
    if not found.replies or found.equal or found.lost < 0:
        return None
    game, names, course = presentation.game, presentation.names, presentation.course
    _, after = line_played(game, course.positions[found.instead.first], found.plies)
    if len(course.sides) > 2:
        return explained_replies(game, after, found.replies, found.instead.seat, names)
    return explained_reply(game, after, found.replies[0], presentation.words, names.phrase)


def _played_out(presentation: Presentation, found: Alternative, line: Sequence[str]) -> Diagram:
    game = presentation.game
    start = presentation.course.positions[found.instead.first]
    *first, last = turns_in(game, start, line)
    _, before = line_played(game, start, [text for turn in first for text in turn])
    moves, end = line_played(game, before, last)
    return game.draw(end, Highlights(last=moves, planned=True, before=before))


def _other_board(
    presentation: Presentation, found: Alternative, reply: ExplainedReply | None, *, to_the_end: bool
) -> Iterator[Button]:
    if reply is None:
        return
    moves = " ".join(found.plies)
    argument, key = (moves, "bot.button.why-reply") if to_the_end else (f"{END}{moves}", "bot.button.why-end")
    data = CallbackData(Verb.REFUTE, presentation.match.id, found.instead.number, argument)
    if data.fits:
        yield Button(presentation.words(key), data)


def _back(presentation: Presentation, turn: PlayedTurn) -> Button:
    label = presentation.words("bot.button.analyse-turn", number=turn.number)
    return button(presentation, Verb.ANALYSE, str(turn.number), label=label)
