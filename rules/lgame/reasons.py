"""Why the L-game refuses something, and how it ends."""

from __future__ import annotations

from rules.core import Ending, Reason


class Refusal(Reason):
    """A rule of the L-game that a move or an option breaks."""

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


class LEnding(Ending):
    """How an L-game ends by its rules."""

    BLOCKED = "lgame.ending.blocked"
    POINTS = "lgame.ending.points"
    MIRRORED = "lgame.ending.mirrored"
