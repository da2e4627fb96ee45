"""What every game consists of: positions, forks (picking a move step by step), notation, and all of it as one object."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar

from rules.core.diagram import Diagram
from rules.core.errors import BadNotation, IllegalMove, Legality, Phrase, Reason
from rules.core.grid import Seat, Square, sq
from rules.core.options import Schema


class Ending(Reason):
    """Base of every game's enum of endings; the value is the key of the words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: who won (none: a draw; a team: all its seats) and by which rule."""

    winners: tuple[Seat, ...]
    reason: Ending

    @property
    def drawn(self) -> bool:
        """Whether it is a draw."""
        return not self.winners


M = TypeVar("M")


class Position(ABC, Generic[M]):
    """A state of a game as a value: immutable, hashable, equal to any position that plays on the same way.

    Implementations are frozen and slotted. A move `M` is one ply; where a turn has several plies, the position knows
    how many remain. Legal means legal: `legal_moves` is empty if, and only if, there is an `outcome`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def to_move(self) -> Seat:
        """Whose ply is next; once there is an outcome, who would have been next."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def legal_moves(self) -> Sequence[M]:
        """Every legal ply, each once, in an order that depends on the position alone."""

    @abstractmethod
    def play(self, move: M) -> Self:
        """Return the position after a ply, or raise IllegalMove, whose reason names the rule."""

    @property
    def plies_left(self) -> int:
        """How many plies the seat to move still owes in this turn, counting the next one."""
        return 1

    @property
    def turn_length(self) -> int:
        """How many plies this turn has in all."""
        return 1

    @property
    def counts_plies(self) -> bool:
        """Whether turns of this game can have several plies: then people are told how many remain, even of one."""
        return False

    @property
    def out(self) -> frozenset[Seat]:
        """The seats that play no more while the others go on."""
        return frozenset()

    @property
    def scores(self) -> tuple[int, ...]:
        """Points by seat, or nothing where the game has none."""
        return ()

    def retire(self, seat: Seat) -> Self:
        """Return the position when a seat has left: out, as if blocked. ValueError in a game of two, which ends then."""
        raise ValueError(f"a game of two ends when {seat!r} leaves")

    def restore(self, seat: Seat) -> Self:
        """Return the position when a player takes over a seat that has left: it plays again, from where it stands.

        The position cannot know whether a seat that is out has left or was put out by the rules; the caller does.
        ValueError in a game of two, when the game is over, and where the seat is not out or could not act.
        """
        raise ValueError(f"no one takes over {seat!r} in a game of two")

    def ahead(self, seat: Seat) -> Self | None:  # noqa: ARG002 - most games that can say it need it
        """Return the position as if a whole turn of another seat were to begin on the board as it is.

        Moves that are prepared are picked on it. None where the game cannot say, or the seat could not move.
        """
        return None


_LEAD: Final = 10.0  # points that are half a win
_CHOICE: Final = 12.0  # legal moves of an ordinary position


def squashed(advantage: float) -> float:
    """An advantage of any size as a guess between -1 and 1; 1.0 is half a win, and 0 is nothing."""
    return advantage / (1.0 + abs(advantage))


def guess(position: Position[Any], seat: Seat, /) -> float:
    """By points, where the game counts any: the lead over the best other. Else by how much choice the mover has."""
    scores = position.scores
    if scores:
        best = max(score for other, score in enumerate(scores) if other != seat)
        return squashed((scores[seat] - best) / _LEAD)
    choice = len(position.legal_moves())
    mobility = 0.2 * (choice - _CHOICE) / (choice + _CHOICE)
    return mobility if seat == position.to_move else -mobility


@dataclass(frozen=True, slots=True)
class Threat:
    """Something that a seat could take in one ply, if it were to move."""

    by: Seat
    target: Square  # where that stands which it could take
    start: Square | None = None  # where the piece stands that takes; None where no single one does


@dataclass(frozen=True, slots=True)
class Loss:
    """What a turn took from a seat whose pieces have to be linked, besides the pieces themselves."""

    seat: Seat
    cut: int  # its pieces that led somewhere before, and lead nowhere now
    dead: int  # its pieces that were linked or could have come to be, and never can be now
    stuck: bool  # whether it could act before, and cannot now


MAX_STEPS: Final = 25  # the most steps one fork offers: a select or an autocomplete of Discord holds 25


class Picks(StrEnum):
    """What choosing a step picks."""

    REGION = "region"  # one part of the board, to choose a square inside it next
    PIECE = "piece"  # something that stands on the step's squares
    CELLS = "cells"  # where something goes
    NOTHING = "nothing"  # leave it at that


