"""Naming the rule that an action breaks. Slow and wordy: asked only when something is refused."""

from __future__ import annotations

from rules.core import SEATS, IllegalMove, Legality, Spelling, Square
from rules.klopodavka.moves import Move
from rules.klopodavka.occupancy import owner, union
from rules.klopodavka.reasons import Illegal
from rules.klopodavka.ruleset import State


def refusal(state: State, move: Move) -> IllegalMove:
    """Why an action that is not legal in a position is not."""
    ruleset, occupancy, _, _, _, _, _, end = state
    square = move.square
    if end:
        return IllegalMove(Legality.GAME_OVER)
    bit = ruleset.board.bits.get(square)
    if bit is None:
        return IllegalMove(Spelling.OFF_THE_BOARD, square=square, board=ruleset.options.board)
    return (
        _of_wall(state, square, bit)
        or _of_bug(state, square, bit, crush=move.crush)
        or (
            IllegalMove(Illegal.NOTHING_TO_CRUSH, square=square)
            if move.crush and not bit & occupancy.live
            else None
        )
        or _of_reach(state, square)
    )


def _of_wall(state: State, square: Square, bit: int) -> IllegalMove | None:
    ruleset, occupancy, seat, *_ = state
    whose = owner(occupancy.walls, bit)
    if whose is None:
        return None
    if whose == seat:
        return IllegalMove(Illegal.OWN_WALL, square=square)
    if whose in ruleset.allies[seat]:
        return IllegalMove(Illegal.ALLY_WALL, square=square, seat=SEATS[whose])
    return IllegalMove(Illegal.ENEMY_WALL, square=square, seat=SEATS[whose])


def _of_bug(state: State, square: Square, bit: int, *, crush: bool) -> IllegalMove | None:
    ruleset, occupancy, seat, _, _, _, reached, _ = state
    whose = owner(occupancy.bugs, bit)
    if whose is None:
        return None
    if whose == seat:
        return IllegalMove(Illegal.OWN_BUG, square=square)
    if whose in ruleset.allies[seat]:
        return IllegalMove(Illegal.ALLY_BUG, square=square, seat=SEATS[whose])
    if not bit & ruleset.soft:
        reason = Illegal.HEADQUARTERS if ruleset.options.has_hq else Illegal.IMMUNE_BASE
        return IllegalMove(reason, square=square, seat=SEATS[whose])
    if bit & reached and not crush:
        return IllegalMove(Illegal.ENEMY_BUG, square=square, seat=SEATS[whose])
    return None


def _of_reach(state: State, square: Square) -> IllegalMove:
    """What is missing: anything of one's own beside the cell, or only its link."""
    ruleset, occupancy, seat, *_ = state
    near = ruleset.board.near[square]
    walls = union([occupancy.walls[ally] for ally in ruleset.allies[seat]])
    if ruleset.anchored and near & (walls | occupancy.bugs[seat]):
        reason = Illegal.UNLINKED_HQ if ruleset.options.has_hq else Illegal.UNLINKED_BASE
        return IllegalMove(reason, square=square)
    if near & walls:
        return IllegalMove(Illegal.UNLINKED_WALL, square=square)
    return IllegalMove(Illegal.UNREACHABLE, square=square)
