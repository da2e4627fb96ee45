"""Sequences of single actions, counted, against numbers in a file and the plain second version."""

from __future__ import annotations

import copy
from importlib.resources import files

import pytest

from rules.core import perft, split
from rules.klopodavka import GAME
from rules.klopodavka.position import KlopodavkaPosition
from tests.rules.klopodavka.making import chosen, start
from tests.rules.klopodavka.reference import Reference
from tests.rules.klopodavka.twins import reference

_TEXT = files("rules.klopodavka").joinpath("vectors", "perft.txt").read_text("ascii")
VECTORS = [line.rsplit(": ", 2) for line in _TEXT.splitlines() if line and not line.startswith("#")]
every_vector = pytest.mark.parametrize(("options", "text", "counts"), VECTORS, ids=lambda part: part[:40])


def explain(here: KlopodavkaPosition, depth: int, count: int) -> str:
    lines = [f"{move}: {found}" for move, found in split(here, depth).items()]
    return "\n".join([f"{perft(here, depth)} instead of {count} at depth {depth}, by first action:", *lines])


def count_slowly(state: Reference, depth: int) -> int:
    if depth == 1:
        return len(state.legal())
    total = 0
    for action in state.legal():
        after = copy.copy(state)
        after.bugs, after.walls, after.out = dict(state.bugs), dict(state.walls), set(state.out)
        after.act(action)
        total += count_slowly(after, depth - 1)
    return total


@every_vector
def test_vector(options: str, text: str, counts: str) -> None:
    here = GAME.notation.parse_position(text, chosen(options))
    assert GAME.notation.format_position(here) == text
    for depth, count in enumerate(map(int, counts.split()), 1):
        if count <= 20_000:
            assert perft(here, depth) == count, explain(here, depth, count)
        if count <= 300:
            assert count_slowly(reference(here), depth) == count


@pytest.mark.slow
@every_vector
def test_whole_vector(options: str, text: str, counts: str) -> None:
    here = GAME.notation.parse_position(text, chosen(options))
    for depth, count in enumerate(map(int, counts.split()), 1):
        assert perft(here, depth) == count, explain(here, depth, count)
        if count <= 4_000:
            assert count_slowly(reference(here), depth) == count


def test_known_numbers() -> None:
    """The fourth is the other player's first action: three for every way to play the first turn."""
    assert [perft(start("board:10x10 actions:3"), depth) for depth in (1, 2, 3, 4)] == [3, 15, 105, 315]


def test_split_adds_up() -> None:
    parts = split(start(), 3)
    assert [str(move) for move in parts] == ["b1", "a2", "b2"]
    assert sum(parts.values()) == 105
