"""From the named cells to the legal moves that fit it, or to the rule that none does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from rules.core import IllegalMove, Seat, Square
from rules.lgame import legality
from rules.lgame.board import FULL, NAMED, Placement, bits, mask_of, squares
from rules.lgame.moves import Move
from rules.lgame.position import LPosition
from rules.lgame.reading import Shift, TypedTurn
from rules.lgame.reasons import Refusal


def fitting_moves(typed: TypedTurn, position: LPosition) -> tuple[Move, ...]:
    """Every legal move that a request fits, at least one. No part for a neutral means that none moves.

    Raises:
        IllegalMove: none fits; the reason names the first rule that is broken.
    """
    own = position.cells(position.to_move)
    other = position.cells(Seat.S1 if position.to_move else Seat.S2)
    neutrals, lifts = position.neutrals, position.options.lifts
    placements = _named(typed.named)
    legal = [p for p in placements if not legality.lying(p.mask, own, other, neutrals)]
    if not legal:
        raise _no_placement(placements, own, other, neutrals)
    if len(typed.shifts) > lifts:
        raise IllegalMove(Refusal.TOO_MANY_NEUTRALS, count=lifts)
    found: dict[Move, None] = {}  # an ordered set
    for p in legal:
        found |= dict.fromkeys(_settlements(typed.shifts, p.mask, other, neutrals))
    if not found:
        raise _no_settlement(typed.shifts, legal[0].mask | other, neutrals)
    return tuple(found)


def _named(cells: Sequence[Square]) -> tuple[Placement, ...]:
    mask = mask_of(cells)
    placements = NAMED.get(mask, ()) if mask.bit_count() == len(cells) else ()
    if not placements:
        raise IllegalMove(Refusal.NOT_A_BAR if len(cells) == 2 else Refusal.NOT_AN_L, squares=tuple(cells))
    return placements


def _no_placement(placements: Sequence[Placement], own: int, other: int, neutrals: int) -> IllegalMove:
    first = placements[0]
    if len(placements) > 1:
        # All share the bar. If it is not to blame, say so instead of blaming one of the feet.
        bar = mask_of((first.end, first.middle, first.corner))
        if taken := bar & other:
            return IllegalMove(Refusal.ON_OPPONENT, squares=squares(taken))
        if taken := bar & neutrals:
            return IllegalMove(Refusal.ON_NEUTRAL, squares=squares(taken))
        if all(p.mask != own for p in placements):
            ends = sorted((first.end, first.corner))
            return IllegalMove(Refusal.NO_FOOT, bar="-".join(map(str, ends)))
        return IllegalMove(Refusal.SAME_CELLS, squares=squares(own))
    refused = legality.lying(first.mask, own, other, neutrals)
    assert refused is not None, "a placement that was refused is legal"  # noqa: S101
    return refused


def _settlements(shifts: Sequence[Shift], cells: int, other: int, neutrals: int) -> Iterable[Move]:
    """Every way to give each shift a neutral of its own. All are lifted before any is put down."""
    for lifted in permutations(bits(neutrals), len(shifts)):
        put = [mask_of((shift.end,)) for shift in shifts]
        entered, left = sum(set(put)), sum(lifted)
        free = FULL & ~(cells | other | neutrals & ~left)
        if (
            all(
                shift.start is None or mask_of((shift.start,)) == bit
                for shift, bit in zip(shifts, lifted, strict=True)
            )
            and all(start != end for start, end in zip(lifted, put, strict=True))
            and len(set(put)) == len(put)
            and not entered & ~free
        ):
            yield Move(cells, left & ~entered, entered & ~left)


def _no_settlement(shifts: Sequence[Shift], taken: int, neutrals: int) -> IllegalMove:
    """Which shift is to blame when no neutrals can make them."""
    stand = squares(neutrals)
    for n, shift in enumerate(shifts):
        if shift.start and shift.start not in stand:
            return IllegalMove(Refusal.NO_NEUTRAL, square=shift.start, neutrals=stand)
        if shift.start == shift.end:
            return IllegalMove(Refusal.SAME_SQUARE, square=shift.end)
        if shift.start and any(shift.start == earlier.start for earlier in shifts[:n]):
            return IllegalMove(Refusal.NEUTRAL_TWICE, square=shift.start)
        if any(shift.end == earlier.end for earlier in shifts[:n]):
            return IllegalMove(Refusal.SAME_TARGET, square=shift.end)
        if mask_of((shift.end,)) & taken:
            return IllegalMove(Refusal.TARGET_TAKEN, square=shift.end)
    # What is left goes where a neutral stands that does not make way.
    shift = next(shift for shift in shifts if shift.end in stand)
    return IllegalMove(Refusal.TARGET_TAKEN if shift.start else Refusal.WHERE_TO, square=shift.end)
