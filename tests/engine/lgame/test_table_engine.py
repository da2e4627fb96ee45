"""The solution of the L-game, the engine that looks it up, and puzzles."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from engine import proof_of_start
from engine.core import Budget, GameValue, Task
from engine.generic import GenericEngine
from engine.lgame import SPECIALIST
from engine.lgame.table_engine import LTables, Solution, names
from rules.core import Seat, Square
from rules.lgame import GAME, LPosition, Move, Options
from rules.lgame.board import mask_of, squares
from rules.lgame.options import Symmetry, Variant
from tests.engine.lgame.solving import Key, arrangements, best_moves, distances, key_of, plies_to_end

# The engine that looks its answers up, and the search on top for points.


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


@pytest.mark.parametrize(
    "options",
    [
        CLASSIC,
        *(
            pytest.param(Options(Variant.SYMMETRY, symmetry=each), marks=pytest.mark.slow)
            for each in Symmetry
        ),
    ],
)
def test_starts_are_listed_as_by_the_rules(options: Options) -> None:
    plies, proof = distances(options).get(key_of(GAME.start(options))), proof_of_start(GAME, options)
    assert proof is not None
    assert proof.result == (
        GameValue.DRAW if plies is None else GameValue.WIN if plies % 2 else GameValue.LOSS
    )
    assert proof.plies == (plies or 0)


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


# The solution of the L-game, against the seeds' facts and against a slow solver that knows the rules only.


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


def test_the_start_is_drawn_and_won_in_five_with_every_image() -> None:
    ends = [plies_to_end(GAME.start(options)) for options in (CLASSIC, SUDDEN, *IMAGES)]
    assert ends == [None, None, None, None, 5]


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


# The puzzles of the solved L-game: every class of positions once, by the slow solver's distances.


PUZZLES_CLASSIC = GAME.choose({})


def alike(key: Key) -> Iterator[Key]:
    """An arrangement turned by quarters, and mirrored."""
    for mirrored in (False, True):
        for quarters in range(4):
            yield tuple(mask_of(image(at, quarters, mirrored) for at in squares(mask)) for mask in key)  # type: ignore[misc]


def image(square: Square, quarters: int, mirrored: bool) -> Square:
    if mirrored:
        square = Square(3 - square.file, square.rank)
    for _ in range(quarters):
        square = Square(3 - square.rank, square.file)
    return square


def posed() -> list[tuple[Task, int, LPosition]]:
    return [
        (each.task, each.plies, GAME.notation.parse_position(each.position, PUZZLES_CLASSIC))
        for each in SPECIALIST.puzzles()
    ]


def test_every_class_that_is_won_or_lost_and_leaves_a_choice_is_one_puzzle() -> None:
    found = posed()
    assert len({min(alike(key_of(position))) for _, _, position in found}) == len(found)
    wanted = {
        min(alike(key_of(position)))
        for position in arrangements(PUZZLES_CLASSIC)
        if (plies := plies_to_end(position)) is not None and plies >= 3
    }
    assert {min(alike(key_of(position))) for _, _, position in found} == wanted
    assert Counter(task for task, _, _ in found) == {Task.WIN: 238, Task.HOLD: 11}
    assert Counter(plies for task, plies, _ in found if task is Task.WIN) == {3: 27, 5: 81, 7: 11, 9: 119}
    for task, plies, position in found:
        assert plies_to_end(position) == plies
        assert (plies % 2 == 1) is (task is Task.WIN)
    for position in (position for task, _, position in found if task is Task.HOLD):
        assert len({plies_to_end(position.play(turn)) for turn in position.legal_moves()}) > 1


@pytest.mark.slow
def test_the_slow_solver_agrees_with_every_puzzle() -> None:
    known = distances(PUZZLES_CLASSIC)
    assert all(known[key_of(position)] == plies for _, plies, position in posed())
