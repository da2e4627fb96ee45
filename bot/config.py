"""Settings, read from the environment and `.env`; each is documented in `.env.example`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
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


class BadSettings(Exception):
    """Settings that cannot be run with: a line for each, without the values, which may be secrets."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(problems)
        self.problems = problems


def read_settings(**chosen: Any) -> Settings:
    """The settings, with what was chosen on the command line on top of the environment.

    Raises:
        BadSettings: some of them cannot be read.
    """
    try:
        return Settings(**chosen)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        problems = [f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in found]
        raise BadSettings(problems) from None
