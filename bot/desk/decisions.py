"""When a request is decided: what it asks for is done, or accepted and takes a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from bot.desk.visitor import Visitor
from bot.view import Message

Deciding: TypeAlias = asyncio.Task[Sequence[Message]]


async def decided(
    visitor: Visitor, handle: Callable[[Visitor], Coroutine[Any, Any, Sequence[Message]]]
) -> Deciding:
    """Handle a request; return its task once it is decided. It is done, unless its answer takes a while."""
    accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def accept() -> None:
        if not accepted.done():
            accepted.set_result(None)

    deciding = asyncio.create_task(handle(replace(visitor, accepted=accept)))
    try:
        await asyncio.wait((deciding, accepted), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        deciding.cancel()
        raise
    return deciding
