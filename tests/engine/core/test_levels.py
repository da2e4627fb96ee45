"""Levels: who overlooks what, and how often."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from engine import levels_of
from engine.core import (
    SILENT,
    Budget,
    Engine,
    EngineKind,
    GameValue,
    Level,
    Proof,
    SearchListener,
    SearchResult,
    choose_turn,
)
from rules import GAMES
from rules.lgame.options import Variant

GAME = GAMES[min(GAMES)]
START = GAME.start(GAME.choose({}))
MOVES = list(START.legal_moves())


def result(at: int, value: float, proof: Proof | None = None) -> SearchResult[Any]:
    return SearchResult((MOVES[at],), value, proof, (MOVES[at],), 1, 1, 0, "fake")


class Fake(Engine[Any, Any]):
    """Sees one thing at first sight, another one with care."""

    name = "fake"
    kind = EngineKind.PYTHON

    def __init__(self, glance: list[SearchResult[Any]], care: list[SearchResult[Any]]) -> None:
        self.glance, self.care = glance, care

    def fits(self, position: Any) -> bool:
        return True

    def think(
        self, position: Any, budget: Budget, *, seed: int = 0, listener: SearchListener = SILENT
    ) -> SearchResult[Any]:
        return self.care[0]

    def ranked(
        self, position: Any, budget: Budget, *, most: int, seed: int = 0, listener: SearchListener = SILENT
    ) -> Sequence[SearchResult[Any]]:
        return (self.glance if budget.depth == 1 else self.care)[:most]


def played(engine: Fake, level: Level, times: int = 300) -> Counter[Any]:
    return Counter(choose_turn(engine, START, level, seed=seed).turn[0] for seed in range(times))


NATURAL = [result(0, 0.5), result(1, 0.1), result(2, 0.0)]
TRUE = [result(1, 0.3), result(2, 0.2), result(0, -0.8)]


def level(attention: float, **more: Any) -> Level:
    return Level(Budget(nodes=1000), Budget(depth=1), attention=attention, most=3, **more)


def test_who_is_attentive_plays_what_care_shows() -> None:
    assert played(Fake(NATURAL, TRUE), level(1.0)) == {MOVES[1]: 300}


def test_who_is_not_plays_what_looks_natural() -> None:
    assert played(Fake(NATURAL, TRUE), level(0.0)) == {MOVES[0]: 300}


def test_in_between_mistakes_are_natural_ones_and_more_seldom_with_attention() -> None:
    careless, careful = (played(Fake(NATURAL, TRUE), level(share))[MOVES[0]] for share in (0.3, 0.8))
    assert 300 > careless > 2 * careful > 0


def test_what_ends_the_game_at_once_is_never_overlooked() -> None:
    winning = [result(2, 1.0, Proof(GameValue.WIN, 1)), *TRUE[:1], TRUE[2]]
    assert played(Fake(NATURAL, winning), level(0.0)) == {MOVES[2]: 300}
    lost = [TRUE[0], TRUE[1], result(0, -1.0, Proof(GameValue.LOSS, 2))]
    assert MOVES[0] not in played(Fake(NATURAL, lost), level(0.0, sight=2))
    assert MOVES[0] in played(Fake(NATURAL, lost), level(0.0, sight=1))


def test_between_turns_that_feel_alike_it_does_not_choose_to_the_last_decimal() -> None:
    alike = [result(0, 0.10), result(1, 0.09), result(2, -0.9)]
    counts = played(Fake(alike, alike), level(1.0, temperature=0.05))
    assert min(counts[MOVES[0]], counts[MOVES[1]]) > 60
    assert counts[MOVES[2]] == 0


def test_full_strength_thinks_once() -> None:
    assert choose_turn(Fake(NATURAL, TRUE), START, Level(Budget(nodes=10))) is TRUE[0]


def test_a_blunderer_makes_so_many_of_its_turns_at_random() -> None:
    engine = Fake([result(0, 0.5)], [result(0, 0.5)])
    turns = [choose_turn(engine, START, level(1.0, blunders=0.5), seed=seed).turn for seed in range(300)]
    others = [turn for turn in turns if turn != (MOVES[0],)]
    assert 100 < len(others) < 200
    assert {turn[0] for turn in others} == set(MOVES[1:])


def test_random_plies_make_a_whole_turn() -> None:
    game = GAMES["klopodavka"]
    start = game.start(game.choose({}))
    engine = Fake([], [])
    for seed in range(20):
        here = start
        for ply in choose_turn(engine, start, level(1.0, blunders=1.0), seed=seed).turn:
            assert here.to_move == start.to_move
            here = here.play(ply)
        assert here.outcome or here.to_move != start.to_move


KINDS: list[tuple[str, dict[str, str]]] = [
    *(("breakthrough", {"board": board}) for board in ("8x8", "10x10", "26x26")),
    *(("klopodavka", {"board": board}) for board in ("10x10", "26x30")),
    *(("klopodavka", chosen) for chosen in ({"players": "4"}, {"teams": "2v2"})),
]


@pytest.mark.parametrize(("game", "chosen"), KINDS)
def test_no_level_takes_longer_than_the_next_however_slow_the_engine(
    game: str, chosen: dict[str, str]
) -> None:
    levels = levels_of(game, GAMES[game].choose(chosen))
    for rate in (0.01, 1.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 10_000_000.0):  # nodes a second
        taken = [seconds(levels[at], rate) for at in sorted(levels)]
        assert taken == sorted(taken), rate


@pytest.mark.parametrize("variant", Variant)
def test_no_level_of_the_l_game_takes_longer_than_the_next(variant: Variant) -> None:
    """Where tables answer, a level has only a depth and takes no time."""
    levels = levels_of("lgame", GAMES["lgame"].choose({"variant": variant.value}))
    searched = [levels[at] for at in sorted(levels) if levels[at].care.seconds]
    for rate in (0.01, 1.0, 100.0, 1_000.0, 10_000.0, 100_000.0):
        taken = [seconds(level, rate) for level in searched]
        assert taken == sorted(taken), rate


def seconds(level: Level, rate: float) -> float:
    """The most that a level takes of an engine that makes so many nodes a second."""
    looks = [level.care, *([level.glance] if level.glance else [])]
    return sum(min(look.seconds or math.inf, (look.nodes or math.inf) / rate) for look in looks)
