"""Notches: the smallest whole game of the house, to prove that a game joins by adding one folder.

Two to four people cut notches into a board in turn. A notch goes into an empty cell that touches no notch of another
person; who must cut and cannot is out for ever; the last one left wins.
"""

from __future__ import annotations

from rules.core import Game, Phrase, Seat, Sides

from .lesson import LESSON
from .notation import NotchesNotation, fork
from .position import SCHEMA, Notch, Notches, Options, draw, options, start

__all__ = ["GAME", "Notch", "Notches", "Options"]


def sides(chosen: Options) -> Sides:
    """Return one side for each player."""
    return tuple((Seat(n),) for n in range(chosen.players))


def say(position: Notches, move: Notch) -> Phrase:
    """A notch was cut, and how many cells are left to cut in the turn."""
    return Phrase("notches.said.cut", {"square": move.square, "count": position.plies_left - 1})


GAME: Game[Notches, Notch, Options] = Game(
    key="notches",
    rules_version=1,
    schema=SCHEMA,
    options=options,
    sides=sides,
    start=start,
    notation=NotchesNotation(),
    diagram=draw,
    fork=fork,
    say=say,
    ratable=lambda chosen: chosen.variant == "last",
    unordered=True,
    lesson=LESSON,
)
