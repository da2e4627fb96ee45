"""The contract of everything that searches: see docs/adding-an-engine.md."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Final, Generic, TypeAlias, TypeVar

from rules.core import Mark, Phrase, Position

M = TypeVar("M")

SUREST: Final = 0.999  # the largest value of a guess; only what is proved is worth 1


class GameValue(IntEnum):
    """The game-theoretic value of a position for the seat to move; the number is its value."""

    LOSS = -1
    DRAW = 0
    WIN = 1


@dataclass(frozen=True, slots=True)
class Proof:
    """What is certain, however the others play."""

    result: GameValue  # for the seat to move, with best play by its side
    plies: int = 0  # within which the winner can force the end; 0 for a draw
    # Whether the plies are those of best play: the winner hurries, the loser holds out. A draw is exact.
    exact: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult(Generic[M]):
    """A turn and its evaluation."""

    turn: tuple[M, ...]  # the plies to play now: all that the seat still owes, in a legal order
    # From -1 to 1, the result that the seat to move may expect from this turn. Of a proof, exactly its
    # result; of a guess, never -1 or 1.
    value: float
    proof: Proof | None  # what is certain once this turn is played; None: nothing
    line: tuple[M, ...]  # the principal variation, this turn first
    depth: int  # how many whole turns deep the search went
    nodes: int  # positions it made; shared by all results of one `ranked`
    playouts: int  # games it played out
    engine: str  # the name of the engine


def value_of(guess: float, proof: Proof | None) -> float:
    """Return the value of a `SearchResult`: of its proof, else of a guess kept between -1 and 1."""
    return float(proof.result) if proof else max(-SUREST, min(SUREST, guess))


class SearchListener:
    """Follows a search and may stop it."""

    __slots__ = ()

    def better(self, result: SearchResult[Any]) -> None:
        """Take a result: a depth is finished, or a better turn is found; the same turn may come again."""

    def stopped(self) -> bool:
        """Return whether to answer at once. Asked at least every 50 ms, perhaps from another thread."""
        return False


SILENT: Final = SearchListener()  # ignores results and never stops a search


Clock: TypeAlias = Callable[[], float]  # monotonic seconds
EVERY: Final = 64  # nodes between two checks of the clock and of the listener


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one search; the first that is met ends it. At least one is set.

    Without `seconds`, the same position, seed and limits give the same answer on every machine.
    """

    seconds: float | None = None  # time on the engine's clock
    # Positions the search may make. A playout engine counts the positions of its tree.
    nodes: int | None = None
    depth: int | None = None  # whole turns it may look ahead

    def __post_init__(self) -> None:
        limits = (self.seconds, self.nodes, self.depth)
        if all(limit is None for limit in limits):
            raise ValueError("a budget without a limit")
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("a budget of nothing")


class BudgetExhausted(Exception):
    """The budget is used up, or the search was told to stop."""


class Meter:
    """What one search has used."""

    __slots__ = ("_clock", "_end", "_limit", "listener", "nodes")

    def __init__(
        self, budget: Budget, clock: Clock = time.monotonic, listener: SearchListener = SILENT
    ) -> None:
        self._clock: Final = clock
        self.listener: Final = listener  # follows the search
        self._end: Final = None if budget.seconds is None else clock() + budget.seconds
        self._limit: Final = budget.nodes
        self.nodes = 0  # positions made so far

    def tick(self) -> None:
        """Count a position, or raise BudgetExhausted where the budget has no room for it."""
        if self.nodes == self._limit:
            raise BudgetExhausted
        self.nodes += 1
        if self.nodes % EVERY == 0 and self.stopped():
            raise BudgetExhausted

    def stopped(self) -> bool:
        """Return whether the time is up or the listener wants an answer."""
        return (self._end is not None and self._clock() >= self._end) or self.listener.stopped()

    @property
    def left(self) -> float:
        """Seconds left; infinite without a limit of time."""
        return float("inf") if self._end is None else self._end - self._clock()

    @property
    def nodes_left(self) -> float:
        """Nodes left; infinite without a limit of nodes."""
        return float("inf") if self._limit is None else self._limit - self.nodes


