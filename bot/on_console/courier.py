"""Carries what the sender says into the local room: everything is printed once, where it happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from bot.on_console.line_parser import PLATFORM
from bot.sender.ports import NoMessage, Pace, Recipient
from bot.view import Message, Person, View
from play.people import Account, Address

_PLACE: Final = "at "
_PERSON: Final = "to "


class RoomCourier:
    """The courier of the console. A message that is changed is printed anew; one that is folded stays as it is.

    Args:
        room: The room in which people are told privately what they hear nowhere else.
        show: Prints.
    """

    platform = PLATFORM
    pace = Pace()

    def __init__(self, room: Address, show: Callable[[Sequence[Message]], Awaitable[None]]) -> None:
        self._room = room
        self._show = show

    async def post(
        self,
        to: Recipient,
        view: View,
        *,
        ping: Sequence[Account],  # noqa: ARG002 - whoever is called reads the room anyway
        nonce: str,  # noqa: ARG002
    ) -> str:
        """See `Courier.post`. The name of a message says only to whom it went."""
        await self._print(to, view)
        return _PLACE + to.place if isinstance(to, Address) else _PERSON + to.uid

    async def edit(self, ref: str, view: View) -> None:
        """See `Courier.edit`."""
        if ref.startswith(_PLACE):
            await self._print(Address(PLATFORM, ref.removeprefix(_PLACE)), view)
        elif ref.startswith(_PERSON):
            await self._print(Account(PLATFORM, ref.removeprefix(_PERSON)), view)
        else:
            raise NoMessage

    async def retire(self, ref: str, view: View | None) -> None:
        """See `Courier.retire`: what was printed stays printed, and an old button says so when it is pressed."""

    async def _print(self, to: Recipient, view: View) -> None:
        audience = to if isinstance(to, Address) else Person(to, self._room)
        await self._show([Message(audience, view)])
