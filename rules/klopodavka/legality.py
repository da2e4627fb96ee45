"""Naming the rule that an action breaks. Slow and wordy: asked only when something is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.core.errors import IllegalMove
from rules.core.reasons import Legality, Spelling
from rules.core.seat import SEATS
from rules.core.square import Square
from rules.klopodavka.reasons import Illegal
from rules.klopodavka.standing import owner, union

if TYPE_CHECKING:
    from rules.klopodavka.moves import Move
    from rules.klopodavka.position import KlopodavkaPosition


def refusal(position: KlopodavkaPosition, move: Move) -> IllegalMove:
    """Why an action that is not legal in this position is not."""
    square = move.square
    if position.outcome:
        return IllegalMove(Legality.GAME_OVER)
    bit = position.ground.board.bits.get(square)
    if bit is None:
        return IllegalMove(Spelling.OFF_THE_BOARD, square=square, board=str(position.options.board))
    return (
        _of_wall(position, square, bit)
        or _of_bug(position, square, bit, crush=move.crush)
        or (
            IllegalMove(Illegal.NOTHING_TO_CRUSH, square=square)
            if move.crush and not bit & position.standing.live
            else None
        )
        or _of_reach(position, square)
    )


def _of_wall(position: KlopodavkaPosition, square: Square, bit: int) -> IllegalMove | None:
    whose = owner(position.standing.walls, bit)
    if whose is None:
        return None
    if whose == position.seat:
        return IllegalMove(Illegal.OWN_WALL, square=square)
    if whose in position.ground.allies[position.seat]:
        return IllegalMove(Illegal.ALLY_WALL, square=square, seat=SEATS[whose])
    return IllegalMove(Illegal.ENEMY_WALL, square=square, seat=SEATS[whose])


def _of_bug(position: KlopodavkaPosition, square: Square, bit: int, *, crush: bool) -> IllegalMove | None:
    on = position.ground
    whose = owner(position.standing.bugs, bit)
    if whose is None:
        return None
    if whose == position.seat:
        return IllegalMove(Illegal.OWN_BUG, square=square)
    if whose in on.allies[position.seat]:
        return IllegalMove(Illegal.ALLY_BUG, square=square, seat=SEATS[whose])
    if not bit & on.soft:
        reason = Illegal.HEADQUARTERS if on.options.has_hq else Illegal.IMMUNE_BASE
        return IllegalMove(reason, square=square, seat=SEATS[whose])
    if bit & position.reached and not crush:
        return IllegalMove(Illegal.ENEMY_BUG, square=square, seat=SEATS[whose])
    return None


def _of_reach(position: KlopodavkaPosition, square: Square) -> IllegalMove:
    """What is missing: anything of one's own beside the cell, or only its link."""
    on, seat = position.ground, position.seat
    near = on.board.near[square]
    walls = union([position.standing.walls[ally] for ally in on.allies[seat]])
    if on.anchored and near & (walls | position.standing.bugs[seat]):
        reason = Illegal.UNLINKED_HQ if on.options.has_hq else Illegal.UNLINKED_BASE
        return IllegalMove(reason, square=square)
    if near & walls:
        return IllegalMove(Illegal.UNLINKED_WALL, square=square)
    return IllegalMove(Illegal.UNREACHABLE, square=square)
