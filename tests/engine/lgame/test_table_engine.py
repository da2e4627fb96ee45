"""The engine that looks its answers up, and the search on top for points."""

from __future__ import annotations

import random

import pytest

from engine.core import Budget, GameValue
from engine.generic import GenericEngine
from engine.lgame import SPECIALIST
from engine.lgame.table_engine import LTables
from rules.core import Seat
from rules.lgame import GAME, LPosition, Options
from rules.lgame.options import Variant
from tests.engine.lgame.solving import arrangements, best_moves, plies_to_end

CLASSIC = Options()
ANY = Budget(nodes=1)


def test_a_won_arrangement_is_won_in_the_plies_that_are_told() -> None:
    engine = LTables()
    for position in [p for p in arrangements(CLASSIC) if plies_to_end(p) == 9][::60]:
        result = engine.think(position, ANY, seed=3)
        assert result.proof is not None
        assert (result.value, result.proof.result, result.proof.plies) == (1.0, GameValue.WIN, 9)
        here = position
        for turn in result.line:
            here = here.play(turn)
        assert len(result.line) == 9
        assert here.outcome is not None
        assert here.outcome.winners == (position.to_move,)


def test_turns_are_ranked_wins_first_then_draws_that_leave_fewer_safe_replies() -> None:
    engine = LTables()
    position = GAME.start(CLASSIC)
    results = engine.ranked(position, ANY, most=500)
    assert {result.turn[0] for result in results} == set(position.legal_moves())
    values = [result.value for result in results]
    assert values == sorted(values, reverse=True)
    safe = [len(best_moves(position.play(t.turn[0]))) for t in results if t.value == 0]
    assert safe == sorted(safe)
    assert safe[0] < safe[-1]


def test_a_limit_of_depth_hides_a_win_far_away() -> None:
    position = next(p for p in arrangements(CLASSIC) if plies_to_end(p) == 9)
    blind = LTables().think(position, Budget(depth=5))
    assert blind.proof is None
    assert -1 < blind.value < 1


def test_hints_name_a_strategy_and_show_it() -> None:
    chance = random.Random(5)
    told, without = set(), 0
    for position in chance.sample([p for p in arrangements(CLASSIC) if p.outcome is None], 300):
        result = LTables().think(position, ANY)
        idea = SPECIALIST.idea(position, result)
        if idea is None:
            without += 1
            continue
        assert idea.marks
        told.add(idea.phrase.key.rpartition(".")[2])
    assert told >= {"last", "square", "half", "killer", "no-corner", "flip"}
    assert without < 30


def played(options: Options, weak: str, seed: int, first: Seat) -> float:
    """A game of the tables against another player: 1 if the tables won, 0 if they lost."""
    chance = random.Random(seed)
    engine = LTables()
    other: GenericEngine[LPosition, object] = GenericEngine(GAME.sides(options), GAME.evaluate)
    here = GAME.start(options)
    for ply in range(60):
        if here.outcome:
            return float(first in here.outcome.winners)
        if here.to_move == first:
            here = here.play(engine.think(here, ANY, seed=seed + ply).turn[0])
        elif weak == "random":
            here = here.play(chance.choice(here.legal_moves()))
        else:
            here = here.play(other.think(here, Budget(depth=3, nodes=2000), seed=seed + ply).turn[0])  # type: ignore[arg-type]
    return 0.5


@pytest.mark.parametrize("options", [CLASSIC, Options(Variant.SUDDEN_DEATH)], ids=str)
def test_it_never_loses_to_chance(options: Options) -> None:
    results = [played(options, "random", seed, Seat(seed % 2)) for seed in range(20)]
    assert min(results) > 0
    assert sum(results) >= 19


@pytest.mark.reliability
@pytest.mark.slow
@pytest.mark.parametrize("weak", ["random", "search"])
def test_a_thousand_games_are_never_lost(weak: str) -> None:
    for options in (CLASSIC, Options(Variant.SUDDEN_DEATH)):
        for seed in range(500):
            assert played(options, weak, seed, Seat(seed % 2)) > 0, (options, weak, seed)
