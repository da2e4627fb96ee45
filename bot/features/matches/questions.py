"""What is asked around a move: which one of the legal moves, which one is meant, whether one is sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.boards import CONFIRMED
from bot.chat.presenting.naming import Naming, Presentation, button, game_title, turn
from bot.chat.presenting.picking import EXAMPLES, MAX_CANDIDATES, asking, examples, with_examples
from bot.chat.presenting.selection import Selection, in_match
from bot.chat.view import Button, View
from play.actions.planning import Slip
from play.match import Match, Ply
from play.replay import Course
from rules.core import AmbiguousMove, AnyGame, quoted

PAGE: Final = 20  # moves on a page: four rows of buttons, so that a fifth is left on Discord
_STEPS: Final = 2  # of a move that can be recognised by its text: a piece, and where it goes

_LONGEST: Final = 60  # characters of what was typed, as a refusal names it


def lists(game: AnyGame, course: Course) -> bool:
    """Whether moves are listed: each is a whole turn, and has two steps at most."""
    position = course.position
    moves = position.legal_moves()
    return not position.counts_plies and all(len(game.notation.steps(move)) <= _STEPS for move in moves)


def listed(presentation: Presentation, page: int = 0) -> View:
    """A page of the legal moves as buttons; after the last page comes the first."""
    game, words = presentation.game, presentation.words
    moves = _likely_first(game, presentation.course)
    pages = -(-len(moves) // PAGE)
    page %= max(1, pages)
    texts = [game.notation.format(move) for move in moves[page * PAGE : (page + 1) * PAGE]]
    target = in_match(presentation.match, flipped=presentation.flipped)
    buttons = [Button(text, target.play(text)) for text in texts]
    if pages > 1:
        buttons.append(Button(words("bot.button.moves-more"), target.moves((page + 1) % pages)))
    buttons.append(Button(words("bot.button.steps"), target.pick(Selection())))
    view = asking(presentation, presentation.drawn, turn(presentation), words("bot.pick.list"))
    return replace(view, buttons=tuple(buttons))


def _likely_first(game: AnyGame, course: Course) -> list[Any]:
    """Return the legal moves: captures, then those of the piece that the seat touched last, then the others."""
    position, notation = course.position, game.notation
    touched = _touched_last(game, course)

    def unlikely(move: Any) -> tuple[bool, bool]:
        return not game.takes(position, move), touched.isdisjoint(notation.steps(move)[:1])

    return sorted(position.legal_moves(), key=unlikely)


def _touched_last(game: AnyGame, course: Course) -> frozenset[str]:
    for entry, move in zip(reversed(course.log), reversed(course.moves), strict=True):
        if isinstance(entry, Ply) and entry.seat == course.position.to_move:
            return frozenset(game.notation.steps(move))
    return frozenset()


def in_plan(names: Naming, slip: Slip) -> View:
    """A refused move in a plan: which one, the rule, and moves that would do right there."""
    game, words = names.game, names.words
    fields = names.named(slip.error.fields)
    shown = {
        name: quoted(value, _LONGEST) if isinstance(value, str) else value for name, value in fields.items()
    }
    lines = [
        words("bot.plan.slip", case=quoted(slip.case, _LONGEST), text=quoted(slip.text, _LONGEST)),
        words(slip.error.reason, **shown),
    ]
    if isinstance(slip.error, AmbiguousMove):
        fitting: Sequence[Any] = slip.error.candidates
        offered = [game.notation.format(move) for move in fitting[:EXAMPLES]]
    else:
        offered = examples(game, slip.position)
    return with_examples(words, offered, *lines)


def look_alikes(match: Match, moves: Sequence[str], words: Words) -> View:
    """Moves that a text with Cyrillic letters may stand for: a button plays one."""
    offered = [CallbackData(Verb.MOVE, match.id, match.revision, text) for text in moves[:MAX_CANDIDATES]]
    buttons = [Button(data.argument, data) for data in offered if data.fits]
    return View(lines=(words("bot.did-you-mean"),), buttons=tuple(buttons))


def loses_at_once(reply: str, again: CallbackData, other: CallbackData, words: Words) -> View:
    """That a move loses to a reply (or by itself, without one), and what plays it or chooses another."""
    said = words("bot.blunder", moves=reply) if reply else words("bot.blunder.itself")
    buttons = [Button(words("bot.blunder.play"), again)] if again.fits else []
    buttons.append(Button(words("bot.button.other-move"), other))
    how = words("bot.blunder.how", command="/settings warnings:off")
    return View(lines=(said,), after=(how,), buttons=tuple(buttons), code=other.match)


def confirm_resignation(presentation: Presentation, *, replaceable: bool) -> View:
    """Whether a player really wants to give up, or to leave a seat that another person may take over."""
    words = presentation.words
    label = words("bot.leave.sure" if replaceable else "bot.resign.sure")
    asked = words("bot.leave.ask" if replaceable else "bot.resign.ask")
    return presentation.note(asked, buttons=(button(presentation, Verb.RESIGN, CONFIRMED, label=label),))


def shrinking(presentation: Presentation, smaller: Match, present: str) -> View:
    """The question whether a lobby with free seats begins with those present, and as which game."""
    words, match = presentation.words, presentation.match
    game = game_title(presentation.game, dict(smaller.options), words)
    said = words("bot.lobby.shrinks", seats=len(match.chairs), taken=present, game=game)
    return View(lines=(said,), buttons=(button(presentation, Verb.START, present),))
