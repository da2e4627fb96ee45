"""Followups where the bot is no member: it can only answer interactions there, each for a quarter of an hour.

The sender's messages become followups of the last interaction at a place. An interaction is stored while it takes them, so that
the process that sends need not be the one that was asked. After that time the next press brings a new answer, and the board with it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeVar

import discord

from bot.on_discord.places import PLATFORM
from bot.sender.backoff import Sleep
from play.errors import Unavailable
from play.ports import NoteStore

LASTS: Final = timedelta(minutes=14)
"""For how long an interaction takes followups; Discord's limit is a minute more."""
MOST: Final = 5  # most followups of an interaction where the bot is no member

_KEPT: Final = 4096
_SETTLING: Final = 10.0  # seconds that a followup waits for the response; a process that ended gives none
_LOOK: Final = 0.1  # seconds between looks whether there is a response
_KNOWN_WITHIN: Final = timedelta(seconds=4)  # the age at which Discord knows the response to an interaction
_AGAIN: Final = 0.3  # seconds until a call is tried again that came before that response
_TRIES: Final = 15  # of such a call at most, also where this clock is behind Discord's

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class OpenInteraction:
    """An interaction that takes followups.

    Attributes:
        interaction: Its id.
        token: Allows whoever has it to follow.
        pressed: The message with the pressed button, which is edited as the response; empty for a command.
    """

    interaction: str
    token: str = field(repr=False)
    pressed: str = ""

    def pack(self) -> str:
        """Return it as text."""
        return " ".join((self.interaction, self.token, self.pressed))

    @classmethod
    def unpack(cls, text: str | None) -> OpenInteraction | None:
        """Return what was packed; None for nothing."""
        return cls(*text.split(" ")) if text else None


class Followups:
    """The open interactions, by place, and those that messages followed."""

    def __init__(self, notes: NoteStore, sleep: Sleep = asyncio.sleep) -> None:
        self._notes = notes
        self._sleep = sleep
        self._member: OrderedDict[str, None] = OrderedDict()  # places where no interaction is needed

    def guest(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether the bot is no member where an interaction came from."""
        if interaction.guild_id is not None:
            return not interaction.is_guild_integration()
        return bool(interaction.context.private_channel)

    async def open(self, place: str, interaction: discord.Interaction[Any]) -> OpenInteraction:
        """Take followups for an interaction from now on, if the store answers."""
        message = interaction.message
        pressed = str(message.id) if message is not None and not message.flags.ephemeral else ""
        opened = OpenInteraction(str(interaction.id), interaction.token, pressed)
        self._member.pop(place, None)
        with suppress(Unavailable):
            await self._notes.write(_note("open", place), opened.pack(), keep=LASTS)
        if pressed:
            await self.followed(pressed, opened)
        return opened

    async def settle(self, opened: OpenInteraction) -> None:
        """Let followups be sent: the response is there."""
        with suppress(Unavailable):
            await self._notes.write(_note("settled", opened.interaction), "1", keep=LASTS)

    async def of(self, place: str) -> OpenInteraction | None:
        """Return the last interaction at a place that still takes a followup, once it has its response, and count one.

        Raises:
            Unavailable: the store does not answer.
        """
        if place in self._member:
            return None
        (held,) = await self._notes.read(_note("open", place))
        opened = OpenInteraction.unpack(held)
        if opened is None:
            return None
        with suppress(TimeoutError):
            async with asyncio.timeout(_SETTLING):
                while (await self._notes.read(_note("settled", opened.interaction)))[0] is None:
                    await self._sleep(_LOOK)
        for number in range(MOST):
            if await self._notes.write_once(_note("sent", f"{opened.interaction}:{number}"), "", keep=LASTS):
                return opened
        return None

    def wrote_as_member(self, place: str, *, is_member: bool) -> None:
        """Note whether a message could be written at a place without an interaction."""
        if is_member:
            remember(self._member, place, None)
        else:
            self._member.pop(place, None)

    async def followed(self, message: str, opened: OpenInteraction) -> None:
        """Remember the interaction that a message followed, if the store answers: only by it the message can be edited."""
        with suppress(Unavailable):  # the message is out, and must not be sent again
            await self._notes.write(_note("followed", message), opened.pack(), keep=LASTS)

    async def acknowledged(self, interaction: int, call: Callable[[], Awaitable[V]]) -> V:
        """Return what a call by an interaction's token returns, tried again while Discord may not know the token yet.

        An interaction is stored before it is acknowledged, so the process that handles it may be faster.
        """
        for _ in range(_TRIES - 1):
            try:
                return await call()
            except discord.NotFound:
                age = discord.utils.utcnow() - discord.utils.snowflake_time(interaction)
                if age > _KNOWN_WITHIN:
                    raise
            await self._sleep(_AGAIN)
        return await call()

    async def wrote(self, message: str) -> OpenInteraction | None:
        """Return the interaction that a message followed, while the message can be edited by it."""
        return OpenInteraction.unpack((await self._notes.read(_note("followed", message)))[0])


def _note(what: str, of: str) -> str:
    return f"{PLATFORM}:followup:{what}:{of}"


def remember(held: OrderedDict[K, V], key: K, value: V, most: int = _KEPT) -> None:
    """Set a value, and forget the oldest ones beyond the most."""
    held[key] = value
    held.move_to_end(key)
    while len(held) > most:
        held.popitem(last=False)
