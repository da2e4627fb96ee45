"""`python -m bench [--quick] [names]`: measures, and prints a table."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import Final

from bench.measure import FULL, QUICK, Budget, Row, head, load, table

BENCHES: Final = (
    "perft",
    "klopodavka_sets",
    "replay",
    "full_move",
    "commits",
    "storing",
    "capacity",
    "starting",
    "pictures",
    "animation",
    "events",
    "discord_presses",
    "telegram_presses",
    "ballots",
    "page",
    "page_loading",
)
"""The modules here that measure something; each has a `rows(budget)`, and is imported only when it is asked for."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run benches.

    Returns:
        The exit status: 0, whether goals are met or not; 1 if a bench failed.
    """
    chosen = _read(arguments)
    budget = QUICK if chosen.quick else FULL
    _write(*head(datetime.now(UTC)))
    broken = [name for name in chosen.names or BENCHES if not _run(name, budget)]
    return 1 if broken else 0


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures; see bench/README.md.")
    parser.add_argument(
        "--quick", action="store_true", help="a few short samples: whether it runs, not how fast"
    )
    # No `choices`: argparse would hold the empty list of names against them.
    parser.add_argument("names", nargs="*", metavar="name", help=f"some of: {', '.join(BENCHES)}")
    chosen = parser.parse_args(arguments)
    if unknown := sorted(set(chosen.names) - set(BENCHES)):
        parser.error(f"no such bench: {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    return chosen


def _run(name: str, budget: Budget) -> bool:
    began = time.perf_counter()
    try:
        measure: Callable[[Budget], Sequence[Row]] = import_module(f"bench.{name}").rows
        rows = measure(budget)
    except Exception:  # noqa: BLE001 - the other benches still run
        _write("", f"{name}: FAILED")
        traceback.print_exc()
        return False
    _write("", f"{name} ({time.perf_counter() - began:.0f} s, {load()})", *table(rows))
    return True


def _write(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
