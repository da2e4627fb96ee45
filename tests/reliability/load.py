"""People who play at random at a table and ask again until they are answered, and what they know of their matches then."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
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

PLATFORM: Final = "toy"
GAMES_PLAYED: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("lgame", {}),
    ("breakthrough", {"board": "5x6"}),
    ("klopodavka", {"board": "8x8"}),
)
PLIES: Final = 30
"""A match goes on for so many plies at most, and then the next one begins."""


def person(name: str) -> Player:
    return Player(Account(PLATFORM, name), name)


ANN, BOB = person("ann"), person("bob")


@dataclass
class CallTally:
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

    def __str__(self) -> str:
        return (
            f"{self.asked} operations, {self.moves} confirmed moves: {self.lost} lost, {self.doubled} doubled,"
            f" {self.untold} untold, {self.told_twice} told twice; {self.unavailable} told to ask again, longest call"
            f" {self.longest:.2f} s"
        )

    def check(self) -> None:
        """Fail if something was lost, doubled, untold or told twice."""
        assert self.lost == self.doubled == self.untold == self.told_twice == 0


@dataclass
class Known:
    """A match as its players know it: everything in it was confirmed."""

    id: str
    game: str
    position: Position[Any]
    log: list[str] = field(default_factory=list)
    revision: int = 0


class Pair:
    """Two who play one match after another, and ask for one thing at a time; the name is part of every operation's name."""

    people: Sequence[Player] = (ANN, BOB)

    def __init__(self, table: Table, name: str, tally: CallTally) -> None:
        self._table, self._name, self._tally = table, name, tally
        self._luck = random.Random(name)
        self._count = 0
        self.place = Address(PLATFORM, f"hall-{name}")
        self.played: list[Known] = []

    async def play(self, more: Callable[[], bool]) -> None:
        """Play for as long as `more` says so."""
        while more():
            await self._match(await self._begun(), more)

    async def _begun(self) -> Known:
        key, chosen = self._luck.choice(GAMES_PLAYED)
        game, (ann, bob) = GAMES[key], self.people
        opening = Challenge(self.place, key, chosen, opponents=(bob,))
        made = await self._asked(ann, lambda request: self._table.open(opening, request))
        known = Known(made.match.id, key, game.start(game.choose(chosen)), revision=1)
        self.played.append(known)
        await self._asked(bob, lambda request: self._table.act(known.id, Join(), request))
        known.revision += 1
        return known

    async def _match(self, known: Known, more: Callable[[], bool]) -> None:
        while more() and known.position.outcome is None and len(known.log) < PLIES:
            move = self._luck.choice(known.position.legal_moves())
            text = GAMES[known.game].notation.format(move)
            await self._move(known, int(known.position.to_move), text)
            known.log.append(text)
            known.position = known.position.play(move)
            known.revision += 1

    async def _move(self, known: Known, seat: int, text: str) -> None:
        await self._asked(
            self.people[seat], lambda request: self._table.act(known.id, MakeMove(text), request)
        )

    async def _asked(self, who: Player, request: Callable[[Request], Awaitable[Fact]]) -> Fact:
        self._count += 1
        self._tally.asked += 1
        asked = Request(who, datetime.now(UTC), operation=Operation(f"{self._name}.{self._count}", ""))
        while True:
            try:
                return await request(asked)
            except Unavailable:
                self._tally.unavailable += 1


class Watch:
    """A store, or a part of one, of which every call is timed."""

    def __init__(self, store: object, tally: CallTally) -> None:
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


@asynccontextmanager
async def playing(store: RedisStore, name: str, many: int, tally: CallTally) -> AsyncIterator[list[Pair]]:
    """So many pairs, who play until the context ends."""
    going = True
    pairs = [Pair(table_on(Watch(store, tally)), f"{name}{number}", tally) for number in range(many)]
    play = asyncio.gather(*(pair.play(lambda: going) for pair in pairs))
    try:
        yield pairs
        going = False
        await play
    finally:
        play.cancel()


async def check(store: RedisStore, pairs: Sequence[Pair], tally: CallTally) -> None:
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


def compare(match: Match, known: Known, tally: CallTally) -> None:
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