@dataclass(frozen=True, slots=True)
class Step:
    """One way on from a half-made move."""

    token: str  # names the step inside its fork: ASCII, at most 12 characters, the notation's own word for it
    picks: Picks  # what is picked
    squares: tuple[Square, ...]  # the squares it is about, for showing it on the board
    label: str | None = None  # catalogue key of its words where the token does not speak for itself


@dataclass(frozen=True, slots=True)
class Fork(Generic[M]):
    """Where a half-made move can go: either steps to choose from, or the finished move."""

    prompt: str  # catalogue key of what is asked for
    # At most `MAX_STEPS`, each leading to at least one legal move; empty once the move is complete.
    steps: tuple[Step, ...] = ()
    move: M | None = None  # the move, once it is complete


def take(fork: Fork[M], token: str) -> Step:
    """Return the step of a fork that a token names, or raise IllegalMove."""
    for step in fork.steps:
        if step.token == token:
            return step
    raise IllegalMove(Legality.NO_SUCH_STEP, step=token)


def narrow(steps: Sequence[Step], chosen: Sequence[str]) -> tuple[tuple[Step, ...], Sequence[str]]:
    """Steps cut down to at most `MAX_STEPS` by regions of the board, and what of `chosen` is left to use.

    Regions already chosen are followed first. A region's token names its corners, `a1-e5`; it holds the steps whose
    first square lies in it. Only regions that hold a step are offered.
    """
    left = list(steps)
    while len(left) > MAX_STEPS:
        regions = _regions(step.squares[0] for step in left)
        if not chosen:
            return regions, chosen
        region = take(Fork("", regions), chosen[0])
        left = [step for step in left if _holds(region, step.squares[0])]
        chosen = chosen[1:]
    return tuple(left), chosen


Way: TypeAlias = tuple[tuple[Step, ...], M]  # the steps that pick a move, and the move


def pick(ways: Sequence[Way[M]], chosen: Sequence[str], prompt: Callable[[Sequence[Step]], str]) -> Fork[M]:
    """Return the fork of some moves, or raise IllegalMove; `prompt` has the key for what is asked after some steps.

    Where there are many steps, regions come before them.
    """
    if not ways:
        raise IllegalMove(Legality.GAME_OVER)
    taken: tuple[Step, ...] = ()
    while True:
        at, (way, move) = len(taken), ways[0]
        if len(way) == at:
            fork = Fork(prompt(taken), move=move)
        else:
            steps, chosen = narrow(tuple({way[at].token: way[at] for way, _ in ways}.values()), chosen)
            fork = Fork(prompt(taken), steps)
        if not chosen:
            return fork
        step, chosen = take(fork, chosen[0]), chosen[1:]
        taken = (*taken, step)
        ways = [(way, move) for way, move in ways if way[at].token == step.token]


def picked_squares(chosen: Iterable[str]) -> tuple[Square, ...]:
    """Return the squares that tokens name; other tokens, such as regions, are left out."""
    squares = []
    for token in chosen:
        with suppress(BadNotation):
            squares.append(sq(token))
    return tuple(squares)


