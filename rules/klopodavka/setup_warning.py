"""What to know before a game on a board that is too small for its players, or with turns that are too long."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from rules.core import Grid, Phrase
from rules.klopodavka.geometry import BoardShape, distance
from rules.klopodavka.layout import arranged, recommended
from rules.klopodavka.options import USUAL_ACTIONS, Options

TURNS: Final = 2
"""A seat that starts within so many turns of an enemy's base may crush it before its owner has moved much, or at all."""

_TOURNAMENT: Final = Grid(20, 30)
_TOURNAMENT_ACTIONS: Final = 4
_LARGEST: Final = Grid(26, 30)


def setup_warning(made: Options) -> Phrase | None:
    """That enemies start within two turns of each other, and what helps: fewer actions, else a larger board.

    There is no warning for two players, to whom it is equally near, for headquarters, which cannot be crushed, and for
    bases that were named.
    """
    if made.players == 2 or made.immune or made.bases or _room(made, made.board, made.actions):
        return None
    usual = recommended(made.players, len(made.sides), made.topology, has_hq=False)
    board = next((g for g in (usual, _TOURNAMENT, _LARGEST) if _room(made, g, made.actions)), None)
    if board is None or _room(made, made.board, USUAL_ACTIONS):
        return Phrase("klopodavka.warning.actions", {"actions": made.actions})
    if _room(made, _TOURNAMENT, _TOURNAMENT_ACTIONS):
        return Phrase("klopodavka.warning.tournament", {"board": str(board)})
    return Phrase("klopodavka.warning.board", {"board": str(board)})


def _room(made: Options, board: Grid, actions: int) -> bool:
    shape = BoardShape(board, made.topology)
    blocks = arranged(shape, made.sides, inset=made.inset)
    return all(
        distance(shape, blocks[one], blocks[other]) > TURNS * actions
        for side, rest in combinations(made.sides, 2)
        for one in side
        for other in rest
    )
