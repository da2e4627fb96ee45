"""The bot in the process of the test, connected to a Discord on this machine: luck and time are the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self

from pydantic import SecretStr

from bot.chat.pictures import Pictures
from bot.chat.sending import Sender
from bot.chat.thinking import Thinker
from bot.features.events.following import Adjudicator
from bot.platforms.discord.adapter import TAKING, DiscordAdapter
from bot.platforms.platform import PlatformServices
from play.match import Match
from play.ports import Chance
from play.settings import OldBoards
from play.table import Table
from rules import GAMES
from storage.ports import FullStore
from tests.bot.world import Counted
from tests.platforms.discord.people import Person
from tests.platforms.discord.rest import BROUGHT, TOKEN
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message, User
from tests.support.memory import MemoryStore
from tests.support.servers import free_port
from tests.support.services import services
from tests.support.waiting import eventually

BEGIN: Final = datetime(2026, 11, 21, 18, tzinfo=UTC)

_OURS: Final = (TAKING, "discord.py: on_guild", BROUGHT)
_PNG: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


class Painted(Pictures):
    """Pictures that take no time: one pixel each."""

    async def board(self, view: object, *, scale: int = 2) -> bytes | None:
        if all(getattr(view, drawn, None) is None for drawn in ("diagram", "sheet", "panels")):
            return None
        return _PNG + b"small" if getattr(view, "folded", None) is OldBoards.SHRINK else _PNG


class DiscordHarness:
    """A server with two channels, people, and the bot; everything that follows from something has come before the next.

    Args:
        language: The default language.
        store: Where matches sleep; in memory if none is given.
        chance: Deals codes.
        over_http: Whether interactions are posted to the bot, in place of the gateway.
        live: Whether boards change in place for those who look.
        settings: More of what the operator sets.
    """

    def __init__(
        self,
        language: str = "en",
        store: FullStore | None = None,
        chance: Chance | None = None,
        *,
        discord: Discord | None = None,
        clock: Callable[[], datetime] | None = None,
        thinker: Thinker | None = None,
        over_http: bool = False,
        live: bool = False,
        **settings: Any,
    ) -> None:
        self._live = live
        self.now = BEGIN
        if over_http:
            self._port = free_port()
            settings |= {
                "discord_endpoint_url": "https://klop.test/discord",
                "discord_endpoint_listen": f"127.0.0.1:{self._port}",
            }
        self._over_http = over_http
        self._thinker = thinker
        clock = clock or (lambda: self.now)
        self.games, self.hall = Channel(name="games"), Channel(name="hall")
        self.guild = Guild("Somewhere", channels=[self.games, self.hall])
        self.discord = discord or Discord(self.guild)
        if discord is not None:
            self.guild = discord.guilds[0]
            self.games, self.hall = self.guild.channels[:2]
        self._own = discord is None
        self.store = store if store is not None else MemoryStore(clock)
        self.table = Table(self.store, GAMES, chance or Counted())
        self.language = language
        self._clock = clock
        self._paced = BEGIN
        self._settings = settings
        self._pictures = Painted()
        self.services: PlatformServices
        self.platform: DiscordAdapter
        self.sender: Sender

    async def __aenter__(self) -> Self:
        if self._own:
            await self.discord.__aenter__()
        await self.open()
        return self

    async def open(self) -> None:
        """Connect the bot."""
        given = {"discord_api": self.discord.url, "language": self.language, **self._settings}
        self.services = services(
            self.table,
            self.store,
            self._clock,
            pictures=self._pictures,
            thinker=self._thinker,
            DISCORD_TOKEN=SecretStr(TOKEN),
            **given,
        )
        self.platform = DiscordAdapter(self.services)
        self.platform._responder._edits._sleep = self._pass
        self.adjudicator = Adjudicator(self.table, self.store, self.services.thinker)
        self.sender = Sender(
            self.store.outgoing(),
            self.store.bucket(),
            self.services.composer,
            [self.platform.courier],
            now=self._paced_now,
            paced=self._paced_now,
            sleep=self._pass,
            also=self.services.hooks(),
            attention=self.services.attention if self._live else None,
        )
        if self._over_http:
            self.discord.posting.processes = [f"http://127.0.0.1:{self._port}/discord"]
            self.discord.posting.now = lambda: self._clock().timestamp()
        gateway = self.discord.gateway
        before = len(gateway.opened)
        self._running = asyncio.create_task(self.platform.run())
        await self.discord.until(
            lambda: (
                self._running.done()
                or (len(gateway.opened) > before and gateway.connected)
                or (self._over_http and self.discord.commands)
            ),
            "connected",
        )
        if self._over_http:
            await eventually(lambda: self._running.done() or self.platform.silence()["endpoint"] == 0.0)
        if self._running.done():
            self._running.result()

    async def close(self) -> None:
        """End the bot, as a restart does."""
        await self.sender.close()
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
        self._pictures.close()
        if self._own:
            await self.discord.__aexit__(kind, error, trace)

    async def _paced_now(self) -> datetime:
        return self._paced

    async def _pass(self, seconds: float) -> None:
        self._paced += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    # --- people

    def person(self, name: str, locale: str = "en-US", at: Channel | None = None) -> Settled:
        """Return a person, in the first channel by default."""
        return Settled(self, self.discord.named(name, name.capitalize(), locale), at or self.games)

    @property
    def matches(self) -> Mapping[str, Match]:
        """Every match in the store, the last one to change last."""
        assert isinstance(self.store, MemoryStore)
        return dict(self.store.matches.stored)

    async def settle(self) -> None:
        """Wait until nothing is left to be answered or told."""
        while True:
            tasks = [task for task in asyncio.all_tasks() if task.get_name().startswith(_OURS)]
            if not tasks:
                break
            await asyncio.wait(tasks)
        await self.platform._intake.receiver.settled()
        await self.sender.drain()
        await self.adjudicator.sweep()
        await self.sender.drain()


class Settled(Person):
    """A person after whose every deed the bot has done all that it does."""

    def __init__(self, harness: DiscordHarness, user: User, channel: Channel) -> None:
        super().__init__(harness.discord, user, channel)
        self._harness = harness

    def at(self, channel: Channel) -> Settled:
        return Settled(self._harness, self.user, channel)

    async def _do(self, kind: int, data: dict[str, object], message: Message | None = None) -> Interaction:
        done = await super()._do(kind, data, message)
        await self._harness.settle()
        return done


# Matches to begin with.


async def begun(
    home: DiscordHarness, game: str = "breakthrough", options: str = "board:5x5", **more: str
) -> tuple[Settled, Settled]:
    """Ann and Bob in the middle of nothing: a match has begun, and Ann is on turn."""
    ann, bob = home.person("ann"), home.person("bob")
    await ann.types("challenge", person=bob.user, game=game, options=options, **more)
    await bob.presses(latest(ann), "Accept")
    return ann, bob


def latest(who: Settled) -> Message:
    """Return the latest public message where a person is."""
    return [each for each in who.sees() if each.only is None][-1]


def public(who: Settled) -> list[Message]:
    """Return all public messages where a person is."""
    return [each for each in who.sees() if each.only is None]
