"""Stories told in local rooms: the desk and the rooms as they are, a store in memory, luck and time as the story has them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Final, Protocol

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from bot.chat.view import Button, Message, Person
from bot.chat.visitor import Visitor
from bot.platforms.console.integration import place
from bot.platforms.console.rendering import Style, player_named
from bot.platforms.console.room import Room, Screen
from play.actions.agreeing import Answer
from play.actions.playing import MakeMove
from play.events.events import TIMER, Events
from play.match import Match, accounts, is_engine
from play.people import Player
from play.request import Request
from play.table import Table
from play.time.firing import fire
from rules import GAMES
from storage.ports import FullStore
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import Overhearing
from tests.stories.script import PARLOUR, Presses, Says, Story, Waits
from tests.support.memory import MemoryStore

BEGIN: Final = datetime(2026, 11, 21, 18, tzinfo=UTC)
MINUTE: Final = timedelta(minutes=1)
CODES: Final = [
    "k7q2mz",
    "b3xn8c",
    "m5wtr2",
    "b3hd6p",
    "ze9kfu",
    "t4cyj7",
    "hm82sa",
    "xq6vrd",
    "w3gp5n",
    "fu7aet",
]
"""The codes of a story's matches, in order; two of them begin alike."""
STEP: Final = re.compile(r"(?:\w+: |-- )")
LONG: Final = 3
"""A paragraph of so many lines is written once in a transcript."""


class Dealt:
    """Chance that a story can count on."""

    def __init__(self) -> None:
        self._codes = iter(CODES)

    def code(self) -> str:
        return next(self._codes)

    def shuffled(self, count: int) -> Sequence[int]:
        return list(reversed(range(count)))


class Timed(Protocol):
    """What has a table, the memory behind it, and a clock that is set."""

    now: datetime
    table: Table

    @property
    def store(self) -> FullStore: ...


async def fired(held: Timed, until: datetime) -> AsyncIterator[None]:
    """Let time go by, and fire each timer at its moment; yield after each. In no time, engines play and agree."""
    if until == held.now:
        for match in [each for account in accounts() for each in await held.store.matches.of(account)]:
            await _engines_answer(held, match)
        yield
    while due := await held.store.timers.due(until, until + timedelta(days=1), 1):
        held.now = max(held.now, due[0].timer.at)
        now = held.table.now(held.now)
        if due[0].timer.name == TIMER:
            await Events(held.table, held.store).fire(due[0].match_id, now)
        else:
            await fire(held.table, due[0].match_id, due[0].timer.name, now)
        await held.store.timers.settle(due[0])
        yield
    held.now = until


async def _engines_answer(held: Timed, match: Match) -> None:
    """Have the engines of a match agree, and play the first move there is, until a person is on turn."""
    klop = next(player for player in match.players() if is_engine(player.account))
    if match.offer:
        await held.table.act(match.id, Answer(match.offer.ask, yes=True), Request(klop, held.now))
        return
    position = held.table.position(match)
    while match.live and position.to_move in match.seats_of(klop.account):
        text = GAMES[match.game].notation.format(position.legal_moves()[0])
        match = (await held.table.act(match.id, MakeMove(text), Request(klop, held.now))).match
        position = held.table.position(match)


