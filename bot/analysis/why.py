"""Views of "why not this move?": another turn is picked at a position of a match that is over, and refuted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.analysis.alternatives import Alternative
from bot.analysis.cards import board, other_turn
from bot.analysis.judging import Played
from bot.analysis.replies import ExplainedReply, explained_replies, explained_reply
from bot.callback_data import CallbackData, Verb
from bot.presenter import picking, refusals
from bot.presenter.boards import as_it_was
from bot.presenter.controls import button
from bot.presenter.explained import marked
from bot.presenter.presentation import Presentation
from bot.presenter.selection import PartialMove, PickTarget, Selection
from bot.presenter.variations import brief_value, compared_values, played, turns_in, variation_text
from bot.view import Button, Picking, View
from rules.core import AmbiguousMove, Diagram, Highlights, Mark

KEYS: Final = {"bot.why.{}": (("same-result", "even-better"),)}
"""The keys that this module puts together, by their template: the members of each hole."""

END: Final = "="
"""Before the text of a turn in the argument of a button: the board shows how it ends."""

LINE: Final = 6
"""Turns played out, unless the game is over before."""


def asked(presentation: Presentation, turn: Played, partial: PartialMove) -> View:
    """Return the board before a turn, on which another one is picked."""
    match, words = presentation.match, presentation.words
    then = as_it_was(presentation, turn.first)
    target = PickTarget(match.id, turn.number, picks=Verb.WHY, plays=Verb.REFUTE)
    view = picking.choose(then, partial, target=target)
    typed = words("bot.why.typed", command=f"/analyse #{match.id} {turn.number}")
    title, *said = view.lines
    moves = " ".join(turn.plies)
    question = words("bot.why.which", number=turn.number, moves=moves)
    begun = Picking(
        presentation.game,
        partial.start,
        str(partial.selection),
        target.pick(Selection()),
        target.plays,
        typed,
    )
    return replace(
        view,
        lines=(title, question, *said, typed),
        buttons=(*view.buttons, _back(presentation, turn)),
        code=None,  # what is typed in a field of the match would be played in it
        picking=begun,
    )


def ambiguous(presentation: Presentation, turn: Played, error: AmbiguousMove) -> View:
    """Return the turns that a text may mean, to choose from."""
    view = refusals.candidates(as_it_was(presentation, turn.first), error)
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
    said = [_headline(presentation, found), *_verdict(presentation, found)]
    reply = _reply(presentation, found)
    if reply is not None:
        said += reply.lines
    line = _shown(presentation, found)
    if len(line) > len(found.plies):
        said.append(words("bot.hint.line", moves=variation_text(game, start, line)))
    marks: tuple[Mark, ...] = ()
    if reply is None or to_the_end:
        diagram = _played_out(presentation, found, line)
    else:
        diagram, marks = reply.diagram, reply.marks
    buttons = [*_other_board(presentation, found, reply, to_the_end=to_the_end)]
    buttons += [other_turn(presentation, found.instead.number), _back(presentation, found.instead)]
    return board(presentation, found.instead, said, diagram, buttons, alt=marked(marks, words))


def _headline(presentation: Presentation, found: Alternative) -> str:
    turn, moves = found.instead, " ".join(found.plies)
    key = "bot.analysis.turn" if sorted(found.plies) == sorted(turn.plies) else "bot.why.instead"
    name = presentation.names.seat(turn.seat)
    return presentation.words(key, number=turn.number, name=name, moves=moves, played=" ".join(turn.plies))


def _verdict(presentation: Presentation, found: Alternative) -> Iterator[str]:
    """Yield how a turn compares with the best one."""
    words = presentation.words
    start = presentation.course.positions[found.instead.first]
    best = " ".join(found.best)
    own = found.worth.value or 0.0, found.worth.plies
    other = found.better.value or 0.0, found.better.plies
    better = brief_value(*other, start, words)
    if found.worth.value is None:
        yield words("bot.why.unknown")
    elif found.same:
        yield words("bot.why.best", value=better)
    elif found.equal or found.lost < 0:
        worth, there = compared_values(own, other, start, words)
        if found.equal and brief_value(*own, start, words) == better:
            yield words("bot.why.equal", best=best, value=worth)
        else:
            key = "same-result" if found.equal else "even-better"
            yield words(f"bot.why.{key}", best=best, value=worth, better=there)
    else:
        better, worth = compared_values(other, own, start, words)
        yield words("bot.why.worse", best=best, value=worth, better=better)


def _reply(presentation: Presentation, found: Alternative) -> ExplainedReply | None:
    """Return the reply to a turn that is worse than the best one; among more than two sides, those of all others."""
    if not found.replies or found.equal or found.lost < 0:
        return None
    game, names, course = presentation.game, presentation.names, presentation.course
    _, after = played(game, course.positions[found.instead.first], found.plies)
    if len(course.sides) > 2:
        return explained_replies(game, after, found.replies, found.instead.seat, names)
    return explained_reply(game, after, found.replies[0], presentation.words, names.phrase)


def _shown(presentation: Presentation, found: Alternative) -> Sequence[str]:
    """Return the plies that are played out."""
    start = presentation.course.positions[found.instead.first]
    turns = turns_in(presentation.game, start, (*found.plies, *found.line))
    return [text for turn in turns[:LINE] for text in turn]


def _played_out(presentation: Presentation, found: Alternative, line: Sequence[str]) -> Diagram:
    """Return the board at the end of a line, with its last turn as a plan."""
    game = presentation.game
    start = presentation.course.positions[found.instead.first]
    *first, last = turns_in(game, start, line)
    _, before = played(game, start, [text for turn in first for text in turn])
    moves, end = played(game, before, last)
    return game.draw(end, Highlights(last=moves, planned=True, before=before))


def _other_board(
    presentation: Presentation, found: Alternative, reply: ExplainedReply | None, *, to_the_end: bool
) -> Iterator[Button]:
    """Yield the button to the board that is not shown, where there are two."""
    if reply is None:
        return
    moves = " ".join(found.plies)
    argument, key = (moves, "bot.button.why-reply") if to_the_end else (f"{END}{moves}", "bot.button.why-end")
    data = CallbackData(Verb.REFUTE, presentation.match.id, found.instead.number, argument)
    if data.fits:
        yield Button(presentation.words(key), data)


def _back(presentation: Presentation, turn: Played) -> Button:
    label = presentation.words("bot.button.analyse-turn", number=turn.number)
    return button(presentation, Verb.ANALYSE, str(turn.number), label=label)
