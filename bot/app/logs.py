"""Logging: structured lines on stderr, and no secret in them at any level."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any, Final
from urllib.parse import unquote

import structlog

from bot.platforms import CHATS

_SECRETS: Final = (
    re.compile(r"(?<=://)[^\s\"'<>]+(?=@)"),  # user:password in a URL; a password may hold an @
    re.compile(r"(?<=password=)[^\s&\"'<>]+"),  # the same as a part of the URL's query
    *(re.compile(chat.shape) for chat in CHATS),
)
_PASSWORDS: Final = (re.compile(r"://[^:/?#]*:(.+)@"), re.compile(r"[?&]password=([^&#]+)"))
"""Where the password of a URL is."""
_HIDDEN: Final = "***"
_SHORTEST: Final = 4  # characters: to hide a shorter password would garble other words
AGAIN: Final = 60.0  # seconds after which the store says the same again

_LOUD: Final = ("httpx", "httpcore")  # libraries that log whole URLs, with tokens, at INFO


_known: Final[set[str]] = set()  # the secrets of the configuration, which need not look like any


def redact(text: str) -> str:
    """Return a text without tokens and passwords."""
    for known in sorted(_known, key=len, reverse=True):
        text = text.replace(known, _HIDDEN)
    for secret in _SECRETS:
        text = secret.sub(_HIDDEN, text)
    return text


def hide(secrets: Iterable[str]) -> None:
    """Hide secrets in all logs; of a URL also its password, as written and unquoted."""
    for secret in secrets:
        passwords = [found for pattern in _PASSWORDS for found in pattern.findall(secret)]
        parts = {secret, *passwords, *map(unquote, passwords)}
        _known.update(part for part in parts if len(part) >= _SHORTEST)


def _redacted(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if not isinstance(value, int | float | bool | None):
            event[key] = redact(value if isinstance(value, str) else str(value))
    return event


class Seldom(logging.Filter):
    """Drops a line of the store that was logged within the last minute: while it is away, every call has the same to say."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._logged: dict[str, float] = {}  # by line: when

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is to be logged."""
        if not record.name.startswith("storage."):
            return True
        now, line = self._clock(), record.getMessage()
        self._logged = {each: at for each, at in self._logged.items() if now - at < AGAIN}
        if line in self._logged:
            return False
        self._logged[line] = now
        return True


def configure(level: str, secrets: Iterable[str] = ()) -> None:
    """Send the logs of the bot and its libraries through one formatter to stderr, without the secrets."""
    hide(secrets)
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _redacted,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *shared],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _redacted,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "logger", "event"]),
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    handler.addFilter(Seldom())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.WARNING)
