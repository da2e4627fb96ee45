"""The local room: reads typed lines from a terminal or a pipe, answers them, and prints what each person sees."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.desk import Desk
from bot.chat.errors import BadCommand
from bot.chat.grammar import NO, YES, read
from bot.chat.i18n import Words, words_of
from bot.chat.i18n import words as words_for
from bot.chat.periodic import Barrier
from bot.chat.services import settings_of
from bot.chat.view import Button, Message, Person, View
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.platforms.console.integration import place
from bot.platforms.console.rendering import (
    MARGIN,
    MAX_LINE,
    WIDTH,
    SpokenLine,
    Style,
    body,
    misnamed,
    parse,
    player_named,
)
from play.files.matchreader import MAX_FILE
from play.people import Account, Player, clean
from play.ports import Store
from rules.core import quoted

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


_END_OF_FILE: Final = "."
_FILES: Final = {"/export": (".txt", ".klop"), "/replay": (".gif",)}
"""How the names of the files end that a command writes; any other word is no file name."""

_FIRST_WORD: Final = re.compile(r"\W")  # ends it

_log: Final = logging.getLogger(__name__)

_PATH: Final = 400  # characters of the path of a file that was written
_ECHOED: Final = 200  # characters of a line that are repeated where lines come from a script


@dataclass(frozen=True, slots=True)
class Screen:
    """How a room prints; lines that do not come from a keyboard are echoed."""

    write: Callable[[str], None]
    style: Style
    echo: bool = False
    width: int = WIDTH


class Room:
    """One local room. It remembers the buttons that a number presses, as long as it is open."""

    def __init__(
        self, desk: Desk, store: Store, *, name: str, speaker: Player, language: str, screen: Screen
    ) -> None:
        self._desk = desk
        self._store = store
        self._place = place(name)
        self._language = language
        self._screen = screen
        self._names: dict[Account, str] = {}
        # What was offered last to each person, and to all; the newest at the end.
        self._offers: dict[Account | None, View] = {}
        self._pasting: tuple[Player, list[str]] | None = None
        self.speaker = speaker

    async def answer(self, line: str) -> None:
        """Answer a line, in a task of its own, and print the answers; of a bug, that something went wrong."""
        with Barrier(
            BrokenPipeError
        ) as barrier:  # without a reader of standard output the room ends, after a bug it goes on
            await asyncio.create_task(self._answer(line))
        if barrier.error is None:
            return
        _log.error("a line failed", exc_info=barrier.error)
        spoken = parse(line[:MAX_LINE], self.speaker)
        with Barrier(BrokenPipeError) as barrier:
            await self._tell(spoken.player if spoken else self.speaker, "bot.command.failed")
        if barrier.error:  # the language cannot be read where the store is what failed
            self._screen.write(words_for(self._language)("bot.command.failed"))

    async def _answer(self, line: str) -> None:
        if self._pasting is not None:
            await self._paste(self._pasting, line)
            return
        spoken = parse(line[:MAX_LINE], self.speaker)
        if spoken is None:
            return
        self._names[spoken.player.account] = spoken.player.name
        if self._screen.echo:
            self._screen.write(f"{spoken.player.name}: {quoted(spoken.text, _ECHOED)}")
        if (name := misnamed(line[:MAX_LINE])) is not None:
            await self._tell(spoken.player, "bot.console.misnamed", name=quoted(name, 40))
            return
        command, _, rest = spoken.text.partition(" ")
        rest = rest.strip()
        match command.lower():
            case "/as":
                await self._as(spoken, rest)
            case "/import" if not rest:
                self._pasting = (spoken.player, [])
                await self._tell(spoken.player, "bot.console.paste")
            case "/import" if not rest.startswith("["):
                await self._load(spoken, rest)
            case "/export" | "/replay" if any(
                word.lower().endswith(_FILES[command.lower()]) and word[0] != "#" for word in rest.split()
            ):
                await self._save(spoken, command, rest)
            case _ if (number := self._pressed(spoken)) is not None:
                await self._press(spoken, number)
            case _:
                await self.show(await self._desk.answer(self.visitor(spoken.player), spoken.text))

    async def show(self, messages: Sequence[Message]) -> None:
        """Print the messages for this room and for people in it; other rooms print theirs."""
        for message in messages:
            account = message.to.account if isinstance(message.to, Person) else None
            if self._place != (message.to.place if isinstance(message.to, Person) else message.to):
                continue
            if message.view.buttons:
                self._offers.pop(account, None)
                self._offers[account] = message.view
            if account is None and message.view.code:
                self._close(message.view.code, message.view)
            name = self._names.get(account, "") if account else ""
            language = message.view.language
            words = words_for(language) if language else await self._words(account)
            private = words("bot.console.private", name=name or account.uid) if account else ""
            self._screen.write(private or words("bot.console.public"))
            for line in body(message.view, words, self._screen.style, self._screen.width - len(MARGIN)):
                self._screen.write((MARGIN + line).rstrip())

    def _close(self, code: str, newest: View) -> None:
        self._offers = {
            who: view
            for who, view in self._offers.items()
            if view is newest or all(button.data.match != code for button in view.buttons)
        }

    def offered(self, account: Account) -> tuple[Button, ...]:
        """Return the buttons that a number presses for a person: those they saw last, in public or privately."""
        return self._last_offer(account).buttons

    def _last_offer(self, account: Account) -> View:
        return next((view for who, view in reversed(self._offers.items()) if who in (None, account)), View())

    def _pressed(self, spoken: SpokenLine) -> int | None:
        """Return the number of the button that a line presses, if it does.

        A yes or a no presses the one that says so; a yes also the only one of a question.
        """
        if spoken.number is not None:
            return spoken.number
        asked, word = self._last_offer(spoken.player.account), spoken.text.rstrip("!.").casefold()
        if word not in YES | NO:
            return None
        answers, verb = (YES, Verb.YES) if word in YES else (NO, Verb.NO)
        fitting = [
            number
            for number, button in enumerate(asked.buttons, 1)
            if button.data.verb is verb or _FIRST_WORD.split(button.label)[0].casefold() in answers
        ]
        if answers is YES and len(asked.buttons) == 1 and any("?" in line for line in asked.lines):
            return 1
        return fitting[0] if len(fitting) == 1 else None

    async def completions(self, line: str) -> Sequence[tuple[str, int]]:
        """Return what can end a line that is being typed: texts, and how many characters of the line each replaces."""
        spoken = parse(line, self.speaker)
        command = read(f"{spoken.text} ") if spoken else None
        spec = REGISTRY.find(command.name) if command else None
        if spoken is None or command is None or spec is None or spec.name != "move":
            return ()
        if " " not in line[line.find("/") :]:
            return ()
        typed = line[line.index(" ", line.index("/")) :].lstrip()
        given = {"match": command.code} if command.code else {}
        found = await self._desk.autocomplete(
            self.visitor(spoken.player), spec.name, "move", command.rest, given
        )
        return [(text, len(typed)) for _, text in found]

    async def _as(self, spoken: SpokenLine, name: str) -> None:
        if (player := player_named(name)) is None:
            await self._tell(spoken.player, "bot.console.bad-name")
            return
        self.speaker = player
        self._names[player.account] = player.name
        await self._tell(player, "bot.console.now-speaking", name=player.name)

    async def _press(self, spoken: SpokenLine, number: int) -> None:
        buttons = self.offered(spoken.player.account)
        if not buttons:
            await self._tell(spoken.player, BadCommand.NO_BUTTONS)
        elif not 1 <= number <= len(buttons):
            await self._tell(spoken.player, BadCommand.NO_SUCH_BUTTON, number=number)
        else:
            pressed = CallbackData.unpack(buttons[number - 1].data.pack())
            said = "\n".join(self._last_offer(spoken.player.account).lines)
            visitor = replace(self.visitor(spoken.player), pressed=said)
            await self.show(await self._desk.press(visitor, pressed, brief=True))

    async def _paste(self, pasting: tuple[Player, list[str]], line: str) -> None:
        player, held = pasting
        if line.strip() == _END_OF_FILE:
            self._pasting = None
            await self.show(await self._desk.answer(self.visitor(player), "/import " + "\n".join(held)))
        elif sum(map(len, held)) <= MAX_FILE:  # a longer file is refused
            held.append(line.rstrip("\r\n"))

    async def _load(self, spoken: SpokenLine, name: str) -> None:
        text = _file(name)
        if text is None and " " not in name:
            await self._tell(spoken.player, "bot.console.no-file", name=quoted(name, 80))
        else:  # a name of several words that no file has is a list of moves
            read = name if text is None else text
            await self.show(await self._desk.answer(self.visitor(spoken.player), f"/import {read}"))

    async def _save(self, spoken: SpokenLine, command: str, rest: str) -> None:
        codes = " ".join(word for word in rest.split() if word.startswith("#"))
        name = " ".join(word for word in rest.split() if not word.startswith("#"))
        for message in await self._desk.answer(self.visitor(spoken.player), f"{command} {codes}"):
            film, files = message.view.film, message.view.attachments
            data = film[1].data if film else next((content for _, content in files), None)
            if data is None:
                await self.show([message])
                continue
            if (path := _write_new(name, data)) is not None:
                await self._tell(spoken.player, "bot.console.saved", name=quoted(str(path), _PATH))
            else:
                await self._tell(spoken.player, "bot.console.not-saved", name=quoted(name, 80))

    async def _tell(self, player: Player, key: str, **fields: str | int) -> None:
        words = await self._words(player.account)
        await self.show([Message(Person(player.account, self._place), View(lines=(words(key, **fields),)))])

    async def _words(self, account: Account | None) -> Words:
        whose = (account, self._place) if account else (self._place,)
        return words_of(*await settings_of(self._store, *whose), self._language)

    def visitor(self, player: Player) -> Visitor:
        """Return a player as a visitor of this room."""
        others = [Player(who, name) for who, name in self._names.items() if who != player.account]
        return Visitor(
            player,
            self._place,
            find=player_named,
            met=self._names.__contains__,
            admin=True,
            plain=True,
            present=others,
            place_name=clean(self._place.place),
            progress=lambda message: self.show([message]),
        )


def _file(name: str) -> str | None:
    try:
        with Path(name).open(encoding="utf-8", errors="replace", newline="") as file:
            return file.read(MAX_FILE + 1)
    except (OSError, ValueError):
        return None


def _write_new(name: str, data: bytes) -> Path | None:
    try:
        path = Path(name).expanduser().absolute()
        with path.open("xb") as file:
            file.write(data)
    except (OSError, ValueError, RuntimeError):
        return None
    return path


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
    """Yield the lines of standard input, until its end or /quit. `words` are offered for any word of a line."""
    if sys.stdin is None:  # closed
        return
    session = _session(history, words, completing) if at_terminal() else None
    prompt = f"{room_name}> "
    lines = _prompted(session, prompt) if session else read_plain(0, prompt if at_terminal() else "")
    async for line in lines:
        if line.strip().lower() in _QUIT:
            return
        yield line


async def read_plain(descriptor: int, prompt: str = "") -> AsyncIterator[str]:
    """Yield lines as they come, with a prompt before each wait; of a line that is too long, yield the beginning.

    Reading neither blocks the loop nor uses a thread, so that the bot can be stopped while it waits for a line.
    """
    held, skipping, ended = b"", False, False
    while not ended:
        if prompt:
            sys.stdout.write(prompt)
            sys.stdout.flush()
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
