"""The bot with a store whose calls fail: `python failing_bot.py ARGUMENTS of the bot`, with `KLOP_FAILING=<file> <times>`.

Each sort of call, by the function of the store and that which calls it, fails so many times before it is carried out, and as
many after it, however often the client tries it; never two in a row. Each failure is appended to the file, as `before` or `after`
and the sort.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

VARIABLE: Final = "KLOP_FAILING"
APART: Final = (20, 50)
"""Calls between two failures: enough for what failed to be tried again."""
FIRST: Final = 25
"""Calls that do not fail, from the start on: a bot that cannot open its store says so and ends."""

_ROOT: Final = Path(__file__).parents[2]


class Failures:
    """Decides which call fails.

    Args:
        report: The file.
        times: How often each sort fails before, and after.
    """

    def __init__(self, report: Path, times: int) -> None:
        self._report = report
        self._times = times
        self._luck = random.Random(times)
        self._wait = FIRST
        self._failed: Counter[tuple[str, str]] = Counter()
        for line in report.read_text().splitlines() if report.exists() else ():
            when, _, sort = line.partition(" ")
            self._failed[when, sort] += 1

    def next(self, sort: str) -> str:
        """Return whether this call fails `before` it is carried out, or `after`; empty if it does not."""
        self._wait -= 1
        if self._wait > 0:
            return ""
        when = min(("before", "after"), key=lambda each: (self._failed[each, sort], self._luck.random()))
        if self._failed[when, sort] >= self._times:
            return ""
        self._wait = self._luck.randint(*APART)
        self._failed[when, sort] += 1
        with self._report.open("a", encoding="utf-8") as file:
            file.write(f"{when} {sort}\n")
        return when


def sort_of(frame: FrameType | None) -> str:
    """Return the function of the store that makes a call, and the function that calls the store."""
    inner = ""
    while frame is not None:
        place = Path(frame.f_code.co_filename)
        if place.is_relative_to(_ROOT) and place != Path(__file__):
            part = place.relative_to(_ROOT).with_suffix("").as_posix().replace("/", ".")
            name = f"{part}.{frame.f_code.co_name}"
            if not part.startswith("storage."):
                return f"{inner} < {name}"
            if not part.startswith("storage.client"):
                inner = name
        frame = frame.f_back
    return inner


def main() -> int:
    """Run the bot."""
    sys.path[0] = str(_ROOT)
    from bot.__main__ import main as run
    from play.errors import Unavailable
    from storage.client.connection import Connection

    report, times = os.environ[VARIABLE].split()
    failures = Failures(Path(report), int(times))
    ask = Connection.ask

    async def failing(self: Connection, question: Callable[[], Awaitable[Any]], what: str = "") -> Any:
        when = failures.next(sort_of(sys._getframe()))
        if when == "before":
            raise Unavailable
        answer = await ask(self, question, what)
        if when:
            raise Unavailable
        return answer

    Connection.ask = failing  # type: ignore[method-assign]
    return run()


if __name__ == "__main__":
    sys.exit(main())
