"""Hooks: moments at which other features may act too. A feature registers a function by decorating it with the hook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime
from typing import Final, Generic, ParamSpec

from play.people import Account, Address
from play.settings import Settings
from storage.ports import FullStore

P = ParamSpec("P")


class Hook(Generic[P]):
    """Functions that are called one after the other at one moment."""

    def __init__(self) -> None:
        self._called: list[Callable[P, Awaitable[None]]] = []

    def __call__(self, function: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
        """Register a function; as a decorator."""
        self._called.append(function)
        return function

    async def fire(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all registered functions."""
        for function in self._called:
            await function(*args, **kwargs)


FORGOTTEN: Final = Hook[FullStore, Account, Collection[str]]()
"""An account with these names is about to be forgotten: delete what `FullStore.forget` does not find."""

DAILY_PUZZLE_CHOSEN: Final = Hook[FullStore, Address, Settings, datetime]()
"""The hour or the time zone of a place's daily puzzle has been chosen."""
