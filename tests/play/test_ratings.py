"""What results do to ratings: properties of the maths, for any ratings."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.ratings.model import NEWCOMER, SETTLED, START, Rating, changes
from rules.core import SEATS, Sides

ratings = st.builds(Rating, st.floats(0, 60), st.floats(1, 9), st.integers(0, 100))


def alone(count: int) -> Sides:
    return tuple((seat,) for seat in SEATS[:count])


@given(ratings, ratings)
def test_the_winner_goes_up_and_the_loser_goes_down(one: Rating, other: Rating) -> None:
    winner, loser = changes(alone(2), (0, 1), (one, other))
    assert winner.after.skill > winner.before.skill
    assert loser.after.skill < loser.before.skill
    assert winner.gained >= 0 >= loser.gained
    assert (winner.after.played, loser.after.played) == (one.played + 1, other.played + 1)


@given(ratings, ratings)
def test_a_draw_brings_two_closer(one: Rating, other: Rating) -> None:
    first, second = changes(alone(2), (0, 0), (one, other))
    before, after = one.skill - other.skill, first.after.skill - second.after.skill
    assert abs(after) <= abs(before) + 1e-9
    assert before * first.gained <= 0 <= before * second.gained


@given(st.floats(10, 40), st.floats(10, 40), st.floats(1, 9))
def test_between_two_who_are_known_as_well_nothing_is_made_of_nothing(
    one: float, other: float, doubt: float
) -> None:
    first, second = changes(alone(2), (0, 1), (Rating(one, doubt), Rating(other, doubt)))
    assert abs(first.gained + second.gained) <= 2  # each of four numbers is rounded


@given(st.lists(ratings, min_size=2, max_size=10), st.randoms(use_true_random=False))
def test_who_is_named_first_does_not_matter(people: list[Rating], luck: object) -> None:
    taken = [index // 2 for index in range(len(people))]
    straight = changes(alone(len(people)), taken, people)
    turned = changes(alone(len(people)), taken[::-1], people[::-1])
    for one, other in zip(straight, reversed(turned), strict=True):
        assert math.isclose(one.after.skill, other.after.skill, abs_tol=1e-9)
        assert math.isclose(one.after.doubt, other.after.doubt, abs_tol=1e-9)


def test_equal_results_of_equal_people_are_equal_in_any_order() -> None:
    for taken in set(permutations((0, 1, 1, 1))):
        done = changes(alone(4), taken, [NEWCOMER] * 4)
        by_place = {(place, change.gained) for place, change in zip(taken, done, strict=True)}
        assert len(by_place) == 2


@given(st.lists(ratings, min_size=3, max_size=10))
def test_of_more_than_two_the_first_goes_up_and_the_last_goes_down(people: list[Rating]) -> None:
    done = changes(alone(len(people)), range(len(people)), people)
    assert done[0].after.skill > done[0].before.skill
    assert done[-1].after.skill < done[-1].before.skill


@given(st.lists(ratings, min_size=4, max_size=4))
def test_team_mates_go_the_same_way(people: list[Rating]) -> None:
    first, second, third, fourth = SEATS[:4]
    done = changes(((first, third), (second, fourth)), (1, 0), people)
    assert done[0].gained <= 0
    assert done[2].gained <= 0
    assert done[1].gained >= 0
    assert done[3].gained >= 0
    assert [change.before for change in done] == people


def test_what_people_see() -> None:
    assert NEWCOMER.shown == START
    assert NEWCOMER.provisional
    assert not Rating(25.0, 3.0, SETTLED).provisional
    assert Rating(25.0 + 400 / 30, 3.0).shown == START + 400


def test_four_hundred_more_is_ten_games_of_eleven() -> None:
    """Of two who play on and on, and win as often as their ratings say, neither rating moves."""
    one, other = Rating(25.0 + 400 / 30, 0.01, 99), Rating(25.0, 0.01, 99)
    won = changes(alone(2), (0, 1), (one, other))[0]
    lost = changes(alone(2), (1, 0), (one, other))[0]
    up, down = won.after.skill - one.skill, one.skill - lost.after.skill
    assert down / (up + down) == pytest.approx(10 / 11, abs=0.01)
