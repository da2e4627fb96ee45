"""Positions of the L-game: text, diagram, variants, and what is known of the game from elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from rules.core import (
    AmbiguousMove,
    BadNotation,
    BadOption,
    Diagram,
    Highlights,
    OptionReason,
    Outcome,
    Reason,
    Seat,
    Sign,
    Spelling,
)
from rules.lgame import GAME, LPosition
from rules.lgame.options import LEnding, Misplaced, Refusal
from tests.rules.lgame import oracle
from tests.rules.lgame.oracle import (
    AXES,
    CENTRE,
    NOTATION,
    SHAPES,
    Turning,
    at,
    classes,
    mv,
    play,
    position_of,
    shape,
    start,
)

# Positions as text.


START_TEXT = "o22./.12./.12./.11o"


@pytest.mark.parametrize(
    ("text", "preset"),
    [
        ("", "classic"),
        (START_TEXT, "classic"),
        (f"{START_TEXT} 0", "classic"),
        (f"{START_TEXT} 3", "classic"),
        (f"{START_TEXT} 1 x", "classic"),
        ("o22./.12./.12. 1", "classic"),
        ("o22./.12./.12./.11o/.... 1", "classic"),
        ("o22../.12./.12./.11 1", "classic"),
        ("ox2./.12./.12./.11o 1", "classic"),
        (f"{START_TEXT} 1 00-0", "scoring"),
        (f"{START_TEXT} 1 -1-0", "scoring"),
        (f"{START_TEXT} 1 1000-0", "scoring"),
    ],
)
def test_no_position_at_all(text: str, preset: str) -> None:
    with pytest.raises(BadNotation) as refused:
        at(text, preset)
    assert refused.value.reason in {Spelling.NOT_A_POSITION, Spelling.EMPTY}
    assert not refused.value.also


@pytest.mark.parametrize(
    ("text", "preset", "reasons"),
    [
        (f"{START_TEXT} 1 0-0", "classic", {Misplaced.POINTS_UNCOUNTED}),
        (f"{START_TEXT} 1", "scoring", {Misplaced.POINTS_MISSING}),
        (f"{START_TEXT} 1 mirrored", "classic", {Misplaced.NO_IMAGE}),
        ("o22./.12./.12./.11. 1", "classic", {Misplaced.NEUTRALS}),
        ("o22o/.12./.12./.11o 1", "classic", {Misplaced.NEUTRALS}),
        ("o22./.12./.12./..1o 1", "classic", {Misplaced.NO_L}),  # three cells are no L
        ("o22./.12./.12./111o 1", "classic", {Misplaced.NO_L}),  # nor are five
        ("o22./.122/.1../.11o 1", "classic", {Misplaced.NO_L}),  # four that are no L
        (f"{START_TEXT} 1 15-0", "scoring", {Misplaced.POINTS_BEYOND}),  # the seat to move cannot have won
        (f"{START_TEXT} 2 15-15", "scoring", {Misplaced.POINTS_BEYOND}),
        (f"{START_TEXT} 2 23-0", "scoring", {Misplaced.POINTS_BEYOND}),  # 14 and 8 are 22
        (
            "111o/122./o.2./..2. 1 3-9",
            "scoring",
            {Misplaced.STUCK},
        ),  # after a block the pieces are at the start
        (".12./o12./1122/..o. 2 mirrored", "half-turn", {Misplaced.NO_IMAGE}),
        (".12./o12./1122/..o. 2 mirrored", "classic", {Misplaced.NO_IMAGE}),
        (f"{START_TEXT} 1 mirrored", "symmetry", {Misplaced.NO_IMAGE}),
        (
            "2222/.1../.1../...o 1 99-0 mirrored",
            "scoring",
            {Misplaced.NO_L, Misplaced.NEUTRALS, Misplaced.POINTS_BEYOND, Misplaced.NO_IMAGE},
        ),
    ],
)
def test_every_reason_is_named(text: str, preset: str, reasons: set[Reason]) -> None:
    with pytest.raises(BadNotation) as refused:
        at(text, preset)
    assert {each.reason for each in (refused.value, *refused.value.also)} == reasons


@pytest.mark.parametrize(
    ("text", "preset"),
    [
        (".12./o12./1122/..o. 2", "symmetry"),  # an image, but no win
        (f"{START_TEXT} 2", "half-turn"),
        (".22./o12./.12./.11o 1", "half-turn"),  # the start's L's, but a neutral has moved
    ],
)
def test_images_that_no_move_made_are_played_on(text: str, preset: str) -> None:
    here = at(text, preset)
    assert here.outcome is None
    assert NOTATION.format_position(here) == text


# What is known of the game from elsewhere, reached by the rules and by the slow oracle on different ways.


def results(position: LPosition) -> Counter[tuple[oracle.Shape, oracle.Shape]]:
    """What the rules' moves lead to, in the oracle's terms."""
    return Counter(
        (shape(move.cells), shape(position.neutrals & ~move.lifted | move.put))
        for move in position.legal_moves()
    )


@pytest.mark.parametrize(("preset", "lifts"), [("classic", 1), ("sudden-death", 2)])
def test_moves_of_every_arrangement(preset: str, lifts: int) -> None:
    like = start(preset)
    for arrangement in sorted(set(classes().values()), key=str)[:: 1 if lifts == 1 else 4]:
        found = results(position_of(arrangement, like))
        assert set(found) == oracle.turns(arrangement, lifts)
        assert set(found.values()) <= {1}, "two moves lead to one arrangement"


@pytest.mark.parametrize(
    ("preset", "images"),
    [("classic", ()), ("symmetry", AXES), ("half-turn", (CENTRE,)), ("puzzle", (*AXES, CENTRE))],
)
def test_wins_at_once(preset: str, images: tuple[Turning, ...]) -> None:
    like = start(preset)
    for arrangement in sorted(set(classes().values()), key=str)[::16]:
        position, other = position_of(arrangement, like), arrangement[1]
        ends = any(position.play(move).outcome for move in position.legal_moves())
        assert ends == any(
            own in (oracle.turned(other, turning) for turning in images)
            or all(place == other or place & (own | neutrals) for place in SHAPES)
            for own, neutrals in oracle.turns(arrangement)
        )


# What each variant adds.


class TestScoring:
    @pytest.mark.parametrize(("corner", "gain"), [("a4", 1), ("a1", 3), ("d1", 0), ("d4", 0)])
    def test_a_point_for_each_painted_cell(self, corner: str, gain: int) -> None:
        assert play(start("scoring", corner=corner), "L b3-b1-a1").scores == (gain, 0)

    def test_a_block_that_reaches_the_goal_ends_the_game_where_it_is(self) -> None:
        after = play(at("o222/..12/..1./.o11 1 8-1", "scoring"), "L a3-c3-c2 n a4-d2")
        assert NOTATION.format_position(after) == ".222/1112/..1o/.o.. 2 15-1"
        assert after.outcome == Outcome((Seat.S1,), LEnding.POINTS)
        assert not after.legal_moves()

    def test_painted_cells_alone_can_win(self) -> None:
        after = play(at("o22./.12./.12./.11o 1 13-14", "scoring"), "L b1-b3-a3")
        assert after.outcome == Outcome((Seat.S1,), LEnding.POINTS)
        assert after.scores == (15, 14)


class TestSymmetry:
    def test_start_is_an_image_that_no_move_made(self) -> None:
        for preset in ("half-turn", "puzzle"):
            assert start(preset).outcome is None
            # The same cells again, but now made by a move.
            position = play(start(preset), "L c1-a1-a2", "L d4-d2-c2", "L b3-b1-c1")
            won = play(position, "L c2-c4-b4")
            assert won.outcome == Outcome((Seat.S2,), LEnding.MIRRORED)
            assert won != start(preset)
            assert (won.first, won.second, won.neutrals) == (
                start(preset).first,
                start(preset).second,
                start(preset).neutrals,
            )

    def test_no_arrangement_has_both_an_image_and_a_block(self) -> None:
        turnings = (*oracle.AXES, oracle.CENTRE)
        like = start()
        for own, other, neutrals in oracle.arrangements():
            if any(oracle.turned(own, turning) == other for turning in turnings):
                position: LPosition = position_of((own, other, neutrals), like)
                assert position.outcome is None


# Moves as values, and their canonical text.


def test_swapping_the_neutrals_moves_neither() -> None:
    (move,) = NOTATION.parse("L a1-a3-b3 n a4-d1 n d1-a4", start("sudden-death"))
    assert move == mv("L a1-a3-b3")


def test_two_ways_to_an_arrangement_are_one_move() -> None:
    position = start("sudden-death")
    texts = ("n a4-d1 n d1-d2", "n d1-d2 n a4-d1", "n a4-d2", "n d1 n d2")
    found = {NOTATION.parse(f"L a1-a3-b3 {text}", position) for text in texts}
    assert found == {(mv("L a1-a3-b3 n a4-d2"),)}
    crossed = {NOTATION.parse(f"L a1-a3-b3 {text}", position) for text in ("n a4-d2 n d1-b1", "n d2 n b1")}
    assert crossed == {(mv("L a1-a3-b3 n d1-b1 n a4-d2"),)}


# The board as data.


def signs(shown: Diagram, sign: Sign) -> str:
    return " ".join(
        sorted(f"{mark.square}{mark.label and ':'}{mark.label}" for mark in shown.marks if mark.sign is sign)
    )


def test_pieces_that_went_back_to_the_start() -> None:
    before = at("o222/..12/..1./.o11 1 4-1", "scoring")
    move = mv("L a3-c3-c2 n a4-d2")
    shown = GAME.draw(before.play(move), Highlights(last=(move,), before=before))
    assert replace(shown, first=None) == GAME.draw(before.play(move)), "the new start"
    block = shown.first
    assert block is not None, "and above it, the block"
    assert [" ".join(map(str, piece.cells)) for piece in block.pieces[:2]] == ["c2 a3 b3 c3", "d3 b4 c4 d4"]
    assert signs(block, Sign.ENTERED) == "a3 b3 d2"
    assert signs(block, Sign.LEFT) == "a4 c1 d1"
    assert len(block.arrows) == 1
    assert GAME.draw(before.play(move), Highlights(last=(move,))).first is None


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("L b3-b1", "a1:2 a3:1"),  # the feet
        ("L a1-a3-b3 n b2", "a4:2 d1:1"),  # the neutrals
        ("L b1-b3 n d4", "a1:4 a3:1 a4:2 d1:3"),  # both
    ],
)
def test_candidates_are_numbered_where_they_differ(typed: str, labels: str) -> None:
    with pytest.raises(AmbiguousMove) as refused:
        NOTATION.parse(typed, start())
    moves = [move for move in start().legal_moves() if move in refused.value.candidates]
    assert tuple(moves) == refused.value.candidates
    shown = GAME.draw(start(), Highlights(candidates=moves))
    found = signs(shown, Sign.CANDIDATE)
    assert found == labels
    squares = [mark.square for mark in shown.marks]
    assert len(set(squares)) == len(moves), "two numbers on one square"
    assert [mark.label for mark in shown.marks] == [str(n) for n in range(1, len(moves) + 1)]


# Odds.


def test_points_ahead() -> None:
    give, before = GAME.odds["points"], start("scoring")
    assert give(before, Seat.S1, "3").scores == (0, 3)
    assert give(before, Seat.S2, "14").scores == (14, 0)


@pytest.mark.parametrize(
    ("preset", "typed", "reason"),
    [
        ("scoring", "15", OptionReason.OUT_OF_BOUNDS),
        ("scoring", "0", OptionReason.OUT_OF_BOUNDS),
        ("scoring", "many", OptionReason.NOT_A_NUMBER),
        ("classic", "3", Refusal.POINTS_UNCOUNTED),
        ("puzzle", "3", Refusal.POINTS_UNCOUNTED),
    ],
)
def test_points_that_cannot_be_given(preset: str, typed: str, reason: Reason) -> None:
    with pytest.raises(BadOption) as refused:
        GAME.odds["points"](start(preset), Seat.S1, typed)
    assert refused.value.reason is reason
