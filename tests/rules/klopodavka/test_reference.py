"""Random games of every variant, with any number of players, beside the plain second version."""

from __future__ import annotations

from itertools import product

import pytest

from rules.klopodavka.options import Finish
from tests.rules.klopodavka.twins import play_both

SEATINGS = [
    "players:2 board:5x6",
    "players:3 board:6x6",
    "players:4 board:6x6",
    "teams:2v2 board:6x6",
    "players:5 board:7x6",
    "teams:2v2v2 board:7x7",
    "teams:3v3 board:8x6",
    "players:7 board:8x7",
    "teams:4v4 board:8x8",
    "players:9 board:9x8",
    "players:10 board:9x9",
    "teams:5v5 board:9x9",
]
HQ = [
    "players:2 board:6x8",
    "players:2 board:9x6 fence:off",
    "teams:2v2 board:9x8",
    "teams:2v2 board:9x8 fence:off",
    "players:3 board:11x11",
    "teams:2v2v2 board:16x14",
]
TOPOLOGIES = ["plane", "cylinder", "torus"]
ROWS = [
    *(
        f"{seating} topology:{topology} base:{base} reach:{reach} variant:{variant} actions:{actions} first:{first}"
        for seating, topology, base, reach, variant, (actions, first) in product(
            SEATINGS,
            TOPOLOGIES,
            ("crushable", "immune"),
            ("live", "base"),
            ("standard", "bases"),
            ((3, 0), (2, 1)),
        )
    ),
    *(f"{seating} topology:{topology} variant:hq" for seating, topology in product(HQ, TOPOLOGIES)),
]
# One in nineteen, a number that divides no column of the table: every word still meets every other.
SAMPLE = [*ROWS[:-18:19], *ROWS[-18::5]]


@pytest.mark.parametrize("text", SAMPLE)
def test_both_play_the_same(text: str) -> None:
    last = [*play_both(text, 1)][-1]
    assert last.outcome is not None


@pytest.mark.parametrize("text", [row for row in SAMPLE if "players:2" not in row][::2])
def test_both_play_the_same_when_people_leave(text: str) -> None:
    last = [*play_both(text, 2, leaving=0.02)][-1]
    assert last.outcome is not None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(12))
def test_both_play_the_same_always(part: int) -> None:
    for at, row in enumerate(ROWS[part::12]):
        for _ in play_both(row, 4, leaving=0.01) if at % 2 else play_both(row, 3):
            pass


def test_random_games_come_to_every_ending() -> None:
    small = [row for row in ROWS if "players:2 board:5x6" in row or "players:2 board:6x8" in row]
    ends = [[*play_both(row, 5)][-1].outcome for row in small]
    assert {end.reason for end in ends if end} == set(Finish)
