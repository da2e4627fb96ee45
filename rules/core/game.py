"""A game as one object of named parts.

An idea of a game on a board, for those who learn it.

A game's text: moves and positions, both ways.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from rules.core.diagram import Diagram
from rules.core.errors import Phrase
from rules.core.fork import Fork
from rules.core.options import Schema
from rules.core.position import Position, Threat, guess
from rules.core.squares import Seat


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position that shows one idea; `<game>.lesson.<key>` says it."""

    key: str  # lower-case letters and hyphens
    position: str  # in the game's notation
    turn: str = ""  # a turn that is played there, in the game's notation
    squares: str = ""  # what to look at: names of squares, with blanks between
    options: tuple[tuple[str, str], ...] = ()  # the game's options as texts


P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")
O = TypeVar("O")  # noqa: E741 - a game's options, beside P and M


class Notation(ABC, Generic[P, M, O]):
    """Parse beside format. Text is a request; only a position makes it a move."""

    @abstractmethod
    def parse(self, text: str, position: P) -> tuple[M, ...]:
        """The legal plies that typed text asks for: one, or up to a whole turn where turns have several plies.

        Every ply is legal after those before it: all of the text can be played, or nothing is.

        Raises:
            BadNotation: the text is no move of this game.
            AmbiguousMove: several legal moves fit; the error's candidates are moves.
            IllegalMove: the rules forbid it; the reason names the rule, the fields the first bad square.
        """

    def format(self, move: M) -> str:
        """Return the canonical text of a ply, by default its `str`; `parse` reads it back wherever the move is legal."""
        return str(move)

    @abstractmethod
    def steps(self, move: M) -> tuple[str, ...]:
        """The tokens that pick this move in the game's fork, leaving out steps that only narrow the choice."""

    @abstractmethod
    def parse_position(self, text: str, options: O) -> P:
        """The position that canonical text describes, under these options.

        Raises:
            BadNotation: the text describes no position that the rules know.
        """

    @abstractmethod
    def format_position(self, position: P) -> str:
        """One line of ASCII from which `parse_position` makes an equal position."""


Sides: TypeAlias = tuple[tuple[Seat, ...], ...]
"""Which seats belong together: `((S1,), (S2,))`, or teams."""


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
    lessons: Sequence[Lesson] = ()  # its ideas on boards, the first to learn first
    # Cups that are offered ready-made: names, and what is typed for their options; `<game>.cup.<name>` is the label.
    cups: Sequence[tuple[str, str]] = ()
    ratable: Callable[[O], bool] = lambda _: True  # whether matches with these options may be rated
    # How many times a position arises with the same seat to move before the match is drawn; 0: never.
    repetitions: Callable[[O], int] = lambda _: 0
    # Whether a legal ply takes something: such moves are listed first.
    takes: Callable[[P, M], bool] = lambda _, __: False
    # What each seat could take, were it to move; nothing once the game is over.
    threats: Callable[[P], Sequence[Threat]] = lambda _: ()
    # Plies that finish the turn, where all that could be played instead wins within it, too; nothing otherwise.
    finish: Callable[[P], Sequence[M]] = lambda _: ()
    # Whether the plies of one turn may be played in any order that is legal, to the same position.
    unordered: bool = False
    # A guess, strictly between -1 and 1, at the result that a seat may expect of a position that goes on:
    # quick, without search. The generic engine plays by it.
    evaluate: Callable[[P, Seat], float] = guess

    def choose(self, chosen: Mapping[str, str]) -> O:
        """Return the options that typed texts by key ask for (`preset` among them).

        Raises:
            BadOption: an unknown option, a bad value, a combination that cannot be played, or an option that has no
                effect beside the others.
        """
        options = self.options(self.schema.read(chosen))
        self.check(options, chosen.keys() - {"preset"})
        return options

    def describe(self, options: O) -> dict[str, str]:
        """Return the texts that differ from the defaults; `choose` gives equal options back."""
        return self.schema.write(self.values(options))

    def seats(self, options: O) -> int:
        """Return the number of players."""
        return sum(map(len, self.sides(options)))

    def draw(self, position: P, highlights: Highlights[P, M] | None = None, /) -> Diagram:
        """Return a position as a diagram."""
        shown = highlights or Highlights()
        diagram = self.diagram(position, shown)
        return dataclasses.replace(diagram, planned=True) if shown.planned and shown.last else diagram


AnyGame: TypeAlias = Game[Any, Any, Any]
