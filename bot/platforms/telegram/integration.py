"""What Telegram gives to the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from bot.platforms.integration import ChatIntegration, Identity, Operations
from bot.platforms.telegram.settings import TelegramSettings

if TYPE_CHECKING:
    from bot.chat.services import Services
    from bot.platforms.platform import Platform, PlatformServices


class Telegram(ChatIntegration):
    """See `ChatIntegration`."""

    settings = TelegramSettings
    gone = ("KLOP_TELEGRAM_WEBHOOK_SECRET",)
    key = "telegram"
    name = "Telegram"
    shape = r"(?<!\d)\d{6,}:[\w-]{30,}"  # also right after the "bot" of its URLs
    frames = ("https://web.telegram.org", "https://*.telegram.org")

    def adapter(self) -> Callable[[PlatformServices], Platform]:
        """See `ChatIntegration.adapter`."""
        from bot.platforms.telegram.adapter import TelegramAdapter  # noqa: PLC0415

        return TelegramAdapter

    def operations(self) -> Operations:
        """See `ChatIntegration.operations`."""
        from bot.platforms.telegram.publishing import TelegramOperations  # noqa: PLC0415

        return TelegramOperations()

    async def identity(self, services: Services, proof: str, headers: Mapping[str, str]) -> Identity:
        """See `ChatIntegration.identity`."""
        from bot.platforms.telegram.proofs import identity  # noqa: PLC0415

        return await identity(services, proof, headers)
