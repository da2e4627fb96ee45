"""A hundred thousand ladders and as many leagues by chance, each from its seed, on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any, Final

import pytest

from tests.play.events.test_ladder import random_ladder
from tests.play.events.test_league import random_league

EVENTS: Final = 100_000
_BLOCK: Final = 250


def league_season(seed: int) -> object:
    """Play the first season of a league."""
    return random_league(seed, 1)


def played(play: Callable[[int], Any], first: int) -> None:
    """Play a block of events; each checks itself."""
    for seed in range(first, first + _BLOCK):
        try:
            play(seed)
        except Exception as wrong:
            raise AssertionError(f"seed {seed}") from wrong


@pytest.mark.slow
@pytest.mark.reliability
@pytest.mark.parametrize("play", [random_ladder, league_season], ids=["ladders", "leagues"])
def test_a_hundred_thousand(play: Callable[[int], Any]) -> None:
    began = perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(partial(played, play), range(1_000_000, 1_000_000 + EVENTS, _BLOCK)):
            pass
    print(f"{EVENTS} in {perf_counter() - began:.0f} s")  # noqa: T201 - a figure of the proof
