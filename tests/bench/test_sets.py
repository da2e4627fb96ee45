from __future__ import annotations

import pytest

from bench.set_klopodavka import Cell, QuickSets, SetKlopodavka

KINDS = pytest.mark.parametrize("kind", [SetKlopodavka, QuickSets])


def cells(text: str) -> set[Cell]:
    return {(ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in text.split()}


def game(
    kind: type[SetKlopodavka], bugs: str, enemies: str, walls: str = "", theirs: str = ""
) -> SetKlopodavka:
    return kind(
        (4, 4), 2, bugs=[cells(bugs), cells(enemies)], walls=[cells(walls), cells(theirs)], seat=0, left=2
    )


@KINDS
def test_a_corner_reaches_its_three_neighbours(kind: type[SetKlopodavka]) -> None:
    assert game(kind, "a1", "d4").reach(0) == cells("a2 b1 b2")


@KINDS
def test_linked_walls_carry_reach_and_others_do_not(kind: type[SetKlopodavka]) -> None:
    assert game(kind, "a1", "d4", walls="b2").reach(0) == cells("a2 b1 a3 b3 c3 c2 c1")
    assert game(kind, "a1", "d4", walls="c3").reach(0) == cells("a2 b1 b2")
    assert game(kind, "a1", "d4", theirs="b2").reach(0) == cells("a2 b1")


@KINDS
def test_actions_put_and_crush_and_pass_the_turn(kind: type[SetKlopodavka]) -> None:
    played = game(kind, "a1", "b2 d4")
    before = played.copy()
    assert sorted(played.legal()) == [((0, 1), False), ((1, 0), False), ((1, 1), True)]
    played.act((1, 1))
    assert (played.bugs[1], played.walls[0], played.seat, played.left) == (cells("d4"), cells("b2"), 0, 1)
    played.act((2, 2))
    assert (played.bugs[0], played.seat, played.left) == (cells("a1 c3"), 1, 2)
    assert before.bugs[1] == cells("b2 d4")
