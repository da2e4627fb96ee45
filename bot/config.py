"""Settings, read from the environment and `.env`; each is documented in `.env.example`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

_PREFIX: Final = "KLOP_"


class Settings(BaseSettings):
    """Everything an operator can set."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_file=".env", extra="ignore", env_ignore_empty=True
    )

    redis_url: SecretStr | None = Field(None, validation_alias="REDIS_URL")
    discord_token: SecretStr | None = Field(None, validation_alias="DISCORD_TOKEN")
    telegram_token: SecretStr | None = Field(None, validation_alias="TELEGRAM_TOKEN")
    data: Path = Path(".klop")
    language: Literal["uk", "ru", "en"] = "en"
    room: str = Field("local", pattern=r"^[\w-]{1,32}$")
    board: Literal["emoji", "ascii"] = "emoji"
    log: Literal["debug", "info", "warning", "error"] = "warning"


@dataclass(frozen=True, slots=True)
class BadSetting:
    """A setting that cannot be run with: its name in the environment, and what it can be, if that is a short list."""

    name: str
    offered: tuple[str, ...] = ()


class BadSettings(Exception):
    """Settings that cannot be run with. Their values are not told: they may be secrets."""

    def __init__(self, problems: Sequence[BadSetting]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


def read_settings(**chosen: Any) -> Settings:
    """The settings, with what was chosen on the command line on top of the environment.

    Raises:
        BadSettings: some of them cannot be read.
    """
    try:
        return Settings(**chosen)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        raise BadSettings([_bad(str(problem["loc"][0])) for problem in found]) from None
    except UnicodeDecodeError:
        raise BadSettings([BadSetting(".env")]) from None


def _bad(name: str) -> BadSetting:
    field = Settings.model_fields.get(name)
    if field is None:  # it goes by a name of its own
        return BadSetting(name)
    return BadSetting(f"{_PREFIX}{name}".upper(), tuple(map(str, get_args(field.annotation))))
