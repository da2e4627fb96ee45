"""What Telegram gives to the process, and its settings."""

from __future__ import annotations

import hmac

from pydantic import Field

from bot.config import LISTEN, URL, Config, ListenAddress, RequestSource, Secret
from bot.platforms.integration import ChatIntegration


class TelegramSettings(Config):
    """The settings of Telegram."""

    telegram_token: Secret = Field(None, validation_alias="TELEGRAM_TOKEN")
    telegram_app: str | None = Field(None, pattern=r"^[A-Za-z0-9_]{3,30}$")
    telegram_webhook_url: str | None = Field(None, pattern=URL)
    telegram_webhook_listen: str = Field("127.0.0.1:8081", pattern=LISTEN)
    telegram_api: str = Field("https://api.telegram.org", pattern=URL)

    @property
    def sources(self) -> tuple[RequestSource, ...]:
        url = ("KLOP_TELEGRAM_WEBHOOK_URL", self.telegram_webhook_url)
        return (RequestSource("telegram", "TELEGRAM_TOKEN", self.telegram_token, *url), *super().sources)

    @property
    def secrets(self) -> list[str]:
        token = self.telegram_token
        return [*super().secrets, *([webhook_secret(token.get_secret_value())] if token else [])]

    @property
    def takes_telegram(self) -> bool:
        """Whether this process takes Telegram's updates, where there is a token."""
        return self.takes(self.telegram_webhook_url)

    @property
    def telegram_webhook_address(self) -> ListenAddress:
        """Where the webhook listens."""
        return self.address("telegram_webhook_listen")


def webhook_secret(token: str) -> str:
    """Return what Telegram sends with each update: all processes of a bot know it by the token."""
    return hmac.digest(token.encode(), b"webhook", "sha256").hex()


class Telegram(ChatIntegration):
    """See `ChatIntegration`."""

    settings = TelegramSettings
    key = "telegram"
    name = "Telegram"
    shape = r"(?<!\d)\d{6,}:[\w-]{30,}"  # also right after the "bot" of its URLs
    frames = ("https://web.telegram.org", "https://*.telegram.org")
