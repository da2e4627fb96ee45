"""Hints: first what is behind the best turn, then the turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.actions import Action, Verb
from bot.i18n import Words
from bot.presenter.boards import show
from bot.presenter.controls import button
from bot.presenter.naming import Naming
from bot.thinking.jobs import Line
from bot.view import Button, View
from engine.core import Idea
from play.match import Match
from play.replay import Course
from rules.core import AnyGame, RulesError, walk


def judged(line: Line, words: Words) -> str:
    """What a turn comes to: what is proved is called proved, what is guessed a guess."""
    if line.plies is not None:
        result = round(line.value)
        if result > 0:
            return words.count("bot.judged.win", line.plies)
        if result < 0:
            return words.count("bot.judged.loss", line.plies)
        return words("bot.judged.draw")
    # 1 is a sure win, -1 a sure loss: as a chance in a hundred.
    return words("bot.judged.guess", percent=round(50 * (1 + line.value)))


def idea(
    game: AnyGame, match: Match, course: Course, line: Line, *, found: Idea | None, words: Words
) -> View:
    """What is behind the best turn, shown on the board, and a button that tells the turn."""
    names = Naming(game, match, words)
    view = show(game, match, course, words)
    if found is None:
        said, diagram = words("bot.hint.begin"), _begun(game, course, line)
    else:
        said, diagram = names.phrase(found.phrase), view.diagram
        if diagram is not None:
            diagram = replace(diagram, marks=found.marks, arrows=())
    return replace(
        view,
        lines=(names.title, words("bot.hint.idea", idea=said), judged(line, words)),
        diagram=diagram,
        buttons=(button(words, match, Verb.HINT, "move", label=words("bot.button.hint-move")),),
        controls=(),
        ping=None,
    )


def turn(game: AnyGame, match: Match, course: Course, line: Line, words: Words) -> View:
    """The best turn, where it leads, and a button that plays it."""
    names = Naming(game, match, words)
    here, moves = course.position, []
    for text in line.turn:
        (move,) = game.notation.parse(text, here)
        here = here.play(move)
        moves.append(move)
    text = " ".join(line.turn)
    play = Action(Verb.MOVE, match.id, match.revision, text)
    buttons = (Button(words("bot.button.hint-play", move=text), play, style="good"),) if play.fits else ()
    return replace(
        show(game, match, course, words),
        lines=(
            names.title,
            words("bot.hint.move", move=text),
            judged(line, words),
            *(
                (words("bot.hint.line", moves=" ".join(line.line)),)
                if len(line.line) > len(line.turn)
                else ()
            ),
        ),
        diagram=game.draw(here, last=moves, before=course.position),
        buttons=buttons,
        controls=(),
        ping=None,
    )


def _begun(game: AnyGame, course: Course, line: Line) -> Any:
    """The board with the beginning of a turn picked: the man that moves, the cell that is acted on."""
    position = course.position
    try:
        (move,) = game.notation.parse(line.turn[0], position)
        path, _ = walk(lambda chosen: game.fork(position, chosen), game.notation.steps(move)[:1])
        return game.draw(position, picked=path)
    except (RulesError, ValueError):
        return game.draw(position)
