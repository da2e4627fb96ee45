"""The local room's settings, and what it gives to the process."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from bot.config import Config
from bot.platforms.integration import Integration
from play.people import Address

PLATFORM: Final = "console"


class RoomSettings(Config):
    """The settings of the local room."""

    room: str = Field("local", pattern=r"^[\w-]{1,32}$")
    board: Literal["emoji", "ascii"] = "emoji"


class LocalRoom(Integration):
    """See `Integration`."""

    settings = RoomSettings

    def room(self, config: Config) -> Address:
        return place(config.of(RoomSettings).room)


def place(room: str) -> Address:
    """Return the address of a room."""
    return Address(PLATFORM, room)
