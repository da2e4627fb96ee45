"""All settings, those of each platform among them, read from the environment and `.env`; `klop settings` prints `.env.example`."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import ValidationError, create_model
from pydantic_settings import SettingsError

from bot.config import FILE, PREFIX, Config, ConfigProblem, Missing
from bot.platforms import INTEGRATIONS

# Its lines do not name the file; `unread_lines` does.
logging.getLogger("dotenv.main").setLevel(logging.ERROR)

SECRETS: Final = Path("/run/secrets")  # where containers have a file a secret, named as its setting

_NAMES_SECRET: Final = re.compile(
    r"\A\s*(?:export\s+)?[A-Z_]*(?:TOKEN|SECRET|KEY|REDIS_URL)\b", re.IGNORECASE
)
_NEAR: Final = 0.9  # how like a known name one of the environment is that was meant for it
_CORES: Final = "KLOP_ENGINE"  # which search cores run; read by `engine.native`

Settings: Final[type[Config]] = create_model(
    "Settings", __base__=tuple(each.settings for each in INTEGRATIONS)
)
"""The configuration of a process."""


class ConfigError(Exception):
    """The configuration is invalid. Values are not shown: they may be secrets."""

    def __init__(self, problems: Sequence[ConfigProblem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


def read_config(**chosen: Any) -> Config:
    """Return the configuration; arguments of the command line win over the environment. Raises `ConfigError`."""
    try:
        if lost := unread_lines(lost=True):
            raise ConfigError(lost)
        return Settings(**{"_secrets_dir": _secret_folders(), **chosen})
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        raise ConfigError(list(dict.fromkeys(map(_problem, found)))) from None
    except UnicodeDecodeError:
        raise ConfigError([ConfigProblem(FILE)]) from None
    except (OSError, SettingsError) as error:
        file = error.__cause__ if isinstance(error, SettingsError) else error
        if not isinstance(file, OSError):
            raise
        raise ConfigError([ConfigProblem(str(file.filename), unreadable=True)]) from None


def unread_lines(*, lost: bool = False) -> list[ConfigProblem]:
    """Return the lines of the file that cannot be read: those that name a secret, which would be `lost`, or the others."""
    file = Path(FILE)
    if not file.is_file():
        return []
    with file.open(encoding="utf-8") as stream:
        unread = [each.original for each in parse_stream(stream) if each.error]
    return [
        ConfigProblem(FILE, line=each.line + each.string[: -len(each.string.lstrip())].count("\n"))
        for each in unread
        if bool(_NAMES_SECRET.search(each.string)) is lost
    ]


def unknown_names() -> Mapping[str, str]:
    """Return the names that no setting has, each with the nearest known one: of the file, and of the environment if one is near.

    Scripts and container platforms set other names that begin with the prefix.
    """
    known = [
        str(field.validation_alias or f"{PREFIX}{name}".upper())
        for name, field in Settings.model_fields.items()
    ]
    found = {}
    for names, cutoff in ((dotenv_values(FILE), 0.0), (os.environ, _NEAR)):
        for name in names:
            nearest = get_close_matches(name.upper(), known, 1, cutoff)
            if name.startswith(PREFIX) and name.upper() not in (*known, _CORES) and nearest:
                found[name] = nearest[0]
    return found


def ignored() -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield for each line and name that is not read the key of its words, and their fields."""
    for unread in unread_lines():
        yield "bot.setting.ignored-line", {"name": unread.name, "line": unread.line}
    for name, nearest in unknown_names().items():
        yield "bot.setting.unknown", {"name": name, "nearest": nearest}


def _secret_folders() -> list[Path]:
    """Return the folders with a file a secret: credentials of systemd, and secrets of a container."""
    folders = (Path(os.environ.get("CREDENTIALS_DIRECTORY") or SECRETS), SECRETS)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _problem(found: Mapping[str, Any]) -> ConfigProblem:
    if not found["loc"]:
        missing: Missing = found["ctx"]["error"]
        return missing.problem
    name = str(found["loc"][0])
    field = Settings.model_fields.get(name)
    if field is None:  # it has no prefix
        return ConfigProblem(name)
    choices = [
        each for each in (field.annotation, *get_args(field.annotation)) if get_origin(each) is Literal
    ]
    offered = tuple(str(word) for choice in choices[:1] for word in get_args(choice))
    return ConfigProblem(f"{PREFIX}{name}".upper(), offered)
