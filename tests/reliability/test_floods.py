"""Floods: one person, or twenty, send thousands of requests, and the others are answered all the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from tests.reliability.conftest import Figure
from tests.reliability.crowds import BURST, FLOODS, Waits, crowd

Size: TypeAlias = tuple[Sequence[str], int, float]
"""Which floods are sent, of how many requests, and how long the others may wait, in seconds."""

_slow, _long = pytest.mark.slow, pytest.mark.reliability


def _sizes(name: str, kinds: Sequence[str]) -> Sequence[Any]:
    """All floods in short, and each alone in the full size: `-k "floods and telegram and joins"`."""
    short = *(kind for kind in kinds if kind != "moves"), "moves"
    full = [
        pytest.param(
            name, ([kind], 10_000, 1.0), id=f"{name}-full-{kind.replace(' ', '-')}", marks=[_slow, _long]
        )
        for kind in kinds
    ]
    return [pytest.param(name, (short, 150, 60.0), id=f"{name}-short", marks=_slow), *full]


@pytest.mark.parametrize(("name", "size"), [each for floods in FLOODS.items() for each in _sizes(*floods)])
async def test_a_flood_delays_no_one_else(name: str, size: Size, figure: Figure, tmp_path: Path) -> None:
    kinds, number, limit = size
    late = []
    async with crowd(name, tmp_path) as people:
        for kind in kinds:
            send, waits = people.floods[kind], Waits()
            for begun in range(0, number, BURST):
                for count in range(begun, begun + BURST):
                    await send(count)
                await people.others_act(waits)
            figure(f"{name}, {number} {kind}: {waits} (load {os.getloadavg()[0]:.0f})")
            if waits.p99 >= limit:
                late.append(kind)
    assert not late


_MOBS: Final = [
    pytest.param((50, 60.0, 60.0), id="short", marks=_slow),
    pytest.param((10_000, 1.0, 0.5), id="full", marks=[_slow, _long]),
]
"""How many boards each of twenty people asks for, and how long the others may wait for answers and for moves, in seconds."""

TOGETHER: Final = 10  # requests of each of them between two rounds of the others
QUIET: Final = 20  # rounds before


@pytest.mark.parametrize("size", _MOBS)
@pytest.mark.parametrize("name", FLOODS)
async def test_twenty_floods_delay_no_one_else(
    name: str, size: tuple[int, float, float], figure: Figure, tmp_path: Path
) -> None:
    each, limit, limit_of_moves = size
    async with crowd(name, tmp_path) as people:
        mob, quiet, waits = await people.begin_mob(), Waits(), Waits()
        for _ in range(QUIET):
            await people.others_ask(quiet)
        for begun in range(0, each, TOGETHER):
            for count in range(begun, begun + TOGETHER):
                for send in mob:
                    await send(count)
            await people.others_ask(waits)
    late = {what: p99 for what, p99 in waits.p99_by.items() if p99 >= limit}
    figure(f"{name}, {len(mob)} x {each} boards: {waits} (load {os.getloadavg()[0]:.0f}); without: {quiet}")
    assert not late
    assert waits.p99_by["moves"] < limit_of_moves