@dataclass(frozen=True, slots=True)
class Level:
    """The figures of a level; `engine.levels` says how it errs."""

    care: Budget  # the budget of its search
    haste: float = 0.0  # the chance, from 0 to 1, that it makes a turn in haste, without a search
    ideas: float = 1.0  # plies that come to mind in haste, on average; at least one
    greed: float = 4.0  # how much sooner a ply comes to mind that takes something


SHORTEST: Final = 3
LONGEST: Final = 15  # plies of a win that is a puzzle
FEWEST: Final = 4  # the least number of turns to choose from


class Task(StrEnum):
    """What is to be found."""

    WIN = "win"  # the turn that wins by force
    SAVE = "save"  # the turn that holds the draw
    HOLD = "hold"  # the turn of a lost position that holds out longest


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle."""

    task: Task  # what is to be found
    plies: int  # to the end: of the win; or, of what is to be escaped, the longest way to lose
    options: tuple[tuple[str, str], ...]  # the game's options as texts
    position: str  # in the game's notation


def write_puzzles(puzzles: Iterable[Puzzle]) -> str:
    """Return puzzles as text, a line each: the task, the plies, the options, the position, with bars between."""
    return "".join(
        f"{each.task}|{each.plies}|{' '.join(f'{key}={value}' for key, value in each.options)}|{each.position}\n"
        for each in puzzles
    )


def read_puzzles(text: str) -> Sequence[Puzzle]:
    """Parse the text of `write_puzzles`; ValueError if it is malformed."""
    found = []
    for line in text.splitlines():
        task, plies, chosen, position = line.split("|", 3)
        options = tuple((key, value) for key, _, value in (word.partition("=") for word in chosen.split()))
        found.append(Puzzle(Task(task), int(plies), options, position))
    return found


@dataclass(frozen=True, slots=True)
class SolvedStart:
    """The start of a game of which the result of best play is known."""

    options: tuple[
        tuple[str, str], ...
    ]  # those that are not the usual ones, as texts, in the order of their keys
    proof: Proof  # for the seat that begins; exact


def write_solved(starts: Iterable[SolvedStart]) -> str:
    """Return solved starts as text, a line each: the result, the plies, the options, with bars between."""
    return "".join(
        f"{each.proof.result.name.lower()}|{each.proof.plies}|{' '.join(f'{key}={value}' for key, value in each.options)}\n"
        for each in starts
    )


def read_solved(text: str) -> Sequence[SolvedStart]:
    """Parse the text of `write_solved`; ValueError or KeyError if it is malformed."""
    found = []
    for line in text.splitlines():
        result, plies, chosen = line.split("|")
        options = tuple((key, value) for key, _, value in (word.partition("=") for word in chosen.split()))
        found.append(SolvedStart(options, Proof(GameValue[result.upper()], int(plies), exact=True)))
    return found


def task_of(proofs: Sequence[Proof | None]) -> tuple[Task, int] | None:
    """Return the task of a position and its plies, from the proofs of all its turns, the best turn first.

    None where it is no puzzle, or not all is proved.
    """
    proved = [proof for proof in proofs if proof is not None]
    if len(proved) < max(FEWEST, len(proofs)):
        return None
    best, *others = proved
    if best.result is GameValue.WIN:
        alone = all(other.result is not GameValue.WIN for other in others)
        return (Task.WIN, best.plies) if alone and SHORTEST <= best.plies <= LONGEST else None
    if best.result is GameValue.DRAW and all(other.result is GameValue.LOSS for other in others):
        return Task.SAVE, max(other.plies for other in others)
    return None


P = TypeVar("P", bound=Position[Any])


class EngineKind(StrEnum):
    """What an engine is made of."""

    TABLES = "tables"  # solved beforehand
    NATIVE = "native"  # a compiled core
    PYTHON = "python"  # a specialist in plain Python
    GENERIC = "generic"  # knows only the rules


class Engine(ABC, Generic[P, M]):
    """Searches positions for good turns.

    One thread at a time may use an engine. What it remembers between searches must change no answer whose budget has
    only nodes or depth.
    """

    name: str  # for logs and the protocol: ASCII, without blanks
    kind: EngineKind  # what it is made of

    @abstractmethod
    def fits(self, position: P) -> bool:
        """Return whether it can play this position and all that follow from it."""

    def think(
        self, position: P, budget: Budget, *, seed: int = 0, listener: SearchListener = SILENT
    ) -> SearchResult[M]:
        """Return the turn it would play: a legal one, soon after the budget is spent, however small that is.

        `seed` chooses between equally good turns; all other chance follows from it too. ValueError as `check` raises it.
        """
        return self.ranked(position, budget, most=1, seed=seed, listener=listener)[0]

    @abstractmethod
    def ranked(
        self, position: P, budget: Budget, *, most: int, seed: int = 0, listener: SearchListener = SILENT
    ) -> Sequence[SearchResult[M]]:
        """Return the best turns, the best first: at least one, at most `most`, each with its own value.

        Values are comparable: all come from searches of the same depth. The engine decides what is best; a tree search
        may trust the turns it has visited most. A refuted turn comes after all that are not, and the first one is proved
        lost or drawn only if the position is. No two turns lead to the same position, where that is cheap to tell.
        """

    def solve(
        self,
        position: P,  # noqa: ARG002 - for engines that solve
        budget: Budget,  # noqa: ARG002
        *,
        listener: SearchListener = SILENT,  # noqa: ARG002
    ) -> SearchResult[M] | None:
        """Return best play with an exact proof, if the budget pays for it; None if not, or where the engine never can."""
        return None

    def forget(self) -> None:
        """Drop what is remembered from earlier searches."""

    def check(self, position: P) -> None:
        """Raise ValueError if the game is over, or the position does not fit."""
        if position.outcome is not None or not self.fits(position):
            raise ValueError("nothing to play: the game is over, or the position does not fit")


@dataclass(frozen=True, slots=True)
class Idea:
    """What is behind a turn, to say before the turn is told."""

    phrase: Phrase  # a key of the catalogues in the specialist's `texts`, with its fields
    marks: tuple[Mark, ...] = ()  # what to show on the board
    # The same said to the side that the turn is played against, where it is worth a word.
    reply: Phrase | None = None


@dataclass(frozen=True, slots=True)
class Specialist(Generic[P, M]):
    """The engines of one game. A folder `engine/<game>`, named by the key of the game, defines `SPECIALIST`."""

    # Returns the engines available on this machine, the strongest first. The first that fits a position plays it. Called
    # once. What is not compiled or cannot be loaded is left out without an error.
    build: Callable[[Clock], Sequence[Engine[P, M]]]
    # The level figures that differ from the common ones in a game with these options.
    levels_for: Callable[[Any], Mapping[int, Level]] = lambda _: {}
    puzzles: Callable[[], Sequence[Puzzle]] = tuple  # every puzzle of a solved game, the shortest first
    # What is behind a turn, if it has a name.
    idea: Callable[[P, SearchResult[M]], Idea | None] = lambda _, __: None
    # The levels that are weaker where the native core was not built, each with the one it plays like then, as measured.
    without_core: Mapping[int, int] = field(default_factory=dict)


def made_turn(position: P, choose: Callable[[P], M]) -> tuple[M, ...]:
    """Return the turn of the seat to move as it is chosen ply by ply; it is shorter where the game ends within it."""
    turn: list[M] = []
    here = position
    while here.outcome is None and len(turn) < position.plies_left and here.to_move == position.to_move:
        turn.append(choose(here))
        here = here.play(turn[-1])
    return tuple(turn)
