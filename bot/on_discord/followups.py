"""Places where the bot is a guest: people brought it along, and it can only answer what they do, for a quarter of an hour.

There it is no member: what the sender wants to say is said as one more answer to whatever somebody did last. Nothing of
this is stored. Once the time is over, or after a restart, the next press brings a new answer, and the board with it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import discord

LASTS: Final = 14 * 60.0
"""Seconds that an answer can be added to; Discord's own bound is a minute more."""

MOST: Final = 5
"""Messages that may follow one answer where the bot is no member."""

_KEPT: Final = 4096


@dataclass(slots=True)
class OpenInteraction:
    """An interaction whose answer can be added to."""

    interaction: discord.Interaction[Any]
    until: float
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    left: int = MOST


class Followups:
    """The loans of this process, by place.

    Args:
        clock: Seconds, counting up.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._loans: OrderedDict[str, OpenInteraction] = OrderedDict()
        self._written: OrderedDict[tuple[str, str], OpenInteraction] = OrderedDict()

    def guest(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether the bot is a guest where somebody did something."""
        if interaction.guild_id is not None:
            return not interaction.is_guild_integration()
        return bool(interaction.context.private_channel)

    def lend(self, place: str, interaction: discord.Interaction[Any]) -> OpenInteraction:
        """Remember that there is a new answer to be added to."""
        loan = OpenInteraction(interaction, self._clock() + LASTS)
        self._loans[place] = loan
        self._loans.move_to_end(place)
        _bounded(self._loans)
        return loan

    def of(self, place: str) -> OpenInteraction | None:
        """The latest answer at a place that can still be added to; it counts as used."""
        loan = self._loans.get(place)
        if loan is None or loan.until < self._clock() or not loan.left:
            return None
        loan.left -= 1
        return loan

    def remember(self, place: str, message: int, loan: OpenInteraction) -> None:
        """Remember which answer a message followed: only that one can change it."""
        self._written[place, str(message)] = loan
        _bounded(self._written)

    def wrote(self, place: str, message: str) -> OpenInteraction | None:
        """The answer that a message followed, while it can still change it."""
        loan = self._written.get((place, message))
        return loan if loan is not None and loan.until >= self._clock() else None


def _bounded(held: OrderedDict[Any, Any]) -> None:
    while len(held) > _KEPT:
        held.popitem(last=False)
