"""A game as one object of named parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from rules.core.diagram import Diagram
from rules.core.evaluation import guess
from rules.core.fork import Fork
from rules.core.notation import Notation
from rules.core.options import Schema
from rules.core.phrase import Phrase
from rules.core.position import Position
from rules.core.seat import Seat

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")
O = TypeVar("O")  # noqa: E741 - a game's options, beside P and M

P_contra = TypeVar("P_contra", bound=Position[Any], contravariant=True)
M_contra = TypeVar("M_contra", contravariant=True)

Sides: TypeAlias = tuple[tuple[Seat, ...], ...]
"""Which seats belong together: `((S1,), (S2,))`, or teams."""


class Draw(Protocol[P_contra, M_contra]):
    """Makes the diagram of a position."""

    def __call__(
        self,
        position: P_contra,
        /,
        *,
        last: Sequence[M_contra] = (),
        before: P_contra | None = None,
        candidates: Sequence[M_contra] = (),
        picked: Sequence[str] = (),
    ) -> Diagram:
        """The board as data.

        Args:
            position: What to show.
            last: The plies of the turn that led here, for marks and arrows.
            before: The position before `last`; without it, what left a cell is not marked.
            candidates: Moves to number from 1 on the board.
            picked: The path of a half-made move, to mark what is picked so far.
        """
        ...


@dataclass(frozen=True, slots=True)
class Game(Generic[P, M, O]):
    """A game. Everything outside its folder reaches it through these parts.

    Attributes:
        key: Its name in commands, storage, match files and catalogue keys: lower-case ASCII.
        rules_version: Goes up when an old log would replay differently.
        schema: The options and presets, as texts and as values.
        options: Options from the schema's values; raises BadOption for a combination that cannot be played.
        values: The schema's values from options, the inverse of `options`.
        check: Refuses keys that somebody named though, beside the other options, they change nothing, whatever value
            was given; raises BadOption. Values alone do not tell: a default may have been named or not.
        sides: The seats, and which of them belong together.
        start: The start position.
        notation: Moves and positions as text.
        draw: A position as a diagram.
        fork: Where a half-made move, given as the tokens chosen so far, can go.
            Raises IllegalMove when a token is no step there, and for any path once the game is over.
        say: What a ply did, from the position before it, as a phrase for captions.
        warning: What to know before a match with these options, which can be played and perhaps should not be; None:
            nothing.
        ratable: Whether these options may be played for ratings.
        repetitions: How many times a position arises with the same seat to move before the match is drawn; 0: never.
        unordered: Whether the plies of one turn may be played in any order that is legal, to the same position.
        evaluate: A guess, from -1 to 1 and never either, at the result that a seat may expect of a position that goes
            on: quick, and no search. What searches without knowing the game judges by it.
    """

    key: str
    rules_version: int
    schema: Schema
    options: Callable[[Mapping[str, Any]], O]
    values: Callable[[O], Mapping[str, Any]]
    sides: Callable[[O], Sides]
    start: Callable[[O], P]
    notation: Notation[P, M, O]
    draw: Draw[P, M]
    fork: Callable[[P, Sequence[str]], Fork[M]]
    say: Callable[[P, M], Phrase]
    check: Callable[[O, AbstractSet[str]], None] = lambda _, __: None
    warning: Callable[[O], Phrase | None] = lambda _: None
    ratable: Callable[[O], bool] = lambda _: True
    repetitions: Callable[[O], int] = lambda _: 0
    unordered: bool = False
    evaluate: Callable[[P, Seat], float] = guess

    def choose(self, chosen: Mapping[str, str]) -> O:
        """Options from typed texts by key (`preset` among them).

        Raises:
            BadOption: an unknown option, a bad value, a combination that cannot be played, or an option that has no
                meaning beside the others.
        """
        options = self.options(self.schema.read(chosen))
        self.check(options, chosen.keys() - {"preset"})
        return options

    def describe(self, options: O) -> dict[str, str]:
        """The texts that differ from the defaults; `choose` gives equal options back."""
        return self.schema.write(self.values(options))

    def seats(self, options: O) -> int:
        """How many people play."""
        return sum(map(len, self.sides(options)))


AnyGame: TypeAlias = Game[Any, Any, Any]
