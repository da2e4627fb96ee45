"""Notifications to systemd (sd_notify(3)): ready, alive, stopping."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from bot.sender.backoff import Sleep

_LOOK: Final = 1.0  # seconds between looks whether all is ready


class Notifier:
    """Tells systemd that the process is ready, then that its event loop turns, at half the time of the unit's `WatchdogSec`."""

    def __init__(self, path: str, every: float | None, sleep: Sleep = asyncio.sleep) -> None:
        self._path = f"\0{path[1:]}" if path.startswith("@") else path
        self._every = every
        self._sleep = sleep

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier | None:
        """Return what notifies the systemd that started this process; None if none did."""
        path, microseconds = environment.get("NOTIFY_SOCKET"), environment.get("WATCHDOG_USEC")
        if not path:
            return None
        return cls(path, int(microseconds) / 2e6 if microseconds else None)

    async def run(self, ready: Callable[[], Awaitable[bool]]) -> None:
        """Notify until cancelled; `ready` says whether the process is."""
        told, waited = False, 0.0
        try:
            while True:
                if not told and await ready():
                    self._tell("READY=1")
                    told = True
                if self._every is not None and waited >= self._every:
                    self._tell("WATCHDOG=1")
                    waited = 0.0
                pause = _LOOK if self._every is None else min(_LOOK, self._every)
                await self._sleep(pause)
                waited += pause
        finally:
            self._tell("STOPPING=1")

    def _tell(self, state: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to:
            to.connect(self._path)
            to.sendall(state.encode())
