"""A store, one bot at a time, people who type, and a platform that repeats what was not confirmed. The bot gets killed."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.admin.attaching import attached
from bot.admin.replaying import replaying
from play.match import Closing, Phase, Ply
from play.randomness import derived
from rules import GAMES
from storage.faults import POINTS
from storage.maintenance.verify import verify
from tests.reliability.evenings import Evening, evenings
from tests.reliability.processes import Bot, Died
from tests.support.waiting import eventually

ANYWHERE: Final = "anywhere"
AT_START: Final = ("after-open", "before-beat")
WITH_TIMERS: Final = ("before-fire", "after-fire", "after-settle")
PATIENCE: Final = 90.0
"""Seconds in which a bot must come to its point, on a crowded machine too."""
SIDE_BY_SIDE: Final = 4
PLIES: Final = 16


_TOLD_WITHIN: Final = 120.0  # seconds; far more than a sender's lease


async def _told(outgoing: Any) -> bool:
    """Whether nothing is left to be told."""
    return not await outgoing.backlog()


async def _over(store: Any, code: str) -> bool:
    """Whether a match has come to its end."""
    return bool((await store.matches.load(code)).match.phase is Phase.OVER)


@dataclass
class Tally:
    """What was found."""

    kills: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    lost: int = 0
    doubled: int = 0
    revisions: int = 0
    unannounced: int = 0
    out_of_order: int = 0
    sent_again: int = 0
    told_again: int = 0
    timers: int = 0
    timers_wrong: int = 0
    damaged: int = 0
    back: list[float] = field(default_factory=list)
    announced: list[float] = field(default_factory=list)


class KillScenario:
    """One store with its bot.

    Args:
        where: The store, as a worker takes it.
        directory: For the ledger.
        seed: For everything that is drawn.
    """

    def __init__(self, name: str, where: str, directory: Path, seed: int, tally: Tally) -> None:
        self.name, self.where = name, where
        self.ledger = directory / f"{name}.ledger"
        self.luck = random.Random(seed)
        self.tally = tally
        self.supply = evenings(name, seed, plies=PLIES)
        self.playing: list[tuple[Evening, deque[dict[str, Any]]]] = []
        self.done: list[Evening] = []
        self.confirmed: list[dict[str, Any]] = []
        self.timed: list[dict[str, Any]] = []  # unconfirmed
        self.timed_codes: list[str] = []
        self.count = 0

    async def killed_at(self, point: str) -> None:
        """Start the bot, and keep it busy until it dies at a point."""
        times = 1 if point in AT_START else self.luck.choice((1, 1, 2, 3, 5))
        died = time.time()
        bot = await Bot.start(self.where, self.ledger, None if point == ANYWHERE else f"{point}:{times}")
        try:
            async with asyncio.timeout(PATIENCE):
                await self._busy(bot, point, died)
        except TimeoutError:
            log = self.ledger.with_suffix(".log").read_text()[-3000:]
            raise AssertionError(f"{self.name} did not come to {point}:{times}: {bot.doing}\n{log}") from None
        finally:
            await bot.end()
        assert bot.status == -9, f"the bot ended with {bot.status} and not at {point}"
        self.tally.kills[point] += 1

    async def _busy(self, bot: Bot, point: str, died: float) -> None:
        try:
            await bot.ready()
            if point in WITH_TIMERS:
                for _ in range(6):
                    self.count += 1
                    request = {"id": f"{self.name}.t{self.count}", "timed": self.luck.uniform(0.1, 1.0)}
                    self.timed.append(
                        {**request, "who": "ann", "other": "bob", "place": f"attic-{self.name}"}
                    )
            if point == ANYWHERE:
                asyncio.get_running_loop().call_later(self.luck.expovariate(5), bot.kill)
            await self._serve(bot, 4, died)
            while True:  # slowly, so that a point is come to again and again, and not once for all at once
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.3):
                        await bot.gone.wait()
                await self._serve(bot, 1)
        except Died:
            await bot.gone.wait()

    async def _serve(self, bot: Bot, rounds: int, died: float | None = None) -> None:
        """Deliver so many requests of each match, those first that were not confirmed, and some again."""
        while len(self.playing) < SIDE_BY_SIDE:
            evening = next(self.supply)
            self.playing.append((evening, deque(evening.requests)))
        await self._timers(bot)
        for _ in range(rounds):
            results = await asyncio.gather(
                *(self._one(bot, requests, died) for _, requests in self.playing), return_exceptions=True
            )
            for evening, requests in list(self.playing):  # also when the bot died while it served the others
                if not requests:
                    self.playing.remove((evening, requests))
                    self.done.append(evening)
                    new = next(self.supply)
                    self.playing.append((new, deque(new.requests)))
            for result in results:
                if isinstance(result, BaseException):
                    raise result
            died = None

    async def _timers(self, bot: Bot) -> None:
        for request in list(self.timed):
            answer = await bot.ask(request)
            if not answer["said"]:
                self.timed.remove(request)
                self.timed_codes.append(answer["code"])

    async def _one(self, bot: Bot, requests: deque[dict[str, Any]], died: float | None) -> None:
        if self.confirmed and self.luck.random() < 0.1:
            self.tally.repeated += 1
            again = await bot.ask(self.luck.choice(self.confirmed[-40:]))
            self._note(again)
        request = requests[0]
        self.tally.requests += 1
        answer = await bot.ask(request)
        if died is not None:
            self.tally.back.append(time.time() - died)
        if self._note(answer):
            requests.popleft()
            self.confirmed.append(request)

    def _note(self, answer: dict[str, Any]) -> bool:
        if answer["said"]:
            self.tally.refused[answer["said"][0]] += 1
        return not answer["said"]

    async def finish(self) -> None:
        """Let everything be done and told, and look at what came of it."""
        started = time.time()
        bot = await Bot.start(self.where, self.ledger)
        try:
            async with asyncio.timeout(60):
                await bot.ready()
                self.supply = iter(())
                while self.playing or self.timed:
                    await self._timers(bot)
                    for evening, requests in list(self.playing):
                        while requests:
                            await self._one(bot, requests, None)
                        self.playing.remove((evening, requests))
                        self.done.append(evening)
                await self._check_store()
            await bot.stop()
        finally:
            await bot.end()
        self._check_ledger(started)

    async def _check_store(self) -> None:
        url = self.where if self.where.startswith("unix:") else None
        async with attached(url, Path(self.where)) as store:
            outgoing = store.outgoing()
            await eventually(partial(_told, outgoing), limit=_TOLD_WITHIN)
            for code in self.timed_codes:
                await eventually(partial(_over, store, code), limit=_TOLD_WITHIN)
                match = (await store.matches.load(code)).match
                self.tally.timers += 1
                right = match.result is not None and match.result.reason == Closing.TIME.value
                self.tally.timers_wrong += not (right and match.revision <= 5)
            await eventually(partial(_told, outgoing), limit=_TOLD_WITHIN)
            self.found = {}
            for evening in self.done:
                match = (await store.matches.load(evening.code)).match
                log = tuple(entry.text for entry in match.log if isinstance(entry, Ply))
                self.found[evening.code] = match.revision
                self.tally.moves += len(evening.log)
                missing = Counter(evening.log) - Counter(log)
                extra = Counter(log) - Counter(evening.log)
                self.tally.lost += missing.total()
                self.tally.doubled += extra.total() + (match.revision - len(evening.requests))
                assert log == evening.log
            async for looked in verify(store, replaying(GAMES)):
                self.tally.damaged += looked.fault is not None

    def _check_ledger(self, started: float) -> None:
        lines = [json.loads(line) for line in self.ledger.read_text().splitlines()]
        told: dict[str, list[int]] = {}
        names: Counter[str] = Counter()
        for line in lines:
            if line["do"] == "fold":
                continue
            revisions = [int(revision) for revision in line["told"]]
            if line["do"] == "post":
                names[line["nonce"]] += 1
                if names[line["nonce"]] > 1:
                    continue  # the platform knows it
            before = told.setdefault(line["match"], [])
            self.tally.told_again += len(set(before) & set(revisions))
            self.tally.out_of_order += bool(before) and max(revisions) < max(before)
            before += revisions
        self.tally.sent_again += sum(count - 1 for count in names.values())
        for code, revision in self.found.items():
            self.tally.revisions += revision
            self.tally.unannounced += len(set(range(1, revision + 1)) - set(told.get(code, ())))
        for code in self.timed_codes:
            self.tally.unannounced += not {1, 2} <= set(told.get(code, ()))
            self.tally.unannounced += not max(told.get(code, (0,))) > 2


def places() -> Iterator[str]:
    """The points, by turns, without end."""
    while True:
        yield from (*POINTS, ANYWHERE)


def code_of(request: str) -> str:
    """The code of the match that a request makes."""
    return derived(request, 0)
