"""What people type: moves, refusals, steps, options."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core import (
    AmbiguousMove,
    BadNotation,
    BadOption,
    Grid,
    IllegalMove,
    Legality,
    RulesError,
    Spelling,
    sq,
)
from rules.lgame import GAME, LPosition, Move
from rules.lgame.board import FULL, LYING, mask_of, squares
from rules.lgame.notation import fork
from rules.lgame.options import Refusal
from tests.rules.lgame.oracle import NOTATION, VARIANTS, at, mv, start

# What people type: every spelling of a legal move is read as that move, and short ones offer the moves that
# fit.


CYRILLIC = str.maketrans("aclnACLNB", "аслнАСЛНВ")


@cache
def some_positions() -> tuple[LPosition, ...]:
    """Positions of random games that go on, of every variant."""
    found = []
    for preset in VARIANTS:
        chance = random.Random(preset)
        for _ in range(4):
            position = start(preset)
            for _ in range(12):
                if position.outcome:
                    break
                found.append(position)
                position = position.play(chance.choice(position.legal_moves()))
    return tuple(found)


@st.composite
def spelled(draw: st.DrawFn) -> tuple[LPosition, Move, str]:
    """A position, a legal move, and one of the ways to type it that leave nothing open."""
    position = draw(st.sampled_from(some_positions()))
    legal = position.legal_moves()
    move = draw(st.sampled_from(legal))
    gap = st.sampled_from([" ", ",", "-", ", ", " - ", "–", "  ", ""])

    def join(words: list[str]) -> str:
        return "".join(word + (draw(gap) if n < len(words) - 1 else "") for n, word in enumerate(words))

    lying = LYING[move.cells]
    shared_bar = [
        other
        for other in legal
        if {lying.end, lying.corner} == {LYING[other.cells].end, LYING[other.cells].corner}
    ]
    ways = [
        [lying.end, lying.corner, lying.foot],
        [lying.corner, lying.end, lying.foot],
        [lying.foot, lying.corner, lying.end],
        draw(st.permutations(lying.cells)),
    ]
    if all(other.cells == move.cells for other in shared_bar):
        ways += [
            [lying.end, lying.corner],
            [lying.corner, lying.end],
            [lying.corner, lying.middle, lying.end],
        ]
    parts = [join(list(map(str, draw(st.sampled_from(ways)))))]
    pairs = list(zip(squares(move.lifted), squares(move.put), strict=True))
    if len(pairs) == 2 and draw(st.booleans()):  # which goes where makes no difference
        pairs = [(pairs[0][0], pairs[1][1]), (pairs[1][0], pairs[0][1])]
    for start_square, end in draw(st.permutations(pairs)):
        named = [str(end)] if len(pairs) == 2 and draw(st.booleans()) else [str(start_square), str(end)]
        parts.append("n" + draw(st.sampled_from(["", " ", ", "])) + join(named))
    text = draw(st.sampled_from(["L ", "l", "", "L-", "l, "])) + draw(st.sampled_from([" ", ", "])).join(
        parts
    )
    if draw(st.booleans()):
        text = text.upper()
    if draw(st.booleans()):
        text = text.translate(CYRILLIC)
    return position, move, draw(st.sampled_from(["", " "])) + text + draw(st.sampled_from(["", "  "]))


@given(spelled())
def test_every_spelling_is_the_move(case: tuple[LPosition, Move, str]) -> None:
    position, move, text = case
    assert NOTATION.parse(text, position) == (move,)


@pytest.mark.parametrize(
    ("preset", "text", "candidates"),
    [
        ("classic", "L b3-b1", "L b1-b3-a3, L b3-b1-a1"),
        ("classic", "L a1-a3-b3 n b2", "L a1-a3-b3 n d1-b2, L a1-a3-b3 n a4-b2"),
        (
            "classic",
            "L b1-b3 n d4",
            "L b1-b3-a3 n d1-d4, L b1-b3-a3 n a4-d4, L b3-b1-a1 n d1-d4, L b3-b1-a1 n a4-d4",
        ),
        ("sudden-death", "L a1-a3-b3 n d4", "L a1-a3-b3 n d1-d4, L a1-a3-b3 n a4-d4"),
    ],
)
def test_moves_that_fit_are_offered(preset: str, text: str, candidates: str) -> None:
    with pytest.raises(AmbiguousMove) as refused:
        NOTATION.parse(text, start(preset))
    assert refused.value.reason is Legality.SEVERAL_FIT
    assert ", ".join(map(str, refused.value.candidates)) == candidates
    assert refused.value.fields["count"] == len(refused.value.candidates)


def test_a_target_tells_feet_and_neutrals_apart() -> None:
    assert NOTATION.parse("L b1-b3 n a4-a3", start()) == (mv("L b3-b1-a1 n a4-a3"),)
    (move,) = NOTATION.parse("L a1-a3-b3 n d4 n a4-b2", start("sudden-death"))
    assert move == mv("L a1-a3-b3 n d1-b2 n a4-d4")


# Every refusal: the text or the move, the rule that it names, and the squares.


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


# Picking a turn step by step.


def tokens(position: LPosition, *path: str) -> list[str]:
    return [step.token for step in fork(position, path).steps]


def test_classic_steps() -> None:
    assert tokens(start()) == ["a1-a3-b3", "a3-a1-b1", "b1-b3-a3", "b3-b1-a1", "c1-a1-a2"]
    assert tokens(start(), "c1-a1-a2") == ["keep", "n d1", "n a4"]
    assert fork(start(), ("c1-a1-a2", "keep")).move == mv("L c1-a1-a2")
    assert tokens(start(), "c1-a1-a2", "n a4") == ["b2", "d2", "a3", "b3", "d3", "d4"]
    assert fork(start(), ("c1-a1-a2", "n a4", "b2")).move == mv("L c1-a1-a2 n a4-b2")


def test_sudden_death_steps() -> None:
    position = start("sudden-death")
    assert tokens(position, "c1-a1-a2") == ["keep", "n d1", "n a4", "both"]
    pairs = tokens(position, "c1-a1-a2", "both")
    assert len(pairs) == 15
    assert pairs[0] == "b2 d2"
    assert fork(position, ("c1-a1-a2", "both", "b2 d2")).move == mv("L c1-a1-a2 n d1-b2 n a4-d2")


# What can be chosen, what it means, and what is refused.


@pytest.mark.parametrize(
    ("chosen", "option", "value", "variant"),
    [
        ("points:20", "points", "20", "scoring"),
        ("variant:classic points:15", "points", "15", "scoring"),  # a default that was typed was meant
        ("corner:a4", "corner", "a4", "scoring"),
        ("preset:scoring symmetry:axes", "symmetry", "axes", "symmetry"),
        ("preset:symmetry corner:d1", "corner", "d1", "scoring"),
        ("variant:scoring symmetry:any", "symmetry", "any", "symmetry"),
        ("variant:classic preset:puzzle", "symmetry", "any", "symmetry"),
    ],
)
def test_an_option_of_another_variant_is_refused(chosen: str, option: str, value: str, variant: str) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.choose(dict(word.split(":") for word in chosen.split()))
    assert refused.value.reason is Refusal.ONLY_IN
    assert refused.value.fields == {"option": option, "value": value, "variant": variant}


def test_what_is_rated_and_what_repeats() -> None:
    said = {
        preset: (GAME.ratable(options), GAME.repetitions(options))
        for preset in GAME.schema.presets
        for options in (GAME.choose({"preset": preset}),)
    }
    assert said == {
        "classic": (True, 3),
        "sudden-death": (True, 3),
        "scoring": (True, 0),
        "symmetry": (True, 3),
        "half-turn": (True, 3),
        "puzzle": (False, 3),
    }
