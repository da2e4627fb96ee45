"""Which bugs could be crushed."""

from __future__ import annotations

from rules.core import SEATS, Threat
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import reach


def threats(position: KlopodavkaPosition) -> list[Threat]:
    """Return what each seat could crush, were it to move."""
    if position.outcome is not None:
        return []
    ruleset, occupancy = position.ruleset, position.occupancy
    return [
        Threat(SEATS[seat], square)
        for seat in range(len(occupancy.bugs))
        if not position.gone >> seat & 1
        for square in ruleset.board.listed(reach(ruleset, occupancy, seat) & occupancy.live)
    ]
