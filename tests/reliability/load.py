"""People who play at random, among themselves and against an engine."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
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
from play.ports import Operation, SystemChance, derived
from play.request import Request
from play.table import Table
from rules import GAMES
from rules.core import Position, Seat
from storage.redis.store import RedisStore
from tests.reliability.chats import NAMES, Chat
from tests.reliability.played import AGAIN_AFTER, Played, Tally, Turn, turns_in
from tests.reliability.processes import BotProcess
from tests.support.waiting import eventually

# People who play at random and ask again until they are answered, and what they know of their matches then.


PLATFORM: Final = "toy"
NOON: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
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

    def __init__(self, table: Table, name: str, tally: CallTally) -> None:
        self._table = table
        self._name = name
        self._luck = random.Random(name)
        self._tally = tally
        self._count = 0
        self.place = Address(PLATFORM, f"hall-{name}")
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


async def check(store: RedisStore, pairs: list[Pair], tally: CallTally) -> None:
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


# What people type in a match, from its invitation to its last move: known beforehand.


PEOPLE: Final = ("ann", "bob")

Evening = Sequence[Mapping[str, str]]
"""The requests of one match in order, by their `id`, `who`, `place` and `text`."""


def evenings(name: str, seed: int, *, plies: int) -> Iterator[Evening]:
    """Matches without end; each at a place of its own."""
    luck = random.Random(seed)
    count = 0
    while True:
        count += 1
        yield _evening(f"{name}.{count}", luck, plies)


def _evening(name: str, luck: random.Random, plies: int) -> Evening:
    key, chosen = luck.choice(GAMES_PLAYED)
    words = " ".join(f"{option}:{value}" for option, value in chosen.items())
    game, code = GAMES[key], derived(f"{PLATFORM}:{name}.0", 0)
    said = [(0, f"/challenge bob {key} {words}"), (1, f"/accept #{code}")]
    position = game.start(game.choose(chosen))
    played = 0
    turn: list[str] = []
    while position.outcome is None and played < plies:
        seat: Seat = position.to_move
        move = luck.choice(position.legal_moves())
        turn.append(game.notation.format(move))
        position = position.play(move)
        if position.to_move != seat or position.outcome is not None or len(turn) == 3:
            said.append((int(seat), f"/move #{code} {' '.join(turn)}"))
            played += len(turn)
            turn.clear()
    return [
        {"id": f"{name}.{count}", "who": PEOPLE[seat], "place": f"hall-{name}", "text": text}
        for count, (seat, text) in enumerate(said)
    ]


# How matches go on in a chat: of two people, and against an engine.


AGAINST: Final = "engine:1 breakthrough board:4x5 side:first"


class AmongPeople(Played):
    """A match of two people who know what they will play; at times they play on before they see the answer."""

    def __init__(self, chat: Chat, tally: Tally, evening: Evening, luck: random.Random) -> None:
        super().__init__(chat, tally)
        invited, _, *moves = evening
        self._invitation = invited["text"].removeprefix("/challenge ").strip()
        self._moves = [
            (NAMES.index(each["who"].capitalize()), each["text"].split(" ", 2)[2]) for each in moves
        ]
        self._said = 0
        self._luck = luck
        self.turns = [(NAMES[who], moves) for who, moves in self._moves]

    async def go_on(self, bot: BotProcess, *, queues: bool) -> bool:
        """Say the next thing, or things; whether the match goes on."""
        again = not queues
        if self.code is None:
            await self.have(bot, (0, "challenge", self._invitation), lambda: self.code, again=again)
        if not self.named and not self.says("begins"):
            refused = len(self.chat.refused)
            await self.chat.press(bot, 1, self.code or "", "Accept")
            await self.until(bot, lambda: self.says("begins") or len(self.chat.refused) > refused)
            if not self.says("begins"):
                return True
        if not queues:
            self.tally.repeated += self._said > self.named
            self._said = self.named  # what a dead bot was told and did not show is said again
        refused = len(self.chat.refused)
        for who, moves in self._moves[self._said : self._said + self._luck.choice((1, 1, 2, 4))]:
            await self.asked(bot, who, "move", moves)
            self._said += 1
            if len(self.chat.refused) > refused:
                break  # the next one may be legal without this one, and then the match is another
        await self.until(bot, lambda: self.named >= self._said or len(self.chat.refused) > refused)
        if len(self.chat.refused) > refused:
            with suppress(TimeoutError):
                await eventually(lambda: self.named >= self._said or bot.gone.is_set(), AGAIN_AFTER)
            return True
        if self._said < len(self._moves) or self.over:
            return not self.over
        await self.have(bot, (0, "draw", ""), lambda: self.says("offers a draw"), again=again)
        await self.have(bot, (1, "draw", "yes"), lambda: self.over, again=again)
        return False


class AgainstEngine(Played):
    """A match against an engine, whose moves the person reads in the chat."""

    def __init__(self, chat: Chat, tally: Tally, luck: random.Random) -> None:
        super().__init__(chat, tally)
        self._luck = luck
        game = GAMES["breakthrough"]
        self._position = game.start(game.choose({"board": "4x5"}))

    async def go_on(self, bot: BotProcess, *, queues: bool) -> bool:
        """Play a move, and read the answer; whether the match goes on."""
        again = not queues
        if self.code is None:
            await self.have(bot, (0, "challenge", AGAINST), lambda: self.code, again=again)
        notation = GAMES["breakthrough"].notation
        if len(self.turns) % 2 == 0:
            move = self._luck.choice(self._position.legal_moves())
            self.turns.append((NAMES[0], notation.format(move)))
            self._position = self._position.play(move)
        if self.named < len(self.turns):
            said = (0, "move", self.turns[-1][1])
            await self.have(bot, said, lambda: self.named == len(self.turns), again=again)
        if self._position.outcome is None:
            await self.until(bot, lambda: self._answer() is not None)
            answer = self._answer()
            assert answer
            self.turns.append(answer)
            (move,) = notation.parse(answer[1], self._position)
            self._position = self._position.play(move)
        if self._position.outcome is None:
            return True
        await self.until(bot, lambda: self.over)
        return False

    def _answer(self) -> Turn | None:
        found = 0
        for _, said in self.versions:
            turns = turns_in(said)
            for at, turn in enumerate(turns):
                found += found < len(self.turns) and turn == self.turns[found]
                if found == len(self.turns) and turn == self.turns[-1] and turns[at + 1 :]:
                    return turns[at + 1]
        return None
