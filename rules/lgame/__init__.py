"""The L-game, by Edward de Bono (1967): two players, 4 x 4."""

from __future__ import annotations

from typing import Final

from rules.core import Game, Phrase
from rules.lgame import options as choices
from rules.lgame.board import Move
from rules.lgame.lesson import LESSON
from rules.lgame.notation import LNotation, draw, fork
from rules.lgame.options import SCHEMA, Options
from rules.lgame.position import LPosition, evaluate, points_ahead, start

_NOTATION: Final = LNotation()


def _say(position: LPosition, move: Move) -> Phrase:
    text, seat = _NOTATION.format(move), position.to_move
    if not position.scores:
        return Phrase("lgame.say.moved", {"move": text})
    after = position.play(move)
    count = after.scores[seat] - position.scores[seat]
    if position.blocks(move) and not after.outcome:
        return Phrase("lgame.say.blocked", {"move": text, "count": count})
    return Phrase("lgame.say.scored" if count else "lgame.say.moved", {"move": text, "count": count})


GAME: Final[Game[LPosition, Move, Options]] = Game(
    key="lgame",
    rules_version=1,
    schema=SCHEMA,
    options=choices.options,
    check=choices.check,
    start=start,
    notation=_NOTATION,
    diagram=draw,
    fork=fork,
    say=_say,
    lesson=LESSON,
    topics=("start", "turn", "end", "notation", "both", "hints"),
    ratable=choices.ratable,
    repetitions=choices.repetitions,
    odds={"points": points_ahead},
    evaluate=evaluate,
)
