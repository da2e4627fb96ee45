"""Hooks: moments at which other features may act too. A feature registers a function by decorating it with the hook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
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


FORGOTTEN: Final = Hook[Sequence[Account], Collection[str]]()
"""A person is forgotten: delete what is kept outside the store about their accounts and names."""

DAILY_PUZZLE_CHOSEN: Final = Hook[FullStore, Address, Settings, datetime]()
"""The hour or the time zone of a place's daily puzzle has been chosen."""
