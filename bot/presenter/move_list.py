"""A list of the legal moves, each played by one press, for those who know what they want."""

from __future__ import annotations

from typing import Any, Final

from bot.presenter.boards import turn
from bot.presenter.captions import alt_text, unpictured
from bot.presenter.position import position_text
from bot.presenter.presentation import Presentation
from bot.presenter.roster import strip
from bot.presenter.selection import Selection, in_match
from bot.view import Button, View
from play.match import Ply
from play.replay import Course
from rules.core import AnyGame, Highlights

PAGE: Final = 20
"""Moves on a page: four rows of buttons, so that a fifth is left on Discord."""

_STEPS: Final = 2  # of a move that can be recognised by its text: a piece, and where it goes


def lists(game: AnyGame, course: Course) -> bool:
    """Whether moves are listed: each is a whole turn, and has two steps at most."""
    position = course.position
    moves = position.legal_moves()
    return not position.counts_plies and all(len(game.notation.steps(move)) <= _STEPS for move in moves)


def listed(presentation: Presentation, page: int = 0) -> View:
    """A page of the legal moves as buttons; after the last page comes the first."""
    game, match, course = presentation.game, presentation.match, presentation.course
    words, names = presentation.words, presentation.names
    moves = likely_first(game, course)
    pages = -(-len(moves) // PAGE)
    page %= max(1, pages)
    texts = [game.notation.format(move) for move in moves[page * PAGE : (page + 1) * PAGE]]
    target = in_match(match, flipped=presentation.flipped)
    buttons = [Button(text, target.play(text)) for text in texts]
    if pages > 1:
        buttons.append(Button(words("bot.button.moves-more"), target.moves((page + 1) % pages)))
    buttons.append(Button(words("bot.button.steps"), target.pick(Selection())))
    diagram = game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))
    said, prompt = turn(presentation), words("bot.pick.list")
    position = position_text(diagram, names)
    return View(
        lines=(names.title, said),
        diagram=diagram,
        after=(prompt,),
        buttons=tuple(buttons),
        alt=alt_text(presentation, (said, prompt), diagram=diagram, position=position),
        position=unpictured(presentation, diagram, position),
        strip=strip(presentation),
        code=match.id,
        revision=match.revision,
        theme=presentation.theme,
        flipped=presentation.flipped,
    )


def likely_first(game: AnyGame, course: Course) -> list[Any]:
    """Return the legal moves: captures, then those of the piece that the seat touched last, then the others."""
    position, notation = course.position, game.notation
    touched = _touched_last(game, course)

    def unlikely(move: Any) -> tuple[bool, bool]:
        return not game.takes(position, move), touched.isdisjoint(notation.steps(move)[:1])

    return sorted(position.legal_moves(), key=unlikely)


def _touched_last(game: AnyGame, course: Course) -> frozenset[str]:
    """Return the cells of the last move of the seat on turn."""
    for entry, move in zip(reversed(course.log), reversed(course.moves), strict=True):
        if isinstance(entry, Ply) and entry.seat == course.position.to_move:
            return frozenset(game.notation.steps(move))
    return frozenset()
