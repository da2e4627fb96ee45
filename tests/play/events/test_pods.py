"""Pods: their sizes, who sits with whom, and the points."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from play.events.pods import POINTS, Placed, PodRow, seat, shares, sizes, table


def test_as_many_fours_as_there_can_be() -> None:
    assert [sizes(players) for players in range(3, 12)] == [
        *((3,), (4,), (5,), (3, 3), (4, 3), (4, 4), (3, 3, 3), (4, 3, 3), (4, 4, 3)),
    ]
    with pytest.raises(ValueError, match="2"):
        sizes(2)


def test_the_first_round_is_dealt_like_a_snake() -> None:
    assert seat(range(1, 13)) == ((1, 6, 7, 12), (2, 5, 8, 11), (3, 4, 9, 10))
    assert seat(range(1, 8)) == ((1, 4, 5, 7), (2, 3, 6))


def test_later_rounds_seat_neighbours_of_the_table_together_and_the_late_first() -> None:
    first = seat(range(1, 9))
    assert first == ((1, 4, 5, 8), (2, 3, 6, 7))
    done = [Placed(pod, (0, 1, 2, 3)) for pod in first]
    assert {frozenset(pod) for pod in seat(range(1, 9), done)} == {
        frozenset((1, 2, 3, 4)),
        frozenset((5, 6, 7, 8)),
    }
    assert [pod[0] for pod in seat(range(1, 9), done)] == [3, 7]


def test_a_blocked_pair_is_kept_apart() -> None:
    assert any({1, 4} <= set(pod) for pod in seat(range(1, 9)))
    assert not any({1, 4} <= set(pod) for pod in seat(range(1, 9), (), {frozenset((1, 4))}))


@pytest.mark.parametrize(
    ("places", "points"),
    [
        ((0, 1, 2, 3), "4 2 1 0"),
        ((2, 0, 0, 3), "1 3 3 0"),
        ((0, 1, 1, 1), "4 1 1 1"),
        ((0, 0, 0, 0), "7/4 7/4 7/4 7/4"),
        ((1, 0, 2), "1 4 0"),
        ((0, 1, 2, 3, 4), "4 3 2 1 0"),
    ],
)
def test_points_are_by_place_and_shared_with_it(places: tuple[int, ...], points: str) -> None:
    assert " ".join(map(str, shares(places))) == points


def test_level_points_are_told_apart_by_the_opponents() -> None:
    done = [Placed(tuple(pod), (0, 1, 2)) for pod in ("ABC", "DEF", "AEF")]
    assert [
        (row.place, row.player, str(row.points), str(row.opponents)) for row in table("FEDCBA", done)
    ] == [
        *((1, "A", "8", "3"), (2, "D", "4", "2"), (3, "E", "2", "12")),
        *((4, "B", "1", "8"), (5, "F", "0", "16"), (6, "C", "0", "9")),
    ]
    assert [row.place for row in table("GHA", done)] == [1, 2, 2]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 60), st.randoms(use_true_random=False))
def test_random_events(players: int, random: Random) -> None:
    done: list[Placed[int]] = []
    for _ in range(3):
        pods = seat(range(players), done)
        assert sorted(player for pod in pods for player in pod) == list(range(players))
        assert sorted(map(len, pods)) == sorted(sizes(players))
        done += [Placed(pod, tuple(random.randrange(len(pod)) for _ in pod)) for pod in pods]
    rows = table(range(players), done)
    assert sum((row.points for row in rows), Fraction(0)) == sum(sum(POINTS[len(one.pod)]) for one in done)
    assert all(row.played == 3 for row in rows)
    random.shuffle(done)

    def by_player(rows: tuple[PodRow[int], ...]) -> dict[int, PodRow[int]]:
        return {row.player: row for row in rows}

    assert by_player(table(random.sample(range(players), players), done)) == by_player(rows)


@settings(max_examples=30, deadline=None)
@given(st.integers(8, 40), st.randoms(use_true_random=False))
def test_exchanging_neighbours_makes_fewer_repeated_meetings_and_never_more(
    players: int, random: Random
) -> None:
    first = seat(range(players))
    done = [Placed(pod, tuple(random.sample(range(len(pod)), len(pod)))) for pod in first]
    order = [row.player for row in table(range(players), done)]
    plain, at = [], 0
    for size in sizes(players):
        plain.append(order[at : at + size])
        at += size
    met = {frozenset(pair) for pod in first for pair in combinations(pod, 2)}

    def again(pods: object) -> int:
        return sum(frozenset(pair) in met for pod in pods for pair in combinations(pod, 2))  # type: ignore[attr-defined]

    assert again(seat(range(players), done)) <= again(plain)
