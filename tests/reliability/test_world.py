"""Plans for the simulated world: what befalls bots, their store, its clock and the platform, while people play.

`scripts/test reliability -k world --seeds 1000` tries a thousand seeds of each plan, and names the seed that fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.reliability.conftest import Figure, Seeds
from tests.reliability.world import HOUR, Plan, lived

DAY: Final = 24 * HOUR
PLANS: Final = {
    "calm": Plan(within=3.0),
    "kills": Plan(kills=0.002, days=2, paces=(0.2, 0.5)),
    "trouble": Plan(trouble=0.02, each=2),
    "refusals": Plan(refused=0.2, lost=0.1),
    "deliveries": Plan(twice=0.9),
    "stops": Plan(stops=4 * HOUR),
    "fills": Plan(fills=4 * HOUR),
    "jumps": Plan(jumps=DAY),
    "races": Plan(races=0.5),
    "quick": Plan(days=0.05, paces=(0.003, 0.02), clocks=("",), calls=2.0, late=10.0),
    "quick kills": Plan(days=0.05, paces=(0.003, 0.02), clocks=("",), calls=2.0, kills=0.002, late=60.0),
    "floods": Plan(days=0.3, matches=6, flood=150, within=3.0, paces=(0.05,)),
    "outages": Plan(
        rests=DAY / 2, away=(60.0, 600.0, 5 * HOUR), clocks=("clock:1h", "clock:2h", "clock:1h+10m/3h"), paces=(0.3, 1)
    ),
    "month": Plan(
        days=30, matches=30, trouble=0.01, lost=0.01, refused=0.01, kills=0.0005, rests=3 * DAY, stops=3 * DAY,
        fills=5 * DAY,
    ),
}  # fmt: skip
"""A new fault is a plan; `month` is all of them at once, but for those that the laws judge alone."""

SORTS: Final = "sorts of calls that failed"
LONG: Final = ("month",)  # in the full size alone
MET: Final = {
    "kills": "kills", "trouble": "calls that failed", "refusals": "messages sent again", "stops": "stops",
    "fills": "fills", "jumps": "jumps", "races": "races", "outages": "rests",
    "quick": "turns without a call", "quick kills": "kills",
}  # fmt: skip
"""By plan: what must have been counted, else it tried nothing."""


def _lived(name: str, seed: int) -> Counter[str]:
    try:
        found = dict(lived(PLANS[name], seed))
    except BaseException as wrong:
        raise AssertionError(f"python -m tests.reliability.test_world {name} {seed}: {wrong!r}") from wrong
    del found["digest"]
    return Counter(found)


@pytest.mark.parametrize("name", PLANS)
def test_laws_hold(name: str, seeds: Seeds, figure: Figure) -> None:
    tried = seeds(20, name not in LONG)
    total: Counter[str] = Counter()
    with ProcessPoolExecutor(min(len(tried), os.cpu_count() or 1) or 1) as pool:
        for found in pool.map(partial(_lived, name), tried):
            total.update(found)
    figure(f"world, {name}: {len(tried)} seeds, all laws held: {dict(total)}")
    assert not tried or total["Moved"]
    if PLANS[name].each:
        assert total[SORTS] >= 20 * len(tried)
    assert not tried or total[MET.get(name, "Moved")]


@pytest.mark.slow
def test_a_seed_repeats_a_world_exactly() -> None:
    """Also in a process in which sets have another order."""
    words = (sys.executable, "-m", "tests.reliability.test_world", "kills", "5")
    digests = [
        json.loads(
            subprocess.run(
                words, env={**os.environ, "PYTHONHASHSEED": str(order)}, cwd=Path(__file__).parents[2],
                capture_output=True, check=True,
            ).stdout
        )["digest"]
        for order in (1, 2)
    ]  # fmt: skip
    assert digests[0] == digests[1] != lived(PLANS["kills"], 6)["digest"]


if __name__ == "__main__":
    print(json.dumps(lived(PLANS[sys.argv[1]], int(sys.argv[2])), indent=1))  # noqa: T201
