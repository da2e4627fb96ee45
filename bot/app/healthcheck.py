"""`klop healthcheck`: for containers, whose image has no other program that could ask."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.chat.i18n import Words
from bot.config import ListenAddress

_PATIENCE = ClientTimeout(total=5.0)
_ANY = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - what listens on all is asked on this machine


async def healthcheck(address: ListenAddress | None, words: Words, write: Callable[[str], None]) -> int:
    """Write what `/readyz` of the process that runs here says; return 0 if it is ready, 1 if not, 2 if it is not asked."""
    if address is None:
        write(words("bot.admin.no-health"))
        return 2
    host, port, _ = address
    host = _ANY.get(host, f"[{host}]" if ":" in host else host)
    try:
        async with (
            ClientSession(timeout=_PATIENCE) as session,
            session.get(f"http://{host}:{port}/readyz") as answer,
        ):
            write((await answer.text()).rstrip())
            return 0 if answer.status == HTTPStatus.OK else 1
    except (ClientError, TimeoutError, OSError):
        write(words("bot.admin.no-answer", address=f"{host}:{port}"))
        return 1
