"""What every platform is given, and what it has to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.config import Settings
from bot.desk import Desk
from bot.pictures import Pictures
from bot.sender.ports import Courier
from bot.sender.voice import Voice
from bot.thinking import Thinker
from bot.thinking.seats import Seats
from play.table import Table
from rules.core import Reason
from storage.upkeep import FullStore


@dataclass(frozen=True, slots=True)
class House:
    """Everything that a platform may use.

    Attributes:
        settings: What the operator set.
        table: Where everything is decided.
        store: Where matches sleep.
        desk: Answers what people say and press.
        voice: Words for whoever is told.
        now: The time that deadlines are measured by.
        language: Spoken where nobody has chosen one.
        pictures: Paints boards and matches.
        seats: Plays for the engines at the table, where there are any.
        thinker: What the engines think with, where there are any.
    """

    settings: Settings
    table: Table
    store: FullStore
    desk: Desk
    voice: Voice
    now: Callable[[], datetime]
    language: str
    pictures: Pictures
    seats: Seats | None = None
    thinker: Thinker | None = None


class Platform(Protocol):
    """One way of asking and of showing."""

    @property
    def name(self) -> str:
        """`platform` of its addresses and accounts."""
        ...

    @property
    def courier(self) -> Courier:
        """Carries views to it."""
        ...

    async def run(self) -> None:
        """Connect, serve, and close when cancelled.

        Raises:
            CannotConnect: it will not have us, and trying again would not help.
        """
        ...


class Connect(Protocol):
    """Makes a platform; connects to nothing yet."""

    def __call__(self, house: House, /) -> Platform:
        """A platform for a house."""
        ...


class Trouble(Reason):
    """Why a platform cannot be served."""

    REFUSED = "bot.platform.refused"  # name, setting


class CannotConnect(Exception):
    """A platform that will not have us."""

    def __init__(self, reason: Trouble, /, **fields: str) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields = fields
