"""Searches as text for another process, and their queue: bounded, and fair between players, persons and chats."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from typing import Any, Final, TypedDict, TypeVar, Unpack

import msgspec

from bot.chat.fair_queue import FairLine, LastTurns, less
from engine import engine_for, engines_of, levels_of, weaker_levels
from engine.core import (
    SILENT,
    Budget,
    EngineKind,
    Level,
    SearchListener,
    SearchResult,
    made_turn,
)
from engine.levels import choose_turn
from engine.native import building
from rules import GAMES
from rules.core import AnyGame, Position

_SHARE: Final = 0.25  # of a search's time, at least, to find out how soon a proved end comes
EVERY: Final = 10_000  # more turns than any position of solved games has


class JobClass(StrEnum):
    """What a search is for, the most urgent first."""

    MOVE = "move"  # a turn in a match, or an answer to a draw offer
    ADVICE = "advice"  # a hint, a puzzle that a person solves, or another move in an analysis
    ANALYSIS = "analysis"  # a match that is over
    SYSTEM = "system"  # puzzles made of matches, fair play, open games of leagues: no person waits for it


@dataclass(frozen=True, slots=True)
class Job:
    """A position to search."""

    game: str
    options: tuple[tuple[str, str], ...]
    position: str
    level: int | None = None  # that plays; None: the best turns are wanted
    seconds: float = 3.0  # for each position; a level's own budget may be smaller
    most: int = 1
    seed: int = 0  # chooses between equally good turns
    job_class: JobClass = JobClass.MOVE
    after: tuple[str, ...] = ()  # further positions of a chunk of an analysis; they follow in the match
    last: tuple[
        str, ...
    ] = ()  # the plies before the position, since the seat's own: weak levels play beside them
    fresh: bool = False  # whether what earlier searches found is forgotten first

    @property
    def total(self) -> float:
        """The limit of time for all positions, in seconds."""
        return self.seconds * (1 + len(self.after))

    def pack(self) -> str:
        """Return it as text, without what is as usual: a worker of an earlier version reads that too."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        usual = {each.name: each.default for each in fields(self) if each.default is not MISSING}
        named = {name: value for name, value in held.items() if name not in usual or value != usual[name]}
        return msgspec.json.encode(named).decode()

    @classmethod
    def unpack(cls, text: str) -> Job:
        """Parse a job, or raise ValueError."""
        return msgspec.json.decode(text, type=cls)


@dataclass(frozen=True, slots=True)
class Variation:
    """A turn that a search found, in canonical notation; see `engine.core.SearchResult`."""

    turn: tuple[str, ...]  # its plies
    value: float  # for the seat to move
    plies: int | None  # within which the end comes, where it is proved; None: nothing is proved
    line: tuple[str, ...]  # the principal variation, the turn first
    depth: int  # in turns
    exact: bool = False  # whether `plies` are those of best play by both; else the end may come sooner


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a job."""

    engine: str
    kind: str
    nodes: int
    lines: tuple[Variation, ...]  # at least one, the best first
    keep: int | None = None  # how many turns keep the best result, if certain
    after: tuple[Reply, ...] = ()  # to the further positions of the job

    def pack(self) -> str:
        """Return it as text."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def unpack(cls, text: str) -> Reply:
        """Parse a reply, or raise ValueError."""
        return msgspec.json.decode(text, type=cls)


class _Limits(TypedDict, total=False):
    level: int | None
    seconds: float
    most: int
    seed: int
    last: tuple[str, ...]


def job_for(game: AnyGame, options: Any, position: Position[Any], **limits: Unpack[_Limits]) -> Job:
    """Return the job of searching a position."""
    texts = tuple(game.describe(options).items())
    return Job(game.key, texts, game.notation.format_position(position), **limits)


def run_job(job: Job, listener: SearchListener = SILENT) -> Reply:
    """Search in this process and return the reply; a chunk from its end, since what is known of later positions helps before.

    The listener may stop it; then the reply is worth little. ValueError or RulesError if there is no such game or position.
    """
    replies = [_answer(job, text, listener) for text in reversed((job.position, *job.after))]
    return replace(replies[-1], after=tuple(replies[-2::-1]))


