"""What so many daily players cost: `python -m bench.capacity --players 1000 10000 --moves 500 --day 300`.

The bot runs as its own process, on an embedded server of its own, and speaks to a Telegram or a Discord on this machine, which is in
this process. The store has the open matches of all players, each in a group of its own. Then a part of a day's moves is typed: a player
makes ten a day, and the day is compressed. Its busiest time is five times as busy as its mean; the times are drawn from that curve.

Processor time is that of the bot's process and of the server's; what the platform and the players here take does not count. The lag is
from the typed move to the new board. A compressed day is busier than a real one: how many players would be as busy is printed too.
Afterwards finished matches are put into the store and moved into the archive.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import cos, pi
from pathlib import Path
from random import Random
from statistics import mean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

from bench.capacity_platforms import PLATFORMS, Platform
from bench.measure import Budget, Goal, Row, Series
from bench.playouts import Playout, logged, playouts
from bench.presses import spent
from play.facts import Imported
from play.match import Chair, Closing, Match, Phase, Result
from play.people import Account, Address, Player
from play.time.clock import Now
from play.time.timers import timers
from rules import GAMES
from rules.core import Seat
from storage import EmbeddedRedis, RedisStore
from storage.archive import Archive
from storage.client.connecting import by_socket
from storage.keys import match_key
from storage.maintenance.retention import AFTER, sweep

MOVES_A_DAY: Final = 10  # of a player
OPEN: Final = 2.3  # matches a player
PEAK: Final = 5  # times the mean
DAY: Final = 86_400  # seconds
PAPER: Final = 0.010  # seconds of processor time a move, as estimated
PLIES: Final = 60  # of a finished match

_BOARDS: Final[Mapping[str, Mapping[str, str]]] = {
    "lgame": {},
    "breakthrough": {"board": "8x8"},
    "klopodavka": {"board": "10x10"},
}
_A_GROUP: Final = 20  # finished matches of a group
_PLAYED: Final = 60  # games that the matches are cut from
_TOGETHER: Final = 64  # commits at once
_PATIENCE: Final = 120.0  # seconds for a board, and for the server while the store is filled
_SETTLING: Final = 2.0  # seconds after the start
_IDLE: Final = 8.0  # seconds without moves, for what the bot does all the time


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated.

    Attributes:
        players: Who play in a day.
        moves: How many of the day's moves are made, evenly chosen.
        day: Seconds that the day takes.
        finished: Matches that are archived.
        platform: The name of one of `PLATFORMS`.
    """

    players: int
    moves: int
    day: float
    finished: int
    platform: str = "telegram"


@dataclass(slots=True)
class Seen:
    """What was measured.

    Attributes:
        empty, filled: Bytes that the server uses before and after the open matches.
        idle: Seconds of processor time in a second without moves: of the bot, and of the server.
        bot, server: Seconds of processor time a move beyond that, of each part of the day.
        lags: Seconds from a typed move to its board.
        asked: Messages, edits and answers that the bot asked the platform for.
        late: Moves without a board in time.
        archived: Bytes of Redis that the record of a finished match takes, and then its head; bytes of the archive.
        sweeping: Seconds of processor time that moving a match took.
    """

    empty: int = 0
    filled: int = 0
    idle: tuple[float, float] = (0.0, 0.0)
    bot: list[float] = field(default_factory=list)
    server: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    asked: tuple[int, int, int] = (0, 0, 0)
    late: int = 0
    archived: tuple[float, float, float] = (0.0, 0.0, 0.0)
    sweeping: float = 0.0


@dataclass(slots=True)
class _Match:
    """A match in its group, the turns that are still to be typed, and how many plies it has then."""

    id: str
    where: Address
    people: Sequence[Account]
    turns: list[tuple[Seat, list[str]]]
    plies: int


