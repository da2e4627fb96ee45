"""Turns to choose from, each known by a letter: on the board they would be played on, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.chat.presenting.captions import length
from bot.chat.presenting.naming import Naming
from rules.core import AnyGame, Arrow, Diagram, Highlights, Kind, Mark, Position, Sign, Square

LETTERS: Final = "ABCDEFGH"

_SPOKEN: Final = 500  # characters of all the turns in words, so that the position has room beside them


def lettered(game: AnyGame, position: Position[Any], turns: Sequence[str]) -> Diagram:
    """Return a position with turns drawn on it, `LETTERS` in their order: on arrows, and on cells that no arrow points at.

    Of a piece over several cells, all the cells have the letter: one of them would not tell how it lies. A turn is as typed; the letter of an
    empty one is left out.

    Raises:
        RulesError: a turn cannot be played.
    """
    marks: list[Mark] = []
    arrows: dict[tuple[Square, Square], str] = {}
    for letter, turn in _given(turns):
        after = _after(game, position, turn)
        for arrow in after.arrows:
            way = arrow.start, arrow.end
            arrows[way] = arrows.get(way, "") + letter
        marks += (Mark(Sign.CANDIDATE, square, letter) for square in _covered(after))
    drawn = tuple(Arrow(*way, letters) for way, letters in arrows.items())
    return replace(game.draw(position), marks=tuple(marks), arrows=drawn)


def _given(turns: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((letter, turn) for letter, turn in zip(LETTERS, turns, strict=False) if turn)


def _after(game: AnyGame, position: Position[Any], turn: str) -> Diagram:
    """The board as a turn leaves it, before the rules move pieces on."""
    moves = game.notation.parse(turn, position)
    played = position
    for move in moves:
        played = played.play(move)
    shown = game.draw(played, Highlights(last=moves, before=position))
    return shown.first or shown


def _covered(after: Diagram) -> Iterator[Square]:
    came = {mark.square for mark in after.marks if mark.sign in {Sign.ENTERED, Sign.CRUSHED}}
    came -= {arrow.end for arrow in after.arrows}
    for piece in after.pieces:
        if piece.kind is Kind.TILE and not came.isdisjoint(piece.cells):
            came |= set(piece.cells)
    yield from sorted(came)


def lettered_words(names: Naming, position: Position[Any], turns: Sequence[str]) -> tuple[str, ...]:
    """Return the turns of `lettered` in words, a line each: "A: a man goes from c2 to c3"; in notation where that is too long.

    Raises:
        RulesError: a turn cannot be played.
    """
    game, said, brief = names.game, list[str](), list[str]()
    for letter, turn in _given(turns):
        here, phrases, texts = position, list[str](), list[str]()
        for move in game.notation.parse(turn, position):
            phrases.append(names.phrase(game.say(here, move)))
            texts.append(game.notation.format(move))
            here = here.play(move)
        said.append(f"{letter}: {'; '.join(phrases)}")
        brief.append(f"{letter}: {' '.join(texts)}")
    return tuple(said if sum(map(length, said)) <= _SPOKEN else brief)
