"""Which men could be taken."""

from __future__ import annotations

from rules.breakthrough.position import BreakthroughPosition
from rules.core import Threat


def threats(position: BreakthroughPosition) -> list[Threat]:
    """Return what each side could take, were it to move."""
    if position.outcome is not None:
        return []
    own, foe, mover = position.state
    return [
        Threat(side.seat, move.end, move.start)
        for side, men, others in ((mover, own, foe), (mover.next, foe, own))
        for move in side.moves(side.legal(men, others), others)
        if move.captures
    ]
