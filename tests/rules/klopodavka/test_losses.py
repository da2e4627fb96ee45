"""What a turn takes from the links of others, against the second version of the rules."""

from __future__ import annotations

import pytest

from rules.core import Loss, Seat
from rules.klopodavka.notation import losses
from rules.klopodavka.position import KlopodavkaPosition
from tests.rules.klopodavka.reference import Cell, play_both, reference

TEXTS = (
    "board:6x6",
    "board:6x6 reach:base",
    "board:7x7 players:3",
    "board:6x6 players:3 topology:torus",
    "board:7x7 teams:2v2",
    "board:7x8 variant:hq",
    "board:6x6 variant:bases",
)


def linked(here: KlopodavkaPosition, seat: Seat, *, ever: bool) -> set[Cell]:
    plain = reference(here)
    allies = [ally for ally in plain.side(seat) if ever or ally == seat or ally not in plain.out]
    plain.out.clear()
    return set[Cell]().union(*(plain.comes(ally) if ever else plain.chain(ally) for ally in allies))


def expected(before: KlopodavkaPosition, after: KlopodavkaPosition, seat: Seat) -> Loss:
    then, now = reference(before), reference(after)
    own = now.own(seat) | {cell for cell, owner in now.walls.items() if owner == seat}
    cut, dead = (
        own & linked(before, seat, ever=ever) - linked(after, seat, ever=ever) for ever in (False, True)
    )
    return Loss(seat, len(cut), len(dead), bool(then.reach(seat)) and not now.reach(seat))


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_lost_is_what_the_second_version_says(text: str) -> None:
    cut = dead = stuck = 0
    for seed in range(3):
        before = None
        for here in play_both(text, seed):
            if before is not None and before.seat == here.seat and here.outcome is None:
                continue  # within the turn
            if before is not None:
                seats = sorted(
                    set(map(Seat, range(len(before.occupancy.bugs)))) - before.out,
                )
                all_lost = [expected(before, here, seat) for seat in seats]
                found = losses(before, here)
                assert found == [loss for loss in all_lost if loss.cut or loss.dead or loss.stuck]
                cut += sum(loss.cut for loss in found)
                dead += sum(loss.dead for loss in found)
                stuck += sum(loss.stuck for loss in found)
            before = here
    assert stuck
    assert cut or dead
