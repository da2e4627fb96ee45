"""The desk: from a line or a press to messages, through the table. Every platform speaks to it alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from bot.actions import Action, Verb
from bot.desk import invitations, playing, reading
from bot.desk.errand import Errand, Handler, Pressed, language_of
from bot.desk.grammar import BadCommand, Command, CommandError, like_a_move, read
from bot.desk.guard import guarded
from bot.desk.here import Here
from bot.desk.visitor import Visitor
from bot.desk.which import sound
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.view import Message, View
from play.errors import PlayError
from play.match import Phase
from play.ports import Store
from play.table import Table

COMMANDS: Final[Mapping[str, Handler]] = {**invitations.COMMANDS, **playing.COMMANDS, **reading.COMMANDS}
"""Every command by name, in the order of the help card."""

PRESSES: Final[Mapping[Verb, Pressed]] = {**invitations.PRESSES, **playing.PRESSES, **reading.PRESSES}
"""What each button does."""

_NOTHING: Final = Command("", None, "", (), {})


class Desk:
    """Answers what people say. Holds nothing: a restart loses nothing."""

    def __init__(self, table: Table, store: Store, now: Callable[[], datetime], language: str) -> None:
        self._table = table
        self._store = store
        self._now = now
        self._language = language

    async def hear(self, visitor: Visitor, line: str) -> Sequence[Message]:
        """What follows from a line; nothing, where it is talk."""
        try:
            command = read(line)
        except CommandError as error:
            errand = await self._errand(visitor, _NOTHING)
            return [errand.private(View(lines=(errand.words(error.reason, **error.fields),)))]
        if command is None:
            return await self._overhear(visitor, line) if like_a_move(line) else []
        errand = await self._errand(visitor, command)
        return [*await self._overdue(errand), *await guarded(errand, lambda: self._run(errand))]

    async def press(self, visitor: Visitor, button: Action) -> Sequence[Message]:
        """What follows from pressing a button, old ones and other people's included."""
        errand = await self._errand(visitor, _NOTHING)
        return await guarded(errand, lambda: PRESSES[button.verb](errand, button), pressed=button)

    async def _overhear(self, visitor: Visitor, line: str) -> Sequence[Message]:
        errand = await self._errand(visitor, _NOTHING)
        return await guarded(errand, lambda: playing.untold(errand, line.strip()))

    async def _errand(self, visitor: Visitor, command: Command) -> Errand:
        mine = await language_of(self._store, visitor.account)
        here = await language_of(self._store, visitor.place)
        own = pick(mine, visitor.locale, here, self._language)
        return Errand(
            table=self._table,
            store=self._store,
            visitor=visitor,
            here=Here(self._store, visitor.place),
            command=command,
            words=words_for(own),
            at=self._now(),
            default_language=self._language,
        )

    async def _run(self, errand: Errand) -> Sequence[Message]:
        handler = COMMANDS.get(errand.command.name)
        if handler is None:
            raise CommandError(BadCommand.UNKNOWN, command=errand.command.name)
        return await handler(errand)

    async def _overdue(self, errand: Errand) -> Sequence[Message]:
        """Call off the invitations here whose time is up, so that none blocks the place."""
        said: list[Message] = []
        try:
            for match in await errand.here.matches():
                if match.phase is Phase.OPEN and match.expires <= errand.at and sound(self._table, match):
                    fact = await self._table.expire(match.id, at=errand.at)
                    errand.here.changed()
                    said += await errand.announce(fact)
        except PlayError:
            return said
        return said
