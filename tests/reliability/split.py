"""A bot in several processes on one store."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.reliability.bot_process import BotProcess, Died
from tests.reliability.chats import DiscordPlatform, Platform
from tests.reliability.scenario import ANYWHERE, Scenario
from tests.reliability.tally import Tally

SOON: Final = 2.0  # seconds until a process is killed, on average: while a few moves are played


class SplitScenario(Scenario):
    """One platform with the processes of its bot, and a store that outlives them.

    Args:
        roles: The role of each process, with a number where several have it. The first is the one that people talk to, or one
            that stays if several processes stand behind one address.

    Attributes:
        program: What is run in place of the bot.
    """

    program: Sequence[str] = ()

    def __init__(
        self,
        platform: Platform,
        server: Path,
        directory: Path,
        seed: int,
        tally: Tally,
        *,
        roles: Sequence[str],
    ) -> None:
        super().__init__(platform, server, directory, seed, tally)
        self.settings["KLOP_ROLE"], *self._roles = roles
        self._others: dict[str, BotProcess] = {}

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

    async def _started(
        self,
        fault: str | None = None,
        environment: Mapping[str, str] | None = None,
        program: Sequence[str] = (),
    ) -> BotProcess:
        for role in self._roles:
            if role not in self._others:
                await self._start(role)
        return await super()._started(fault, environment, program or self.program)

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
            stopping = asyncio.create_task(self._stopped([old, *senders.values()]))
        else:
            stopping = asyncio.create_task(self._stop(old))
            with suppress(Died):
                await self._play(old, rounds)
            await stopping
            new = await self._taking()
            stopping = asyncio.create_task(self._stopped(senders.values()))
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

    async def _stopped(self, processes: Iterable[BotProcess]) -> None:
        for bot in processes:
            await self._stop(bot)

    async def _play(self, bot: BotProcess, rounds: int) -> None:
        for _ in range(rounds):
            self._fill()
            await self._round(bot)

    async def finish(self) -> None:
        """As `Scenario.finish`; then end the other processes too."""
        try:
            await super().finish()
            for role, bot in self._others.items():
                await self._stop(bot)
                assert bot.status == 0, f"the {role} ended with {bot.status}\n{self._logged}"
        finally:
            for bot in self._others.values():
                await bot.end()
