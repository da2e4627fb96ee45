"""What is known of the game from elsewhere, reached by the rules and by the slow oracle on different ways."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from rules.core import Square
from rules.lgame import LPosition
from rules.lgame.board import PLACEMENTS, fitting, mask_of
from tests.rules.lgame import oracle
from tests.rules.lgame.oracle import AXES, CENTRE, SHAPES, START, Solution, Turning, classes
from tests.rules.lgame.shared import position_of, shape, start


@cache
def solution(images: tuple[Turning, ...] = (), lifts: int = 1) -> Solution:
    return oracle.solve(images, lifts)


def results(position: LPosition) -> Counter[tuple[oracle.Shape, oracle.Shape]]:
    """What the rules' moves lead to, in the oracle's terms."""
    return Counter(
        (shape(move.cells), shape(position.neutrals & ~move.lifted | move.put))
        for move in position.legal_moves()
    )


def test_placements() -> None:
    assert len(PLACEMENTS) == 48
    assert {shape(p.mask) for p in PLACEMENTS} == SHAPES
    assert all(mask_of(p.cells) == p.mask for p in PLACEMENTS)
    assert len({str(p) for p in PLACEMENTS}) == 48


def test_no_turn_has_more_than_17_placements() -> None:
    most = max(
        len(fitting(mask_of(Square(*cell) for cell in other | neutrals))) for _, other, neutrals in classes()
    )
    assert most == 18  # one of them is where the L lies


def test_arrangements() -> None:
    assert len(classes()) == sum(1 for _ in oracle.arrangements()) == 18368
    assert len(set(classes().values())) == 2296


@pytest.mark.parametrize(("preset", "placements", "moves"), [("classic", 5, 65), ("sudden-death", 5, 140)])
def test_first_moves(preset: str, placements: int, moves: int) -> None:
    legal = start(preset).legal_moves()
    assert len({move.cells for move in legal}) == placements
    assert len(legal) == moves


@pytest.mark.parametrize(("preset", "lifts"), [("classic", 1), ("sudden-death", 2)])
def test_moves_of_every_arrangement(preset: str, lifts: int) -> None:
    like = start(preset)
    for arrangement in set(classes().values()):
        found = results(position_of(arrangement, like))
        assert set(found) == oracle.turns(arrangement, lifts)
        assert set(found.values()) <= {1}, "two moves lead to one arrangement"


def test_lost_at_once() -> None:
    like = start()
    lost = [s for s in set(classes().values()) if position_of(s, like).outcome]
    assert len(lost) == 15
    corners = {(0, 0), (0, 3), (3, 0), (3, 3)}
    assert all(own & corners for own, _, _ in lost)


def test_solution() -> None:
    classic = solution()
    assert Counter(plies > 0 for plies in classic.lost.values()) == {False: 15, True: 14}
    assert len(set(classes().values())) - len(classic.lost) == 2267
    begin = classes()[START]
    assert begin not in classic.won
    assert begin not in classic.lost


@pytest.mark.parametrize(("images", "lifts"), [(AXES, 1), ((CENTRE,), 1), ((), 2)])
def test_start_is_a_draw_in_other_variants(images: tuple[Turning, ...], lifts: int) -> None:
    solved = solution(images, lifts)
    begin = classes()[START]
    assert begin not in solved.won
    assert begin not in solved.lost


def test_puzzle_is_won_in_five() -> None:
    solved = solution((*AXES, CENTRE))
    assert solved.won[classes()[START]] == 5


@pytest.mark.parametrize(
    ("preset", "images"),
    [("classic", ()), ("symmetry", AXES), ("half-turn", (CENTRE,)), ("puzzle", (*AXES, CENTRE))],
)
def test_wins_at_once(preset: str, images: tuple[Turning, ...]) -> None:
    """The rules and the oracle agree on where the player to move can end the game with this move."""
    like, solved = start(preset), solution(images)
    for arrangement in sorted(set(classes().values()), key=str)[::8]:
        position = position_of(arrangement, like)
        ends = any(position.play(move).outcome for move in position.legal_moves())
        assert ends == (solved.won.get(arrangement) == 1)
