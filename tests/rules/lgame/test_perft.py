"""The counts of the vector file; where one is wrong, the split by first move shows where to look."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from rules.core import perft, split
from rules.lgame import GAME
from tests.rules.lgame.oracle import START, State, classes, turns

VECTORS: list[dict[str, Any]] = json.loads(
    (files("rules.lgame") / "vectors" / "perft.json").read_text("ascii")
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: "-".join([*v["options"].values(), v["position"]]))
def test_perft(vector: dict[str, Any]) -> None:
    position = GAME.notation.parse_position(vector["position"], GAME.choose(vector["options"]))
    for depth, expected in enumerate(vector["counts"], 1):
        found = perft(position, depth)
        parts = "" if found == expected else _parts(split(position, depth))
        assert found == expected, f"depth {depth}\n{parts}"


def _parts(counts: Any) -> str:
    return "\n".join(f"{move}: {count}" for move, count in counts.items())


def test_counts_are_the_oracles() -> None:
    """The classic vector, counted by sets; `perft` and the oracle share no code."""
    classic = VECTORS[0]
    assert not classic["options"]
    class_of = classes()

    @cache
    def count(state: State, depth: int) -> int:
        after = turns(state)
        if depth == 1:
            return len(after)
        return sum(count(class_of[state[1], shape, neutrals], depth - 1) for shape, neutrals in after)

    assert [count(class_of[START], depth) for depth in (1, 2, 3)] == classic["counts"]


def test_every_variant_has_its_vector() -> None:
    assert {vector["options"].get("variant", "classic") for vector in VECTORS} == {
        "classic",
        "sudden-death",
        "scoring",
        "symmetry",
    }