def once(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a transcript with each paragraph, a board mostly, once.

    Where one comes again, a line says after which step it came first, and as which of those there.
    """
    first: dict[Sequence[str], str] = {}
    after: Counter[str] = Counter()
    step = ""
    written: list[Sequence[str]] = []
    for indented, group in groupby(lines, lambda line: line.startswith("  ")):
        paragraph: Sequence[str] = tuple(group)
        if not indented:
            step = next((line for line in reversed(paragraph) if STEP.match(line)), step)
        elif len(paragraph) >= LONG and paragraph in first:
            paragraph = (f"  (as {first[paragraph]})",)
        elif len(paragraph) >= LONG:
            after[step] += 1
            first[paragraph] = f"after {step}" + (f", {after[step]}" if after[step] > 1 else "")
        written.append(paragraph)
    for before, paragraph, behind in zip([(), *written], written, [*written[1:], ()], strict=False):
        if paragraph != ("",) or not any(
            line[:1] and line[0].startswith("  (as ") for line in (before, behind)
        ):
            yield from paragraph


class Overheard(Overhearing):
    """A desk whose last answer can be looked at."""

    said: Sequence[Message] = ()

    def forget(self) -> None:
        self.said = ()

    async def answer(self, visitor: Visitor, line: str) -> Sequence[Message]:
        self.said = await super().answer(visitor, line)
        return self.said

    async def press(
        self, visitor: Visitor, button: CallbackData, *, brief: bool = False
    ) -> Sequence[Message]:
        self.said = await super().press(visitor, button, brief=brief)
        return self.said


class Evening:
    """People in rooms, and everything that anybody sees."""

    def __init__(self, language: str, style: Style = "emoji") -> None:
        self.store = MemoryStore(lambda: self.now)
        self.now = BEGIN
        self.table = Table(self.store, GAMES, Dealt())
        thinker = Thinker(Inline())
        self.desk = Overheard(
            self.table, self.store, lambda: self.now, language, place(PARLOUR), thinker=thinker
        )
        self.seen: list[str] = []
        self._language = language
        self._style = style
        self._rooms: dict[str, Room] = {}
        self._shown = PARLOUR
        self._file = ""
        self._buttons: list[tuple[Message, tuple[Button, ...]]] = []

    async def tell(self, story: Story) -> str:
        """All that is said and seen."""
        for step, written in story.steps:
            if isinstance(step, Waits):
                self.seen += ["", written]
                await self._wait(self.now + step.time)
            else:
                self.now += MINUTE
                self._look_at(step.where)
                self.seen += ["", *written.splitlines()]
                await self._do(step)
        return "\n".join(once("\n".join(self.seen).lstrip("\n").split("\n"))) + "\n"

    async def _wait(self, until: datetime) -> None:
        async for _ in fired(self, until):
            told = await self.desk.drained()
            self._note(told)
            for name, room in self._rooms.items():
                await self._shown_in(name, room, told)

    async def _do(self, step: Says | Presses) -> None:
        who = player_named(step.who)
        assert who is not None, step
        room = self.room(step.where)
        self.desk.forget()
        if isinstance(step, Says):
            await self._say(room, step, step.text.replace("{file}", self._file))
        elif step.back:
            pressed = self.pressed(step)
            assert pressed is not None
            await room.show(await self.desk.press(room.visitor(who), pressed))
        else:
            await room.answer(f"{step.who}: {step.number}")
        self._note(self.desk.said)
        for name, other in self._rooms.items():
            if name != step.where:
                await self._shown_in(name, other, self.desk.said)
        self._look_at(step.where)

    async def line_said(self, pressed: CallbackData | None) -> str | None:
        """The line that a button says."""
        if pressed is None or pressed.verb is not Verb.SAY:
            return None
        (held,) = await self.store.notes.read(f"line:{pressed.argument}")
        return str(json.loads(held or "")[0])

    def _note(self, said: Sequence[Message]) -> None:
        """Remember what can be pressed, and the last file."""
        for message in said:
            if message.view.buttons:
                self._buttons.append((message, message.view.buttons))
            for _, content in message.view.files:
                assert isinstance(content, str), "a file that can be pasted"
                self._file = content

    async def _say(self, room: Room, step: Says, text: str) -> None:
        first, *more = text.split("\n")
        command, _, rest = first.partition(" ")
        if not (more or rest.startswith("[")) or command != "/import":
            await room.answer(f"{step.who}: {text}")
            return
        await room.answer(f"{step.who}: /import")
        for line in (rest, *more, "."):
            await room.answer(line)

    async def _shown_in(self, name: str, room: Room, said: Sequence[Message]) -> None:
        """Have a room show what is meant for it, under its name."""
        before = len(self.seen)
        await room.show(said)
        if len(self.seen) > before and name != self._shown:
            self.seen.insert(before, f"@{name}")
            self._shown = name

    def room(self, name: str) -> Room:
        """The room of that name; opened when a person first speaks in it."""
        if name not in self._rooms:
            narrator = player_named("narrator")
            assert narrator is not None
            self._rooms[name] = Room(
                self.desk,
                self.store,
                name=name,
                speaker=narrator,
                language=self._language,
                screen=Screen(self.seen.append, self._style),
            )
        return self._rooms[name]

    def pressed(self, step: Presses) -> CallbackData | None:
        """What the button claims that a person presses."""
        who, room = player_named(step.who), self.room(step.where)
        assert who is not None
        offered = self._visible(who, step)[-1 - step.back] if step.back else room.offered(who.account)
        assert step.missing is (step.number > len(offered)), step
        return None if step.missing else offered[step.number - 1].data

    def _visible(self, who: Player, step: Presses) -> list[tuple[Button, ...]]:
        """The buttons of every message that a person can see in a room."""
        return [
            buttons
            for message, buttons in self._buttons
            if (
                message.to == Person(who.account, place(step.where))
                if isinstance(message.to, Person)
                else message.to == place(step.where)
            )
        ]

    def _look_at(self, room: str) -> None:
        if room != self._shown:
            self._shown = room
            self.seen += ["", f"@{room}"]
