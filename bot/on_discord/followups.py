"""Followups where the bot is no member: it can only answer interactions there, each for a quarter of an hour.

The sender's messages become followups of the last interaction at a place. Nothing of this is stored: after the time is
over, or after a restart, the next press brings a new answer, and the board with it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import discord

LASTS: Final = 14 * 60.0  # seconds that an interaction takes followups; Discord's limit is a minute more
MOST: Final = 5  # most followups of an interaction where the bot is no member

_KEPT: Final = 4096

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class OpenInteraction:
    """An interaction that takes followups."""

    interaction: discord.Interaction[Any]
    until: float
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    left: int = MOST


class Followups:
    """The open interactions of this process, by place."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: OrderedDict[str, OpenInteraction] = OrderedDict()
        self._written: OrderedDict[tuple[str, str], OpenInteraction] = OrderedDict()

    def guest(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether the bot is no member where an interaction came from."""
        if interaction.guild_id is not None:
            return not interaction.is_guild_integration()
        return bool(interaction.context.private_channel)

    def open(self, place: str, interaction: discord.Interaction[Any]) -> OpenInteraction:
        """Take followups for an interaction from now on."""
        opened = OpenInteraction(interaction, self._clock() + LASTS)
        remember(self._open, place, opened)
        return opened

    def of(self, place: str) -> OpenInteraction | None:
        """Return the last interaction at a place that still takes a followup, and count one."""
        opened = self._open.get(place)
        if opened is None or opened.until < self._clock() or not opened.left:
            return None
        opened.left -= 1
        return opened

    def followed(self, place: str, message: int, opened: OpenInteraction) -> None:
        """Remember the interaction that a message followed: only by it the message can be edited."""
        remember(self._written, (place, str(message)), opened)

    def wrote(self, place: str, message: str) -> OpenInteraction | None:
        """Return the interaction that a message followed, while the message can be edited by it."""
        opened = self._written.get((place, message))
        return opened if opened is not None and opened.until >= self._clock() else None


def remember(held: OrderedDict[K, V], key: K, value: V, most: int = _KEPT) -> None:
    """Set a value, and forget the oldest ones beyond the most."""
    held[key] = value
    held.move_to_end(key)
    while len(held) > most:
        held.popitem(last=False)
