"""A bot on a loopback platform, in one process or several, and people who play there while faults happen to it."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Final

from bot.app.doctor import attached, replaying
from play.actions.seating import Join
from play.match import Closing, Ply
from play.opening import Challenge
from play.request import Request
from play.time.clock import Clock
from rules import GAMES
from storage.maintenance.verify import verify
from storage.redis.store import RedisStore
from tests.reliability.chats import ACKNOWLEDGED, NAMES, Chat, DiscordPlatform, Platform
from tests.reliability.load import table_on
from tests.reliability.played import OVER, PATIENCE, AgainstEngine, AmongPeople, Played, Tally
from tests.reliability.processes import BotDied, BotProcess
from tests.support.faults import POINTS
from tests.support.waiting import eventually

ANYWHERE: Final = "anywhere"
AT_START: Final = ("after-open", "before-beat")
SHOWS_NOTHING: Final = ("after-commit", "after-read", "before-send")
"""What was committed waits to be shown where a bot is killed here."""
WITH_TIMERS: Final = ("before-fire", "after-fire", "after-settle")
SIDE_BY_SIDE: Final = 3  # matches of two people
ANSWERED_WITHIN: Final = 15.0  # seconds in which a restarted bot answers what was acknowledged before
TIMED: Final = 10  # rounds between two matches whose time runs out
SOON: Final = 2.0  # seconds until a process is killed, on average: while a few moves are played
FIVE_MINUTES: Final = timedelta(minutes=5)
"""The shortest clock there is."""


class Scenario:
    """One platform with its bot and a store.

    Args:
        server: The socket of a store that outlives its bots; None: the bot's own, which goes with it.
        directory: For data and log.
        seed: For everything that is drawn.
        roles: The role of each process, with a number where several have it. The first is the one that people talk to, or one
            that stays if several processes stand behind one address.

    Attributes:
        program: What is run in place of the bot.
    """

    program: Sequence[str] = ()

    def __init__(
        self,
        platform: Platform,
        server: Path | None,
        directory: Path,
        seed: int,
        tally: Tally,
        *,
        roles: Sequence[str] = ("all",),
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.platform, self.server = platform, server
        self.data, self.log = directory / "data", directory / "log"
        self.luck = random.Random(seed)
        self.tally = tally
        self.settings = {
            **platform.settings, "KLOP_WORKERS": "1", **({"REDIS_URL": f"unix://{server}"} if server else {}),
        }  # fmt: skip
        self.settings["KLOP_ROLE"], *self._roles = roles
        self._others: dict[str, BotProcess] = {}
        self.playing: list[Played] = []
        self.done: list[Played] = []
        self.timed: dict[str, Chat] = {}
        self.settled = False
        self.waits = False  # whether something is to be shown that no bot has shown
        self.judged: set[int] = set()  # the acknowledged requests that a kill cut off and that are counted

    async def killed_at(self, point: str) -> None:
        """Start the bot, and keep it busy until it dies at a point."""
        times = 1 if point in (*AT_START, *WITH_TIMERS) else self.luck.choice((1, 1, 2, 3, 5))
        bot = await self._started(None if point == ANYWHERE else f"{point}:{times}")
        back = asyncio.create_task(self._back(bot) if self.waits else asyncio.sleep(0))
        try:
            async with asyncio.timeout(PATIENCE):
                with suppress(BotDied):
                    await self._busy(bot, point)
                await bot.gone.wait()
        except TimeoutError:
            raise AssertionError(f"did not come to {point}:{times}\n{self._logged}") from None
        finally:
            await bot.end()
            await back
        assert bot.status == -9, f"the bot ended with {bot.status} and not at {point}\n{self._logged}"
        self.tally.kills[point] += 1
        self.waits = point in SHOWS_NOTHING

    async def busy(self, until: Callable[[], bool]) -> None:
        """Run a bot, and keep it busy until there have been enough faults."""
        bot = await self._started()
        try:
            await self.platform.connected(bot)
            await self._unwarned(bot)
            rounds = 0
            while not until():
                await self._play(bot)
                rounds += 1
                if rounds % TIMED == 1 and self._begun:
                    await self._time(1)
            await self._stop(bot)
        except BotDied:
            raise AssertionError(f"the bot ended with {bot.status}\n{self._logged}") from None
        finally:
            await bot.end()
        assert bot.status == 0, self._logged

    async def _started(self, fault: str | None = None) -> BotProcess:
        for role in self._roles:
            if role not in self._others:
                await self._start(role)
        self._mark_run()
        return await BotProcess.start(self.data, self.log, self.settings, fault, self.program)

    def _mark_run(self) -> None:
        for played in (*self.playing, *self.done):
            played.runs.append(len(played.chat.history))

    async def _back(self, bot: BotProcess) -> None:
        chats, began = [each.chat for each in self.playing], time.monotonic()
        known = [len(chat.history) for chat in chats]
        connected = self.platform.connections
        await eventually(lambda: bot.gone.is_set() or self.platform.connections > connected, 2 * PATIENCE)
        served = time.monotonic()
        await eventually(
            lambda: bot.gone.is_set() or [len(chat.history) for chat in chats] != known, 2 * PATIENCE
        )
        if not bot.gone.is_set():
            self.tally.back.append(time.monotonic() - began)
            self.tally.shown.append(time.monotonic() - served)

    async def _answered(self, bot: BotProcess) -> None:
        """Give a restarted bot its time for what was acknowledged before, and count what stays without an answer."""
        cut_off = [each for each in self.platform.unanswered if each.id not in self.judged]
        with suppress(TimeoutError):
            await eventually(
                lambda: bot.gone.is_set() or all(each.answered for each in cut_off), ANSWERED_WITHIN
            )
        if bot.gone.is_set():
            return
        self.judged.update(each.id for each in cut_off)
        self.tally.cut_off += len(cut_off)
        self.tally.unanswered += [
            f"interaction {each.kind} of {each.user.name} in channel {each.channel.id} has no answer"
            for each in cut_off
            if not each.answered
        ]

    async def _stop(self, *bots: BotProcess) -> None:
        for bot in bots:
            began = time.monotonic()
            await bot.end(signal.SIGTERM)
            self.tally.ends.append(time.monotonic() - began)

    @property
    def _logged(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]

    async def _busy(self, bot: BotProcess, point: str) -> None:
        await self.platform.connected(bot)
        await self._answered(bot)
        if not self.settled:
            self.settled = True
            await self._unwarned(bot)
        if point == ANYWHERE:
            asyncio.get_running_loop().call_later(self.luck.expovariate(1), bot.kill)
        if point in WITH_TIMERS:
            while not self._begun:
                await self._play(bot)
            await self._time(2)
        while not bot.gone.is_set():
            await self._play(bot)

    def _fill(self) -> None:
        if not any(isinstance(each, AgainstEngine) for each in self.playing):
            self.playing.append(AgainstEngine(Chat.conversation(self.platform), self.tally, self.luck))
        while len(self.playing) <= SIDE_BY_SIDE:
            self.playing.append(AmongPeople(Chat.group(self.platform), self.tally, self.luck))

    async def _round(self, bot: BotProcess) -> None:
        results = await asyncio.gather(*(each.go_on(bot) for each in self.playing), return_exceptions=True)
        for each, going in zip(list(self.playing), results, strict=True):
            if going is False:
                self.playing.remove(each)
                self.done.append(each)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _unwarned(self, bot: BotProcess) -> None:
        for who in range(len(NAMES)):
            await Chat.conversation(self.platform, who).say(bot, who, "settings", warnings="off")

    def _store(self) -> AbstractAsyncContextManager[RedisStore]:
        return attached(f"unix://{self.server}" if self.server else None, self.data)

    @property
    def _begun(self) -> list[AmongPeople]:
        return [each for each in self.playing if isinstance(each, AmongPeople) and each.named]

    async def _time(self, count: int) -> None:
        played = self._begun[0]
        async with self._store() as store:
            match = (await store.matches.load(played.code or "")).match
            one, other = (chair.player for chair in match.chairs)
            assert one
            assert other
            table = table_on(store)
            for _ in range(count):
                at = await store.now() - FIVE_MINUTES + timedelta(seconds=self.luck.uniform(0.1, 1.0))
                wanted = Challenge(match.addresses[0], "lgame", opponents=(other,), clock=Clock(FIVE_MINUTES))
                made = await table.open(wanted, Request(one, at))
                await table.act(made.match.id, Join(), Request(other, at))
                self.timed[made.match.id] = played.chat

    async def finish(self) -> None:
        """Let all matches be played and shown to their ends, and look at what came of them."""
        bot = await self._started()
        try:
            async with asyncio.timeout(PATIENCE):
                await self.platform.connected(bot)
                await self._answered(bot)
                while self.playing:
                    await self._round(bot)
        except TimeoutError:
            left = [
                (type(each).__name__, each.code, each.turns, each.chat.history[-3:], each.chat.refused[-3:])
                for each in self.playing
            ]
            for each in (bot, *self._others.values()):
                await each.end()
            raise AssertionError(f"not played to the end: {left}\n{self._logged}") from None
        try:
            with suppress(TimeoutError):
                await eventually(lambda: not any(each.stale for each in self.done), PATIENCE)
            async with self._store() as store:
                await self._judge(store)
            for each in (bot, *self._others.values()):
                await self._stop(each)
                assert each.status == 0, self._logged
        finally:
            for each in (bot, *self._others.values()):
                await each.end()
        wrong = [wrong for wrong in self.platform.wrong if ACKNOWLEDGED not in wrong]
        assert not wrong, wrong
        self.tally.nonces_repeated += self.platform.nonces_repeated
        for played in self.done:
            self.tally.refused.update(played.chat.refused)

    async def _judge(self, store: RedisStore) -> None:
        for each in self.done:
            match = (await store.matches.load(each.code or "")).match
            each.judged([entry.text for entry in match.log if isinstance(entry, Ply)])
        for code, chat in self.timed.items():

            def shown(code: str = code, chat: Chat = chat) -> bool:
                return any(f"#{code}" in said and OVER[0] in said for _, said in chat.history)

            with suppress(TimeoutError):
                await eventually(shown, PATIENCE)
            match = (await store.matches.load(code)).match
            self.tally.timers += 1
            right = match.result is not None and match.result.reason == Closing.TIME.value
            self.tally.timers_wrong += not (right and match.revision <= 5)  # a reminder may have come
            self.tally.unannounced += not shown()
        async for looked in verify(store, replaying(GAMES)):
            self.tally.damaged += looked.fault is not None

    async def kill(self, role: str, how: signal.Signals = signal.SIGKILL) -> None:
        """Have matches played while a process is ended, at a random moment, and started again."""
        if role == self.settings["KLOP_ROLE"]:
            await self.killed_at(ANYWHERE)
            return
        killing = asyncio.create_task(self._kill(role, how))
        await self.busy(killing.done)
        await killing

    async def _kill(self, role: str, how: signal.Signals) -> None:
        await self._listening()
        await asyncio.sleep(self.luck.expovariate(1 / SOON))
        bot = self._others[role]
        if how is signal.SIGTERM:
            await self._stop(bot)
        else:
            await bot.end(how)
        expected = 0 if how is signal.SIGTERM else -how
        assert bot.status == expected, f"the {role} ended with {bot.status}\n{self._logged}"
        self.tally.kills[role] += 1
        await self._start(role)
        await self._listening()

    async def _listening(self) -> None:
        """Return once all processes behind an address listen: never are two of them away."""
        if isinstance(self.platform, DiscordPlatform):
            await self.platform.listens()

    async def _start(self, role: str) -> None:
        self._mark_run()
        name, _, number = role.partition("-")
        settings = {**self.settings, **self.platform.process(number), "KLOP_ROLE": name}
        self._others[role] = await BotProcess.start(
            self.data / role, self.log, settings, program=self.program
        )

    async def upgrade(self, program: Sequence[str], rounds: int, *, beside: bool) -> int:
        """Have matches played while the processes of one program take the place of those of another, as docs/operations.md says.

        Args:
            program: What runs from now on.
            rounds: How many times all matches go on before that, meanwhile and after it.
            beside: Whether the new process that takes what people say starts before the old one ends.

        Returns:
            How many matches were begun before that and not over yet: the new program reads what the old one wrote.
        """
        old = await self._started()
        await self.platform.connected(old)
        await self._unwarned(old)
        await self._play(old, rounds)
        begun = len(self.playing)
        senders, self._others = self._others, {}
        self.program, self.data = program, self.data.with_name("next")
        if beside:
            new = await self._taking()
            stopping = asyncio.create_task(self._stop(old, *senders.values()))
        else:
            stopping = asyncio.create_task(self._stop(old))
            with suppress(BotDied):
                await self._play(old, rounds)
            await stopping
            new = await self._taking()
            stopping = asyncio.create_task(self._stop(*senders.values()))
        await self._play(new, rounds)
        await stopping
        await self._play(new, rounds)
        await self._stop(new)
        for bot in (old, new, *senders.values()):
            assert bot.status == 0, f"a process ended with {bot.status}\n{self._logged}"
        return begun

    async def _taking(self) -> BotProcess:
        self.settings |= self.platform.settings
        bot = await self._started()
        await self.platform.connected(bot)
        return bot

    async def _play(self, bot: BotProcess, rounds: int = 1) -> None:
        for _ in range(rounds):
            self._fill()
            await self._round(bot)


def places() -> Iterator[str]:
    """The points, by turns, without end."""
    while True:
        yield from (*POINTS, ANYWHERE)
