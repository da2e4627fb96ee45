"""Cups, ladders and seasons of leagues, each played by chance from its seed: what every one of them has to keep."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter
from typing import Final

import pytest

from storage.records import codec
from tests.play.events.chance import RandomCup, judge, size
from tests.play.events.test_ladder import random_ladder
from tests.play.events.test_league import random_league
from tests.reliability.conftest import Figure

PARTS: Final = 20
EACH: Final = 5_000
_BLOCK: Final = 50
_slow, _long = pytest.mark.slow, pytest.mark.reliability

SIZES: Final = [
    pytest.param((0, 300), id="short", marks=_slow),
    *(
        pytest.param((1_000_000 + EACH * part, EACH), id=f"full-{part}", marks=[_slow, _long])
        for part in range(PARTS)
    ),
]
"""The first seed and how many. The full size, 100 000 of each, comes in parts: `-k "events and cups and full-7"`."""


def cup(seed: int) -> int:
    """Play a cup; return how many people it had."""
    played = RandomCup(seed, size(random.Random(seed)), seats=4 if seed % 5 == 0 else 2)
    event = played.play()
    judge(played)
    assert codec.decode_event(event.id, codec.encode(event)) == event
    return played.people


def ladder(seed: int) -> int:
    """Play on a ladder; return how many people it had."""
    return len(random_ladder(seed).state.entrants)


def season(seed: int) -> int:
    """Play a season of a league; return how many people it had."""
    return len(random_league(seed, 1).event.state.entrants)


def block(play: Callable[[int], int], seeds: range) -> int:
    """Play a block of events; return how many people they had."""
    people = 0
    for seed in seeds:
        try:
            people += play(seed)
        except Exception as wrong:
            raise AssertionError(f"seed {seed}") from wrong
    return people


@pytest.mark.parametrize("play", [cup, ladder, season], ids=["cups", "ladders", "seasons"])
@pytest.mark.parametrize("seeds", SIZES)
def test_events_by_chance(play: Callable[[int], int], seeds: tuple[int, int], figure: Figure) -> None:
    first, count = seeds
    began, before = perf_counter(), _worked()
    blocks = [range(at, at + _BLOCK) for at in range(first, first + count, _BLOCK)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        people = sum(pool.map(partial(block, play), blocks))
    seconds, worked = perf_counter() - began, _worked() - before
    figure(
        f"{play.__name__}: {count} of {people} people from seed {first}, in {seconds:.0f} s, of which the processors"
        f" worked {worked:.0f} s (load {os.getloadavg()[0]:.0f}): nothing broken"
    )


def _worked() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
