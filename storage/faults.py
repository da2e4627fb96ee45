"""Points at which a process can be made to die, to see that nothing is lost by it.

Nothing happens at them unless the environment names one: with `KLOP_FAULT=before-send:3` the process kills itself, as
`kill -9` would, when it comes to `before-send` for the third time.
"""

from __future__ import annotations

import os
import signal
from typing import Final

VARIABLE: Final = "KLOP_FAULT"

POINTS: Final = (
    "after-open",  # the store is open, nobody has been served
    "before-beat",  # an outage may have been written down, the heartbeat not
    "before-commit",
    "after-commit",  # and nobody has been told, not even whoever asked
    "after-read",  # facts are in a sender's hands
    "before-send",
    "after-send",  # a message is out, and nothing says so
    "before-ack",  # it is known to be out, and its facts still wait
    "after-ack",
    "before-fire",  # a timer is lent
    "after-fire",  # it has had its effect, and is still there
    "after-settle",
)
"""All there are."""


def _named() -> tuple[str, int]:
    name, _, times = os.environ.get(VARIABLE, "").partition(":")
    if name and name not in POINTS:
        raise ValueError(f"no such point: {name!r}")
    return name, int(times or 1)


_point, _left = _named()


def fault(point: str) -> None:
    """Die here, if this is the point that was named, and the time."""
    global _left  # noqa: PLW0603 - how often a process has come to a point is known to the process alone
    if point == _point:
        _left -= 1
        if _left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
