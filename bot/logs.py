"""Logging: structured lines on stderr, and no secret in them at any level."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import structlog

_SECRETS: Final = (
    re.compile(r"(?<=://)[^/\s@]*:[^/\s@]*(?=@)"),  # user:password in a URL
    re.compile(r"\b\d{6,}:[\w-]{30,}"),  # a Telegram token
    re.compile(r"\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"),  # a Discord token
)
_HIDDEN: Final = "***"
_LOUD: Final = ("httpx", "httpcore")
"""Libraries that write whole URLs, tokens and all, at INFO."""


def redact(text: str) -> str:
    """A text without tokens and passwords."""
    for secret in _SECRETS:
        text = secret.sub(_HIDDEN, text)
    return text


def _redacted(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if not isinstance(value, int | float | bool | None):
            event[key] = redact(value if isinstance(value, str) else str(value))
    return event


def configure(level: str) -> None:
    """Send everything that is logged, by this code or by libraries, through one formatter to stderr."""
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
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.WARNING)
