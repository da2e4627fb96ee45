"""A simulated month, with many seeds; the same seed leads to the same month."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from typing import Any, Final

from tests.reliability.conftest import Figure, Scale
from tests.reliability.processes import ROOT

AT_ONCE: Final = 2


async def month(seed: int, matches: int, hash_seed: int, places: asyncio.Semaphore) -> dict[str, Any]:
    """One month, in a process of its own; the order of sets is another in each."""
    words = (sys.executable, "-m", "tests.reliability.month", str(seed), str(matches))
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    async with places:
        process = await asyncio.create_subprocess_exec(
            *words, stdout=PIPE, stderr=PIPE, cwd=ROOT, env=environment
        )
        said, trouble = await process.communicate()
    assert process.returncode == 0, f"seed {seed}: {trouble.decode()[-3000:]}"
    found: dict[str, Any] = json.loads(said)
    return found


async def test_a_month(scale: Scale, figure: Figure) -> None:
    seeds, matches = scale(6, 2), scale(1000, 30)
    places = asyncio.Semaphore(AT_ONCE)
    found = await asyncio.gather(*(month(seed, matches, seed, places) for seed in range(seeds)))
    again = await asyncio.gather(*(month(seed, matches, seed + 99, places) for seed in range(scale(2, 1))))
    total: Counter[str] = Counter()
    for one in found:
        total.update(one["counts"])
    figure(
        f"months: {seeds} of {matches} matches each, {sum(one['over'] for one in found)} played to their end;"
        f" {total['commits']} commits, all that must hold did after each; {total['rests']} rests of the bots,"
        f" {total['calls that failed']} calls that failed, {total['messages']} messages,"
        f" {total['Flagged'] + total['TimeIsUp']} flags, {total['Reminded']} reminders;"
        f" {len(again)} played again exactly"
    )
    assert [one["digest"] for one in again] == [one["digest"] for one in found[: len(again)]]
    assert len({one["digest"] for one in found}) == seeds
