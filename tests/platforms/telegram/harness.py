"""The bot on Telegram and the server in one process, with a store in memory and the test's time and codes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from bot.chat.pictures import Pictures
from bot.chat.sending import Sender
from bot.chat.thinking import Thinker
from bot.features.events.following import Adjudicator
from bot.platforms.telegram.adapter import TelegramAdapter
from play.match import Match
from play.ports import Chance
from play.table import Table
from render.picture import Painter, Unpaintable
from rules import GAMES
from storage.redis.store import RedisStore
from tests.bot.world import NOON, Counted
from tests.platforms.telegram.server import TOKEN, BotApi, Human, Json, Room, keys, words
from tests.support.memory import MemoryStore
from tests.support.services import services

HALL: Final = -100500


class NoPaint(Painter):
    """Paints nothing, so that boards are text."""

    async def painted(self, *_: object, **__: object) -> bytes:
        raise Unpaintable


class TelegramHarness:
    """The bot, the server, and some people; `now` stands still until it is moved."""

    def __init__(
        self,
        api: BotApi,
        *,
        language: str = "en",
        pictures: bool = False,
        chance: Chance | None = None,
        thinker: Thinker | None = None,
        store: RedisStore | None = None,
        live: bool = False,
        **settings: str,
    ) -> None:
        self.api = api
        self.now: datetime = NOON
        self._slept = timedelta()
        api.clock = self._seconds
        # A store on Redis goes by the server's time, and has no `matches` to look at.
        self.store: MemoryStore = store or MemoryStore(lambda: self.now)  # type: ignore[assignment]
        self.table = Table(self.store, GAMES, chance or Counted())
        self.painted = Pictures() if pictures else Pictures(NoPaint())
        self.services = services(
            self.table,
            self.store,
            lambda: self.now,
            pictures=self.painted,
            thinker=thinker,
            TELEGRAM_TOKEN=TOKEN,
            telegram_api=api.url,
            language=language,
            **settings,
        )
        self.telegram = TelegramAdapter(self.services)
        self.telegram._turns._sleep = self._sleep
        self.telegram._messenger.edits._sleep = self._sleep
        self.telegram._short_replies._sleep = _for_ever
        self.telegram._turns._now = self._paced
        self.adjudicator = Adjudicator(self.table, self.store, self.services.thinker)
        self.sender = Sender(
            self.store.outgoing(),
            self.store.bucket(),
            self.services.composer,
            [self.telegram.courier],
            now=self._paced,
            paced=self._paced,
            sleep=self._sleep,
            also=self.services.hooks(),
            attention=self.services.attention if live else None,
        )

    async def _sleep(self, seconds: float) -> None:
        for _ in range(40):  # what has had its turn is sent first: the server is in this process
            await asyncio.sleep(0)
        self._slept += timedelta(seconds=seconds)

    def _seconds(self) -> float:
        return (self.now + self._slept).timestamp()

    async def _paced(self) -> datetime:
        """Return the time that rates are measured by, which goes on while a request waits."""
        return self.now + self._slept

    # ---------------------------------------------------------------- people

    async def settled(self) -> None:
        """Return once every update has been handled, and everything has been told."""
        await self.api.until(lambda: not self.api.waiting)
        await self.telegram._receiver.settled()
        await self.sender.drain()

    async def say(self, who: Human, room: Room | None, text: str, **more: object) -> None:
        """Send a message, and wait until all that follows is delivered."""
        self.api.say(who, room, text, **more)  # type: ignore[arg-type]
        await self.settled()

    async def press(self, who: Human, message: Json, label: str | Callable[[str], bool]) -> str | None:
        """Press the key with a label; return the alert."""
        fits = label if callable(label) else label.__eq__
        found = [key for key in keys(message) if fits(key["text"])]
        assert found, (label, [key["text"] for key in keys(message)])
        return await self.tap(who, message, found[0]["callback_data"])

    async def tap(self, who: Human, message: Json, data: str) -> str | None:
        """Press a key with this data; return the alert."""
        query = self.api.press(who, message, data)
        await self.settled()
        assert query in self.api.answered, "a press was not answered"
        return self.api.alert(query)

    async def tap_on(self, who: Human, message: Json, end: str) -> str | None:
        """Press the key whose data ends so; return the alert."""
        found = (str(key["callback_data"]) for key in keys(message) if "callback_data" in key)
        return await self.tap(who, message, next(data for data in found if data.endswith(end)))

    async def offered(self, who: Human, text: str) -> list[Json]:
        """Return the cards that are offered for a text."""
        query = self.api.ask_inline(who, text)
        await self.settled()
        return self.api.results[query]

    async def card(self, who: Human, text: str = "breakthrough mini", **how: Any) -> Json:
        """Send the first of them somewhere."""
        sent = self.api.post_inline(who, (await self.offered(who, text))[0], **how)
        await self.settled()
        return sent

    async def edit(self, who: Human, room: Room | Human, text: str) -> None:
        """Change the last message of a person, and wait until all that follows is delivered."""
        self.api.edit(who, room, self.api.said(who, room), text)
        await self.settled()

    async def swept(self, seconds: float) -> None:
        """Let time pass, and delete the short replies whose time is over."""
        self.now += timedelta(seconds=seconds)
        await self.telegram._short_replies.sweep()

    def three(self) -> tuple[Human, Human, Room]:
        """Return Ann, Bob, and a group that both are in."""
        ann, bob = self.api.human("Ann"), self.api.human("Bob")
        return ann, bob, self.api.group(HALL, "Hall", ann, bob)

    async def begin(
        self, room: Room, ann: Human, bob: Human, game: str = "breakthrough 4x5", **more: object
    ) -> None:
        """Have Ann challenge Bob, and Bob accept."""
        await self.say(ann, room, f"/challenge {bob.user} {game}", **more)
        await self.press(bob, self.board(room), "Accept")

    async def begun(self, game: str = "breakthrough 4x5") -> tuple[Human, Human, Room]:
        """Return Ann, Bob, and the group in which they have begun a match."""
        ann, bob, hall = self.three()
        await self.begin(hall, ann, bob, game)
        return ann, bob, hall

    def board(self, room: Room | Human) -> Json:
        """The last message with a board, or with an invitation."""
        return next(m for m in reversed(self.api.shown(room)) if "#" in words(m))

    @property
    def matches(self) -> Sequence[Match]:
        """All there are, in the order in which they were last changed."""
        return list(self.store.matches.stored.values())


async def _for_ever(_seconds: float) -> None:
    await asyncio.Event().wait()


@contextlib.asynccontextmanager
async def telegram_bot(**how: object) -> AsyncIterator[TelegramHarness]:
    """Run the bot for as long as the context lasts; all that it sent has to be valid."""
    api = BotApi()
    async with api.serving():
        made = TelegramHarness(api, **how)  # type: ignore[arg-type]
        running = asyncio.create_task(made.telegram.run())
        try:
            await api.until(lambda: any(call.method == "deleteWebhook" for call in api.calls))
            await api.until(lambda: len(api.commands) >= 12)
            yield made
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await made.sender.close()
            made.painted.close()
    assert not api.invalid, api.invalid


__all__ = ["HALL", "TelegramHarness", "keys", "telegram_bot", "words"]
