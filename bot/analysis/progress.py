"""The progress bar of an analysis: a private message that is edited until the answer takes its place."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from bot.desk.context import Context
from bot.i18n import Words
from bot.thinking import Progress
from bot.view import Message, View

EVERY: Final = 3.0
"""Seconds until the bar is shown, and at least between two edits: an edit costs a request to the platform."""

_CELLS: Final = 12

_log: Final = logging.getLogger(__name__)


@asynccontextmanager
async def shown(context: Context, progress: Progress) -> AsyncIterator[None]:
    """Show the visitor how far an analysis is, while the context lasts, where their platform has a place for it."""
    show = context.visitor.progress
    if show is None:
        yield
        return
    over = asyncio.Event()
    showing = asyncio.create_task(_show(context, progress, show, over))
    try:
        yield
    finally:
        over.set()
        await showing  # what is being sent has to be known, to be replaced


async def _show(
    context: Context,
    progress: Progress,
    show: Callable[[Message], Awaitable[None]],
    over: asyncio.Event,
) -> None:
    seen = None
    while not over.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), EVERY)
        if over.is_set() or progress.done in (seen, progress.parts):
            continue
        seen = progress.done
        try:
            await show(context.private(View(lines=(bar(progress, context.words),))))
        except Exception:  # noqa: BLE001 - the answer comes all the same
            _log.exception("a progress bar could not be shown")
            return


def bar(progress: Progress, words: Words) -> str:
    """Return the bar as a line."""
    filled = _CELLS * progress.done // progress.parts
    cells = "▓" * filled + "░" * (_CELLS - filled)
    return words("bot.analysis.bar", bar=cells, percent=100 * progress.done // progress.parts)
