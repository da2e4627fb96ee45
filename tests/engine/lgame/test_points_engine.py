"""The L-game for points, its levels, and what is said of turns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from engine import engine_for, levels_of
from engine.core import Budget, Engine, GameValue, Proof, SearchResult
from engine.levels import choose_turn
from engine.lgame.points_engine import MOST, LPoints, PointsSolution, lack
from engine.lgame.puzzles import idea_of
from rules.core import Seat
from rules.lgame import GAME, LPosition, Move, Options
from rules.lgame.options import Variant
from tests.engine.lgame.solving import arrangements, plies_to_end

# The game for points near its end: what is told of an arrangement follows from what is told of those after
# it.


POINTS = Options(Variant.SCORING, points=5)
ENOUGH = Budget(nodes=1_000_000)


@cache
def going_on() -> list[tuple[int, int, int]]:
    """The L of the seat to move, the other L, and the neutrals, where there is a turn."""
    found = [each for each in arrangements(Options()) if each.outcome is None]
    return [(p.cells(p.to_move), p.cells(Seat(1 - p.to_move)), p.neutrals) for p in found]


def with_points(lacking: tuple[int, int], options: Options = POINTS) -> Iterator[LPosition]:
    """Every position that goes on in which the seats lack so many points."""
    scores = options.points - lacking[0], options.points - lacking[1]
    for own, other, neutrals in going_on():
        yield LPosition(options, Seat.S1, own, other, neutrals, scores)
        yield LPosition(options, Seat.S2, other, own, neutrals, scores)


def solved(lacking: tuple[int, int], options: Options = POINTS) -> PointsSolution:
    known = PointsSolution(options.painted)
    for pair in known.missing(lacking):
        known.solve(pair)
    return known


def by_the_rules(known: PointsSolution, position: LPosition) -> int | None:
    """Plies to the end, by what is told of the positions after each turn."""
    left = []
    for move in position.legal_moves():
        after = position.play(move)
        left.append(0 if after.outcome else known.distance(after))
    winning = [plies for plies in left if plies is not None and plies % 2 == 0]
    if winning:
        return 1 + min(winning)
    longest = 0
    for plies in left:
        if plies is None:
            return None
        longest = max(longest, plies)
    return 1 + longest


@pytest.mark.parametrize("corner", ["a4", "d1"])
def test_every_distance_follows_from_those_after_it(corner: str) -> None:
    options = Options(Variant.SCORING, points=7, corner=corner)
    known = solved((5, 5), options)
    chance = random.Random(1)
    told = set()
    for lacking in ((1, 1), (2, 3), (4, 1), (5, 5)):
        for position in chance.sample(list(with_points(lacking, options)), 12):
            assert lack(position) == lacking
            plies = known.distance(position)
            assert plies == by_the_rules(known, position), position
            told.add(plies)
    assert {1, 2, 3} < told


@pytest.mark.slow
def test_none_of_many_is_told_wrongly() -> None:
    known = solved((2, 3))
    for lacking in ((1, 1), (2, 1), (1, 3), (2, 3)):
        for position in list(with_points(lacking))[::15]:
            assert known.distance(position) == by_the_rules(known, position), position


def test_only_what_is_not_known_is_worked_out() -> None:
    known = solved((2, 3))
    assert known.missing((2, 3)) == []
    assert known.missing((3, 3)) == [(3, 1), (3, 2), (3, 3)]


def engine() -> Engine[LPosition, Move]:
    found: Engine[LPosition, Move] = engine_for(GAME, POINTS, GAME.start(POINTS))
    assert isinstance(found, LPoints)
    return found


def test_a_win_is_played_to_its_end_in_the_plies_that_are_told() -> None:
    points = engine()
    positions = [p for p in with_points((4, 5)) if p.to_move is Seat.S2]
    ends = set()
    for position in random.Random(1).sample(positions, 12):
        here = position
        proof = points.think(here, ENOUGH).proof
        assert proof is not None
        assert proof.result is not GameValue.DRAW
        winner = here.to_move if proof.result is GameValue.WIN else Seat(1 - here.to_move)
        ends.add(proof.plies)
        for _ in range(proof.plies):
            assert here.outcome is None
            result = points.think(here, ENOUGH, seed=3)
            here = here.play(result.turn[0])
        assert here.outcome is not None
        assert here.outcome.winners == (winner,)
    assert max(ends) > 4


def test_all_turns_are_ranked_by_what_they_come_to() -> None:
    position = next(p for p in with_points((5, 5)) if p.scores == (0, 0))
    results = engine().ranked(position, ENOUGH, most=500)
    assert {result.turn[0] for result in results} == set(position.legal_moves())
    assert [result.value for result in results] == sorted((t.value for t in results), reverse=True)
    for result in results:
        here = position
        for move in result.line:
            here = here.play(move)


def test_few_nodes_short_sight_and_long_games_are_searched() -> None:
    points = engine()
    near = next(iter(with_points((5, 5))))
    far = GAME.start(Options(Variant.SCORING, points=MOST))
    known = points.think(near, ENOUGH)
    assert known.proof is not None
    # What is known from an earlier question changes nothing where nodes are counted.
    few = points.think(near, Budget(nodes=500), seed=4)
    points.forget()
    assert points.think(near, Budget(nodes=500), seed=4) == few
    assert few.nodes == 500
    assert points.think(near, Budget(nodes=1_000_000, depth=1)).depth == 1
    assert points.think(far, Budget(nodes=500)).proof is None
    assert points.think(near, ENOUGH) == known


# The strongest level of each variant.


SOLVED = [Options(variant) for variant in Variant if variant is not Variant.SCORING]


def turn(position: LPosition, number: int, seed: int) -> LPosition:
    options = position.options
    level = levels_of(GAME.key, options)[number]
    engine = engine_for(GAME, options, position)
    return position.play(choose_turn(GAME, engine, position, level, seed=seed).turn[0])


def some(options: Options, plies: int | None, count: int) -> list[LPosition]:
    found = [p for p in arrangements(options) if p.outcome is None and plies_to_end(p) == plies]
    return random.Random(5).sample(found, min(count, len(found)))


@pytest.mark.parametrize("options", SOLVED, ids=str)
def test_the_strongest_loses_nothing_that_is_drawn(options: Options) -> None:
    for seed, position in enumerate(some(options, None, 60)):
        after = turn(position, 8, seed)
        assert after.outcome is None
        assert plies_to_end(after) is None or plies_to_end(after) % 2 == 0  # type: ignore[operator]


# Ideas behind turns of the L-game, in positions made for them.


@pytest.mark.parametrize(
    ("position", "turn", "name", "marked"),
    [
        ("222./2.../o.1./111o 1", "L b1-b3-c3 n d1-d3", "square-last", "b1 c1 d1 b2 c2 d2 b3 c3 d3"),
        ("2o../222o/...1/.111 1", "L a2-c2-c1 n b4-c4", "half-last", "a1 b1 c1 d1 a2 b2 c2 d2"),
        # The opponent's L lies in every part that is closed.
        ("2.../222./o.1./111o 1", "L b2-d2-d3 n d1-c4", "last", "a3 b3 c3 a4"),
    ],
)
def test_a_turn_that_wins_is_named_by_the_block_that_it_makes(
    position: str, turn: str, name: str, marked: str
) -> None:
    here = GAME.notation.parse_position(position, GAME.choose({}))
    (move,) = GAME.notation.parse(turn, here)
    assert here.play(move).outcome
    idea = idea_of(here, SearchResult((move,), 1.0, Proof(GameValue.WIN, 1), (move,), 1, 0, 0, ""))
    assert idea is not None
    assert idea.phrase.key == f"lgame.idea.{name}"
    assert idea.reply is not None
    assert idea.reply.key == f"lgame.reply.{name}"
    assert " ".join(str(mark.square) for mark in idea.marks) == marked
