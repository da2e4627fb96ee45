"""What can be chosen before a game of Breakthrough, why something is refused, and how a game ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from rules.core import Ending, Grid, OneOf, Reason, Schema, Size


class Variant(StrEnum):
    """Which way round the game is won."""

    CLASSIC = "classic"  # reaching the far rank wins, losing all men loses
    MISERE = "misere"  # reaching the far rank loses, losing all men wins

    def __repr__(self) -> str:
        return f"Variant.{self.name}"


@dataclass(frozen=True, slots=True)
class Options:
    """A kind of Breakthrough."""

    grid: Grid
    variant: Variant


SCHEMA: Final = Schema(
    options=(
        # On one file no man could ever capture or pass; below four ranks the two armies of two ranks do not fit.
        # Files end with the letter z; 26 ranks keep the largest board square.
        Size("board", "8x8", files=(2, 26), ranks=(4, 26)),
        OneOf("variant", Variant.CLASSIC.value, tuple(variant.value for variant in Variant)),
    ),
    presets={
        "classic": {},
        "7x7": {"board": "7x7"},
        "mini": {"board": "5x5"},
        "6x6": {"board": "6x6"},
        "10x10": {"board": "10x10"},
        "misere": {"variant": Variant.MISERE.value},
    },
)


def options(values: Mapping[str, Any]) -> Options:
    """Options from the schema's values; every combination can be played."""
    return Options(values["board"], Variant(values["variant"]))


def values(chosen: Options) -> dict[str, Any]:
    """The schema's values, the inverse of `options`."""
    return {"board": chosen.grid, "variant": chosen.variant.value}


def ratable(chosen: Options) -> bool:
    """Whether it may be rated: not below 6x6, since who wins most smaller boards is known before the first move."""
    return min(chosen.grid.files, chosen.grid.ranks) >= 6


class Refusal(Reason):
    """A move is well spelled, but the rules forbid it."""

    NO_MAN = "breakthrough.illegal.no-man"  # square
    OPPONENTS_MAN = "breakthrough.illegal.opponents-man"  # square
    NOT_FORWARD = "breakthrough.illegal.not-forward"  # start, end
    TOO_FAR = "breakthrough.illegal.too-far"  # start, end
    OWN_MAN = "breakthrough.illegal.own-man"  # square
    BLOCKED = "breakthrough.illegal.blocked"  # start, end: an opponent's man straight ahead
    NOTHING_TO_CAPTURE = "breakthrough.illegal.nothing-to-capture"  # square
    IS_A_CAPTURE = "breakthrough.illegal.is-a-capture"  # start, end
    UNREACHABLE = "breakthrough.illegal.unreachable"  # square


class Setup(Reason):
    """A position that no game arrives at."""

    WRONG_BOARD = "breakthrough.position.wrong-board"  # board
    TOO_MANY_WHITE = "breakthrough.position.too-many-white"  # count, limit
    TOO_MANY_BLACK = "breakthrough.position.too-many-black"  # count, limit
    PLAYED_ON = "breakthrough.position.played-on"  # squares
    NO_MEN = "breakthrough.position.no-men"


class BadOdds(Reason):
    """Men that a side cannot play without."""

    NO_MAN = "breakthrough.bad-odds.no-man"  # square
    TWICE = "breakthrough.bad-odds.twice"  # square
    TOO_MANY = "breakthrough.bad-odds.too-many"  # count, limit


class BEnding(Ending):
    """How a game of Breakthrough ends."""

    REACHED = "breakthrough.ending.reached"
    CAPTURED = "breakthrough.ending.captured"
    MISERE_REACHED = "breakthrough.ending.misere-reached"
    MISERE_CAPTURED = "breakthrough.ending.misere-captured"
