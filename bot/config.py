"""The operator's settings that are no platform's; each platform's folder has its own, and `bot.app.settings` reads all."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, Self, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

if TYPE_CHECKING:
    from rules.core import Reason

PREFIX: Final = "KLOP_"
FILE: Final = ".env"
URL: Final = r"^https?://[^\s]+$"
LISTEN: Final = r"^[^\s/]*:[0-9]{1,5}$"

_PROGRAM: Final = re.compile(r"[a-z][a-z0-9]{0,15}\Z", re.ASCII)

Role: TypeAlias = Literal["all", "engine", "gateway", "webhook", "sender", "page"]
"""What a process does; `docs/operations.md` has a table."""

_C = TypeVar("_C", bound="Config")


def parts(given: object) -> object:
    """Split `0,1,4`."""
    return [part.strip() for part in given.split(",")] if isinstance(given, str) else given


class ListenAddress(NamedTuple):
    """Where to listen, and the setting that says so; an empty host is all addresses of the machine."""

    host: str
    port: int
    setting: str


def _programs(given: object) -> object:
    """Split `fox=/opt/fox --threads 1; owl=/opt/owl` into programs with their arguments, by name."""
    if not isinstance(given, str):
        return given
    programs: dict[str, list[str]] = {}
    for part in filter(None, (part.strip() for part in given.split(";"))):
        name, equals, command = part.partition("=")
        if not (equals and _PROGRAM.match(name.strip()) and shlex.split(command)):
            raise ValueError(part)
        programs[name.strip()] = shlex.split(command)
    return programs


Secret: TypeAlias = Annotated[SecretStr | None, BeforeValidator(lambda given: given or None)]
"""A secret; an empty file is as good as none."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A setting that is missing or invalid, by its name in the environment, or a file that cannot be read."""

    name: str
    offered: tuple[str, ...] = ()  # the setting's values, if they are few
    role: str = ""
    line: int = 0  # the line of the file that cannot be read, from 1
    unreadable: bool = False


class Missing(ValueError):
    """A setting that another one, or a role of this process, needs."""

    def __init__(self, name: str, role: str = "") -> None:
        super().__init__(name)
        self.problem = ConfigProblem(name, role=role)


class RequestSource(NamedTuple):
    """Where requests of a platform come from: with a token from the platform, or to a URL. Each comes with its setting."""

    platform: str
    token_setting: str
    token: SecretStr | None
    url_setting: str
    url: str | None


class Config(BaseSettings):
    """All that an operator can set, but for the platforms."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=FILE, extra="ignore", env_ignore_empty=True, defer_build=True
    )

    redis_url: Secret = Field(None, validation_alias="REDIS_URL")
    page_url: str | None = Field(None, pattern=URL)
    operator: str | None = Field(None, max_length=100)
    contact: str | None = Field(None, max_length=200)
    metrics_listen: str | None = Field(None, pattern=LISTEN)
    data: Path = Path(".klop")
    archive: Path | None = None
    language: Literal["uk", "ru", "en"] = "en"
    role: Annotated[tuple[Role, ...], NoDecode, BeforeValidator(parts)] = ("all",)
    workers: int | None = Field(None, ge=0, le=256)
    picture_memory: int = Field(64, ge=0)  # megabytes; tests set it
    workers_elsewhere: int = Field(0, ge=0, le=4096)
    engines: Annotated[Mapping[str, tuple[str, ...]] | None, NoDecode, BeforeValidator(_programs)] = None
    log: Literal["debug", "info", "warning", "error"] = "warning"

    def of(self, kind: type[_C]) -> _C:
        """Return these settings as those of a platform."""
        assert isinstance(self, kind), "settings have all platforms'"  # noqa: S101
        return self

    @property
    def sources(self) -> tuple[RequestSource, ...]:
        """Where requests come from: one source a platform."""
        return ()

    @property
    def store_url(self) -> str | None:
        """The URL of the store; None for the embedded server."""
        return self.redis_url.get_secret_value() if self.redis_url else None

    @property
    def archive_folder(self) -> Path | None:
        """Where finished matches are moved to; None: nowhere, for other processes of the store may not see this machine's files."""
        return self.data / "archive" if self.archive is None and self.redis_url is None else self.archive

    @property
    def metrics_address(self) -> ListenAddress | None:
        """Where `/healthz`, `/readyz` and `/metrics` are served; None: nowhere."""
        return None if self.metrics_listen is None else self.address("metrics_listen")

    def address(self, name: str) -> ListenAddress:
        """Return the address in the setting of a field."""
        host, _, port = str(getattr(self, name)).rpartition(":")
        return ListenAddress(host.strip("[]"), int(port), f"{PREFIX}{name}".upper())

    def does(self, role: Role) -> bool:
        """Whether this process has a role; `all` is every one except `engine`."""
        return role in self.role or (self.role == ("all",) and role != "engine")

    def takes(self, url: str | None) -> bool:
        """Whether this process takes the requests that a platform posts to a URL, or without one those that are fetched."""
        return self.does("webhook" if url else "gateway")

    @property
    def secrets(self) -> list[str]:
        """All that must not be logged."""
        return [held.get_secret_value() for _, held in self if isinstance(held, SecretStr)]

    @model_validator(mode="after")
    def _checked_roles(self) -> Self:
        if len(self.role) > 1 and {"all", "engine"}.intersection(self.role):
            raise Missing("KLOP_ROLE")
        if "gateway" in self.role and self.sources and all(source.url for source in self.sources):
            raise Missing("KLOP_ROLE")  # all is posted to the webhook
        if "all" not in self.role:
            for role in self.role:
                for name in (name for name, value in self.needs(role).items() if value is None):
                    raise Missing(name, role)
        return self

    def needs(self, role: Role) -> Mapping[str, object]:
        """Return the settings, by name, without which a process of a role other than `all` has nothing to do."""
        needed: dict[str, object] = {"REDIS_URL": self.redis_url}
        if role == "page":
            needed["KLOP_PAGE_URL"] = self.page_url
        elif role != "engine":
            wanted = [
                source
                for source in self.sources
                if role == "sender" or bool(source.url) is (role == "webhook")
            ]
            if role == "webhook" and not wanted:
                needed[" / ".join(source.url_setting for source in self.sources)] = None
            else:
                tokens = {source.token_setting: source.token for source in wanted}
                needed[" / ".join(tokens)] = next(filter(None, tokens.values()), None)
        return needed


class CannotRun(Exception):
    """A part of the bot cannot run with one of its settings; to start it again would not help.

    Attributes:
        reason: Its words for the operator.
        fields: Their fields, of which `setting` names the setting.
    """

    reason: Reason

    def __init__(self, **fields: str) -> None:
        super().__init__(fields)
        self.fields = fields
