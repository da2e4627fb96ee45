"""The local room: runs typed lines, and prints what each person sees."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import language_of
from bot.chat.desk import Desk
from bot.chat.errors import BadCommand
from bot.chat.grammar import NO, YES, read
from bot.chat.i18n import Words, pick
from bot.chat.i18n import words as words_for
from bot.chat.view import Button, Message, Person, View
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.platforms.console.integration import place
from bot.platforms.console.rendering import (
    MAX_LINE,
    WIDTH,
    SpokenLine,
    Style,
    lines,
    misnamed,
    parse,
    player_named,
)
from play.files.matchreader import MAX_FILE
from play.people import Account, Player
from play.ports import Store
from rules.core import quoted

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
        self._for_all: tuple[int, View] = (0, View())
        self._for_one: dict[Account, tuple[int, View]] = {}
        self._printed = 0
        self._pasting: tuple[Player, list[str]] | None = None
        self.speaker = speaker

    async def hear(self, line: str) -> None:
        """Run a line, and print the answers; of a bug, that something went wrong."""
        try:
            await self._run(line)
        except BrokenPipeError:
            raise  # the reader of standard output has gone: the room ends
        except Exception:  # noqa: BLE001 - a bug must not end the room
            _log.exception("a line failed")
            said = parse(line[:MAX_LINE], self.speaker)
            await self._tell_of_failure(said.player if said else self.speaker)

    async def _tell_of_failure(self, player: Player) -> None:
        try:
            await self._tell(player, "bot.command.failed")
        except Exception:  # noqa: BLE001 - the language cannot be read where the store is what failed
            self._screen.write(words_for(self._language)("bot.command.failed"))

    async def _run(self, line: str) -> None:
        if self._pasting is not None:
            await self._paste(self._pasting, line)
            return
        said = parse(line[:MAX_LINE], self.speaker)
        if said is None:
            return
        self._names[said.player.account] = said.player.name
        if self._screen.echo:
            self._screen.write(f"{said.player.name}: {quoted(said.text, _ECHOED)}")
        if (name := misnamed(line[:MAX_LINE])) is not None:
            await self._tell(said.player, "bot.console.misnamed", name=quoted(name, 40))
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
            case _ if (number := self._pressed(said)) is not None:
                await self._press(said, number)
            case _:
                await self.show(await self._desk.hear(self.visitor(said.player), said.text))

    async def show(self, messages: Sequence[Message]) -> None:
        """Print the messages for this room and for people in it; other rooms print theirs."""
        for message in messages:
            account = message.to.account if isinstance(message.to, Person) else None
            if self._place != (message.to.place if isinstance(message.to, Person) else message.to):
                continue
            self._printed += 1
            offered = (self._printed, message.view)
            if message.view.buttons and account:
                self._for_one[account] = offered
            elif message.view.buttons:
                self._for_all = offered
            if account is None and message.view.code:
                self._close(message.view.code, offered)
            name = self._names.get(account, "") if account else ""
            spoken = message.view.language
            words = words_for(spoken) if spoken else await self._words(account)
            for line in lines(message, words, self._screen.style, name, self._screen.width):
                self._screen.write(line)

    def _close(self, code: str, newest: tuple[int, View]) -> None:
        """Forget the buttons of a match's earlier messages, since a new one is there for all."""

        def closed(offered: tuple[int, View]) -> bool:
            return offered != newest and any(button.data.match == code for button in offered[1].buttons)

        self._for_all = (0, View()) if closed(self._for_all) else self._for_all
        self._for_one = {who: each for who, each in self._for_one.items() if not closed(each)}

    def offered(self, account: Account) -> tuple[Button, ...]:
        """Return the buttons that a number presses for a person: those they saw last, in public or privately."""
        return self._last_offer(account).buttons

    def _last_offer(self, account: Account) -> View:
        return max(self._for_all, self._for_one.get(account, (0, View())), key=lambda seen: seen[0])[1]

    def _pressed(self, said: SpokenLine) -> int | None:
        """Return the number of the button that a line presses, if it does.

        A yes or a no presses the one that says so; a yes also the only one of a question.
        """
        if said.number is not None:
            return said.number
        asked, word = self._last_offer(said.player.account), said.text.rstrip("!.").casefold()
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
        said = parse(line, self.speaker)
        command = read(f"{said.text} ") if said else None
        spec = REGISTRY.find(command.name) if command else None
        if (
            said is None
            or command is None
            or spec is None
            or spec.name != "move"
            or " " not in line[line.find("/") :]
        ):
            return ()
        typed = line[line.index(" ", line.index("/")) :].lstrip()
        given = {"match": command.code} if command.code else {}
        found = await self._desk.autocomplete(
            self.visitor(said.player), spec.name, "move", command.rest, given
        )
        return [(text, len(typed)) for _, text in found]

    async def _as(self, said: SpokenLine, name: str) -> None:
        if (player := player_named(name)) is None:
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
            pressed = CallbackData.unpack(buttons[number - 1].data.pack())
            await self.show(await self._desk.press(self.visitor(said.player), pressed, brief=True))

    async def _paste(self, pasting: tuple[Player, list[str]], line: str) -> None:
        player, held = pasting
        if line.strip() == _END_OF_FILE:
            self._pasting = None
            await self.show(await self._desk.hear(self.visitor(player), "/import " + "\n".join(held)))
        elif sum(map(len, held)) <= MAX_FILE:  # a longer file is refused
            held.append(line.rstrip("\r\n"))

    async def _load(self, said: SpokenLine, name: str) -> None:
        text = _file(name)
        if text is None and " " not in name:
            await self._tell(said.player, "bot.console.no-file", name=quoted(name, 80))
        else:  # a name of several words that no file has is a list of moves
            read = name if text is None else text
            await self.show(await self._desk.hear(self.visitor(said.player), f"/import {read}"))

    async def _save(self, said: SpokenLine, command: str, rest: str) -> None:
        codes = " ".join(word for word in rest.split() if word.startswith("#"))
        name = " ".join(word for word in rest.split() if not word.startswith("#"))
        for message in await self._desk.hear(self.visitor(said.player), f"{command} {codes}"):
            data = _file_of(message.view)
            if data is None:
                await self.show([message])
                continue
            if (path := _write_new(name, data)) is not None:
                await self._tell(said.player, "bot.console.saved", name=quoted(str(path), _PATH))
            else:
                await self._tell(said.player, "bot.console.not-saved", name=quoted(name, 80))

    async def _tell(self, player: Player, key: str, **fields: str | int) -> None:
        words = await self._words(player.account)
        await self.show([Message(Person(player.account, self._place), View(lines=(words(key, **fields),)))])

    async def _words(self, account: Account | None) -> Words:
        mine = await language_of(self._store, account) if account else None
        return words_for(pick(mine, await language_of(self._store, self._place), self._language))

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
            progress=self._progress,
        )

    async def _progress(self, message: Message) -> None:
        await self.show([message])


def _names_a_file(command: str, word: str) -> bool:
    return word.lower().endswith(_FILES[command.lower()]) and not word.startswith("#")


def _file_of(view: View) -> bytes | None:
    if view.film:
        return view.film[1].data
    return next((content for _, content in view.attachments), None)


def _file(name: str) -> str | None:
    """Return the text of a file, None if it cannot be read; of one too large a part that is refused."""
    try:
        with Path(name).open(encoding="utf-8", errors="replace", newline="") as file:
            return file.read(MAX_FILE + 1)
    except (OSError, ValueError):
        return None


def _write_new(name: str, data: bytes) -> Path | None:
    """Write a file that does not exist yet; return where it is, None if it could not be written."""
    try:
        path = Path(name).expanduser().absolute()
        with path.open("xb") as file:
            file.write(data)
    except (OSError, ValueError, RuntimeError):
        return None
    return path