def _answer(job: Job, text: str, listener: SearchListener) -> Reply:
    game = GAMES.get(job.game)
    if game is None:
        raise ValueError(job.game)
    options = game.choose(dict(job.options))
    position = game.notation.parse_position(text, options)
    engine = engine_for(game, options, position)
    if job.fresh:
        engine.forget()
    keep = None
    if job.level is None:
        tables = engine.kind is EngineKind.TABLES
        most = EVERY if tables else job.most
        ends = time.monotonic() + job.seconds
        budget = Budget(seconds=job.seconds)
        results = engine.ranked(position, budget, most=most, seed=job.seed, listener=listener)
        proof = results[0].proof
        if job.most == 1 and proof is not None and not proof.exact:
            left = Budget(seconds=max(ends - time.monotonic(), _SHARE * job.seconds))
            results = [engine.solve(position, left, listener=listener) or results[0]]
        if tables:
            keep = sum(result.value == results[0].value for result in results)
            results = results[: job.most]
    else:
        level = _bounded(levels_of(job.game, options)[job.level], job.seconds)
        chosen = choose_turn(game, engine, position, level, last=job.last, seed=job.seed, listener=listener)
        results = [chosen]
    nodes = max(result.nodes for result in results)
    lines = tuple(_line(game, result) for result in results)
    return Reply(engine.name, engine.kind.value, nodes, lines, keep)


def _bounded(level: Level, seconds: float) -> Level:
    # On a slow machine a level would think longer than the job may.
    return replace(level, care=replace(level.care, seconds=min(seconds, level.care.seconds or seconds)))


def at_once(job: Job) -> Reply:
    """Return some legal turn without a search, so that a match goes on."""
    game = GAMES[job.game]
    position = game.notation.parse_position(job.position, game.choose(dict(job.options)))
    turn = tuple(map(game.notation.format, made_turn(position, lambda here: here.legal_moves()[0])))
    return Reply("none", EngineKind.GENERIC.value, 0, (Variation(turn, 0.0, None, turn, 0),))


def kinds_in_use() -> dict[str, tuple[str, ...]]:
    """Return the names and kinds of each game's engines on this machine, the strongest first; for operators."""
    return {
        key: tuple(f"{engine.name} ({engine.kind.value})" for engine in engines_of(key)) or ("generic",)
        for key in GAMES
    }


def weaker_here() -> dict[str, Mapping[int, int]]:
    """Return by game the levels that are weaker without a native core, each with the one it plays like; nothing while cores are built."""
    found = {} if building() else {key: weaker_levels(key) for key in GAMES}
    return {key: levels for key, levels in found.items() if levels}


def _line(game: AnyGame, result: SearchResult[Any]) -> Variation:
    turn, line = (tuple(map(game.notation.format, moves)) for moves in (result.turn, result.line))
    plies, exact = (result.proof.plies, result.proof.exact) if result.proof else (None, False)
    return Variation(turn, result.value, plies, line, result.depth, exact)


MOST: Final = 2000  # jobs that may wait at once
EACH: Final = 3  # questions of one person, or of one chat, that may be under way at once

GIVING_WAY: Final = frozenset({JobClass.ANALYSIS, JobClass.SYSTEM})
"""The classes whose searches are stopped where the turn of a match would wait for a worker, and begin again later."""

TIMES: Final = 3  # so often a search gives way; then it goes on to its end, or it would never come to it

T = TypeVar("T")


