"""What Discord gives to the process, and its settings."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import NoDecode

from bot.config import LISTEN, URL, Config, ListenAddress, Missing, RequestSource, Secret, parts
from bot.platforms.integration import ChatIntegration


class DiscordSettings(Config):
    """The settings of Discord."""

    discord_token: Secret = Field(None, validation_alias="DISCORD_TOKEN")
    discord_shard_ids: Annotated[tuple[int, ...] | None, NoDecode, BeforeValidator(parts)] = None
    discord_shard_count: int | None = Field(None, ge=1)
    discord_client_secret: Secret = None
    discord_endpoint_url: str | None = Field(None, pattern=URL)
    discord_endpoint_listen: str = Field("127.0.0.1:8084", pattern=LISTEN)
    discord_api: str = Field("https://discord.com/api/v10", pattern=URL)

    @property
    def sources(self) -> tuple[RequestSource, ...]:
        url = ("KLOP_DISCORD_ENDPOINT_URL", self.discord_endpoint_url)
        return (RequestSource("discord", "DISCORD_TOKEN", self.discord_token, *url), *super().sources)

    @property
    def takes_discord(self) -> bool:
        """Whether this process takes Discord's interactions, where there is a token."""
        return self.takes(self.discord_endpoint_url)

    @property
    def discord_endpoint_address(self) -> ListenAddress:
        """Where the endpoint for Discord's interactions listens."""
        return self.address("discord_endpoint_listen")

    @model_validator(mode="after")
    def _checked_shards(self) -> Self:
        ids, count = self.discord_shard_ids, self.discord_shard_count
        if ids is not None and (count is None or not all(0 <= each < count for each in ids)):
            raise Missing("KLOP_DISCORD_SHARD_COUNT")
        return self


class Discord(ChatIntegration):
    """See `ChatIntegration`."""

    settings = DiscordSettings
    key = "discord"
    name = "Discord"
    shape = r"\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"
    frames = ("https://discord.com", "https://*.discord.com", "https://*.discordsays.com")
    sockets = ("wss://*.discordsays.com",)