class Simulation:
    """A bot, its server, and people."""

    def __init__(self, plan: Plan, platform: Platform, store: RedisStore, server: int) -> None:
        self._plan = plan
        self._platform = platform
        self._store = store
        self._server = server
        self._random = Random(1)
        self._matches: list[_Match] = []
        self.seen = Seen()

    async def fill(self) -> None:
        """Store the open matches."""
        self.seen.empty = await self._memory()
        people = [self._platform.person(number) for number in range(self._plan.players)]
        wanted = max(1, round(OPEN * self._plan.players))
        games = _games(_PLAYED)
        await _together(
            self._open(number, self._random.sample(people, 2), games[number % len(games)])
            for number in range(wanted)
        )
        settings = self._store.settings
        await _together(settings.change(who, lambda now: replace(now, warnings=False)) for who in people)
        self.seen.filled = await self._memory()

    async def _open(self, number: int, people: Sequence[Account], game: Playout) -> None:
        where = self._platform.group(people)
        typed = turns(game)
        done = self._random.randrange(max(1, len(typed) // 2))
        plies = sum(len(texts) for _, texts in typed[:done])
        begun = Playout(game.game, game.chosen, game.moves[:plies], game.positions[:plies])
        match = _seated(logged(begun, f"c{number:05x}"), people, where)
        now = await self._store.now()
        match = replace(match, opened=now - timedelta(days=1), touched=now, expires=now)
        await self._store.matches.commit(
            Imported(match), 0, timers=timers(match, Now(now, ())), announce=False
        )
        self._matches.append(_Match(match.id, where, people, typed[done:], plies))

    async def drive(self, bot: int, parts: int) -> None:
        """Type the moves of a day, compressed, in some parts that are measured one by one."""
        self._random.shuffle(self._matches)
        moments = arrivals(self._plan.moves, self._plan.day, self._random)
        size = -(-len(moments) // parts)
        await asyncio.sleep(_SETTLING)
        began, before = time.monotonic(), self._spent(bot)
        await asyncio.sleep(_IDLE)
        length = time.monotonic() - began
        self.seen.idle = (
            (self._spent(bot)[0] - before[0]) / length,
            (self._spent(bot)[1] - before[1]) / length,
        )
        began = time.monotonic()
        self._platform.clear()
        for first in range(0, len(moments), size):
            piece = moments[first : first + size]
            typed, before, since = [], self._spent(bot), time.monotonic()
            for at in piece:
                await asyncio.sleep(max(0.0, began + at - time.monotonic()))
                typed.append(asyncio.create_task(self._type()))
            await asyncio.gather(*typed)
            after, length = self._spent(bot), time.monotonic() - since
            for one, series in enumerate((self.seen.bot, self.seen.server)):
                busy = after[one] - before[one] - self.seen.idle[one] * length
                series.append(max(0.001, busy) / len(piece))
        asked = self._platform
        self.seen.asked = asked.messages, asked.edits, asked.answers
        for match in self._matches[: len(moments)]:  # those that were typed in last come first
            there = (await self._store.matches.load(match.id)).match
            if len(there.log) != match.plies:
                raise ValueError(f"{len(there.log)} plies of {match.plies} in match {match.id}")

    def _spent(self, bot: int) -> tuple[float, float]:
        return spent(bot), spent(self._server)

    async def _type(self) -> None:
        while not self._matches[-1].turns:
            self._matches.pop()
        match = self._matches.pop()
        seat, texts = match.turns.pop(0)
        match.plies += len(texts)
        lag = await self._platform.type(match.people[seat], match.where, " ".join(texts))
        if lag is None:
            self.seen.late += 1
        else:
            self.seen.lags.append(lag)
        self._matches.insert(0, match)

    async def finish(self, archive: Archive) -> None:
        """Store finished matches of a month ago, and move them into the archive."""
        games, now = _games(12, PLIES), await self._store.now()
        platform = self._platform
        people = [platform.person(number) for number in range(max(2, self._plan.finished // 10))]
        groups = [platform.group(()) for _ in range(0, self._plan.finished, _A_GROUP)]
        ended = now - AFTER - timedelta(hours=1)
        matches = self._store.matches

        def over(number: int) -> Match:
            match = logged(games[number % len(games)], f"f{number:05x}")
            match = _seated(match, self._random.sample(people, 2), groups[number // _A_GROUP])
            log = tuple(replace(entry, at=ended) for entry in match.log)
            result = Result((Seat.S1,), Closing.RESIGNED.value)
            return replace(match, log=log, opened=ended, phase=Phase.OVER, result=result)

        await _together(
            matches.commit(Imported(over(number)), 0, announce=False) for number in range(self._plan.finished)
        )
        keys = [match_key(f"f{number:05x}") for number in range(min(200, self._plan.finished))]
        whole, worked = await self._usage(keys), time.process_time()
        moved = await sweep(self._store, now, _no_pause)
        if moved != self._plan.finished:
            raise ValueError(f"{moved} of {self._plan.finished} archived")
        self.seen.sweeping = (time.process_time() - worked) / moved
        size = archive.file.stat().st_size
        self.seen.archived = (whole, await self._usage(keys), size / moved)

    async def _usage(self, keys: Sequence[str]) -> float:
        """Return how many bytes a key takes with its value, on average."""
        return float(mean(await self._store.connection.batch([("MEMORY", "USAGE", key) for key in keys])))

    async def _memory(self) -> int:
        info = (await self._store.connection.command("INFO", "memory")).decode()
        return int(info.partition("used_memory:")[2].split()[0])


async def _together(calls: Iterable[Awaitable[object]]) -> None:
    left = iter(calls)
    while some := list(islice(left, _TOGETHER)):
        await asyncio.gather(*some)


async def _no_pause(_seconds: float) -> None:
    """Make no pause: the sweep is timed."""


def _games(count: int, most: int = 120) -> Sequence[Playout]:
    kinds = [islice(playouts(GAMES[name], chosen, most=most), count // 3) for name, chosen in _BOARDS.items()]
    return [played for kind in kinds for played in kind]


def turns(played: Playout) -> list[tuple[Seat, list[str]]]:
    """Return who types what in each whole turn."""
    found: list[tuple[Seat, list[str]]] = []
    for position, move in zip(played.positions, played.moves, strict=True):
        if position.plies_left == position.turn_length:
            found.append((position.to_move, []))
        found[-1][1].append(played.game.notation.format(move))
    return found[:-1]


def _seated(match: Match, people: Sequence[Account], where: Address) -> Match:
    players = [Player(who, f"p{who.uid}") for who in people]
    return replace(match, chairs=tuple(map(Chair, players)), host=players[0], addresses=(where,))


def arrivals(count: int, day: float, random: Random) -> Sequence[float]:
    """Return when moves are made: busiest in the evening, five times as busy as on average."""
    minutes = range(1440)
    weights = [((1 + cos(2 * pi * (minute - 1200) / 1440)) / 2) ** 8 for minute in minutes]
    chosen = random.choices(minutes, weights, k=count)
    return sorted((minute + random.random()) / 1440 * day for minute in chosen)


async def simulate(plan: Plan, parts: int = 5) -> Seen:
    """Return what a plan costs."""
    platform = PLATFORMS[plan.platform]()
    with TemporaryDirectory(prefix="klop-capacity-") as directory:
        folder = Path(directory)
        async with EmbeddedRedis(folder / "server") as server:
            client = by_socket(server.socket, timeout=_PATIENCE)
            archive = Archive(folder / "archive")
            store = RedisStore(client, _PATIENCE, archive=archive)
            simulation = Simulation(plan, platform, store, server.pid or 0)
            await simulation.fill()
            settings = {"REDIS_URL": f"unix://{server.socket}", "KLOP_LOG": "error"}
            async with platform.running(folder / "bot", settings) as bot:
                await simulation.drive(bot, parts)
            await simulation.finish(archive)
            archive.close()
            await client.aclose()
    return simulation.seen


def rows(budget: Budget) -> Sequence[Row]:
    """The processor time of a move beside the estimate, and what an archived match leaves in Redis."""
    plan = Plan(40, 30, 3.0, 200) if budget.rounds < 5 else Plan(1000, 500, 120.0, 1000)
    seen = asyncio.run(simulate(plan, budget.rounds))
    whole, head, _ = seen.archived
    moves = Series("worked", tuple(seen.bot))
    paper = Series("on paper", (PAPER,) * len(seen.bot))
    name = f"{plan.players} daily players"
    return [
        Row(name, "move", moves, paper, cost=True, rate=False, goal=Goal(below=2)),
        Row(
            "an archived match in Redis",
            "match",
            Series("head", (head,)),
            Series("whole", (whole,)),
            cost=True,
            size=True,
        ),
    ]


def _report(plan: Plan, seen: Seen) -> str:
    bot, server = median(seen.bot), median(seen.server)
    lags = sorted(seen.lags)
    p99 = quantiles(lags, n=100, method="inclusive")[98] if len(lags) > 1 else lags[0]
    rate = PEAK * plan.players * MOVES_A_DAY / DAY
    shown, edited, answers = (count / plan.moves for count in seen.asked)
    opened = round(OPEN * plan.players)
    busy = plan.moves * DAY / plan.day / MOVES_A_DAY
    whole, head, stored = seen.archived
    filled = seen.filled - seen.empty
    lines = (
        f"{plan.players} daily players, {plan.platform}: {plan.moves} moves in {plan.day:g} s, as busy as {busy:.0f} of them",
        f"processor time a move: bot {bot * 1e3:.1f} ms, server {server * 1e3:.2f} ms",
        f"without moves: bot {seen.idle[0]:.1%} of a core, server {seen.idle[1]:.1%}",
        f"cores at the peak ({rate:.2g} moves/s): bot {rate * bot:.2g}, server {rate * server:.2g}",
        f"Redis: {opened} open matches, {filled / 1e6:.1f} MB, {filled / opened:.0f} B each",
        f"a move: {shown:.2f} messages, {edited:.2f} edits, {answers:.2f} answers",
        f"messages and edits at the peak: {rate * (shown + edited):.2g} a second",
        f"lag: median {median(lags):.2f} s, p99 {p99:.2f} s, most {lags[-1]:.2f} s; {seen.late} without a board",
        f"a finished match: {whole:.0f} B of Redis; archived {head:.0f} B there, {stored:.0f} B of the archive",
        f"to move it: {seen.sweeping * 1e3:.2f} ms",
    )
    return "\n  ".join(lines)


def main() -> None:
    """Simulate one size after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench.capacity", description=__doc__)
    parser.add_argument("--players", type=int, nargs="+", default=[1000])
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--moves", type=int, help="how many of the day's moves are made; default: all")
    parser.add_argument("--day", type=float, default=600.0, help="seconds that the day takes")
    parser.add_argument(
        "--finished", type=int, help="matches that are archived; default: a week's, 2000 to 20000"
    )
    parser.add_argument("--quick", action="store_true", help="whether it runs, not how much it costs")
    chosen = parser.parse_args()
    for players in [40] if chosen.quick else chosen.players:
        everything = players * MOVES_A_DAY
        plan = Plan(
            players,
            30 if chosen.quick else min(everything, chosen.moves or everything),
            3.0 if chosen.quick else chosen.day,
            chosen.finished or min(20_000, max(100 if chosen.quick else 2_000, round(1.2 * players))),
            chosen.platform,
        )
        seen = asyncio.run(simulate(plan))
        load = " ".join(f"{each:.1f}" for each in os.getloadavg())
        sys.stdout.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load {load}\n{_report(plan, seen)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
