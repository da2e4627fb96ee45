"""Faults of a process, injected from outside: `python faults.py ARGUMENTS` runs the bot with them, `python faults.py FILE.py
ARGUMENTS` another program.

With `KLOP_FAULT=before-send:3` in the environment the process kills itself, as `kill -9` would, when it comes to `before-send`
for the third time.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[2])

from bot.chat.sending.composer import Composer
from bot.features.channels.keeping import Councils
from storage import opening
from storage.archive import Archive
from storage.client.connection import Connection, Script
from storage.redis.store import RedisTimers, RedisUptime
from storage.redis.streams import RedisOutgoing

FILE: Final = __file__
KILLED: Final = "KLOP_FAULT"

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

DECIDING: Final[Mapping[str, Place]] = {
    "before-council": Place(Councils, "_play"),  # what a place plays is decided and stored, and not played
    "after-council": Place(Councils, "_play", after=True),  # it is played, and due still
}
"""Those of a bot where a place plays."""


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

    plant({**POINTS, **ARCHIVING, **DECIDING}[point], kill)


def main() -> int:
    """Run a program, by default the bot."""
    if point := os.environ.get(KILLED):
        _kill_at(point)
    if len(sys.argv) > 1 and sys.argv[1].endswith(".py"):
        del sys.argv[0]
        runpy.run_path(sys.argv[0], run_name="__main__")
        return 0
    from bot.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
