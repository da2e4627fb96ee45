"""What a platform is given, what the process runs of it, and why it cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from bot.chat.desk import Desk
from bot.chat.sending.composer import Composer, NextTurnNotices
from bot.chat.sending.ports import Courier
from bot.chat.sending.sender import DeliveryHook, FactHook
from bot.chat.sending.unreached import Unreachable
from bot.chat.services import Services
from bot.config import CannotRun
from bot.features.commands import REGISTRY
from rules.core import Reason


@dataclass(frozen=True)
class PlatformServices(Services):
    """The services of a process, with the desk that answers and the composer that words by them."""

    @cached_property
    def desk(self) -> Desk:
        """The desk of all commands and buttons."""
        return Desk(REGISTRY, self)

    @cached_property
    def composer(self) -> Composer:
        """The composer of messages about matches and events."""
        asks = {name: make(self) for name, make in REGISTRY.composing.items()}
        return Composer(self.table, self.language, self.now, **asks)

    def hooks(self) -> list[FactHook | DeliveryHook]:
        """Return what the sender calls with each fact, or with each delivery."""
        table, store = self.table, self.store
        own = (NextTurnNotices(table, store), Unreachable(table, store, self.now))
        made = (make(self) for make in REGISTRY.hooks)
        return [*own, *made, *([self.seats] if self.seats else [])]


class Platform(Protocol):
    """A platform adapter."""

    @property
    def name(self) -> str:
        """`platform` of its addresses and accounts."""

    @property
    def courier(self) -> Courier:
        """Delivers the sender's messages."""

    def silence(self) -> Mapping[str, float]:
        """Return by connection the seconds since the platform was last heard; infinite before.

        Where the platform calls the bot, or nothing is taken from it, 0 once it can call, or once the bot is logged in.
        """

    async def run(self) -> None:
        """Connect, serve, and close when cancelled.

        Raises:
            CannotRun: the platform rejects the token, or where it is to call the bot cannot be listened on; perhaps in a group.
        """

    async def finish(self) -> None:
        """Take nothing more, and return once what was taken is handled and answered; the courier still delivers."""


class WebServer(Protocol):
    """Serves browsers; `listening` is set once it can be opened."""

    listening: asyncio.Event

    async def run(self) -> None:
        """Serve until cancelled; raises `CannotListen`."""


class ConnectFailure(Reason):
    """Why a platform cannot be served."""

    REFUSED = "bot.platform.refused"  # name, setting
    NOT_PUBLISHED = "bot.publish.refused"  # name, text


class CannotConnect(CannotRun):
    """A platform that rejects its token."""

    reason: Reason = ConnectFailure.REFUSED

    def __init__(self, name: str, setting: str) -> None:
        super().__init__(name=name, setting=setting)


class CannotPublish(Exception):
    """A platform that does not take what it is to show of the bot."""

    reason = ConnectFailure.NOT_PUBLISHED

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, text)
        self.fields = {"name": name, "text": text}
