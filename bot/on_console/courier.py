"""Deliver the sender's messages to the local room: each is printed once, where it belongs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from bot.on_console.line_parser import PLATFORM
from bot.sender import Sender
from bot.sender.ports import NoMessage, Pace, Recipient
from bot.view import Message, Person, View
from play.errors import Unavailable
from play.people import Account, Address
from storage.streams import LEASE

_PLACE: Final = "at "
_PERSON: Final = "to "

_SOON: Final = 0.2  # seconds
_OFTEN: Final = 1.0  # seconds; a sender silent for longer is taken for dead


class RoomCourier:
    """The courier of the console. An edited message is printed again; a retired one stays as it is."""

    platform = PLATFORM
    pace = Pace()

    def __init__(self, room: Address, show: Callable[[Sequence[Message]], Awaitable[None]]) -> None:
        self._room = room
        self._show = show
        self._last: tuple[Recipient, View] | None = None  # the board that was printed last

    async def post(
        self,
        to: Recipient,
        view: View,
        *,
        ping: Sequence[Account],  # noqa: ARG002 - all messages are read anyway
        nonce: str,  # noqa: ARG002
    ) -> str:
        """See `Courier.post`. The ref of a message says only to whom it went."""
        await self._print(to, view)
        return _PLACE + to.place if isinstance(to, Address) else _PERSON + to.uid

    async def edit(self, ref: str, view: View) -> None:
        """See `Courier.edit`. A board is not repeated for its deadline; nor the one printed last, while nothing has moved and no line is new."""
        to: Recipient
        if ref.startswith(_PLACE):
            to = Address(PLATFORM, ref.removeprefix(_PLACE))
        elif ref.startswith(_PERSON):
            to = Account(PLATFORM, ref.removeprefix(_PERSON))
        else:
            raise NoMessage
        if not (view.redrawn or self._repeats(to, view)):
            await self._print(to, view)

    def _repeats(self, to: Recipient, view: View) -> bool:
        if self._last is None or view.diagram is None:
            return False
        last_to, last = self._last
        same_board = (last_to, last.code, last.diagram) == (to, view.code, view.diagram)
        return same_board and set(view.lines) <= set(last.lines)

    async def reads(self, where: Address, who: Account) -> bool:  # noqa: ARG002 - one person types for all
        """See `Courier.reads`."""
        return True

    def buried(self, to: Recipient, ref: str) -> bool:  # noqa: ARG002 - an edit is printed below all else
        """See `Courier.buried`."""
        return False

    async def retire(self, ref: str, view: View | None) -> None:
        """See `Courier.retire`: printed lines stay, and an old button answers that it is old."""

    async def _print(self, to: Recipient, view: View) -> None:
        if view.diagram is not None:
            self._last = to, view
        audience = to if isinstance(to, Address) else Person(to, self._room)
        await self._show([Message(audience, view)])


class OutboxDrain:
    """Delivers what is in the outbox, one call at a time, so that messages stay in order."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._lock = asyncio.Lock()
        self._inherits: float | None = None

    async def drain(self) -> None:
        """Return once all messages are delivered, or the store is out of reach.

        A bot that was killed leaves messages that another one gets only when the lease is over.
        """
        clock = asyncio.get_running_loop().time
        if self._inherits is None:
            self._inherits = clock() + LEASE + _OFTEN
        async with self._lock:
            with suppress(Unavailable):
                await self._sender.drain()
                while clock() < self._inherits and await self._sender.backlog():
                    await asyncio.sleep(_SOON)
                    await self._sender.drain()

    async def run(self) -> None:
        """Deliver what timers and engines bring, until cancelled."""
        while True:
            await self.drain()
            await asyncio.sleep(_OFTEN)
