"""A search as text, for another process, perhaps on another machine: the job and its reply."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from typing import Any, Final, TypedDict, Unpack

import msgspec

from engine import engine_for, engines_of, levels_of
from engine.core import (
    SILENT,
    Budget,
    EngineKind,
    Level,
    SearchListener,
    SearchResult,
    choose_turn,
    made_turn,
)
from rules import GAMES
from rules.core import AnyGame, Position

EVERY: Final = 10_000  # more turns than any position of solved games has


class JobClass(StrEnum):
    """What a search is for, the most urgent first."""

    MOVE = "move"  # a turn in a match, or an answer to a draw offer
    ADVICE = "advice"  # a hint, a puzzle that a person solves, or another move in an analysis
    ANALYSIS = "analysis"  # a match that is over
    SYSTEM = "system"  # puzzles made of matches, fair play, open games of leagues: no person waits for it


@dataclass(frozen=True, slots=True)
class Job:
    """A position to search.

    Attributes:
        level: The level that plays; None: the best turns are wanted.
        seconds: The limit of time for each position; a level's own budget may be smaller.
        seed: Chooses between equally good turns.
        after: Further positions, where it is a chunk of an analysis; they follow in the match.
        fresh: Whether what earlier searches found is forgotten first.
    """

    game: str
    options: tuple[tuple[str, str], ...]
    position: str
    level: int | None = None
    seconds: float = 3.0
    most: int = 1
    seed: int = 0
    job_class: JobClass = JobClass.MOVE
    after: tuple[str, ...] = ()
    fresh: bool = False

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
    """A turn that a search found; see `engine.core.SearchResult`.

    Attributes:
        turn: Its plies, in canonical notation.
        value: For the seat to move.
        plies: Within which the end comes, where it is proved; None: nothing is proved.
        line: The principal variation, the turn first, in canonical notation.
        depth: In turns.
    """

    turn: tuple[str, ...]
    value: float
    plies: int | None
    line: tuple[str, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer: at least one line, the best first.

    Attributes:
        keep: How many turns keep the best result, if certain.
        after: The answers to the further positions of the job.
    """

    engine: str
    kind: str
    nodes: int
    lines: tuple[Variation, ...]
    keep: int | None = None
    after: tuple[Reply, ...] = ()

    def pack(self) -> str:
        """Return it as text."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def unpack(cls, text: str) -> Reply:
        """Parse a reply, or raise ValueError."""
        return msgspec.json.decode(text, type=cls)


class Limits(TypedDict, total=False):
    """The fields of a `Job` that have defaults."""

    level: int | None
    seconds: float
    most: int
    seed: int


def job_for(
    game: AnyGame,
    options: Any,
    position: Position[Any],
    **limits: Unpack[Limits],
) -> Job:
    """Return the job of searching a position."""
    texts = tuple(game.describe(options).items())
    return Job(game.key, texts, game.notation.format_position(position), **limits)


def run_job(job: Job, listener: SearchListener = SILENT) -> Reply:
    """Search in this process and return the reply; a chunk from its end, since what is known of later positions helps before.

    The listener may stop it; then the reply is worth little.

    Raises:
        ValueError, RulesError: there is no such game or position, or it is over.
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
        budget = Budget(seconds=job.seconds)
        results = engine.ranked(position, budget, most=most, seed=job.seed, listener=listener)
        if tables:
            keep = sum(result.value == results[0].value for result in results)
            results = results[: job.most]
    else:
        level = bounded(levels_of(job.game, options)[job.level], job.seconds)
        results = [choose_turn(engine, position, level, seed=job.seed, listener=listener)]
    return Reply(
        engine.name,
        engine.kind.value,
        max(result.nodes for result in results),
        tuple(_line(game, result) for result in results),
        keep,
    )


def bounded(level: Level, seconds: float) -> Level:
    """Return a level that thinks no longer than that on a slow machine."""
    glance = _within(level.glance, seconds) if level.glance else None
    return replace(level, care=_within(level.care, seconds), glance=glance)


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


def _within(budget: Budget, seconds: float) -> Budget:
    own = seconds if budget.seconds is None else min(seconds, budget.seconds)
    return replace(budget, seconds=own)


def _line(game: AnyGame, result: SearchResult[Any]) -> Variation:
    write = game.notation.format
    return Variation(
        tuple(map(write, result.turn)),
        result.value,
        result.proof.plies if result.proof else None,
        tuple(map(write, result.line)),
        result.depth,
    )
