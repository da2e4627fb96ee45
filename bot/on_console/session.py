"""Where the room's lines come from: a terminal with history and completion, or plain lines from a pipe."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from bot.on_console.lines import MAX_LINE

_QUIT: Final = frozenset({"/quit", "/exit"})


async def typed(room_name: str, history: Path, words: Sequence[str]) -> AsyncIterator[str]:
    """Lines from whatever stands at standard input, until its end or /quit."""
    source = _terminal(room_name, history, words) if sys.stdin.isatty() else _pipe()
    async for line in source:
        if line.strip().lower() in _QUIT:
            return
        yield line


async def _pipe() -> AsyncIterator[str]:
    """Lines as they come; of one that is too long, the beginning."""
    stream = sys.stdin.buffer
    while line := await asyncio.to_thread(stream.readline, MAX_LINE):
        rest = line
        while len(rest) == MAX_LINE and not rest.endswith(b"\n"):
            rest = await asyncio.to_thread(stream.readline, MAX_LINE)
        yield line.decode("utf-8", errors="replace")


async def _terminal(room_name: str, history: Path, words: Sequence[str]) -> AsyncIterator[str]:
    """Lines typed at a terminal; with prompt_toolkit where it is installed."""
    try:
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - an extra, needed only at a terminal
        from prompt_toolkit.completion import WordCompleter  # noqa: PLC0415
        from prompt_toolkit.history import FileHistory  # noqa: PLC0415
    except ImportError:
        async for line in _pipe():
            yield line
        return
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)), completer=WordCompleter(list(words), sentence=False, WORD=True)
    )
    while True:
        try:
            yield await session.prompt_async(f"{room_name}> ")
        except (EOFError, KeyboardInterrupt):
            return
