"""Moves typed with Cyrillic letters, which may stand for several Latin ones: by look or by sound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from play.actions.playing import FINISH
from rules.core import AmbiguousMove, AnyGame, BadNotation, Position, RulesError, readings


def is_move(game: AnyGame, position: Position[Any], text: str) -> bool:
    """Whether a text, in any reading, is a move of the game at all; perhaps an illegal one."""
    if text == FINISH:
        return bool(game.finish(position))
    for reading in (text, *readings(text)):
        try:
            game.notation.parse(reading, position)
        except BadNotation:
            continue
        except RulesError:
            return True  # an illegal or an ambiguous move is one all the same
        return True
    return False


def legal_readings(game: AnyGame, position: Position[Any], text: str) -> list[str]:
    """Return the legal moves that a text may stand for, in canonical notation, the plainest reading first.

    None where it says a move plainly and can mean no other, or where no reading is legal.
    """
    found = every_meaning(game, position, text)
    return [] if set(found) <= set(_moves(game, position, text)) else found


def every_meaning(game: AnyGame, position: Position[Any], text: str) -> list[str]:
    """Return all legal moves that a text may stand for, in canonical notation, the plainest reading first."""
    read = (text, *readings(text))
    return list(dict.fromkeys(move for reading in read for move in _moves(game, position, reading)))


def _moves(game: AnyGame, position: Position[Any], text: str) -> Iterator[str]:
    write = game.notation.format
    try:
        yield " ".join(map(write, game.notation.parse(text, position)))
    except AmbiguousMove as several:
        yield from map(write, several.candidates)
    except RulesError:
        return
