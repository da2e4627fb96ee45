from __future__ import annotations

import random

import pytest

from engine.klopodavka.state import SearchState
from rules.klopodavka import KlopodavkaPosition, Move
from tests.engine.klopodavka.kinds import KINDS, games
from tests.rules.klopodavka.making import start


def same(here: KlopodavkaPosition, state: SearchState) -> None:
    fresh = SearchState.of(here)
    assert state.occupancy == here.occupancy
    assert (state.seat, state.left, state.gone) == (here.seat, here.plies_left, here.gone)
    assert state.end == here.outcome
    assert state.reached == here.reached
    assert state.touches == fresh.touches
    assert state.ever == fresh.ever


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_goes_on_as_the_position_does(kind: str) -> None:
    for seed in range(4):
        chance = random.Random(f"{kind} {seed}")
        here, state = start(kind), SearchState.of(start(kind))
        while here.outcome is None:
            same(here, state)
            move: Move = chance.choice(here.legal_moves())
            here = here.play(move)
            state = state.act(here.ruleset.board.bits[move.square])
        same(here, state)


@pytest.mark.parametrize("kind", ["board:5x5", "players:4 board:8x8 actions:2", "teams:2v2 board:7x7"])
def test_reach_never_grows(kind: str) -> None:
    before: SearchState | None = None
    for here in games(kind, 3, leaving=0.0):
        state = SearchState.of(here)
        if before is not None and here.occupancy.live.bit_count() > len(here.occupancy.bugs):
            assert all(not now & ~was for was, now in zip(before.ever, state.ever, strict=True))
        before = state
