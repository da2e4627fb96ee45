"""Faults of a process, injected from outside: `python faults.py ARGUMENTS` runs the bot with them, `python faults.py FILE.py
ARGUMENTS` another program.

With `KLOP_FAULT=before-send:3` in the environment the process kills itself, as `kill -9` would, when it comes to `before-send`
for the third time.

With `KLOP_FAILING=<file> <times>` each sort of call to the store, by the function of the store and that which calls it, fails
so many times before it is carried out, and as many after it, however often the client tries it; never two in a row. Each
failure is appended to the file, as `before` or `after` and the sort.
"""

from __future__ import annotations

import os
import random
import runpy
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeAlias

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[2])

from bot.chat.sending.composer import Composer
from play.errors import Unavailable
from storage import opening
from storage.archive import Archive
from storage.client.connection import Connection, Script
from storage.redis.store import RedisTimers, RedisUptime
from storage.redis.streams import RedisOutgoing

FILE: Final = __file__
_ROOT: Final = Path(FILE).parents[2]
KILLED: Final = "KLOP_FAULT"
FAILING: Final = "KLOP_FAILING"

_Replace: TypeAlias = Callable[[Any, str, object], None]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the bot's work: before a function of a class or a module is called, or after it has returned.

    `of` says which calls are meant: by the function's arguments, and, after it, its result before them.
    """

    owner: Any
    function: str
    of: Callable[..., bool] = lambda *_: True
    after: bool = False


def _commits(*given: Any) -> bool:
    return any(isinstance(each, Script) and each.name == "commit" for each in given)


def _acknowledges(*given: Any) -> bool:
    return bool(given[-1]) and isinstance(given[-1], Sequence)


def _swaps(*given: Any) -> bool:
    return isinstance(given[-1], list) and any(
        isinstance(each, Script) and each.name == "swap" for each in given[-1]
    )


POINTS: Final[Mapping[str, Place]] = {
    "after-open": Place(opening, "opened_archive"),  # the store is open, nothing has been served
    "before-beat": Place(RedisUptime, "beat"),  # an outage may have been stored, the heartbeat not
    "before-commit": Place(Connection, "run", _commits),
    "after-commit": Place(Connection, "run", _commits, after=True),  # and not confirmed yet
    "after-read": Place(
        RedisOutgoing, "read", lambda found, *_: bool(found), after=True
    ),  # a sender has facts
    "before-send": Place(Composer, "compose", after=True),
    "after-send": Place(RedisOutgoing, "set_shown"),  # a message is out, and that is not stored
    "before-ack": Place(
        RedisOutgoing, "read", _acknowledges
    ),  # that is stored, and its facts are still in the stream
    "after-ack": Place(RedisOutgoing, "read", _acknowledges, after=True),
    "before-fire": Place(RedisTimers, "due", lambda found, *_: bool(found), after=True),  # a timer is leased
    "after-fire": Place(RedisTimers, "settle"),  # it has had its effect, and is still stored
    "after-settle": Place(RedisTimers, "settle", after=True),
}
"""The points of a bot that plays."""

ARCHIVING: Final[Mapping[str, Place]] = {
    "before-archive": Place(Archive, "write"),
    "after-archive": Place(Archive, "write", after=True),  # matches are in the archive, and in Redis too
    "before-head": Place(Connection, "batch", _swaps),  # what shows their boards is deleted
    "after-head": Place(Connection, "batch", _swaps, after=True),
}
"""Those of matches on their way into the archive."""


def plant(place: Place, fault: Callable[[], object], replace: _Replace = setattr) -> None:
    """Have a fault called whenever this process comes to a place."""
    function = getattr(place.owner, place.function)

    def faulty(*given: Any, **named: Any) -> Any:
        if not place.after:
            if place.of(*given):
                fault()
            return function(*given, **named)
        return later(*given, **named)

    async def later(*given: Any, **named: Any) -> Any:
        result = await function(*given, **named)
        if place.of(result, *given):
            fault()
        return result

    replace(place.owner, place.function, faulty)


def _kill_at(text: str) -> None:
    """Have this process kill itself at a point, the last of so many times: `before-send:3`."""
    point, _, times = text.partition(":")
    left = int(times or 1)

    def kill() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    plant({**POINTS, **ARCHIVING}[point], kill)


APART: Final = (20, 50)
"""Calls between two failures: enough for what failed to be tried again."""
FIRST: Final = 25
"""Calls that do not fail, from the start on: a bot that cannot open its store says so and ends."""


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
        if place.is_relative_to(_ROOT) and place != Path(FILE):
            part = place.relative_to(_ROOT).with_suffix("").as_posix().replace("/", ".")
            name = f"{part}.{frame.f_code.co_name}"
            if not part.startswith("storage."):
                return f"{inner} < {name}"
            if not part.startswith("storage.client"):
                inner = name
        frame = frame.f_back
    return inner


def _fail(text: str) -> None:
    report, times = text.split()
    failures = Failures(Path(report), int(times))
    ask = Connection.ask

    async def failing(self: Connection, *given: Any, **named: Any) -> Any:
        when = failures.next(sort_of(sys._getframe()))
        if when == "before":
            raise Unavailable
        answer = await ask(self, *given, **named)
        if when:
            raise Unavailable
        return answer

    Connection.ask = failing  # type: ignore[method-assign]


def main() -> int:
    """Run a program, by default the bot."""
    if point := os.environ.get(KILLED):
        _kill_at(point)
    if failing := os.environ.get(FAILING):
        _fail(failing)
    if len(sys.argv) > 1 and sys.argv[1].endswith(".py"):
        del sys.argv[0]
        runpy.run_path(sys.argv[0], run_name="__main__")
        return 0
    from bot.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
