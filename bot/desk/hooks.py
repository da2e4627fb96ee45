"""Hooks: moments at which other features may act too. A feature registers a function by decorating it with the hook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, ParamSpec, TypeVar

from bot.i18n import Words
from bot.view import View
from play.people import Account, Address
from play.settings import Settings
from rules.core import AnyGame
from storage.ports import FullStore

P = ParamSpec("P")
R = TypeVar("R")


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


class Offers(Generic[P, R]):
    """Functions that each return something for one occasion, or None. A feature registers one by decorating it."""

    def __init__(self) -> None:
        self._asked: list[Callable[P, Awaitable[R | None]]] = []

    def __call__(self, function: Callable[P, Awaitable[R | None]]) -> Callable[P, Awaitable[R | None]]:
        """Register a function; as a decorator."""
        self._asked.append(function)
        return function

    async def all(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Return what the registered functions return, in the order of their registration."""
        found = [await function(*args, **kwargs) for function in self._asked]
        return [each for each in found if each is not None]


@dataclass(frozen=True, slots=True)
class InlineCard:
    """A card that a person can send by way of the bot into a chat without it: its name there, and what it shows."""

    id: str
    label: str
    view: View


FORGOTTEN: Final = Hook[FullStore, Account, Collection[str]]()
"""An account with these names is about to be forgotten: delete what `FullStore.forget` does not find."""

DAILY_PUZZLE_CHOSEN: Final = Hook[FullStore, Address, Settings, datetime]()
"""The hour or the time zone of a place's daily puzzle has been chosen."""

INLINE: Final = Offers[[FullStore, Sequence[AnyGame], Words, datetime], InlineCard]()
"""A person looks for a card to send into a chat without the bot."""

PROFILED: Final = Offers[[FullStore, Account, Words, datetime], str]()
"""A person's profile is shown: a line about them, or None. It comes below their ratings and records."""
