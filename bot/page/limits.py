"""Rate limits of one process, in memory: what the page answers before it knows who asks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

_KEPT: Final = 10_000  # keys that are remembered; the one used longest ago is forgotten first


class Allowance:
    """So many requests in a time for each key, all of which may come at once."""

    def __init__(self, limit: int, seconds: float, clock: Callable[[], float]) -> None:
        self._limit, self._each = limit, seconds / limit
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()  # up to when each key's requests are spent

    def take(self, key: str) -> bool:
        """Take one of a key's; return whether there was one."""
        now = self._clock()
        spent = max(self._until.get(key, now), now) + self._each
        if spent > now + self._limit * self._each + self._each / 2:
            return False
        self._until[key] = spent
        self._until.move_to_end(key)
        if len(self._until) > _KEPT:
            self._until.popitem(last=False)
        return True
