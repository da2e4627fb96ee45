"""Hints: first the idea of the best turn, then the turn."""

from __future__ import annotations

from dataclasses import replace

from bot.callback_data import CallbackData, Verb
from bot.presenter.boards import show
from bot.presenter.captions import alt_text
from bot.presenter.controls import button
from bot.presenter.explained import marked
from bot.presenter.presentation import Presentation
from bot.presenter.variations import played, value_text, variation_text
from bot.thinking.jobs import Variation
from bot.view import Button, View
from engine.core import Idea
from rules.core import Diagram, Highlights, RulesError, Sign, walk


def idea(presentation: Presentation, line: Variation, found: Idea | None) -> View:
    """Return the idea of the best turn, shown on the board, and a button that shows the turn."""
    names, words = presentation.names, presentation.words
    view = show(presentation)
    diagram: Diagram | None
    if found is None:
        lost = line.plies is not None and line.value < 0
        said, diagram = words("bot.hint.lost" if lost else "bot.hint.begin"), _begun(presentation, line)
        marks = [mark for mark in diagram.marks if mark.sign is Sign.PICKED]
    else:
        said, diagram = names.phrase(found.phrase), view.diagram
        marks = list(found.marks)
        if diagram is not None:
            diagram = replace(diagram, marks=found.marks, arrows=())
    lines = (words("bot.hint.idea", idea=said), value_text(line, presentation.course.position, words))
    return replace(
        view,
        lines=(names.title, *lines),
        alt=alt_text(presentation, (*lines, *marked(marks, words)), diagram=diagram),
        diagram=diagram,
        buttons=(button(presentation, Verb.HINT, "move", label=words("bot.button.hint-move")),),
        controls=(),
        ping=(),
    )


def turn(presentation: Presentation, line: Variation) -> View:
    """Return the best turn, its line, and a button that plays it."""
    game, match = presentation.game, presentation.match
    course, words = presentation.course, presentation.words
    moves, here = played(game, course.position, line.turn)
    text = " ".join(line.turn)
    play = CallbackData(Verb.MOVE, match.id, match.revision, text)
    buttons = (Button(words("bot.button.hint-play", move=text), play, style="good"),) if play.fits else ()
    lines = [words("bot.hint.move", move=text), value_text(line, course.position, words)]
    if len(line.line) > len(line.turn):
        lines.append(words("bot.hint.line", moves=variation_text(game, course.position, line.line)))
    diagram = game.draw(here, Highlights(last=moves, planned=True, before=course.position))
    return replace(
        show(presentation),
        lines=(presentation.names.title, *lines),
        alt=alt_text(presentation, lines, diagram=diagram),
        diagram=diagram,
        buttons=buttons,
        controls=(),
        ping=(),
    )


def _begun(presentation: Presentation, line: Variation) -> Diagram:
    """Return the board with the first step of a turn picked."""
    game, position = presentation.game, presentation.course.position
    try:
        (move,) = game.notation.parse(line.turn[0], position)
        path, _ = walk(lambda chosen: game.fork(position, chosen), game.notation.steps(move)[:1])
        return game.draw(position, Highlights(picked=path))
    except (RulesError, ValueError):
        return game.draw(position)