class Busy(Exception):
    """The queue is full: for all (`everybody`), or for this person or chat."""

    def __init__(self, *, everybody: bool) -> None:
        super().__init__(everybody)
        self.everybody = everybody


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many jobs of one class wait and are worked at."""

    queued: int
    taken: int
    oldest: float  # for how many seconds the one has waited that waits longest


class _GaveWay(Exception):
    """A search was stopped, so that the turn of a match need not wait for its worker."""


class JobQueue:
    """Hands out the workers, of which `spare` are for moves alone: the most urgent class first, owners by turns. May raise `Busy`."""

    def __init__(self, places: int, most: int = MOST, each: int = EACH, spare: int = 1) -> None:
        self._places: Final = places
        self._spare: Final = spare
        self._stoppable: dict[asyncio.Timeout, JobClass] = {}
        self._most: Final = most
        self._each: Final = each
        turns = LastTurns()
        self._lines: Final = {each: FairLine[asyncio.Future[None]](turns) for each in JobClass}
        self._since: dict[asyncio.Future[None], float] = {}  # when each began to wait, by the loop's clock
        self._taken: Counter[JobClass] = Counter()  # how many workers are at work
        self._asking: Counter[Hashable] = Counter()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return sum(len(line.waiting) for line in self._lines.values())

    def by_class(self) -> Mapping[str, Backlog]:
        """Return the jobs that wait and are worked at, by their class."""
        now, found = asyncio.get_running_loop().time(), {}
        for job_class, line in self._lines.items():
            oldest = now - min((self._since[turn] for turn in line.waiting), default=now)
            found[job_class.value] = Backlog(len(line.waiting), self._taken[job_class], oldest)
        return found

    async def run(self, job_class: JobClass, owner: Hashable, search: Callable[[], Awaitable[T]]) -> T:
        """Return what a search of a match, or of a person, finds with a worker. One that gives way is made again from its beginning."""
        for _ in range(TIMES if job_class in GIVING_WAY else 0):
            with suppress(_GaveWay):
                async with self.place(job_class, owner, gives_way=True):
                    return await search()
        async with self.place(job_class, owner):
            return await search()

    @asynccontextmanager
    async def place(
        self, job_class: JobClass, owner: Hashable, *, gives_way: bool = False
    ) -> AsyncIterator[None]:
        """Hold a worker for a search; _GaveWay if one that `gives_way` was cancelled for the turn of a match."""
        await self._enter(job_class, owner)
        scope = asyncio.timeout(None)
        try:
            async with scope:
                if gives_way:
                    self._stoppable[scope] = job_class
                yield
        except TimeoutError:
            if scope.expired():
                raise _GaveWay from None
            raise
        finally:
            self._stoppable.pop(scope, None)
            self._leave(job_class)

    @contextmanager
    def question(self, person: Hashable, chat: Hashable) -> Iterator[None]:
        """Count a question of a person in a chat while it lasts, unless they have too many; it may need a worker several times."""
        owners = (("person", person), ("chat", chat))
        if any(self._asking[owner] >= self._each for owner in owners):
            raise Busy(everybody=False)
        self._asking.update(owners)
        try:
            yield
        finally:
            for owner in owners:
                less(self._asking, owner)

    def _room(self, job_class: JobClass) -> bool:
        taken = self._taken.total()
        if taken >= self._places:
            return False
        others = taken - self._taken[JobClass.MOVE]
        return job_class is JobClass.MOVE or self._places == 1 or others < self._places - self._spare

    def _make_room(self) -> None:
        """Stop the least urgent search that gives way; of those the one that began last."""
        order = list(JobClass)
        last_first = reversed(self._stoppable)
        scope = max(last_first, key=lambda each: order.index(self._stoppable[each]), default=None)
        if scope is not None:
            del self._stoppable[scope]
            scope.reschedule(asyncio.get_running_loop().time())

    async def _enter(self, job_class: JobClass, owner: Hashable) -> None:
        before = list(JobClass)[: list(JobClass).index(job_class) + 1]
        if self._room(job_class) and not any(self._lines[each] for each in before):
            self._taken[job_class] += 1
            return
        if self.waiting >= self._most:
            raise Busy(everybody=True)
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._lines[job_class].put(turn, owner)
        self._since[turn] = loop.time()
        if job_class is JobClass.MOVE:
            self._make_room()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it got the worker at the same moment
                self._leave(job_class)
            raise
        finally:
            self._lines[job_class].waiting.pop(turn, None)
            self._since.pop(turn, None)

    def _leave(self, job_class: JobClass) -> None:
        self._taken[job_class] -= 1
        for each, line in self._lines.items():
            while line and self._room(each):
                turn = line.pop()
                if not turn.cancelled():
                    self._taken[each] += 1
                    turn.set_result(None)
