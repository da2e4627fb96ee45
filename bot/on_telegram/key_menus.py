"""Keys that one person uses under a message of all: the menu of a match, a move that is being picked. They lapse."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from play.people import Account, Player

LASTS: Final = 60.0  # seconds without a press until the keys of all come back


@dataclass(frozen=True, slots=True)
class _Held:
    by: Player
    lapse: asyncio.Task[None]


class KeyMenus:
    """Who uses the keys under which message. This is in memory only: after a restart the next press gives the keys back."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._held: dict[str, _Held] = {}

    def other(self, ref: str, account: Account) -> Player | None:
        """Return the person who uses the keys under a message, unless it is this one."""
        held = self._held.get(ref)
        return held.by if held is not None and held.by.account != account else None

    def holds(self, ref: str, account: Account) -> bool:
        """Whether a person uses the keys under a message."""
        held = self._held.get(ref)
        return held is not None and held.by.account == account

    def hold(self, ref: str, by: Player, restore: Callable[[], Awaitable[None]]) -> None:
        """Let a person use the keys under a message; `restore` is called if they press none for a while."""
        self.release(ref)

        async def lapse() -> None:
            await self._sleep(LASTS)
            del self._held[ref]
            await restore()

        self._held[ref] = _Held(by, asyncio.create_task(lapse(), name=f"keys of {ref}"))

    def release(self, ref: str) -> None:
        """The keys under a message are those of all again."""
        if held := self._held.pop(ref, None):
            held.lapse.cancel()

    def close(self) -> None:
        """Let no keys lapse any more."""
        for ref in list(self._held):
            self.release(ref)
