"""The move generator against numbers that others found."""

from __future__ import annotations

from importlib.resources import files

import pytest

from bench.perft import perft_of_integers
from rules.breakthrough import GAME
from rules.core import perft, split
from tests.rules.breakthrough import oracle
from tests.rules.breakthrough.making import played, position, start

_TEXT = files("rules.breakthrough").joinpath("vectors", "perft.txt").read_text("ascii")
_VECTORS = [line.split(": ") for line in _TEXT.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(("variant", "text", "counts"), _VECTORS, ids=lambda part: part[:40])
def test_vector(variant: str, text: str, counts: str) -> None:
    here = position(text, variant)
    own, foe, mover = here.state
    for depth, count in enumerate(map(int, counts.split()), 1):
        assert perft_of_integers(mover, own, foe, depth) == count
        if count > 400_000:
            continue
        if perft(here, depth) != count:
            lines = [f"{move}: {found}" for move, found in split(here, depth).items()]
            pytest.fail("\n".join([f"{perft(here, depth)} instead of {count}, by first move:", *lines]))


@pytest.mark.parametrize(
    ("board", "counts"),
    [("8x8", [22, 484, 11132, 256036]), ("6x6", [16, 256, 4308]), ("4x4", [6, 42, 334])],
)
def test_known_numbers(board: str, counts: list[int]) -> None:
    assert [perft(start(board), depth + 1) for depth in range(len(counts))] == counts


def test_numbers_of_every_small_board() -> None:
    for files_, ranks in ((f, r) for f in range(2, 8) for r in range(4, 8)):
        for depth in (1, 2, 3):
            assert perft(start(f"{files_}x{ranks}"), depth) == oracle.perft(
                oracle.start(files_, ranks), depth
            )


def test_split_adds_up_to_perft() -> None:
    here = played(start("6x6"), "c2-c3", "d5-d4", "c3xd4")
    parts = split(here, 3)
    assert list(parts) == list(here.legal_moves())
    assert sum(parts.values()) == perft(here, 3) == oracle.perft(oracle.of(here), 3)


def test_every_vector_is_in_canonical_spelling() -> None:
    for variant, text, _ in _VECTORS:
        assert GAME.notation.format_position(position(text, variant)) == text
