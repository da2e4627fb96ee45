"""Levels: the mistakes of the weak ones, their order, and their time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from bench.levels import BEGINNER, Pairing, play
from bench.tally import summed
from engine import engine_for, levels_of
from engine.core import SILENT, Budget, Engine, EngineKind, Level, SearchListener, SearchResult
from engine.levels import choose_turn
from rules import GAMES
from rules.breakthrough import GAME as BREAKTHROUGH
from rules.breakthrough import BreakthroughPosition
from rules.core import Seat
from rules.lgame.options import Variant


class Careful(Engine[Any, Any]):
    """Finds the last of the legal plies."""

    name = "careful"
    kind = EngineKind.PYTHON

    def fits(self, position: Any) -> bool:
        return True

    def ranked(
        self, position: Any, budget: Budget, *, most: int, seed: int = 0, listener: SearchListener = SILENT
    ) -> Sequence[SearchResult[Any]]:
        move = list(position.legal_moves())[-1]
        return [SearchResult((move,), 0.0, None, (move,), 1, 1, 0, self.name)]


CARE = Budget(nodes=10)
"""What the careful engine may spend."""


def position(men: str) -> BreakthroughPosition:
    """Return a position of 6x6, White to move."""
    return BreakthroughPosition.of(BREAKTHROUGH.choose({"board": "6x6"}), men, Seat.S1)


DEFENDED = position("6/2b3/3b2/2w3/6/5w")
"""White can take d4, which c5 defends."""


def first_plies(
    here: BreakthroughPosition, level: Level, last: Sequence[str] = (), times: int = 300
) -> Counter[str]:
    turns = (
        choose_turn(BREAKTHROUGH, Careful(), here, level, last=last, seed=seed).turn for seed in range(times)
    )
    return Counter(str(turn[0]) for turn in turns)


def test_full_strength_always_searches() -> None:
    [(move, times)] = first_plies(DEFENDED, Level(CARE)).items()
    assert move == str(list(DEFENDED.legal_moves())[-1])
    assert times == 300


def test_a_level_makes_its_share_of_turns_in_haste() -> None:
    searched = str(list(DEFENDED.legal_moves())[-1])
    level = Level(CARE, haste=0.3, ideas=20)  # which sees the capture at once
    plies = first_plies(DEFENDED, level)
    assert set(plies) == {searched, "c3xd4"}
    assert 60 < plies["c3xd4"] < 120


def test_in_haste_it_takes_what_is_defended_as_if_nobody_replied() -> None:
    assert first_plies(DEFENDED, Level(CARE, haste=1.0, ideas=20)) == {"c3xd4": 300}


def test_in_haste_what_takes_comes_to_mind_sooner() -> None:
    plain, greedy = (
        first_plies(DEFENDED, Level(CARE, haste=1.0, greed=greed))["c3xd4"] for greed in (1.0, 8.0)
    )
    assert 300 > greedy > 2 * plain > 0


def test_in_haste_it_plays_beside_the_last_move() -> None:
    level = Level(CARE, haste=1.0, greed=1.0)
    far, near = (
        sum(times for ply, times in first_plies(DEFENDED, level, last).items() if ply.startswith("f1"))
        for last in ((), ("f3-f2",))
    )
    assert near > 1.3 * far


def test_in_haste_it_misses_a_threat_that_a_search_sees() -> None:
    """Black goes on to a1 unless b1 takes a2, the only ply that does not lose at once."""
    here = position("6/6/2w3/6/b5/1w4")
    saved = first_plies(here, Level(CARE, haste=1.0, greed=2.0))["b1xa2"]
    assert 60 < saved < 240
    engine = engine_for(BREAKTHROUGH, here.options, here)
    assert str(engine.think(here, Budget(nodes=400)).turn[0]) == "b1xa2"


@pytest.mark.parametrize("ideas", [1.0, 1.5, 3.0])
def test_a_hasty_turn_is_whole_and_the_same_for_a_seed(ideas: float) -> None:
    game = GAMES["klopodavka"]
    start = game.start(game.choose({}))
    level = Level(CARE, haste=1.0, ideas=ideas)
    for seed in range(20):
        here = start
        turn = choose_turn(game, Careful(), start, level, seed=seed).turn
        assert turn == choose_turn(game, Careful(), start, level, seed=seed).turn
        for ply in turn:
            assert here.to_move == start.to_move
            here = here.play(ply)
        assert here.outcome or here.to_move != start.to_move


def share(game: str, chosen: dict[str, str], high: int, low: int | str, openings: int) -> float:
    """The part of the games that the higher level wins."""
    pairing = Pairing(game, chosen, high, low, 2_000, None)
    return summed(play(pairing, opening) for opening in range(openings)).share


USUAL: list[tuple[str, dict[str, str]]] = [
    *(("breakthrough", {"board": board}) for board in ("5x5", "6x6", "8x8")),
    *(("klopodavka", {"board": board}) for board in ("8x8", "10x10")),
    *(("lgame", {"variant": variant.value}) for variant in Variant),
]


@pytest.mark.parametrize(("game", "chosen"), USUAL)
def test_a_beginner_wins_about_every_second_game_against_level_1(game: str, chosen: dict[str, str]) -> None:
    assert 0.2 < share(game, chosen, 1, BEGINNER, 30) < 0.65


@pytest.mark.parametrize(("game", "chosen"), [USUAL[0], USUAL[3], USUAL[5]])
def test_levels_are_ordered(game: str, chosen: dict[str, str]) -> None:
    assert share(game, chosen, 3, 1, 8) > 0.6
    assert share(game, chosen, 5, 3, 8) > 0.6


LEVELS_KINDS: list[tuple[str, dict[str, str]]] = [
    *(("breakthrough", {"board": board}) for board in ("8x8", "10x10", "26x26")),
    *(("klopodavka", {"board": board}) for board in ("10x10", "26x30")),
    *(("klopodavka", chosen) for chosen in ({"players": "4"}, {"teams": "2v2"})),
    *(("lgame", {"variant": variant.value}) for variant in Variant),
]


@pytest.mark.parametrize(("game", "chosen"), LEVELS_KINDS)
def test_no_level_takes_longer_than_the_next_however_slow_the_engine(
    game: str, chosen: dict[str, str]
) -> None:
    levels = levels_of(game, GAMES[game].choose(chosen))
    # Where the L-game's tables answer, a level has only a depth and takes no time.
    searched = [level for _, level in sorted(levels.items()) if level.care.seconds or game != "lgame"]
    for rate in (0.01, 1.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 10_000_000.0):  # nodes a second
        taken = [seconds(level, rate) for level in searched]
        assert taken == sorted(taken), rate


def seconds(level: Level, rate: float) -> float:
    """The most that a level takes of an engine that makes so many nodes a second."""
    return min(level.care.seconds or math.inf, (level.care.nodes or math.inf) / rate)
