"""Every refusal: the text or the move, the rule that it names, and the squares."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core import BadNotation, Grid, IllegalMove, Legality, RulesError, Spelling, sq
from rules.lgame import GAME, LPosition, Move
from rules.lgame.board import FULL, LYING, mask_of, mv
from rules.lgame.options import Refusal
from tests.rules.lgame.shared import NOTATION, VARIANTS, at, start


def cells(text: str) -> tuple[Any, ...]:
    return tuple(map(sq, text.split()))


ILLEGAL: list[tuple[str, Refusal, dict[str, Any]]] = [
    ("L b3-b1-c1", Refusal.SAME_CELLS, {"squares": cells("b1 c1 b2 b3")}),
    ("L c1 b1 b2 b3", Refusal.SAME_CELLS, {"squares": cells("b1 c1 b2 b3")}),
    ("L c2-c4-d4", Refusal.ON_OPPONENT, {"squares": cells("c2 c3 c4")}),
    ("L c2-c4", Refusal.ON_OPPONENT, {"squares": cells("c2 c3 c4")}),
    ("L a2-a4-b4", Refusal.ON_OPPONENT, {"squares": cells("b4")}),
    ("L a2-a4", Refusal.ON_NEUTRAL, {"squares": cells("a4")}),
    ("L b1-d1-d2", Refusal.ON_NEUTRAL, {"squares": cells("d1")}),
    ("L d2-d4", Refusal.NO_FOOT, {"bar": "d2-d4"}),
    ("L d4-d2", Refusal.NO_FOOT, {"bar": "d2-d4"}),
    ("L a1-c1-d1", Refusal.NOT_AN_L, {"squares": cells("a1 c1 d1")}),
    ("L a1 b1 a2 b2", Refusal.NOT_AN_L, {"squares": cells("a1 b1 a2 b2")}),
    ("L a1 a1 a2 a3", Refusal.NOT_AN_L, {"squares": cells("a1 a1 a2 a3")}),
    ("L a1-a2", Refusal.NOT_A_BAR, {"squares": cells("a1 a2")}),
    ("L a1-c3", Refusal.NOT_A_BAR, {"squares": cells("a1 c3")}),
    ("n a4-b2", Refusal.NEUTRAL_ONLY, {}),
    ("н b2", Refusal.NEUTRAL_ONLY, {}),
    ("n a4-b2 L a1-a3-b3", Refusal.NEUTRAL_FIRST, {}),
    ("n a4-b2 a1-a3-b3", Refusal.NEUTRAL_FIRST, {}),
    ("L a1-a3-b3 n a4-b2 n d1-d2", Refusal.TOO_MANY_NEUTRALS, {"count": 1}),
    ("L a1-a3-b3 n b2-d2", Refusal.NO_NEUTRAL, {"square": sq("b2"), "neutrals": cells("d1 a4")}),
    ("L a1-a3-b3 n a4-a4", Refusal.SAME_SQUARE, {"square": sq("a4")}),
    ("L a1-a3-b3 n a4", Refusal.WHERE_TO, {"square": sq("a4")}),
    ("L a1-a3-b3 n a4-d1", Refusal.TARGET_TAKEN, {"square": sq("d1")}),
    ("L a1-a3-b3 n a4-c3", Refusal.TARGET_TAKEN, {"square": sq("c3")}),
    ("L a1-a3-b3 n a4-b3", Refusal.TARGET_TAKEN, {"square": sq("b3")}),
    ("L a1-a3-b3 n c3", Refusal.TARGET_TAKEN, {"square": sq("c3")}),
]

SUDDEN: list[tuple[str, Refusal, dict[str, Any]]] = [
    ("L a1-a3-b3 n a4-b2 n d1-d2 n d2", Refusal.TOO_MANY_NEUTRALS, {"count": 2}),
    ("L a1-a3-b3 n a4-b2 n a4-d2", Refusal.NEUTRAL_TWICE, {"square": sq("a4")}),
    ("L a1-a3-b3 n a4-b2 n d1-b2", Refusal.SAME_TARGET, {"square": sq("b2")}),
    ("L a1-a3-b3 n a4-b2 n d1-d1", Refusal.SAME_SQUARE, {"square": sq("d1")}),
    ("L a1-a3-b3 n a4-b2 n c4-d2", Refusal.NO_NEUTRAL, {"square": sq("c4"), "neutrals": cells("d1 a4")}),
    ("L a1-a3-b3 n a4-b2 n d1", Refusal.WHERE_TO, {"square": sq("d1")}),
    ("L a1-a3-b3 n a4-d1", Refusal.TARGET_TAKEN, {"square": sq("d1")}),
    ("L a1-a3-b3 n a4-b2 n d1-c2", Refusal.TARGET_TAKEN, {"square": sq("c2")}),
]

MISSPELLED: list[tuple[str, Any, dict[str, Any]]] = [
    ("", Spelling.EMPTY, {}),
    ("L", Spelling.NOT_A_MOVE, {"text": "L"}),
    ("hello", Spelling.NOT_A_MOVE, {"text": "hello"}),
    ("L c1-c3 L d3", Spelling.NOT_A_MOVE, {"text": "L c1-c3 L d3"}),
    ("L c1;c3", Spelling.NOT_A_MOVE, {"text": "L c1;c3"}),
    ("L c1-c5", Spelling.OFF_THE_BOARD, {"square": sq("c5"), "board": Grid(4, 4)}),
    ("L e1-e3 n b2", Spelling.OFF_THE_BOARD, {"square": sq("e1"), "board": Grid(4, 4)}),
    ("L c1-c3-d3 n z9", Spelling.OFF_THE_BOARD, {"square": sq("z9"), "board": Grid(4, 4)}),
    ("L c1-c999999999", Spelling.NOT_A_SQUARE, {"text": "c999999999"}),
    ("L c1", Refusal.CELL_COUNT, {"count": 1}),
    ("L", Spelling.NOT_A_MOVE, {"text": "L"}),
    ("L n b2", Refusal.CELL_COUNT, {"count": 0}),
    ("L c1 c2 c3 d3 a4", Refusal.CELL_COUNT, {"count": 5}),
    ("L c1-c3-d3 n", Refusal.NEUTRAL_UNNAMED, {}),
    ("L c1-c3-d3 n a4-b2-c2", Refusal.NEUTRAL_UNNAMED, {}),
    ("L c1-c3 n c\u0663", Spelling.STRANGE_CHARACTER, {"character": "\u0663"}),
]


def check(
    position: LPosition, text: str, kind: type[RulesError], reason: Any, fields: dict[str, Any]
) -> None:
    before = NOTATION.format_position(position)
    with pytest.raises(kind) as refused:
        NOTATION.parse(text, position)
    assert type(refused.value) is kind
    assert (refused.value.reason, dict(refused.value.fields)) == (reason, fields)
    assert NOTATION.format_position(position) == before


@pytest.mark.parametrize(
    ("preset", "kind", "text", "reason", "fields"),
    [
        *(("classic", IllegalMove, *row) for row in ILLEGAL),
        *(("sudden-death", IllegalMove, *row) for row in SUDDEN),
        *(("classic", BadNotation, *row) for row in MISSPELLED),
    ],
)
def test_refused(preset: str, kind: type[RulesError], text: str, reason: Any, fields: dict[str, Any]) -> None:
    check(start(preset), text, kind, reason, fields)


def test_only_foot_left_is_where_the_l_lies() -> None:
    # Beside c1-c3, b1 and d1 hold neutrals and b3 the opponent's L; d3 is a foot of the L that lies there.
    check(
        at("..../1122/1.2./1o2o 2"),
        "L c1-c3",
        IllegalMove,
        Refusal.SAME_CELLS,
        {"squares": cells("c1 c2 c3 d3")},
    )


BLOCKED = "111o/122./o.2./..2. 1"


@pytest.mark.parametrize("text", ["L a1-a3-b3", "L c4-a4-a3", "L a1-a3-b3 n a4-b2", "a1-c1"])
def test_game_over(text: str) -> None:
    check(at(BLOCKED), text, IllegalMove, Legality.GAME_OVER, {})
    with pytest.raises(IllegalMove) as refused:
        GAME.fork(at(BLOCKED), ("a1-a3-b3",))
    assert refused.value.reason is Legality.GAME_OVER


L = mask_of(cells("a1 a2 a3 b3"))
A4, B2, D1, D2 = (mask_of(cells(name)) for name in ("a4", "b2", "d1", "d2"))


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Move(0), Refusal.NOT_AN_L),
        (Move(mask_of(cells("a1 b1 a2 b2"))), Refusal.NOT_AN_L),
        (Move(L | 1 << 16), Refusal.NOT_AN_L),
        (mv("L b3-b1-c1"), Refusal.SAME_CELLS),
        (mv("L c2-c4-d4"), Refusal.ON_OPPONENT),
        (mv("L b1-d1-d2"), Refusal.ON_NEUTRAL),
        (Move(L, B2, D2), Refusal.NO_NEUTRAL),
        (Move(L, A4, D1), Refusal.TARGET_TAKEN),
        (Move(L, A4, A4), Refusal.TARGET_TAKEN),
        (Move(L, A4 | D1, B2 | D2), Refusal.TOO_MANY_NEUTRALS),
        (Move(L, A4, 0), Refusal.WHERE_TO),
        (Move(L, A4, B2 | D2), Refusal.TOO_MANY_NEUTRALS),
        (Move(L, 0, B2), Refusal.TOO_MANY_NEUTRALS),
        (Move(L, A4, 1 << 16), Refusal.WHERE_TO),
        (Move(L, 0, FULL + 1), Refusal.TOO_MANY_NEUTRALS),
        (Move(L, -1, -1), Refusal.NO_NEUTRAL),
    ],
)
def test_values_that_cannot_be_played(move: Move, reason: Refusal) -> None:
    with pytest.raises(IllegalMove) as refused:
        start().play(move)
    assert refused.value.reason is reason


@pytest.mark.parametrize("preset", VARIANTS)
def test_what_is_not_offered_is_refused(preset: str) -> None:
    """All moves that the board has, in a few positions: playable if, and only if, they are generated."""
    every = [
        Move(placement, 1 << lifted, 1 << put)
        for placement in LYING
        for lifted in range(16)
        for put in range(16)
    ] + [Move(placement) for placement in LYING]
    position = start(preset)
    for _ in range(3):
        legal = set(position.legal_moves())
        for move in every:
            if move in legal:
                position.play(move)
            else:
                with pytest.raises(IllegalMove):
                    position.play(move)
        position = position.play(position.legal_moves()[-1])
