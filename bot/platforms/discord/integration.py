"""What Discord gives to the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.integration import ChatIntegration, Identity, Operations

if TYPE_CHECKING:
    from bot.chat.services import Services
    from bot.platforms.platform import Platform, PlatformServices


class Discord(ChatIntegration):
    """See `ChatIntegration`."""

    settings = DiscordSettings
    gone = ("KLOP_DISCORD_PUBLIC_KEY",)
    key = "discord"
    name = "Discord"
    shape = r"\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"
    frames = ("https://discord.com", "https://*.discord.com", "https://*.discordsays.com")
    sockets = ("wss://*.discordsays.com",)

    def adapter(self) -> Callable[[PlatformServices], Platform]:
        """See `ChatIntegration.adapter`."""
        from bot.platforms.discord.adapter import DiscordAdapter  # noqa: PLC0415

        return DiscordAdapter

    def operations(self) -> Operations:
        """See `ChatIntegration.operations`."""
        from bot.platforms.discord.publishing import DiscordOperations  # noqa: PLC0415

        return DiscordOperations()

    async def identity(self, services: Services, proof: str, headers: Mapping[str, str]) -> Identity:
        """See `ChatIntegration.identity`."""
        from bot.platforms.discord.proofs import identity  # noqa: PLC0415

        return await identity(services, proof, headers)
