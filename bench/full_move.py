"""A whole `/move` beside its bare Redis round trips.

Whole: what the local room does with a line. The desk parses, finds the match, checks and commits; the sender reads the
fact from the outgoing stream, and the courier has it presented and the board drawn as text. When the line is done, all of
it is printed, into a list, and the stream is empty. The room drains the stream itself, which is all that its teller does
once the bot has run for some seconds; before that the teller also looks for what a killed bot left behind.
Bare: the same commands, as many and as long, on keys of their own, on the same server, which is the embedded one as the
bot runs it. They are said through redis-py's own commands, while the store has its pipeline, which costs less.
On a dict: whole, but on the store of the tests, which encodes and keeps.

Every match has a room of its own: a new one, or one with as many finished matches as a room is remembered with. An
evening is played twice: once to write down what the store says to Redis, once to measure. There each line is followed,
or preceded, by its bare trips.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from redis.asyncio import Redis

from bench.measure import Budget, Goal, Row, Series
from bench.playouts import PLAYERS, Playout, logged, playouts
from bench.trips import ELSEWHERE, Echo, Overheard, Trip
from bot.chat.sending import Sender
from bot.chat.sending.composer import NextTurnNotices
from bot.chat.view import Message
from bot.platforms.console.integration import place
from bot.platforms.console.rendering import RoomCourier
from bot.platforms.console.room import Room, Screen
from play.facts import Imported
from play.match import Closing, Match, Phase, Result
from play.people import Player
from play.ports import derived
from play.table import Table
from rules import GAMES
from rules.breakthrough import GAME as BREAKTHROUGH
from rules.core import AnyGame, Seat
from rules.klopodavka import GAME as KLOPODAVKA
from rules.lgame import GAME as LGAME
from storage import EmbeddedRedis, FullStore, RedisStore
from storage.client.connecting import by_socket
from storage.client.connection import Script
from storage.keys import PREFIX
from storage.ports import Outgoing
from storage.redis.lists import OVER_KEPT
from storage.redis.streams import RedisOutgoing
from tests.support.memory import MemoryStore
from tests.support.services import services

WHOLE: Final = Goal(below=3)

GAMES_PLAYED: Final[Sequence[tuple[AnyGame, Mapping[str, str]]]] = (
    (LGAME, {}),
    (BREAKTHROUGH, {"board": "8x8"}),
    (KLOPODAVKA, {"board": "10x10", "actions": "3", "first": "auto"}),
)
ROOMS: Final[Mapping[str, int]] = {"new room": 0, f"{OVER_KEPT} finished here": OVER_KEPT}
"""How many finished matches a room has."""

_LONGEST: Final = 120
"""Plies of a match at most: an L-game played at random need not end."""
_FINISHED: Final = 60
"""Plies of a finished match."""

_LANGUAGE: Final = "en"
_LEASE: Final = 3600.0  # seconds: the trips are repeated later, and no lease may end between
_COMMIT: Final = Script("commit")


@dataclass(frozen=True, slots=True)
class Line:
    """A typed line, its room, and whether it is a move."""

    who: Player
    where: str
    text: str
    is_move: bool = False


@dataclass(frozen=True, slots=True)
class Evening:
    """The matches that are over when it begins, and all that is typed then."""

    over: Sequence[Match]
    lines: Sequence[Line]


class Codes:
    """Luck that gives the same codes in every run."""

    def __init__(self) -> None:
        self._drawn = 0

    def code(self) -> str:
        """The next one."""
        self._drawn += 1
        return derived("bench2", self._drawn)

    def shuffled(self, count: int) -> Sequence[int]:
        """Not shuffled at all: nothing here asks for it."""
        return range(count)


class Tables:
    """Rooms on some store as the bot has them, one line heard at a time."""

    def __init__(self, store: FullStore, outgoing: Outgoing) -> None:
        self._store = store
        table = Table(store, GAMES, Codes())
        shared = services(table, store, lambda: datetime.now(UTC), language=_LANGUAGE)
        self._desk = shared.desk
        self._rooms: dict[str, Room] = {}
        self._heard: Room | None = None
        self._printed: list[str] = []
        self._sender = Sender(
            outgoing,
            store.bucket(),
            shared.composer,
            [RoomCourier(place(""), self._show)],  # all players are in the rooms
            now=store.now,
            also=[NextTurnNotices(table, store)],
        )

    async def begin(self, over: Sequence[Match]) -> None:
        """Store the matches that are over already; random moves are played without a question."""
        for player in PLAYERS:
            await self._store.settings.change(player.account, lambda now: replace(now, warnings=False))
        for match in over:
            await self._store.matches.commit(Imported(match), 0, announce=False)

    async def answer(self, line: Line) -> Sequence[str]:
        """All that is printed after a line."""
        room = self._rooms.get(line.where)
        if room is None:
            room = self._rooms[line.where] = self._open(line)
        self._heard = room
        self._printed.clear()
        await room.answer(f"{line.who.name}: {line.text}")
        await self._sender.drain()
        return tuple(self._printed)

    async def close(self) -> None:
        """Stop telling."""
        await self._sender.close()

    def _open(self, line: Line) -> Room:
        return Room(
            self._desk,
            self._store,
            name=line.where,
            speaker=line.who,
            language=_LANGUAGE,
            screen=Screen(self._printed.append, "emoji"),
        )

    async def _show(self, messages: Sequence[Message]) -> None:
        """Everything is told before the next line is heard, so it is for the room that heard the last one."""
        if self._heard is not None:
            await self._heard.show(messages)


def rows(budget: Budget) -> Sequence[Row]:
    """For each game and kind of room: the whole move, and what it is without Redis."""
    return [
        row
        for game, chosen in GAMES_PLAYED
        for room, over in ROOMS.items()
        for row in asyncio.run(_measured(f"{game.key}, {room}", _evening(game, chosen, over, budget)))
    ]


def _evening(game: AnyGame, chosen: Mapping[str, str], over: int, budget: Budget) -> Evening:
    options = "".join(f" {key}:{text}" for key, text in chosen.items())
    anna, boris = PLAYERS
    finished, typed = [], []
    old = list(islice(playouts(game, chosen, most=_FINISHED), over))
    for room, played in enumerate(islice(playouts(game, chosen, most=_LONGEST), budget.matches)):
        where = f"room{room}"
        for count, match in enumerate(old):
            finished.append(_over(logged(match, derived(where, count), where)))
        typed.append(Line(anna, where, f"/challenge boris {game.key}{options}"))
        typed.append(Line(boris, where, "/accept"))
        typed += _moves(played, where)
    return Evening(finished, typed)


def _over(match: Match) -> Match:
    return replace(match, phase=Phase.OVER, result=Result((Seat.S1,), Closing.RESIGNED.value))


def _moves(played: Playout, where: str) -> list[Line]:
    turns: list[tuple[Seat, list[str]]] = []
    for position, move in zip(played.positions, played.moves, strict=True):
        if position.plies_left == position.turn_length:
            turns.append((position.to_move, []))
        turns[-1][1].append(played.game.notation.format(move))
    return [Line(PLAYERS[seat], where, f"/move {' '.join(texts)}", is_move=True) for seat, texts in turns]


async def _measured(name: str, evening: Evening) -> list[Row]:
    with TemporaryDirectory(prefix="klop-bench-") as directory:
        async with EmbeddedRedis(Path(directory)) as server:
            client = by_socket(server.socket)
            try:
                begun, written = await _overheard(client, evening)
                await client.flushall()
                echo = Echo(client)
                await echo.say(begun)
                whole, bare, unstored = await _timed(client, echo, evening, written)
                await _check_same_work(client)
            finally:
                await client.aclose()
    most = max(len(trips) for line, trips in zip(evening.lines, written, strict=True) if line.is_move)
    peer = Series(f"{most} bare trips", bare)
    return [
        Row(name, "move", Series("whole", whole), peer, cost=True, rate=False, goal=WHOLE),
        Row(name, "move", Series("on a dict", unstored), peer, cost=True, rate=False),
    ]


async def _overheard(client: Redis, evening: Evening) -> tuple[Sequence[Trip], Sequence[Sequence[Trip]]]:
    """The trips with which an evening begins and those that each line makes, all on keys elsewhere.

    Raises:
        ValueError: a move was not played.
    """
    store = RedisStore(client)
    overheard = Overheard.of(store)
    tables = Tables(store, RedisOutgoing(store.connection, _LEASE))
    await tables.begin(evening.over)
    begun = overheard.take()
    written = []
    for line in evening.lines:
        shown = await tables.answer(line)
        trips = overheard.take()
        if not any(command.runs(_COMMIT) for trip in trips for command in trip) or not shown:
            raise ValueError(f"{line.text} changed or showed nothing: {shown}")
        written.append(trips)
    await tables.close()
    return begun, written


async def _timed(
    client: Redis, echo: Echo, evening: Evening, written: Sequence[Sequence[Trip]]
) -> tuple[tuple[float, ...], ...]:
    store, memory = RedisStore(client), MemoryStore()
    stored = Tables(store, RedisOutgoing(store.connection, _LEASE))
    unstored = Tables(memory, memory.outgoing())
    await stored.begin(evening.over)
    await unstored.begin(evening.over)
    taken: tuple[list[float], ...] = ([], [], [])
    gc.collect()
    gc.freeze()  # a bot has no evening laid out beforehand that its collector would have to look through
    for turn, (line, trips) in enumerate(zip(evening.lines, written, strict=True)):
        ways: Sequence[Callable[[], Awaitable[object]]] = (
            partial(stored.answer, line),
            partial(echo.say, trips),
            partial(unstored.answer, line),
        )
        for step in range(len(ways)):
            at = (turn + step) % len(ways)
            began = time.perf_counter()
            await ways[at]()
            seconds = time.perf_counter() - began
            if line.is_move:
                taken[at].append(seconds)
    gc.unfreeze()
    await stored.close()
    await unstored.close()
    return tuple(map(tuple, taken))


async def _check_same_work(client: Redis) -> None:
    """Make sure that the bare trips wrote and told what the whole moves did.

    Raises:
        ValueError: a match is missing, has another revision, or was shown otherwise; or a stream is not empty.
    """
    found = []
    for prefix in (PREFIX, ELSEWHERE):
        # A record begins with a byte for its format and eight for the revision.
        revisions = [
            (name, await client.getrange(key, 0, 8)) for name, key in await _named(client, prefix, "match:*")
        ]
        shown = [(name, await client.hgetall(key)) for name, key in await _named(client, prefix, "shown:*")]
        untold = [(name, await client.xlen(key)) for name, key in await _named(client, prefix, "out")]
        found.append((revisions, shown, untold))
    revisions, shown, untold = found[0]
    if found[0] != found[1] or not revisions or not shown or any(count for _, count in untold):
        raise ValueError("the bare trips did not do what the moves did")


async def _named(client: Redis, prefix: str, rest: str) -> Sequence[tuple[bytes, bytes]]:
    return sorted([(key.split(b":", 1)[1], key) async for key in client.scan_iter(f"{prefix}:{{*}}:{rest}")])
