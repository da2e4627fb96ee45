"""Picking a turn step by step."""

from __future__ import annotations

from rules.lgame import LPosition
from rules.lgame.board import mv
from rules.lgame.notation import fork
from tests.rules.lgame.shared import start


def tokens(position: LPosition, *path: str) -> list[str]:
    return [step.token for step in fork(position, path).steps]


def test_classic_steps() -> None:
    assert tokens(start()) == ["a1-a3-b3", "a3-a1-b1", "b1-b3-a3", "b3-b1-a1", "c1-a1-a2"]
    assert tokens(start(), "c1-a1-a2") == ["keep", "n d1", "n a4"]
    assert fork(start(), ("c1-a1-a2", "keep")).move == mv("L c1-a1-a2")
    assert tokens(start(), "c1-a1-a2", "n a4") == ["b2", "d2", "a3", "b3", "d3", "d4"]
    assert fork(start(), ("c1-a1-a2", "n a4", "b2")).move == mv("L c1-a1-a2 n a4-b2")


def test_sudden_death_steps() -> None:
    position = start("sudden-death")
    assert tokens(position, "c1-a1-a2") == ["keep", "n d1", "n a4", "both"]
    pairs = tokens(position, "c1-a1-a2", "both")
    assert len(pairs) == 15
    assert pairs[0] == "b2 d2"
    assert fork(position, ("c1-a1-a2", "both", "b2 d2")).move == mv("L c1-a1-a2 n d1-b2 n a4-d2")
