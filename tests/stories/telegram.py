"""Stories told on Telegram: the same words in groups of the loopback server, beside the local room that they were written for.

Line by line the same is said in both. Where a button is pressed in the room, the key that claims the same is pressed on
Telegram, wherever it was shown. After each line the matches of both have to be the same, but for what people and places
are called. What is shown on the way is checked by the server.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from dataclasses import replace
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from bot.platforms.console.integration import place
from bot.platforms.telegram.places import Chat as Spot
from bot.platforms.telegram.places import account, address
from bot.platforms.telegram.rendering import NOTHING, named_square
from play.match import Match, Ply
from play.people import Account
from tests.bot.chat.thinking.workers import Inline
from tests.platforms.telegram.harness import TelegramHarness, telegram_bot
from tests.platforms.telegram.server import BOT, Human, Json, Room, keys, words
from tests.stories.console import MINUTE, Dealt, Evening, fired
from tests.stories.script import PARLOUR, EventCodes, Presses, Says, Story, Waits
from tests.support.services import edited

PEOPLE: Final = ("ann", "bob", "cem", "dan", "eve")
ROOMS: Final = {
    name: -1001 - number for number, name in enumerate((PARLOUR, "hall", "yard", "attic", "cellar", "barn"))
}

_CODE: Final = re.compile(r"#([a-z0-9]{2,6})\b")
_OURS: Final = re.compile(r'"console" "(\w+)"')


class TelegramEvening:
    """An evening told twice.

    Attributes:
        labels: Of all keys that could be pressed.
    """

    def __init__(self, language: str, told: TelegramHarness) -> None:
        self.room = Evening(language)
        self.told = told
        self.people: dict[str, Human] = {name: told.api.human(name, language=None) for name in PEOPLE}
        self.rooms: dict[str, Room] = {}
        self.labels: set[str] = set()
        self._codes: dict[str, str] = {}  # by the code in the room: that of the same match on Telegram
        self._events = EventCodes(self.told.store.events)
        self._keys: dict[str, Json] = {}  # what a key holds: the message it was last seen under

    async def tell(self, story: Story, after: Callable[[], Awaitable[None]] | None = None) -> None:
        """Say and press everything; do something `after` each step."""
        for step, written in story.steps:
            if isinstance(step, Waits):
                await self.room._wait(self.room.now + step.time)
                async for _ in fired(self.told, self.told.now + step.time):
                    await self.told.sender.drain()
                    await self.told.adjudicator.sweep()
                    await self.told.sender.drain()
            else:
                self.room.now += MINUTE
                self.told.now += MINUTE
                pressed = self.room.pressed(step) if isinstance(step, Presses) else None
                self.room._look_at(step.where)
                await self.room._do(step)
                await self._do(step, pressed)
            await edited(self.told.services, self.told.telegram.courier)
            self._look()
            ours, theirs = self._both()
            assert ours == theirs, f"{story.name}: {written}"
            if after is not None:
                await after()

    def matches(self) -> Iterable[Match]:
        """Every match, the last one to change last."""
        return self.told.matches

    def shown(self, room: str) -> list[Json]:
        """The bot's messages in a room."""
        return self.told.api.shown(self.rooms[room])

    def announced(self) -> str:
        """See `Reading.announced`."""
        return next(words(each) for each in reversed(self.shown(PARLOUR)) if "photo" in each)

    async def in_words(self, name: str) -> str:
        """See `Reading.in_words`."""
        await self.told.say(self.people[name], self.rooms[PARLOUR], "/board words")
        return words(self.told.api.last(self.people[name]))

    async def _do(self, step: Says | Presses, pressed: CallbackData | None) -> None:
        who, room = self.people[step.who], await self._room(step.where)
        if isinstance(step, Says):
            await self._say(who, room, step.text)
        elif pressed is not None:
            await self._press(who, room, pressed, late=bool(step.back))
        self._look()
        await self._confirm(who)

    async def _say(self, who: Human, room: Room, text: str) -> None:
        if text.split()[:1] == ["/import"]:
            held = text.removeprefix("/import").strip().replace("{file}", self._file())
            held = _OURS.sub(lambda found: f'"telegram" "{self.people[found[1]].id}"', held)
            self.told.api.give(who, room, "match.txt", held.encode(), "/import")
            await self.told.settled()
        else:
            await self.told.say(who, room, _CODE.sub(self._code, text))

    async def _press(self, who: Human, room: Room, pressed: CallbackData, *, late: bool) -> None:
        if (line := await self.room.line_said(pressed)) is not None:
            await self._say(who, room, line)  # what is no command is not for the bot in a group
            return
        renamed = replace(pressed, match=self._codes.get(pressed.match, pressed.match))
        data = self._events.renamed(renamed).pack()
        if pressed.verb is Verb.MOVE and not pressed.argument:
            data = next((held for held in self._keys if held.startswith(data)), data)
        assert data in self._keys, f"no key claims {data}: {sorted(self._keys)}"
        message = self._keys[data]
        shown = [each["callback_data"] for each in keys(self._now(message)) if "callback_data" in each]
        assert late or data in shown, f"no key claims {data} any more: {shown}"
        await self.told.tap(who, message, data)

    def _now(self, message: Json) -> Json:
        """A message as it is now."""
        return self.told.api.messages[message["chat"]["id"]].get(message["message_id"], {})

    async def _confirm(self, who: Human) -> None:
        """Confirm what the room does without asking."""
        ours, theirs = self._both()
        apart = {code for code, match in ours.items() if theirs[code] != match}
        if not apart:
            return
        chats: list[Human | Room] = [who, *self.rooms.values()]
        for message in (m for chat in chats for m in self.told.api.shown(chat)):
            for data in (key.get("callback_data", "") for key in keys(message)):
                sure = data.startswith(("1mo:", "1re:"))
                if sure and self._agrees(CallbackData.unpack(data), apart):
                    await self.told.tap(who, message, data)
                    return

    def _agrees(self, callback: CallbackData, apart: Collection[str]) -> bool:
        """Whether a key does what was done in the room."""
        code = next((new for new, held in self._codes.items() if held == callback.match), None)
        if code is None or code not in apart:
            return False
        ours, theirs = self.told.store.matches.stored[callback.match], self.room.store.matches.stored[code]
        played = [entry.text for entry in theirs.log[len(ours.log) :] if isinstance(entry, Ply)]
        return callback.seen == ours.revision and callback.argument == " ".join(played)

    def _look(self) -> None:
        """Remember every key there is, and the last file."""
        # What stands in a group is pressed there, though it may stand in private too.
        for chat, held in sorted(self.told.api.messages.items(), reverse=True):
            for message in held.values():
                for key in keys(message):
                    if not (data := key.get("callback_data", NOTHING)).startswith(NOTHING):
                        # A key of a whole board names its square when it is pressed.
                        self.labels.add(key["text"] + (named_square(data) or ""))
                        self._keys[data] = message | {"chat": {"id": chat, **message["chat"]}}

    def _file(self) -> str:
        every = [m for chat in self.told.api.messages.values() for m in chat.values()]
        held = [m for m in every if "held" in m and m["from"]["id"] == BOT]
        return max(held, key=lambda m: m["sent"])["held"].decode() if held else ""

    async def _room(self, name: str) -> Room:
        if name not in self.rooms:
            everybody = list(self.people.values())
            self.rooms[name] = self.told.api.group(ROOMS[name], name, *everybody, admin=True)
            self.rooms[name].admins |= {human.id for human in everybody}
            await self.told.settled()
        return self.rooms[name]

    def _both(self) -> tuple[dict[str, str], dict[str, str]]:
        """The matches on Telegram, and those in the room, in words; people, places and codes called as in the room."""
        ours, theirs = self.told.store.matches.stored, self.room.store.matches.stored
        for new in [code for code in theirs if code not in self._codes]:
            if fresh := [code for code in ours if code not in self._codes.values()]:
                self._codes[new] = fresh[0]
        named = {code: new for new, code in (self._codes | self._events.known).items()}
        named |= {
            repr(account(human.id)): repr(Account("console", name)) for name, human in self.people.items()
        }
        named |= {repr(address(Spot(number))): repr(place(name)) for name, number in ROOMS.items()}
        here = re.compile("|".join(map(re.escape, named)))
        called = {
            named.get(code, code): here.sub(lambda found: named[found[0]], _in_words(match))
            for code, match in ours.items()
        }
        return called, {code: _in_words(match) for code, match in theirs.items()}

    def _code(self, typed: re.Match[str]) -> str:
        """A code as it is typed on Telegram; in full, for the beginnings of others are alike there."""
        meant = [code for code in self._codes if code.startswith(typed[1])]
        return f"#{self._codes[meant[0]]}" if len(meant) == 1 else typed[0]


def _in_words(match: Match) -> str:
    """A match without the numbers of those who asked for places, which follow from their accounts."""
    return repr((replace(match, shown_by=tuple((place, 0) for place, _ in match.shown_by)), match.plans))


@contextlib.asynccontextmanager
async def evening(language: str, *, pictures: bool = False) -> AsyncIterator[TelegramEvening]:
    """An evening with a server of its own."""
    thinker = Thinker(Inline())
    async with telegram_bot(
        language=language, chance=Dealt(), pictures=pictures, thinker=thinker, live=True
    ) as told:
        made = TelegramEvening(language, told)
        told.now = made.room.now
        yield made
