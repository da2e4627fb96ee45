"""Places that play, with their people, on either loopback platform in the same words; luck and time are the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from bot.chat.sending import Sender
from bot.features.channels.council import Council
from bot.features.channels.keeping import Councils
from play.actions.playing import MakeMove
from play.match import Match
from play.people import Account, channel
from play.request import Request
from tests.bot.world import NOON
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.telegram.crowd import NAME
from tests.platforms.telegram.harness import TelegramHarness, telegram_bot
from tests.reliability.chats import Answered, DiscordPlatform, Platform, Telegram
from tests.support.memory import MemoryStore


class Hall:
    """A place that plays, with its people."""

    def __init__(self, harness: TelegramHarness | DiscordHarness, name: str, people: int) -> None:
        self.harness = self.timed = harness  # whose time is that of the test
        self.platform: Platform
        if isinstance(harness, TelegramHarness):
            self.platform = Telegram(harness.api)
            self._bot: Any = NAME
        else:
            self.platform = DiscordPlatform(harness.discord)
            self._bot = harness.discord.bot
        self.people: list[Any] = [self.platform.person(f"{name}{number}") for number in range(people)]
        self.place: Any = self.platform.place(*self.people)
        self._sent: list[Answered] = []
        self.pinged: set[int] = set()  # the messages here that call someone

    @property
    def account(self) -> Account:
        """The place as a player."""
        match = next(each for each in self.matches if each.addresses)
        platform = "telegram" if isinstance(self.harness, TelegramHarness) else "discord"
        return channel(next(each for each in match.addresses if each.platform == platform))

    @property
    def matches(self) -> list[Match]:
        given = self.harness.matches
        return [*(given.values() if isinstance(given, Mapping) else given)]

    @property
    def match(self) -> Match:
        """The match that is played here."""
        return next(each for each in self.matches if each.seat_of(self.account) is not None)

    async def council(self) -> Council:
        found = await Councils(self.harness.services).of(self.match, self.account)
        assert found is not None
        return found

    async def settled(self) -> None:
        """All that was asked is answered and shown."""
        if isinstance(self.harness, TelegramHarness):
            await self.harness.settled()
        else:
            while self._sent:
                await self.platform.until(self._sent.pop())
            await self.harness.settle()
        self.pinged |= self._pinged()

    def _pinged(self) -> set[int]:
        shown: list[Any] = [each for each, _ in self.platform.messages(self.place)]
        if isinstance(self.platform, DiscordPlatform):
            return {each.id for each in shown if each.pings}
        kinds = ("entities", "caption_entities")
        entities = {
            each["message_id"]: [one for kind in kinds for one in each.get(kind, ())] for each in shown
        }
        return {number for number, held in entities.items() if any("user" in one for one in held)}

    async def says(self, who: int, command: str, **options: Any) -> None:
        """Have a person type a command, and wait for all that follows."""
        self._sent.append(await self.platform.send(self.people[who], self.place, command, **options))
        await self.settled()

    async def press(self, who: int, label: str) -> None:
        """Have a person press a key of the board, and wait for nothing."""
        shown: list[Any] = [each for each, _ in self.platform.messages(self.place)]
        for board in reversed(shown):
            if label in (keys := self.platform.buttons(board)):
                self._sent.append(await self.platform.press(self.people[who], board, keys[label]))
                return
        raise AssertionError(f"there is no key {label}: {self.platform.messages(self.place)[-1]}")

    @property
    def keys(self) -> set[str]:
        """What the keys of the last message say."""
        shown: list[Any] = [each for each, _ in self.platform.messages(self.place)]
        return set(self.platform.buttons(shown[-1]))

    async def challenges(self, game: str, options: str = "") -> None:
        """The place challenges the computer, and moves first."""
        if isinstance(self.harness, TelegramHarness):
            await self.says(0, "challenge", bot=f"@{self._bot}", game=f"channel {game} side:first {options}")
        else:
            await self.says(
                0, "challenge", person=self._bot, game=game, options=f"channel side:first {options}"
            )

    async def waits(self, **length: float) -> None:
        """Time passes, and what is due is looked at."""
        await self.comes(self.timed.now + timedelta(**length))

    async def comes(self, at: datetime) -> None:
        """The time comes, if it is not there yet, and what is due is looked at."""
        self.timed.now = max(at, self.timed.now)
        await self.looked()

    async def looked(self) -> None:
        await Councils(self.harness.services).tick()
        await self.settled()

    async def answered(self, choose: Callable[[list[Any]], Any] = lambda moves: moves[0]) -> None:
        """The other side moves."""
        match, table = self.match, self.harness.table
        position = table.position(match)
        mover = match.player(position.to_move)
        moves = list(position.legal_moves())
        going_on = [each for each in moves if position.play(each).outcome is None]
        move = table.games[match.game].notation.format(choose(going_on or moves))
        await table.act(match.id, MakeMove(move), Request(mover, self.timed.now))
        await self.settled()


@asynccontextmanager
async def telegram(people: int) -> AsyncIterator[Hall]:
    async with telegram_bot() as harness:
        yield Hall(harness, "Voter", people)


@asynccontextmanager
async def discord(people: int) -> AsyncIterator[Hall]:
    async with DiscordHarness() as harness:
        yield Hall(harness, "Voter", people)


Opened: TypeAlias = Callable[[int], AbstractAsyncContextManager[Hall]]
HALLS: Final[Mapping[str, Opened]] = {"telegram": telegram, "discord": discord}


@asynccontextmanager
async def both(people: int) -> AsyncIterator[tuple[Hall, Hall]]:
    """A place on each platform, and one bot there. The first one's time is that of both."""
    async with AsyncExitStack() as stack:
        made: list[TelegramHarness] = []
        store: Any = MemoryStore(lambda: made[0].now if made else NOON)
        made.append(one := await stack.enter_async_context(telegram_bot(store=store)))
        other = await stack.enter_async_context(DiscordHarness(store=store, clock=lambda: one.now))
        for harness in (one, other):
            await harness.sender.close()
        one.sender = other.sender = Sender(
            store.outgoing(), store.bucket(), one.services.composer, [one.telegram.courier, other.platform.courier],
            now=one._paced, paced=one._paced, sleep=one._sleep, also=one.services.hooks(),
        )  # fmt: skip
        halls = Hall(one, "Voter", people), Hall(other, "Elector", people)
        halls[1].timed = one
        yield halls
