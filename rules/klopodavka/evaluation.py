"""A quick guess at who is better off: live bugs, and what can be acted on."""

from __future__ import annotations

from typing import Final

from rules.core import Seat, squashed
from rules.klopodavka.options import Variant
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import reach

_SCALE: Final = 16.0
"""Cells by which one is ahead when the game is half won."""
_BASE: Final = 3.0
"""Cells that a base is worth where bases are counted."""


def evaluate(position: KlopodavkaPosition, seat: Seat, /) -> float:
    """What the seat's side has, less what the average other side that is still in has."""
    ruleset, occupancy, gone = position.ruleset, position.occupancy, position.gone
    held = position.scores if ruleset.options.variant is Variant.BASES else ()
    worth = [0.0] * len(ruleset.sides)
    alive = set()
    for member, side in enumerate(ruleset.side):
        if gone >> member & 1:
            continue
        alive.add(side)
        worth[side] += occupancy.bugs[member].bit_count() + reach(ruleset, occupancy, member).bit_count()
        if held:
            worth[side] += _BASE * held[member]
    mine = ruleset.side[seat]
    others = [worth[side] for side in alive if side != mine]
    return squashed((worth[mine] - sum(others) / max(1, len(others))) / _SCALE)
