"""The solution of the L-game, against the seeds' facts and against a slow solver that knows the rules only."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.lgame.table_engine import Solution, names
from rules.lgame import GAME, LPosition, Move, Options
from rules.lgame.options import Symmetry, Variant
from tests.engine.lgame.solving import Key, arrangements, best_moves, distances, key_of, plies_to_end

CLASSIC = Options()
SUDDEN = Options(Variant.SUDDEN_DEATH)
IMAGES = [Options(Variant.SYMMETRY, symmetry) for symmetry in Symmetry]


def test_the_facts_that_are_known_of_it() -> None:
    counts = Counter(map(plies_to_end, arrangements(CLASSIC)))
    assert sum(counts.values()) == 18368
    assert counts[0] == 8 * 15  # lost on the spot
    assert (
        sum(n for plies, n in counts.items() if plies and plies % 2 == 0) == 8 * 14
    )  # lost against perfect play
    assert max(plies for plies in counts if plies is not None) == 9


@pytest.mark.parametrize("options", [CLASSIC, SUDDEN, *IMAGES[:2]], ids=str)
def test_the_start_is_drawn(options: Options) -> None:
    assert plies_to_end(GAME.start(options)) is None


def test_with_every_image_the_first_to_move_wins_in_five() -> None:
    assert plies_to_end(GAME.start(IMAGES[2])) == 5


def best_by_hand(position: LPosition, known: dict[Key, int | None]) -> set[Move]:
    """The turns that keep value and distance, by looking at each."""
    plies = known[key_of(position)]
    kept = set()
    for turn in position.legal_moves():
        after = position.play(turn)
        left = 0 if after.mirrored else known[key_of(after)]
        if left == (None if plies is None else plies - 1):
            kept.add(turn)
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("options", [CLASSIC, SUDDEN, *IMAGES], ids=str)
def test_a_slow_solver_agrees_on_every_arrangement(options: Options) -> None:
    known = distances(options)
    solved = Solution(options)
    assert len(known) == 18368
    for position in arrangements(options):
        assert solved.distance(*names(position)) == known[key_of(position)], position


@pytest.mark.slow
@pytest.mark.parametrize("options", [CLASSIC, SUDDEN, *IMAGES], ids=str)
def test_the_best_moves_are_those_that_keep_value_and_distance(options: Options) -> None:
    known = distances(options)
    for position in arrangements(options)[::23]:
        best = best_moves(position)
        assert len(best) == len(set(best))
        assert set(best) == best_by_hand(position, known), position
