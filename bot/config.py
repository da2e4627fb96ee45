"""The operator's configuration, read from the environment and `.env`; `klop settings` prints `.env.example`, which explains all."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_args, get_origin

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

if TYPE_CHECKING:
    from rules.core import Reason

_FILE: Final = ".env"
logging.getLogger("dotenv.main").setLevel(
    logging.ERROR
)  # its lines do not name the file; `unread_lines` does

SECRETS: Final = Path("/run/secrets")
"""Where containers have a file a secret, named as its setting."""

_PREFIX: Final = "KLOP_"
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}\Z", re.ASCII)  # what Telegram allows
_NAMES_SECRET: Final = re.compile(
    r"\A\s*(?:export\s+)?[A-Z_]*(?:TOKEN|SECRET|KEY|REDIS_URL)\b", re.IGNORECASE
)
_NEAR: Final = 0.9  # how like a known name one of the environment is that was meant for it
_CORES: Final = "KLOP_ENGINE"  # which search cores run; read by `engine.native`
_PROGRAM: Final = re.compile(r"[a-z][a-z0-9]{0,15}\Z", re.ASCII)
_URL: Final = r"^https?://[^\s]+$"
_LISTEN: Final = r"^[^\s/]*:[0-9]{1,5}$"
_LISTEN_OR_OFF: Final = rf"{_LISTEN}|^off$"


Role: TypeAlias = Literal["all", "engine", "gateway", "webhook", "sender", "page"]
"""What a process does; `docs/operations.md` has a table."""


def _parts(given: object) -> object:
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


_Secret: TypeAlias = Annotated[SecretStr | None, BeforeValidator(lambda given: given or None)]
"""A secret; an empty file is as good as none."""


class _Missing(ValueError):
    def __init__(self, name: str, role: str = "", needed_by: str = "") -> None:
        super().__init__(name)
        self.problem = ConfigProblem(name, role=role, needed_by=needed_by)


class Config(BaseSettings):
    """All that an operator can set."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_file=_FILE, extra="ignore", env_ignore_empty=True
    )

    redis_url: _Secret = Field(None, validation_alias="REDIS_URL")
    discord_token: _Secret = Field(None, validation_alias="DISCORD_TOKEN")
    telegram_token: _Secret = Field(None, validation_alias="TELEGRAM_TOKEN")
    discord_shard_ids: Annotated[tuple[int, ...] | None, NoDecode, BeforeValidator(_parts)] = None
    discord_shard_count: int | None = Field(None, ge=1)
    discord_client_secret: _Secret = None
    discord_endpoint_url: str | None = Field(None, pattern=_URL)
    discord_endpoint_listen: str = Field("127.0.0.1:8084", pattern=_LISTEN)
    discord_public_key: str | None = Field(None, pattern=r"^[0-9a-fA-F]{64}$")
    discord_api: str = Field("https://discord.com/api/v10", pattern=_URL)
    telegram_api: str = Field("https://api.telegram.org", pattern=_URL)
    telegram_app: str | None = Field(None, pattern=r"^[A-Za-z0-9_]{3,30}$")
    telegram_webhook_url: str | None = Field(None, pattern=_URL)
    telegram_webhook_secret: _Secret = None
    telegram_webhook_listen: str = Field("127.0.0.1:8081", pattern=_LISTEN)
    page_url: str | None = Field(None, pattern=_URL)
    page_listen: str = Field("127.0.0.1:8082", pattern=_LISTEN_OR_OFF)
    operator: str | None = Field(None, max_length=100)
    contact: str | None = Field(None, max_length=200)
    page_proxies: int = Field(0, ge=0, le=8)
    metrics_listen: str | None = Field(None, pattern=_LISTEN)
    data: Path = Path(".klop")
    archive: Path | None = None
    language: Literal["uk", "ru", "en"] = "en"
    role: Annotated[tuple[Role, ...], NoDecode, BeforeValidator(_parts)] = ("all",)
    room: str = Field("local", pattern=r"^[\w-]{1,32}$")
    board: Literal["emoji", "ascii"] = "emoji"
    workers: int | None = Field(None, ge=0, le=256)
    worker_memory: int = Field(1024, ge=0)
    picture_memory: int = Field(64, ge=0)
    workers_elsewhere: int = Field(0, ge=0, le=4096)
    engines: Annotated[Mapping[str, tuple[str, ...]] | None, NoDecode, BeforeValidator(_programs)] = None
    log: Literal["debug", "info", "warning", "error"] = "warning"

    @property
    def store_url(self) -> str | None:
        """The URL of the store; None for the embedded server."""
        return self.redis_url.get_secret_value() if self.redis_url else None

    @property
    def archive_folder(self) -> Path | None:
        """Where finished matches are moved to; None: nowhere, for other processes of the store may not see this machine's files."""
        return self.data / "archive" if self.archive is None and self.redis_url is None else self.archive

    @property
    def page_address(self) -> ListenAddress | None:
        """Where the page's server listens; None where another process serves the page."""
        return None if self.page_listen == "off" else self._address("page_listen")

    @property
    def metrics_address(self) -> ListenAddress | None:
        """Where `/healthz`, `/readyz` and `/metrics` are served; None: nowhere."""
        return None if self.metrics_listen is None else self._address("metrics_listen")

    @property
    def telegram_webhook_address(self) -> ListenAddress:
        """Where the webhook listens."""
        return self._address("telegram_webhook_listen")

    @property
    def discord_endpoint_address(self) -> ListenAddress:
        """Where the endpoint for Discord's interactions listens."""
        return self._address("discord_endpoint_listen")

    def _address(self, name: str) -> ListenAddress:
        host, _, port = str(getattr(self, name)).rpartition(":")
        return ListenAddress(host.strip("[]"), int(port), f"{_PREFIX}{name}".upper())

    def does(self, role: Role) -> bool:
        """Whether this process has a role; `all` is every one except `engine`."""
        return role in self.role or (self.role == ("all",) and role != "engine")

    @property
    def takes_discord(self) -> bool:
        """Whether this process takes Discord's interactions, where there is a token: over HTTP, if that is set, or the gateway's."""
        return self.does("webhook" if self.discord_endpoint_url else "gateway")

    @property
    def takes_telegram(self) -> bool:
        """Whether this process takes Telegram's updates, where there is a token: those of the webhook, if it is set, or of a poll."""
        return self.does("webhook" if self.telegram_webhook_url else "gateway")

    @property
    def secrets(self) -> list[str]:
        """All that must not be logged."""
        return [held.get_secret_value() for _, held in self if isinstance(held, SecretStr)]

    @model_validator(mode="after")
    def _whole(self) -> Config:
        ids, count = self.discord_shard_ids, self.discord_shard_count
        if ids is not None and (count is None or not all(0 <= each < count for each in ids)):
            raise _Missing("KLOP_DISCORD_SHARD_COUNT")
        self._check_webhooks()
        if len(self.role) > 1 and {"all", "engine"}.intersection(self.role):
            raise _Missing("KLOP_ROLE")
        if "gateway" in self.role and self.discord_endpoint_url and self.telegram_webhook_url:
            raise _Missing("KLOP_ROLE")  # it is all brought to the webhook
        if "all" not in self.role:
            for role in self.role:
                for name in (name for name, value in self._needs(role).items() if value is None):
                    raise _Missing(name, role)
        return self

    def _check_webhooks(self) -> None:
        if self.telegram_webhook_url is not None:
            secret = self.telegram_webhook_secret
            if secret is None:
                raise _Missing("KLOP_TELEGRAM_WEBHOOK_SECRET", needed_by="KLOP_TELEGRAM_WEBHOOK_URL")
            if not _SECRET.match(secret.get_secret_value()):
                raise _Missing("KLOP_TELEGRAM_WEBHOOK_SECRET")
        if self.discord_endpoint_url is not None and self.discord_public_key is None:
            raise _Missing("KLOP_DISCORD_PUBLIC_KEY", needed_by="KLOP_DISCORD_ENDPOINT_URL")

    def _needs(self, role: Role) -> Mapping[str, object]:
        store = {"REDIS_URL": self.redis_url}
        match role:
            case "gateway":
                return {**store, **self._one_of(webhook=False)}
            case "webhook":
                url = self.telegram_webhook_url or self.discord_endpoint_url
                urls = {"KLOP_TELEGRAM_WEBHOOK_URL / KLOP_DISCORD_ENDPOINT_URL": url}
                return {**store, **(self._one_of(webhook=True) if url else urls)}
            case "sender":
                return {**store, "DISCORD_TOKEN / TELEGRAM_TOKEN": self.discord_token or self.telegram_token}
            case "page":
                return {**store, "KLOP_PAGE_URL": self.page_url, "KLOP_PAGE_LISTEN": self.page_address}
            case _:
                return store

    def _one_of(self, *, webhook: bool) -> Mapping[str, object]:
        platforms = (
            ("DISCORD_TOKEN", self.discord_token, self.discord_endpoint_url),
            ("TELEGRAM_TOKEN", self.telegram_token, self.telegram_webhook_url),
        )
        taken = {name: token for name, token, url in platforms if bool(url) is webhook}
        return {" / ".join(taken): next(filter(None, taken.values()), None)}


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A setting that is missing or invalid, by its name in the environment, or a file that cannot be read.

    Attributes:
        offered: The setting's values, if they are few.
        role: The role that needs it.
        needed_by: The setting that needs it.
        line: The line of the file that cannot be read, from 1.
    """

    name: str
    offered: tuple[str, ...] = ()
    role: str = ""
    needed_by: str = ""
    line: int = 0
    unreadable: bool = False


class ConfigError(Exception):
    """The configuration is invalid. Values are not shown: they may be secrets."""

    def __init__(self, problems: Sequence[ConfigProblem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


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


def read_config(**chosen: Any) -> Config:
    """Return the configuration; arguments of the command line win over the environment; raises `ConfigError`."""
    try:
        if lost := unread_lines(lost=True):
            raise ConfigError(lost)
        return Config(**{"_secrets_dir": _secret_folders(), **chosen})
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        raise ConfigError(list(dict.fromkeys(map(_problem, found)))) from None
    except UnicodeDecodeError:
        raise ConfigError([ConfigProblem(_FILE)]) from None
    except (OSError, SettingsError) as error:
        file = error.__cause__ if isinstance(error, SettingsError) else error
        if not isinstance(file, OSError):
            raise
        raise ConfigError([ConfigProblem(str(file.filename), unreadable=True)]) from None


def unread_lines(*, lost: bool = False) -> list[ConfigProblem]:
    """Return the lines of the file that cannot be read: those that name a secret, which would be `lost`, or the others."""
    file = Path(_FILE)
    if not file.is_file():
        return []
    with file.open(encoding="utf-8") as stream:
        unread = [each.original for each in parse_stream(stream) if each.error]
    return [
        ConfigProblem(_FILE, line=each.line + each.string[: -len(each.string.lstrip())].count("\n"))
        for each in unread
        if bool(_NAMES_SECRET.search(each.string)) is lost
    ]


def unknown_names() -> Mapping[str, str]:
    """Return the names that no setting has, each with the nearest known one: of the file, and of the environment if one is near.

    Scripts and container platforms set other names that begin with the prefix.
    """
    known = [
        str(field.validation_alias or f"{_PREFIX}{name}".upper())
        for name, field in Config.model_fields.items()
    ]
    found = {}
    for names, cutoff in ((dotenv_values(_FILE), 0.0), (os.environ, _NEAR)):
        for name in names:
            nearest = get_close_matches(name.upper(), known, 1, cutoff)
            if name.startswith(_PREFIX) and name.upper() not in (*known, _CORES) and nearest:
                found[name] = nearest[0]
    return found


def _secret_folders() -> list[Path]:
    """Return the folders with a file a secret: credentials of systemd, and secrets of a container."""
    folders = (Path(os.environ.get("CREDENTIALS_DIRECTORY") or SECRETS), SECRETS)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _problem(found: Mapping[str, Any]) -> ConfigProblem:
    if not found["loc"]:
        missing: _Missing = found["ctx"]["error"]
        return missing.problem
    name = str(found["loc"][0])
    field = Config.model_fields.get(name)
    if field is None:  # it has no prefix
        return ConfigProblem(name)
    choices = [
        each for each in (field.annotation, *get_args(field.annotation)) if get_origin(each) is Literal
    ]
    offered = tuple(str(word) for choice in choices[:1] for word in get_args(choice))
    return ConfigProblem(f"{_PREFIX}{name}".upper(), offered)
