from __future__ import annotations

import random

import pytest

from bench.klopodavka_engines import against, played
from bench.klopodavka_rivals import Rival, greedy, mcts, one_ply, rollouts
from tests.rules.klopodavka.making import position, start


@pytest.mark.parametrize("rival", [greedy, mcts, one_ply, rollouts])
@pytest.mark.parametrize("kind", ["board:5x5", "players:3 board:6x6", "first:1 board:5x5"])
def test_a_rival_makes_whole_legal_turns(rival: Rival, kind: str) -> None:
    here = start(kind)
    for _ in range(6):
        if here.outcome:
            break
        seat, owed = here.seat, here.plies_left
        turn = rival(here, 0.002, random.Random(1))
        for move in turn:
            assert here.seat == seat
            here = here.play(move)
        assert len(turn) == owed or here.outcome


@pytest.mark.parametrize("rival", [greedy, mcts, one_ply, rollouts])
def test_a_rival_takes_what_wins(rival: Rival) -> None:
    here = position("5/3b1/2a2/5/5 1 1 -", board="5x5")
    assert [str(move) for move in rival(here, 0.05, random.Random(1))] == ["xd4"]


def test_an_opening_is_the_same_from_each_seat_and_every_game_ends() -> None:
    chosen = {"board": "5x5"}
    tally = against(chosen, lambda _: greedy, greedy, 0.0, 4)
    assert tally.games == 4
    assert 0 <= tally.won <= 4
    one, other = (played(chosen, [greedy, greedy], [0.0, 0.0], 7, order) for order in (0, 0))
    assert one == other
