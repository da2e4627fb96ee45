"""A player takes over a seat that was left."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core import SEATS, Seat
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import reach
from tests.rules.klopodavka.making import start


@given(
    kind=st.sampled_from(["players:3", "players:4", "players:4 teams:2v2", "players:3 variant:bases"]),
    plies=st.integers(0, 120),
    seed=st.integers(0, 10_000),
)
def test_left_and_back_at_once_is_as_if_never_left(kind: str, plies: int, seed: int) -> None:
    here, luck = start(kind), random.Random(seed)
    for _ in range(plies):
        if here.outcome:
            return
        here = here.play(luck.choice(here.legal_moves()))
    if here.outcome:
        return
    for seat in SEATS[: len(here.ruleset.homes)]:
        gone = here.retire(seat)
        if seat in here.out or gone.outcome:
            continue
        if not reach(here.ruleset, here.occupancy, seat):
            with pytest.raises(ValueError, match="come back"):
                gone.restore(seat)
        elif seat is not here.to_move:
            assert gone.restore(seat) == here
        else:
            check_turn_lost(gone, gone.restore(seat), seat)


def check_turn_lost(gone: KlopodavkaPosition, back: KlopodavkaPosition, seat: Seat) -> None:
    """Everything stands as before, but the turn has gone on."""
    assert back.occupancy == gone.occupancy
    assert back.out == gone.out - {seat}
    assert (back.to_move, back.plies_left) == (gone.to_move, gone.plies_left)
    assert back.legal_moves() == gone.legal_moves()