def _regions(squares: Iterable[Square]) -> tuple[Step, ...]:
    """The bounding box of some squares cut into square blocks, at most 5 by 5 of them; the top row first."""
    held = set(squares)
    left, right = min(s.file for s in held), max(s.file for s in held)
    bottom, top = min(s.rank for s in held), max(s.rank for s in held)
    side = max(right - left, top - bottom) + 1
    # Up to 10 x 10, four quarters of at most 25 squares: found faster on a screen than 25 parts.
    block = math.ceil(side / 5) if side > 10 else 5 if side > 5 else math.ceil(side / 2)
    rows = sorted(
        {((s.rank - bottom) // block, (s.file - left) // block) for s in held}, key=lambda at: (-at[0], at[1])
    )
    if len(rows) == 1 and block == 1:
        raise ValueError(f"more than {MAX_STEPS} steps on one square")
    regions = []
    for row, column in rows:
        low = Square(left + column * block, bottom + row * block)
        far = Square(min(low.file + block - 1, right), min(low.rank + block - 1, top))
        regions.append(Step(f"{low}-{far}", Picks.REGION, (low, far)))
    return tuple(regions)


def _holds(region: Step, square: Square) -> bool:
    if region.picks is not Picks.REGION:
        return False
    low, high = region.squares
    return low.file <= square.file <= high.file and low.rank <= square.rank <= high.rank


def walk(at: Callable[[tuple[str, ...]], Fork[M]], steps: Sequence[str]) -> tuple[tuple[str, ...], Fork[M]]:
    """Follow a move's own steps (`Notation.steps`) through forks, adding the narrowing steps on the way.

    `at` returns the fork at a path of tokens. Return the whole path and its fork, or raise IllegalMove.
    """
    path: tuple[str, ...] = ()
    fork = at(path)
    for token in steps:
        while all(step.token != token for step in fork.steps):
            region = next((step for step in fork.steps if _may_hold(step, token)), None)
            if region is None:
                raise IllegalMove(Legality.NO_SUCH_STEP, step=token)
            path = (*path, region.token)
            fork = at(path)
        path = (*path, token)
        fork = at(path)
    return path, fork


def _may_hold(step: Step, token: str) -> bool:
    try:
        return _holds(step, sq(token.rsplit(" ", 1)[-1].split("-", 1)[0]))
    except BadNotation:
        return False


@dataclass(frozen=True, slots=True)
class LessonTask:
    """A position in which a lesson asks for a turn of the side to move.

    `<game>.lesson.<key>` asks for it; `.right` says why a turn is right, `.wrong` why another is not what was asked, `.hint` helps.
    """

    key: str  # lower-case letters and hyphens
    position: str  # in the game's notation
    # Whether a turn does what is asked: the position before, its plies, the position after.
    right: Callable[[Any, Sequence[Any], Any], bool]
    options: str = ""  # as they are typed: `board:5x5 actions:1`
    further: bool = False  # a rule of a variant: on asking, after the lesson

    @property
    def chosen(self) -> dict[str, str]:
        """The game's options as texts, by key."""
        return dict(each.split(":") for each in self.options.split())


def wins(before: Position[Any], _: Sequence[Any], after: Position[Any]) -> bool:
    """Whether a turn wins; see `LessonTask.right`."""
    return after.outcome is not None and before.to_move in after.outcome.winners


def leaves_no_win(_: Position[Any], __: Sequence[Any], after: Position[Any]) -> bool:
    """Whether no ply wins that may follow a turn; see `LessonTask.right`."""
    return not any(wins(after, (), after.play(reply)) for reply in after.legal_moves())


P = TypeVar("P", bound=Position[Any])
O = TypeVar("O")  # noqa: E741 - a game's options, beside P and M


class Notation(ABC, Generic[P, M, O]):
    """Parse beside format. Text is a request; only a position makes it a move."""

    @abstractmethod
    def parse(self, text: str, position: P) -> tuple[M, ...]:
        """The legal plies that typed text asks for: one, or up to a whole turn where turns have several plies.

        Every ply is legal after those before it: all of the text can be played, or nothing is.

        Raises:
            BadNotation: the text is no move of this game.
            AmbiguousMove: several legal moves fit.
            IllegalMove: the rules forbid it; the fields name the first bad square.
        """

    def format(self, move: M) -> str:
        """Return the canonical text of a ply, by default its `str`; `parse` reads it back wherever the move is legal."""
        return str(move)

    @abstractmethod
    def steps(self, move: M) -> tuple[str, ...]:
        """The tokens that pick this move in the game's fork, leaving out steps that only narrow the choice."""

    @abstractmethod
    def parse_position(self, text: str, options: O) -> P:
        """Return the position that canonical text describes, or raise BadNotation with all that hinders play from it."""

    @abstractmethod
    def format_position(self, position: P) -> str:
        """One line of ASCII from which `parse_position` makes an equal position."""


Sides: TypeAlias = tuple[tuple[Seat, ...], ...]  # which seats belong together: `((S1,), (S2,))`, or teams


@dataclass(frozen=True, slots=True)
class Highlights(Generic[P, M]):
    """What a board is to show besides the pieces. A game reads the fields it has a use for."""

    last: Sequence[M] = ()  # the plies of the turn that led here, for marks and arrows
    planned: bool = False  # `last` is a preview: it has not been played
    before: P | None = None  # the position before `last`; without it, what left a cell is not marked
    candidates: Sequence[M] = ()  # moves to number from 1 on the board
    picked: Sequence[str] = ()  # the path of a half-made move, to mark what is picked so far


def _field_values(options: Any) -> Mapping[str, Any]:
    return {each.name: getattr(options, each.name) for each in dataclasses.fields(options) if each.init}


@dataclass(frozen=True, slots=True)
class Game(Generic[P, M, O]):
    """A game. All other code reaches it through these parts."""

    key: str  # its name in commands, storage, match files and catalogue keys: lower-case ASCII
    rules_version: int  # goes up when an old log would replay differently
    schema: Schema  # the options and presets, as texts and as values; a preset `classic` among them
    # Make options from the schema's values; raise BadOption for a combination that cannot be played.
    options: Callable[[Mapping[str, Any]], O]
    start: Callable[[O], P]
    notation: Notation[P, M, O]  # moves and positions as text
    # A position as a diagram, with highlights; callers use `draw`.
    diagram: Callable[[P, Highlights[P, M]], Diagram]
    # Where a half-made move, given as the tokens chosen so far, can go. Raise IllegalMove when a token is no
    # step there, and for any path once the game is over.
    fork: Callable[[P, Sequence[str]], Fork[M]]
    say: Callable[[P, M], Phrase]  # what a ply did, from the position before it, as a phrase for captions
    # What is added by preset to a match of two that is otherwise played like the preset: a fairer start than the rules' own,
    # which say what stored matches mean.
    usual: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    # The seats, and which of them belong together; two players unless said otherwise.
    sides: Callable[[O], Sides] = lambda _: ((Seat.S1,), (Seat.S2,))
    # The schema's values from options, the inverse of `options`; the fields of the options by default.
    values: Callable[[O], Mapping[str, Any]] = _field_values
    # Refuse options that a user named although they have no effect beside the others, whether or not the
    # value is the default; raise BadOption. The second argument is the keys that were named.
    check: Callable[[O, AbstractSet[str]], None] = lambda _, __: None
    # What to tell players before a match whose options are playable but a poor choice; None for nothing.
    warning: Callable[[O], Phrase | None] = lambda _: None
    # The topics of the rules card, in order: `<game>.rules.<topic>`. What an option changes of a topic is written
    # whole, as `<game>.rules.<topic>.<option>.<word>`, and stands in its place; the last such option counts.
    topics: Sequence[str] = ()
    lesson: Sequence[LessonTask] = ()  # what is learnt by moving, the first to learn first
    # Cups that are offered ready-made: names, and what is typed for their options; `<game>.cup.<name>` is the label.
    cups: Sequence[tuple[str, str]] = ()
    ratable: Callable[[O], bool] = lambda _: True  # whether matches with these options may be rated
    # How many times a position arises with the same seat to move before the match is drawn; 0: never.
    repetitions: Callable[[O], int] = lambda _: 0
    # Whether a legal ply takes something: such moves are listed first.
    takes: Callable[[P, M], bool] = lambda _, __: False
    # What each seat could take, were it to move; nothing once the game is over.
    threats: Callable[[P], Sequence[Threat]] = lambda _: ()
    # What a turn took from seats whose pieces have to be linked, from the positions before and after it.
    losses: Callable[[P, P], Sequence[Loss]] = lambda _, __: ()
    # Plies that finish the turn, where all that could be played instead wins within it, too; nothing otherwise.
    finish: Callable[[P], Sequence[M]] = lambda _: ()
    # Whether the plies of one turn may be played in any order that is legal, to the same position.
    unordered: bool = False
    # Odds by key: a start made unequal, from the start, the seat that gives them, and what is typed. The start can
    # be played and written like any other; BadOption where it cannot be had. `<game>.odds.<key>` says what was
    # given, with `value` as typed.
    odds: Mapping[str, Callable[[P, Seat, str], P]] = dataclasses.field(default_factory=dict)
    # A guess, strictly between -1 and 1, at the result that a seat may expect of a position that goes on:
    # quick, without search. The generic engine plays by it.
    evaluate: Callable[[P, Seat], float] = guess

    def choose(self, chosen: Mapping[str, str]) -> O:
        """Return the options that typed texts by key ask for (`preset` among them), or raise BadOption."""
        options = self.options(self.schema.read(chosen))
        self.check(options, chosen.keys() - {"preset"})
        return options

    def describe(self, options: O) -> dict[str, str]:
        """Return the texts that differ from the defaults; `choose` gives equal options back."""
        return self.schema.write(self.values(options))

    def with_usual(self, chosen: Mapping[str, str]) -> Mapping[str, str]:
        """Return the texts that are chosen for a match of two, with what `usual` adds unless they name it. May raise BadOption."""
        described = self.describe(self.choose(chosen))
        for preset, usual in self.usual.items():
            alike = described == self.describe(self.choose({"preset": preset}))
            if alike and usual.keys().isdisjoint(chosen):
                return {**chosen, **usual}
        return chosen

    def seats(self, options: O) -> int:
        """Return the number of players."""
        return sum(map(len, self.sides(options)))

    def draw(self, position: P, highlights: Highlights[P, M] | None = None, /) -> Diagram:
        """Return a position as a diagram."""
        shown = highlights or Highlights()
        diagram = self.diagram(position, shown)
        return dataclasses.replace(diagram, planned=True) if shown.planned and shown.last else diagram


AnyGame: TypeAlias = Game[Any, Any, Any]
