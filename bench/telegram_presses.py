"""How soon people on Telegram are answered: a tap in each of ten groups, one after the other, and five quick taps in each.

The bot runs as its own process with its embedded server, and speaks to a Bot API on this machine, which is in this process.
Every press is a sample: the wait for its acknowledgement and for the new keys, and the time from the first of five taps until
the keys show the last; beside them stands what is wanted of 99 of 100. The processor time of the bot is taken over ten taps,
and over ten typed moves, one after the other.

A move alone is seen from outside: the bot and its children, the store among them, rest before it and after it, until the old board is
folded, and what they take in as long a time without moves is taken off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.measure import Budget, Row
from bench.presses import (
    ACKNOWLEDGED,
    FIVE_TAPS,
    NEW_KEYS,
    PAUSE,
    SPENT,
    SPENT_ALONE,
    SPENT_BY_CHILDREN,
    SPENT_ON_MOVE,
    SPENT_ON_TAP,
    SQUARES,
    WANTED,
    compared,
    spent,
    spent_in_all,
    worked,
)
from rules import GAMES
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi, Json, Room, keys, words

GROUPS: Final = 10
QUIET: Final = 2.2  # seconds after which a chat takes two edits at once again
ALONE_GROUPS: Final = 5
ALONE: Final = 4.0  # seconds for a move alone, and all that follows it
IDLE: Final = 12.0  # seconds that are looked at for what is done without moves
BETWEEN: Final = 0.1  # seconds between taps, so that the limit of all requests holds up none
GAME: Final = "breakthrough 4x5"
PLAYED: Final = "breakthrough"
"""In whose matches moves are typed: on the usual board."""


class _Match:
    """A match in a group of its own, in which Ann is on turn."""

    def __init__(self, api: BotApi, number: int) -> None:
        self._api = api
        self._position: Any = GAMES[PLAYED].start(GAMES[PLAYED].choose({}))
        self.ann, self.bob = (api.human(f"{name}{number}") for name in ("Ann", "Bob"))
        self.room: Room = api.group(-1_000 - number, f"Group {number}", self.ann, self.bob)

    @property
    def board(self) -> Json:
        return next(m for m in reversed(self._api.shown(self.room)) if "#" in words(m))

    async def begin(self, game: str) -> None:
        self._api.say(self.ann, self.room, f"/challenge {self.bob.user} {game}")
        await self._api.until(lambda: bool(self._api.shown(self.room)))
        data = next(key["callback_data"] for key in keys(self.board) if "callback_data" in key)
        self._api.press(self.bob, self.board, data)
        await self._api.until(lambda: "Turn: Ann" in words(self.board))

    async def move(self) -> None:
        move = self._position.legal_moves()[0]
        mover, next_one = (self.ann, self.bob)[:: 1 if self._position.to_move == 0 else -1]
        self._position = self._position.play(move)
        self._api.say(mover, self.room, f"/move {GAMES[PLAYED].notation.format(move)}")
        await self._api.until(lambda: f"Turn: {next_one.first}" in words(self.board))

    async def begin_picking(self) -> None:
        move = next(data for key in keys(self.board) if (data := key["callback_data"]).startswith("1mo:"))
        self._api.press(self.ann, self.board, move)
        await self._api.until(
            lambda: any(key["callback_data"].startswith("1sp:") for key in keys(self.board))
        )

    def tap(self, square: str) -> str:
        step = next(data for key in keys(self.board) if (data := key["callback_data"]).startswith("1sp:"))
        code, seen = step.split(":")[1:3]
        return self._api.press(self.ann, self.board, f"1sp:{code}:{seen}:{square}")

    def picked(self, square: str) -> bool:
        return any(f":{square}/" in key["callback_data"] for key in keys(self.board))


def rows(budget: Budget) -> Sequence[Row]:
    """The taps."""
    return asyncio.run(_rows(budget))


async def _rows(budget: Budget) -> Sequence[Row]:
    taken: dict[str, list[float]] = {what: [] for what in WANTED}
    works: dict[str, list[float]] = {what: [] for what in SPENT}
    api = BotApi()
    with TemporaryDirectory() as directory:
        async with api.serving(), running(api, Path(directory) / "data", KLOP_LOG="error") as bot:
            pid = bot.process.pid if bot.process else 0
            played = [_Match(api, GROUPS + number) for number in range(GROUPS)]
            for match in played:
                await match.begin(PLAYED)
            for _ in range(budget.rounds):
                await asyncio.sleep(QUIET)
                before = spent(pid)
                for match in played:
                    await match.move()
                works[SPENT_ON_MOVE].append((spent(pid) - before) / GROUPS)
            for bot_alone, children in await _alone(pid, played[:ALONE_GROUPS], max(2, budget.rounds // 3)):
                works[SPENT_ALONE].append(bot_alone)
                works[SPENT_BY_CHILDREN].append(children)
            matches = [_Match(api, number) for number in range(GROUPS)]
            for match in matches:
                await match.begin(GAME)
                await match.begin_picking()
            for number in range(budget.rounds):
                await asyncio.sleep(QUIET)
                before = spent(pid)
                for match in matches:
                    acknowledged, shown = await _once(api, match, SQUARES[number % 2])
                    taken[ACKNOWLEDGED].append(acknowledged)
                    taken[NEW_KEYS].append(shown)
                    await asyncio.sleep(BETWEEN)
                works[SPENT_ON_TAP].append((spent(pid) - before) / GROUPS)
                await asyncio.sleep(QUIET)
                for match in matches:
                    taken[FIVE_TAPS].append(await _quickly(api, match))
    return [*compared(taken), *worked(works)]


async def _alone(pid: int, matches: Sequence[_Match], rounds: int) -> list[tuple[float, float]]:
    """Return what the bot, and its children, work for a move in each of some matches, with a rest after each: the mean of a round."""
    await asyncio.sleep(ALONE)
    before = spent_in_all(pid)
    await asyncio.sleep(IDLE)
    idle = [(now - then) / IDLE for now, then in zip(spent_in_all(pid), before, strict=True)]
    found = []
    for _ in range(rounds):
        clock = asyncio.get_running_loop().time
        began, before = clock(), spent_in_all(pid)
        for match in matches:
            await match.move()
            await asyncio.sleep(ALONE)
        took, after = clock() - began, spent_in_all(pid)
        bot, children = (
            max(0.0, now - then - each * took) / len(matches)
            for now, then, each in zip(after, before, idle, strict=True)
        )
        found.append((bot, children))
    return found


async def _once(api: BotApi, match: _Match, square: str) -> tuple[float, float]:
    clock = asyncio.get_running_loop().time
    began = clock()
    query = match.tap(square)
    await api.until(lambda: query in api.answered)
    acknowledged = clock() - began
    await api.until(lambda: match.picked(square))
    return acknowledged, clock() - began


async def _quickly(api: BotApi, match: _Match) -> float:
    began = asyncio.get_running_loop().time()
    for square in SQUARES:
        match.tap(square)
        await asyncio.sleep(PAUSE)
    await api.until(lambda: match.picked(SQUARES[-1]))
    return asyncio.get_running_loop().time() - began
