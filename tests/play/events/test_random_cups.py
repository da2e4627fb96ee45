"""Cups played out by chance keep what every cup has to keep."""

from __future__ import annotations

import random

import pytest

from storage.records import codec
from tests.play.events.cups import RandomCup, judge, size


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_three_hundred_random_cups(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        luck = random.Random(seed)
        played = RandomCup(seed, size(luck), seats=4 if seed % 5 == 0 else 2)
        event = played.play()
        judge(played)
        assert codec.decode_event(event.id, codec.encode(event)) == event
