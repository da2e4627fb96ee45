"""Memory: once the caches are full, a bot needs no more of it, however many updates come."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from tests.reliability.conftest import Figure, Scale
from tests.reliability.crowds import BURST, FLOODS, Waits, crowd

FLAT: Final = 8 << 20
"""Bytes by which a bot may grow after the first updates: less than half a kilobyte for each of 20 000."""


@pytest.mark.parametrize("name", FLOODS)
async def test_it_stays_flat(name: str, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    """Send all kinds of requests by turns, the others between them; after the first quarter the memory stays the same.

    What is left behind by requests comes with each part of them, and so into the median. Once for each of its threads the bot
    takes some megabytes more: to paint a larger picture than before.
    """
    part, limit = scale(5_000, 150), scale(FLAT, 4 * FLAT)  # after 150 the caches are not full yet
    sizes, number = [], 0
    async with crowd(name, tmp_path, KLOP_PICTURE_MEMORY="1") as people:  # full after some dozens of boards
        kinds = [flood for name, flood in people.floods.items() if name != "moves"]
        for _ in range(5):
            for _ in range(part // BURST):
                for _ in range(BURST):
                    await kinds[number % len(kinds)](number)
                    number += 1
                await people.others_act(Waits())
            sizes.append(_size(people.process))
    figure(
        f"{name}: memory after each {part} of {number} updates, in MB:"
        f" {', '.join(f'{size / (1 << 20):.1f}' for size in sizes)} (load {os.getloadavg()[0]:.0f})"
    )
    growth = [after - before for before, after in pairwise(sizes)]
    assert median(growth) * len(growth) < limit
    assert max(sizes) - sizes[0] < 3 * limit


def _size(process: int) -> int:
    """The memory that a process has, in bytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
