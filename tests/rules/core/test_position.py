"""What all games share: values, counts of legal sequences, refusals, and how games are found."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import rules
from bench.perft import perft, perft_of_integers
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.klopodavka import KlopodavkaPosition
from tests.rules.breakthrough import oracle
from tests.rules.catalogues import package
from tests.rules.klopodavka.reference import Reference, reference

# Diagrams, outcomes, phrases, the defaults of a position, perft, and a game's own helpers.


# Counts of legal sequences: each game's vectors, and its plain second version.


SHALLOW = 20_000
"""Sequences that are counted in the fast tests."""


def _vectors() -> Iterator[Any]:
    for key, game in GAMES.items():
        for line in files(package(game)).joinpath("vectors", "perft.txt").read_text("ascii").splitlines():
            if line and not line.startswith("#"):
                yield pytest.param(key, *line.rsplit(": ", 2), id=f"{key}-{line[:40]}")


VECTORS = list(_vectors())
every_vector = pytest.mark.parametrize(("key", "options", "text", "counts"), VECTORS)


def position_of(key: str, options: str, text: str) -> Any:
    game = GAMES[key]
    here = game.notation.parse_position(
        text, game.choose(dict(word.split(":", 1) for word in options.split()))
    )
    assert game.notation.format_position(here) == text
    return here


def check(here: Any, counts: str, low: int, high: int) -> None:
    for depth, count in enumerate(map(int, counts.split()), 1):
        if low < count <= high and perft(here, depth) != count:
            # Compare two generators by first move to find where they part.
            lines = [f"{move}: {perft(here.play(move), depth - 1)}" for move in here.legal_moves()]
            pytest.fail("\n".join([f"not {count} at depth {depth}, by first move:", *lines]))


@every_vector
def test_vector(key: str, options: str, text: str, counts: str) -> None:
    here = position_of(key, options, text)
    check(here, counts, 0, SHALLOW)
    if isinstance(here, BreakthroughPosition):
        own, foe, mover = here.state
        for depth, count in enumerate(map(int, counts.split()), 1):
            assert perft_of_integers(mover, own, foe, depth) == count
    if isinstance(here, KlopodavkaPosition):
        for depth, count in enumerate(map(int, counts.split()), 1):
            assert count > 300 or count_plainly(reference(here), depth) == count


@pytest.mark.slow
@every_vector
def test_whole_vector(key: str, options: str, text: str, counts: str) -> None:
    check(position_of(key, options, text), counts, SHALLOW, 700_000)


def count_plainly(state: Reference, depth: int) -> int:
    """Count sequences of Klopodavka with its second version."""
    if depth == 1:
        return len(state.legal())
    total = 0
    for action in state.legal():
        after = copy.copy(state)
        after.bugs, after.walls, after.out = dict(state.bugs), dict(state.walls), set(state.out)
        after.act(action)
        total += count_plainly(after, depth - 1)
    return total


def test_breakthrough_is_counted_plainly_on_every_small_board() -> None:
    game = GAMES["breakthrough"]
    for width, ranks in ((f, r) for f in range(2, 8) for r in range(4, 8)):
        start = game.start(game.choose({"board": f"{width}x{ranks}"}))
        plain = oracle.start_board(width, ranks)
        assert [perft(start, depth) for depth in (1, 2, 3)] == [
            oracle.perft(plain, depth) for depth in (1, 2, 3)
        ]


# Refusals carry a reason and fields, and form one small tree.


# GAMES: every folder of the rules that defines a game, found by being there.


def test_every_folder_but_the_core_is_a_game() -> None:
    home = Path(rules.__file__).parent
    folders = {path.parent.name for path in home.glob("*/__init__.py")}
    assert set(GAMES) == folders - {"core"}
