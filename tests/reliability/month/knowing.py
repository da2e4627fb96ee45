"""What must hold, and when it is."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final

from tests.bot.virtual import VirtualLoop

HOUR: Final = 3600.0
TROUBLE: Final = 0.01
"""How many calls of the store fail, before or after they are carried out; and how many messages."""


def now() -> datetime:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.moment()


class Broken(AssertionError):
    """Something did not hold that must."""


def hold(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)
