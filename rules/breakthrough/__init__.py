"""Breakthrough: men walk and capture ahead only, and the first on the far rank wins (Dan Troyka, 2000)."""

from __future__ import annotations

from typing import Final

from rules.breakthrough.lesson import LESSON
from rules.breakthrough.notation import BreakthroughNotation, draw, evaluate, fork, threats, without
from rules.breakthrough.options import SCHEMA, Options, Variant, options, ratable, values
from rules.breakthrough.position import BreakthroughPosition, Move
from rules.core import Game, Phrase

KEYS: Final = {"breakthrough.say.{}": (("captured", "moved"),)}


def _say(_: BreakthroughPosition, move: Move) -> Phrase:
    kind = "captured" if move.captures else "moved"
    return Phrase(f"breakthrough.say.{kind}", {"start": move.start, "end": move.end})


GAME: Final = Game(
    key="breakthrough",
    rules_version=1,
    schema=SCHEMA,
    options=options,
    values=values,
    start=BreakthroughPosition.start,
    notation=BreakthroughNotation(),
    diagram=draw,
    fork=fork,
    say=_say,
    lesson=LESSON,
    topics=("start", "move", "end", "notation"),
    ratable=ratable,
    takes=lambda _, move: move.captures,
    evaluate=evaluate,
    threats=threats,
    odds={"without": without},
)
