"""People who play at random and ask again until they are answered, and what they know of their matches then."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import Unavailable
from play.facts import Fact
from play.match import Match, Phase, Ply
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Operation, SystemChance
from play.request import Request
from play.table import Table
from rules import GAMES
from rules.core import Position
from storage.redis.store import RedisStore

NOON: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
GAMES_PLAYED: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("lgame", {}),
    ("breakthrough", {"board": "5x6"}),
    ("klopodavka", {"board": "8x8"}),
)
PLIES: Final = 30
"""A match goes on for so many plies at most, and then the next one begins."""


def person(name: str) -> Player:
    return Player(Account("toy", name), name)


ANN, BOB = person("ann"), person("bob")


@dataclass
class Tally:
    """What became of the operations.

    Attributes:
        asked: How many were asked for.
        unavailable: How often a person was asked to try again.
        longest: Seconds that the longest call took.
        lost: Plies that were confirmed and are not there.
        doubled: Plies and revisions that are there once more than was asked for.
    """

    asked: int = 0
    unavailable: int = 0
    longest: float = 0.0
    moves: int = 0
    lost: int = 0
    doubled: int = 0
    untold: int = 0
    told_twice: int = 0


@dataclass
class Known:
    """A match as its players know it: everything in it was confirmed."""

    id: str
    game: str
    position: Position[Any]
    log: list[str] = field(default_factory=list)
    revision: int = 0


class Pair:
    """Two who play one match after another, and ask for one thing at a time.

    Args:
        table: At which.
        name: Of the pair; part of every operation's name.
        tally: Where it is counted.
    """

    def __init__(self, table: Table, name: str, tally: Tally) -> None:
        self._table = table
        self._name = name
        self._luck = random.Random(name)
        self._tally = tally
        self._count = 0
        self.place = Address("toy", f"hall-{name}")
        self.played: list[Known] = []

    async def play(self, more: Callable[[], bool]) -> None:
        """Play for as long as `more` says so."""
        while more():
            known = await self._begun()
            while more() and known.position.outcome is None and len(known.log) < PLIES:
                await self._ply(known)

    async def _begun(self) -> Known:
        key, chosen = self._luck.choice(GAMES_PLAYED)
        game = GAMES[key]
        made = await self._asked(
            lambda at, operation: self._table.open(
                Challenge(self.place, key, chosen, opponents=(BOB,)), Request(ANN, at, operation=operation)
            )
        )
        known = Known(made.match.id, key, game.start(game.choose(chosen)), revision=1)
        self.played.append(known)
        await self._asked(
            lambda at, operation: self._table.act(known.id, Join(), Request(BOB, at, operation=operation))
        )
        known.revision += 1
        return known

    async def _ply(self, known: Known) -> None:
        move = self._luck.choice(known.position.legal_moves())
        who = (ANN, BOB)[known.position.to_move]
        text = GAMES[known.game].notation.format(move)
        await self._asked(
            lambda at, operation: self._table.act(
                known.id, MakeMove(text), Request(who, at, operation=operation)
            )
        )
        known.log.append(text)
        known.position = known.position.play(move)
        known.revision += 1

    async def _asked(self, request: Callable[[datetime, Operation], Awaitable[Fact]]) -> Fact:
        """The answer to a request that is repeated until there is one, as platforms do."""
        self._count += 1
        self._tally.asked += 1
        at = NOON + timedelta(seconds=self._count)
        operation = Operation(f"{self._name}.{self._count}", "")
        while True:
            try:
                return await request(at, operation)
            except Unavailable:
                self._tally.unavailable += 1


class Watch:
    """A store, or a part of one, of which every call is timed."""

    def __init__(self, store: object, tally: Tally) -> None:
        self._store = store
        self._tally = tally

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if not callable(method):
            return Watch(method, self._tally)

        async def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.monotonic()
            try:
                return await method(*args, **kwargs)
            finally:
                self._tally.longest = max(self._tally.longest, time.monotonic() - began)

        return timed


def table_on(store: Any) -> Table:
    """A table with every game."""
    return Table(store, GAMES, SystemChance())


async def check(store: RedisStore, pairs: list[Pair], tally: Tally) -> None:
    """Hold what is stored against what was confirmed, and what is to be told against both."""
    told = await told_of(store)
    for pair in pairs:
        for known in pair.played:
            match = (await store.matches.load(known.id)).match
            compare(match, known, tally)
            revisions = told.pop(known.id, [])
            tally.untold += len(set(range(1, match.revision + 1)) - set(revisions))
            tally.told_twice += len(revisions) - len(set(revisions))
            assert revisions == sorted(revisions), "in the order of the commits"
    assert not told, "matches without a request"


def compare(match: Match, known: Known, tally: Tally) -> None:
    """What of a match was lost or doubled."""
    log = [entry.text for entry in match.log if isinstance(entry, Ply)]
    tally.moves += len(known.log)
    tally.lost += (Counter(known.log) - Counter(log)).total()
    tally.doubled += (Counter(log) - Counter(known.log)).total() + max(0, match.revision - known.revision)
    assert log[: len(known.log)] == known.log[: len(log)], "in the order they were played"
    assert match.phase in (Phase.OPEN, Phase.PLAYING, Phase.OVER)


async def told_of(store: RedisStore) -> dict[str, list[int]]:
    """By match: the revisions that wait to be told, in order."""
    found: dict[str, list[int]] = {}
    outgoing = store.outgoing()
    while sent := await outgoing.read(500):
        for one in sent:
            found.setdefault(one.subject.id, []).append(one.subject.revision)
    await outgoing.close()
    return found
