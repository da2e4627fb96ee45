"""What people type: every spelling of a legal move is read as that move, and short ones offer the moves that fit."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core import AmbiguousMove, Legality
from rules.lgame import LPosition, Move
from rules.lgame.board import LYING, mv, squares
from tests.rules.lgame.shared import NOTATION, VARIANTS, start

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
