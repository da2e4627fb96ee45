"""Points at which tests can kill a process, to prove that nothing is lost.

With `KLOP_FAULT=before-send:3` in the environment the process kills itself, as `kill -9` would, when it reaches
`before-send` for the third time. Otherwise nothing happens at them.
"""

from __future__ import annotations

import os
import signal
from typing import Final

VARIABLE: Final = "KLOP_FAULT"

POINTS: Final = (
    "after-open",  # the store is open, nothing has been served
    "before-beat",  # an outage may have been stored, the heartbeat not
    "before-commit",
    "after-commit",  # and not confirmed yet
    "after-read",  # a sender has facts
    "before-send",
    "after-send",  # a message is out, and that is not stored
    "before-ack",  # that is stored, and its facts are still in the stream
    "after-ack",
    "before-fire",  # a timer is leased
    "after-fire",  # it has had its effect, and is still stored
    "after-settle",
)
"""All points of a bot that plays."""

ARCHIVING: Final = (
    "before-archive",
    "after-archive",  # matches are in the archive, and in Redis too
    "before-head",  # what shows their boards is deleted
    "after-head",
)
"""Those of matches on their way into the archive."""


def _named() -> tuple[str, int]:
    name, _, times = os.environ.get(VARIABLE, "").partition(":")
    if name and name not in (*POINTS, *ARCHIVING):
        raise ValueError(f"no such point: {name!r}")
    return name, int(times or 1)


_point, _left = _named()


def fault(point: str) -> None:
    """Kill the process, if this is the point that was named, for the time that was named."""
    global _left  # noqa: PLW0603 - a counter of the process
    if point == _point:
        _left -= 1
        if _left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
