"""The room: hears lines, prints what each person sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from bot.callback_data import CallbackData
from bot.desk.context import language_of
from bot.desk.desk import Desk
from bot.desk.grammar import BadCommand
from bot.desk.visitor import Visitor
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.on_console.line_parser import MAX_LINE, SpokenLine, misnamed, place, read, somebody
from bot.on_console.rendering import WIDTH, Style, lines
from bot.view import Button, Message, Person, View
from play.matchreader import MAX_FILE
from play.people import Account, Player
from play.ports import Store
from rules.core import quoted

_END_OF_FILE: Final = "."
_FILES: Final = {"/export": (".txt", ".klop"), "/replay": (".gif",)}
"""How the name of a file ends that a command writes; any other word is no file's name."""

_ECHOED: Final = 200  # characters of a line that are repeated where lines come from a script


class Room:
    """One local room. What is pressed by number is remembered here, for as long as the room is open."""

    def __init__(
        self, desk: Desk, store: Store, *, name: str, speaker: Player, language: str, style: Style, echo: bool,
        write: Callable[[str], None], width: int = WIDTH, told: Callable[[], Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        self._desk = desk
        self._store = store
        self._place = place(name)
        self._language = language
        self._style = style
        self._echo = echo
        self._write = write
        self._width = width
        self._told = told
        self._names: dict[Account, str] = {}
        self._for_all: tuple[int, tuple[Button, ...]] = (0, ())
        self._for_one: dict[Account, tuple[int, tuple[Button, ...]]] = {}
        self._printed = 0
        self._pasting: tuple[Player, list[str]] | None = None
        self.speaker = speaker

    async def hear(self, line: str) -> None:
        """Print what follows from one line, and whatever everybody is told because of it."""
        await self._hear(line)
        if self._told:
            await self._told()

    async def _hear(self, line: str) -> None:
        if self._pasting is not None:
            await self._paste(self._pasting, line)
            return
        said = read(line[:MAX_LINE], self.speaker)
        if said is None:
            return
        self._names[said.player.account] = said.player.name
        if self._echo:
            self._write(f"{said.player.name}: {quoted(said.text, _ECHOED)}")
        if (name := misnamed(line[:MAX_LINE])) is not None:
            await self._tell(said.player, "bot.console.nobody", name=quoted(name, 40))
            return
        command, _, rest = said.text.partition(" ")
        rest = rest.strip()
        match command.lower():
            case "/as":
                await self._as(said, rest)
            case "/import" if not rest:
                self._pasting = (said.player, [])
                await self._tell(said.player, "bot.console.paste")
            case "/import" if not rest.startswith("["):
                await self._load(said, rest)
            case "/export" | "/replay" if any(_names_a_file(command, word) for word in rest.split()):
                await self._save(said, command, rest)
            case _ if (number := said.number) is not None:
                await self._press(said, number)
            case _:
                await self.show(await self._desk.hear(self._visitor(said.player), said.text))

    async def press(self, player: Player, callback: CallbackData) -> None:
        """Print what follows from pressing a button, and whatever everybody is told because of it."""
        await self._done(player, callback)
        if self._told:
            await self._told()

    async def _done(self, player: Player, callback: CallbackData, *, brief: bool = False) -> None:
        pressed = CallbackData.unpack(callback.pack())
        await self.show(await self._desk.press(self._visitor(player), pressed, brief=brief))

    async def show(self, messages: Sequence[Message]) -> None:
        """Print what is meant for this room or for somebody in it; what other rooms see is shown when they are open."""
        for message in messages:
            private = isinstance(message.to, Person)
            if self._place != (message.to.place if isinstance(message.to, Person) else message.to):
                continue
            self._printed += 1
            if message.view.buttons:
                offered = (self._printed, message.view.buttons)
                if isinstance(message.to, Person):
                    self._for_one[message.to.account] = offered
                else:
                    self._for_all = offered
            account = message.to.account if isinstance(message.to, Person) else None
            name = self._names.get(account, "") if account else ""
            words = await self._words(account if private else None)
            for line in lines(message, words, self._style, name, self._width):
                self._write(line)

    def offered(self, account: Account) -> tuple[Button, ...]:
        """The buttons that a number presses for somebody: those they saw last, in public or privately."""
        return max(self._for_all, self._for_one.get(account, (0, ())), key=lambda seen: seen[0])[1]

    async def _as(self, said: SpokenLine, name: str) -> None:
        if (player := somebody(name)) is None:
            await self._tell(said.player, "bot.console.bad-name")
            return
        self.speaker = player
        self._names[player.account] = player.name
        await self._tell(player, "bot.console.now-speaking", name=player.name)

    async def _press(self, said: SpokenLine, number: int) -> None:
        buttons = self.offered(said.player.account)
        if not buttons:
            await self._tell(said.player, BadCommand.NO_BUTTONS)
        elif not 1 <= number <= len(buttons):
            await self._tell(said.player, BadCommand.NO_SUCH_BUTTON, number=number)
        else:
            await self._done(said.player, buttons[number - 1].data, brief=True)

    async def _paste(self, pasting: tuple[Player, list[str]], line: str) -> None:
        player, held = pasting
        if line.strip() == _END_OF_FILE:
            self._pasting = None
            await self.show(await self._desk.hear(self._visitor(player), "/import " + "\n".join(held)))
        elif sum(map(len, held)) <= MAX_FILE:  # what is longer is refused for that
            held.append(line.rstrip("\r\n"))

    async def _load(self, said: SpokenLine, name: str) -> None:
        text = _file(name)
        if text is None:
            await self._tell(said.player, "bot.console.no-file", name=quoted(name, 80))
        else:
            await self.show(await self._desk.hear(self._visitor(said.player), f"/import {text}"))

    async def _save(self, said: SpokenLine, command: str, rest: str) -> None:
        codes = " ".join(word for word in rest.split() if word.startswith("#"))
        name = " ".join(word for word in rest.split() if not word.startswith("#"))
        for message in await self._desk.hear(self._visitor(said.player), f"{command} {codes}"):
            data = _file_of(message.view)
            if data is None:
                await self.show([message])
                continue
            saved = _write_new(name, data)
            key = "bot.console.saved" if saved else "bot.console.not-saved"
            await self._tell(said.player, key, name=quoted(name, 80))

    async def _tell(self, player: Player, key: str, **fields: str | int) -> None:
        words = await self._words(player.account)
        await self.show([Message(Person(player.account, self._place), View(lines=(words(key, **fields),)))])

    async def _words(self, account: Account | None) -> Words:
        mine = await language_of(self._store, account) if account else None
        return words_for(pick(mine, await language_of(self._store, self._place), self._language))

    def _visitor(self, player: Player) -> Visitor:
        return Visitor(player, self._place, find=somebody, met=self._names.__contains__, admin=True)


def _names_a_file(command: str, word: str) -> bool:
    return word.lower().endswith(_FILES[command.lower()]) and not word.startswith("#")


def _file_of(view: View) -> bytes | None:
    """What a view has to be saved."""
    if view.film:
        return view.film[1].data
    content = next((content for _, content in view.files), None)
    return content.encode() if isinstance(content, str) else content


def _file(name: str) -> str | None:
    """The text of a file of that name, if there is one; of one too large the beginning, which is refused for that."""
    try:
        with Path(name).open(encoding="utf-8", errors="replace", newline="") as file:
            return file.read(MAX_FILE + 1)
    except (OSError, ValueError):
        return None


def _write_new(name: str, data: bytes) -> bool:
    """Write a file that does not exist yet; whether that worked."""
    try:
        with Path(name).open("xb") as file:
            file.write(data)
    except (OSError, ValueError):
        return False
    return True
