"""A hundred thousand cups played out by chance, each from its seed, on all processors."""

from __future__ import annotations

import os
import random
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter
from typing import Final

import pytest

from tests.play.events.cups import RandomCup, judge, size

CUPS: Final = 100_000
_BLOCK: Final = 250


def played(first: int) -> int:
    """Play a block of cups; return how many people they had."""
    people = 0
    for seed in range(first, first + _BLOCK):
        luck = random.Random(seed)
        one = RandomCup(seed, size(luck), seats=4 if seed % 5 == 0 else 2)
        try:
            one.play()
            judge(one)
        except AssertionError as wrong:
            raise AssertionError(f"seed {seed}") from wrong
        people += one.people
    return people


@pytest.mark.slow
@pytest.mark.reliability
def test_a_hundred_thousand_random_cups() -> None:
    began = perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        people = sum(pool.map(played, range(1_000_000, 1_000_000 + CUPS, _BLOCK)))
    print(f"{CUPS} cups of {people} people in {perf_counter() - began:.0f} s")  # noqa: T201 - a figure of the proof
