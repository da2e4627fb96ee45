"""What can be chosen before an L-game and what it means for the rules, why something is refused, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from rules.core import BadOption, Ending, Number, OneOf, Reason, Schema
from rules.lgame.board import AXES, GRID, half_turn, images, mask_of


class Refusal(Reason):
    """A rule of the L-game that a move or an option breaks."""

    POINTS_UNCOUNTED = "lgame.refusal.points-uncounted"  # odds in points where none are counted
    ONLY_IN = "lgame.refusal.only-in"  # option, value, variant: the option means nothing in another variant

    CELL_COUNT = "lgame.refusal.cell-count"  # count: an L is named by 2, 3 or 4 squares
    NEUTRAL_UNNAMED = "lgame.refusal.neutral-unnamed"  # an `n` with no square, or with more than two

    NOT_A_BAR = "lgame.refusal.not-a-bar"  # squares: no three cells in line end there
    NOT_AN_L = "lgame.refusal.not-an-l"  # squares
    SAME_CELLS = "lgame.refusal.same-cells"  # squares
    ON_OPPONENT = "lgame.refusal.on-opponent"  # squares: the taken ones
    ON_NEUTRAL = "lgame.refusal.on-neutral"  # squares: the taken ones
    NO_FOOT = "lgame.refusal.no-foot"  # bar: it is free, but nothing beside its ends is

    NEUTRAL_FIRST = "lgame.refusal.neutral-first"
    NEUTRAL_ONLY = "lgame.refusal.neutral-only"
    TOO_MANY_NEUTRALS = "lgame.refusal.too-many-neutrals"  # count: how many may move
    NO_NEUTRAL = "lgame.refusal.no-neutral"  # square, neutrals: where they are
    NEUTRAL_TWICE = "lgame.refusal.neutral-twice"  # square
    SAME_TARGET = "lgame.refusal.same-target"  # square
    SAME_SQUARE = "lgame.refusal.same-square"  # square: that is where the neutral stands
    WHERE_TO = "lgame.refusal.where-to"  # square: a neutral stands there, but not where it goes
    TARGET_TAKEN = "lgame.refusal.target-taken"  # square


class Misplaced(Reason):
    """A position's text that is well formed, but from which the rules cannot go on."""

    NO_L = "lgame.position.no-l"  # seat, squares: what is marked for that player
    NEUTRALS = "lgame.position.neutrals"  # count
    POINTS_MISSING = "lgame.position.points-missing"
    POINTS_UNCOUNTED = "lgame.position.points-uncounted"
    POINTS_BEYOND = "lgame.position.points-beyond"  # seat, points, limit: the most that player can have here
    NO_IMAGE = "lgame.position.no-image"
    STUCK = "lgame.position.stuck"  # seat: where points are counted


class LEnding(Ending):
    """How an L-game ends by its rules."""

    BLOCKED = "lgame.ending.blocked"
    POINTS = "lgame.ending.points"
    MIRRORED = "lgame.ending.mirrored"


class _Word(StrEnum):
    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class Variant(_Word):
    """Which rules are added to the classic ones."""

    CLASSIC = "classic"
    SUDDEN_DEATH = "sudden-death"
    SCORING = "scoring"
    SYMMETRY = "symmetry"


class Symmetry(_Word):
    """Which images of the opponent's L win in the symmetry variant."""

    AXES = "axes"
    HALF_TURN = "half-turn"
    ANY = "any"


_IMAGES: Final = {
    Symmetry.AXES: images(AXES),
    Symmetry.HALF_TURN: images((half_turn,)),
    Symmetry.ANY: images((*AXES, half_turn)),
}

DEFAULT_POINTS: Final = 15
BLOCK_POINTS: Final = 5  # for leaving the opponent without a move, in the scoring variant
_CELLS: Final = {"a4": "a3 b3 a4 b4", "a1": "a1 b1 a2 b2", "d1": "c1 d1 c2 d2", "d4": "c3 d3 c4 d4"}
_CORNERS: Final = {corner: mask_of(map(GRID.find, cells.split())) for corner, cells in _CELLS.items()}
"""The four cells that are painted, by their corner of the board."""


@dataclass(frozen=True, slots=True)
class Options:
    """The chosen rules. The first four are the choice; the others follow from it, and are what the rules look at."""

    variant: Variant = Variant.CLASSIC  # which rules are added
    symmetry: Symmetry = Symmetry.AXES  # which images win, in the symmetry variant
    points: int = DEFAULT_POINTS  # how many win, in the scoring variant
    corner: str = "a4"  # the corner with the painted cells, in the scoring variant
    lifts: int = field(init=False, repr=False, compare=False)  # how many neutrals may move in a turn
    # The cells that score; none outside the scoring variant.
    painted: int = field(init=False, repr=False, compare=False)
    goal: int = field(init=False, repr=False, compare=False)  # how many points win; 0 where there are none
    # For an L, the opponent's L's that make it a winning image.
    images: Mapping[int, frozenset[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scoring = self.variant is Variant.SCORING
        symmetric = self.variant is Variant.SYMMETRY
        follows = {
            "lifts": 2 if self.variant is Variant.SUDDEN_DEATH else 1,
            "painted": _CORNERS[self.corner] if scoring else 0,
            "goal": self.points if scoring else 0,
            "images": _IMAGES[self.symmetry] if symmetric else MappingProxyType({}),
        }
        for name, value in follows.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Options, (self.variant, self.symmetry, self.points, self.corner)  # the rest follows


SCHEMA: Final = Schema(
    options=(
        OneOf("variant", "classic", tuple(map(str, Variant))),
        OneOf("symmetry", "axes", tuple(map(str, Symmetry))),
        Number("points", str(DEFAULT_POINTS), low=5, high=100),
        OneOf("corner", "a4", tuple(_CORNERS)),
    ),
    presets={
        "classic": {"variant": "classic"},
        "sudden-death": {"variant": "sudden-death"},
        "scoring": {"variant": "scoring"},
        "symmetry": {"variant": "symmetry"},
        "half-turn": {"variant": "symmetry", "symmetry": "half-turn"},
        "puzzle": {"variant": "symmetry", "symmetry": "any"},
    },
)

_ONLY_IN: Final = {"symmetry": Variant.SYMMETRY, "points": Variant.SCORING, "corner": Variant.SCORING}


def options(values: Mapping[str, Any]) -> Options:
    """Options from the schema's values; an option of another variant that has been changed is refused."""
    chosen = Options(
        Variant(values["variant"]), Symmetry(values["symmetry"]), values["points"], values["corner"]
    )
    check(chosen, SCHEMA.write(values).keys())
    return chosen


def check(chosen: Options, named: AbstractSet[str]) -> None:
    """Refuse options of another variant that were named, were it by their defaults."""
    for key, variant in _ONLY_IN.items():
        if key in named and chosen.variant is not variant:
            value = str(getattr(chosen, key))
            raise BadOption(Refusal.ONLY_IN, option=key, value=value, variant=str(variant))


def ratable(chosen: Options) -> bool:
    """Whether ratings may hang on it: with every image allowed, the first player wins by force in five plies."""
    return not (chosen.variant is Variant.SYMMETRY and chosen.symmetry is Symmetry.ANY)


def repetitions(chosen: Options) -> int:
    """How often a position may arise before the match is drawn. Points make a game of scoring end by itself."""
    return 0 if chosen.goal else 3
