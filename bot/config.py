"""Settings, read from the environment and `.env`; each is documented in `.env.example`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Everything an operator can set."""

    model_config = SettingsConfigDict(
        env_prefix="KLOP_", env_file=".env", extra="ignore", env_ignore_empty=True
    )

    redis_url: SecretStr | None = Field(None, validation_alias="REDIS_URL")
    discord_token: SecretStr | None = Field(None, validation_alias="DISCORD_TOKEN")
    telegram_token: SecretStr | None = Field(None, validation_alias="TELEGRAM_TOKEN")
    data: Path = Path(".klop")
    language: Literal["uk", "ru", "en"] = "en"
    room: str = Field("local", pattern=r"^[\w-]{1,32}$")
    board: Literal["emoji", "ascii"] = "emoji"
    log: Literal["debug", "info", "warning", "error"] = "warning"
