"""The room: hears lines, prints what each person sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bot.actions import Action
from bot.desk import Desk, Visitor
from bot.desk.grammar import BadCommand
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.on_console.lines import MAX_LINE, Said, place, read, somebody
from bot.on_console.printing import Style, lines
from bot.view import Button, Message, Person, View
from play.people import Account, Player
from play.ports import Store

_END_OF_FILE: Final = "."


class Room:
    """One local room. What is pressed by number is remembered here, for as long as the room is open."""

    def __init__(
        self, desk: Desk, store: Store, *, name: str, speaker: Player, language: str, style: Style, echo: bool,
        write: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._desk = desk
        self._store = store
        self._place = place(name)
        self._language = language
        self._style = style
        self._echo = echo
        self._write = write
        self._for_all: tuple[int, tuple[Button, ...]] = (0, ())
        self._for_one: dict[Account, tuple[int, tuple[Button, ...]]] = {}
        self._printed = 0
        self._pasting: tuple[Player, list[str]] | None = None
        self.speaker = speaker

    async def hear(self, line: str) -> None:
        """Print what follows from one line."""
        if self._pasting is not None:
            await self._paste(self._pasting, line)
            return
        said = read(line[:MAX_LINE], self.speaker)
        if said is None:
            return
        if self._echo:
            self._write(f"{said.player.name}: {said.text[:200]}")
        command, _, rest = said.text.partition(" ")
        match command.lower():
            case "/as":
                await self._as(said, rest.strip())
            case "/import" if not rest.strip():
                self._pasting = (said.player, [])
                await self._tell(said.player, "bot.console.paste")
            case "/import" if (text := _file(rest.strip())) is not None:
                await self._print(await self._desk.hear(self._visitor(said.player), f"/import {text}"))
            case "/export" if (name := rest.strip()) and not name.startswith("#"):
                await self._save(said, name)
            case _ if (number := said.number) is not None:
                await self._press(said, number)
            case _:
                await self._print(await self._desk.hear(self._visitor(said.player), said.text))

    async def _as(self, said: Said, name: str) -> None:
        if (player := somebody(name)) is None:
            await self._tell(said.player, BadCommand.NO_SUCH_PERSON, name=name[:32])
            return
        self.speaker = player
        await self._tell(player, "bot.console.now-speaking", name=player.name)

    async def _press(self, said: Said, number: int) -> None:
        order, buttons = max(
            self._for_all, self._for_one.get(said.player.account, (0, ())), key=lambda b: b[0]
        )
        if not order:
            await self._tell(said.player, BadCommand.NO_BUTTONS)
        elif number > len(buttons):
            await self._tell(said.player, BadCommand.NO_SUCH_BUTTON, number=number)
        else:
            action = Action.unpack(buttons[number - 1].action.pack())
            await self._print(await self._desk.press(self._visitor(said.player), action))

    async def _paste(self, pasting: tuple[Player, list[str]], line: str) -> None:
        player, held = pasting
        if line.strip() == _END_OF_FILE:
            self._pasting = None
            await self._print(await self._desk.hear(self._visitor(player), "/import " + "\n".join(held)))
        elif sum(map(len, held)) < MAX_LINE:
            held.append(line.rstrip("\r\n"))

    async def _save(self, said: Said, name: str) -> None:
        for message in await self._desk.hear(self._visitor(said.player), "/export"):
            if message.view.attachment is None:
                await self._print([message])
                continue
            saved = _write_new(name, message.view.attachment[1])
            await self._tell(
                said.player, "bot.console.saved" if saved else "bot.console.not-saved", name=name[:80]
            )

    async def _tell(self, player: Player, key: str, **fields: str | int) -> None:
        words = await self._words(player.account)
        await self._print([Message(Person(player.account, self._place), View(lines=(words(key, **fields),)))])

    async def _print(self, messages: Sequence[Message]) -> None:
        for message in messages:
            private = isinstance(message.to, Person)
            if not private and message.to != self._place:
                continue  # another room's: it is shown there when that room is open
            self._printed += 1
            if message.view.buttons:
                offered = (self._printed, message.view.buttons)
                if isinstance(message.to, Person):
                    self._for_one[message.to.account] = offered
                else:
                    self._for_all = offered
            words = await self._words(message.to.account if isinstance(message.to, Person) else None)
            for line in lines(message, words, self._style):
                self._write(line)

    async def _words(self, account: Account | None) -> Words:
        mine = await self._store.language(account) if account else None
        return words_for(pick(mine, await self._store.language(self._place), self._language))

    def _visitor(self, player: Player) -> Visitor:
        return Visitor(player, self._place, find=somebody)


def _file(name: str) -> str | None:
    """The text of a file of that name, if there is one; of one too large the beginning, which is refused for that."""
    try:
        with Path(name).open(encoding="utf-8", errors="replace", newline="") as file:
            return file.read(MAX_LINE + 1)
    except (OSError, ValueError):
        return None


def _write_new(name: str, text: str) -> bool:
    """Write a file that does not exist yet; whether that worked."""
    try:
        with Path(name).open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except (OSError, ValueError):
        return False
    return True
