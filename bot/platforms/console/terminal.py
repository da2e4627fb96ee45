"""Read the room's lines: from a terminal with history and completion, or from a pipe."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Sequence,
)
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from bot.platforms.console.rendering import MAX_LINE
from play.people import Account

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


_QUIT: Final = frozenset({"/quit", "/exit"})
_ENTRY: Final = "\n# "
"""How each line of a history file begins; its time follows."""
_CHUNK: Final = 1 << 16  # bytes read at once


def at_terminal() -> bool:
    """Whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


Completing: TypeAlias = Callable[[str], Awaitable[Sequence[tuple[str, int]]]]
"""Returns what can end a line: texts, and how many characters before the cursor each replaces."""


async def read_terminal(
    room_name: str, history: Path, words: Sequence[str], completing: Completing
) -> AsyncIterator[str]:
    """Yield the lines of standard input, until its end or /quit.

    Args:
        room_name: Shown before each line.
        history: The file that keeps earlier lines.
        words: Offered for any word of a line.
        completing: Returns what is offered besides.
    """
    if sys.stdin is None:  # closed
        return
    session = _session(history, words, completing) if at_terminal() else None
    prompt = f"{room_name}> "
    lines = _prompted(session, prompt) if session else read_plain(0, _ask(prompt) if at_terminal() else None)
    async for line in lines:
        if line.strip().lower() in _QUIT:
            return
        yield line


async def read_plain(descriptor: int, before: Callable[[], None] | None = None) -> AsyncIterator[str]:
    """Yield lines as they come, and call `before` each wait; of a line that is too long, yield the beginning.

    Reading neither blocks the loop nor uses a thread, so that the bot can be stopped while it waits for a line.
    """
    held = b""
    skipping = False
    ended = False
    while not ended:
        if before:
            before()
        chunk = await _read(descriptor)
        ended = not chunk
        *lines, held = (held + chunk).split(b"\n")
        if ended and held:
            lines, held = [held], b""
        for line in lines:
            if not skipping:
                yield line[:MAX_LINE].decode("utf-8", errors="replace")
            skipping = False
        if len(held) > MAX_LINE:
            if not skipping:
                yield held[:MAX_LINE].decode("utf-8", errors="replace")
            skipping = True
            held = b""


async def _read(descriptor: int) -> bytes:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:
        return os.read(descriptor, _CHUNK)  # a file on a disk is always ready: it cannot be waited for
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, _CHUNK)


def _ask(prompt: str) -> Callable[[], None]:
    def show() -> None:
        sys.stdout.write(prompt)
        sys.stdout.flush()

    return show


async def forget_lines(history: Path, _store: object, account: Account, names: Collection[str]) -> None:
    """Delete the lines of a history file that hold the name of a person."""
    await asyncio.to_thread(_drop_lines, history, {*names, account.uid})


def _drop_lines(history: Path, names: Collection[str]) -> None:
    if not history.exists():
        return
    words = "|".join(re.escape(name) for name in names if name)
    named = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    entries = history.read_text(encoding="utf-8", errors="replace").split(_ENTRY)
    kept = _ENTRY.join(entry for entry in entries if not named.search(entry))
    new = history.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_text(kept, encoding="utf-8")
    new.replace(history)


def _session(history: Path, words: Sequence[str], completing: Completing) -> PromptSession[str] | None:
    """Return a line editor, None if none is installed; its history is a file, if that can be written."""
    try:
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - an extra, needed only at a terminal
        from prompt_toolkit.completion import (  # noqa: PLC0415
            CompleteEvent,
            Completer,
            Completion,
            WordCompleter,
        )
        from prompt_toolkit.document import Document  # noqa: PLC0415
        from prompt_toolkit.history import FileHistory, History, InMemoryHistory  # noqa: PLC0415
    except ImportError:
        return None
    kept: History = InMemoryHistory()
    with suppress(OSError):
        history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        history.touch(mode=0o600)
        kept = FileHistory(str(history))
    by_word = WordCompleter(list(words), sentence=False, WORD=True)

    class LineCompleter(Completer):
        """Offers moves after /move, and words elsewhere."""

        def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
            yield from by_word.get_completions(document, event)

        async def get_completions_async(
            self, document: Document, event: CompleteEvent
        ) -> AsyncGenerator[Completion, None]:
            found = await completing(document.text_before_cursor)
            for text, replaced in found:
                yield Completion(text, -replaced)
            if not found:
                for each in self.get_completions(document, event):
                    yield each

    return PromptSession(history=kept, completer=LineCompleter())


async def _prompted(session: PromptSession[str], prompt: str) -> AsyncIterator[str]:
    while True:
        try:
            yield await session.prompt_async(prompt)
        except (EOFError, KeyboardInterrupt):
            return
