"""Moves as text and by steps, and options."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.breakthrough.options import Options, Refusal, Variant
from rules.core import (
    AmbiguousMove,
    BadNotation,
    Grid,
    IllegalMove,
    Legality,
    Picks,
    Reason,
    Spelling,
    sq,
)
from tests.rules.breakthrough.oracle import played, position, positions, start

# Moves as text: what is read, what is refused and why.


_NOTATION = GAME.notation
_CYRILLIC = str.maketrans("aceopxbhkmtiy", "асеорхвнкмтіу")

_MIDDLE = "8/b6w/8/8/wbbb4/1w1w4/3w4/8 w"


def parse(text: str, here: BreakthroughPosition) -> Move:
    (move,) = _NOTATION.parse(text, here)
    return move


def spellings(move: Move) -> list[str]:
    start, end = str(move.start), str(move.end)
    signs = ["-", " - ", "", " ", "–", "—", "−", " \u00a0"]
    if move.captures:
        signs += ["x", " x ", ":", " : ", "×", "х", "X", "Х"]
    return [f"{start}{sign}{end}" for sign in signs]


@settings(max_examples=60, deadline=None)
@given(st.data(), positions())
def test_every_spelling(data: st.DataObject, here: BreakthroughPosition) -> None:
    legal = here.legal_moves()
    if not legal:
        return
    move = data.draw(st.sampled_from(list(legal)))
    assert _NOTATION.format(move) == f"{move.start}{'x' if move.captures else '-'}{move.end}"
    for typed in spellings(move):
        for shown in (typed, typed.upper(), typed.translate(_CYRILLIC), f" \t{typed}\n"):
            assert parse(shown, here) == move, shown


@settings(max_examples=60, deadline=None)
@given(positions())
def test_bare_targets(here: BreakthroughPosition) -> None:
    """A target alone is the move when one man can go there; when several can, they are the candidates."""
    legal = list(here.legal_moves())
    for target in {move.end for move in legal}:
        fit = [move for move in legal if move.end == target]
        for typed in (str(target), str(target).upper(), str(target).translate(_CYRILLIC)):
            if len(fit) == 1:
                assert parse(typed, here) == fit[0]
                continue
            with pytest.raises(AmbiguousMove) as refused:
                _NOTATION.parse(typed, here)
            assert refused.value.reason is Legality.SEVERAL_FIT
            assert refused.value.fields == {"text": typed, "count": len(fit)}
            assert refused.value.candidates == tuple(sorted(fit, key=lambda move: move.start))


@pytest.mark.parametrize(
    ("typed", "reason", "fields"),
    [
        ("c5-c6", Refusal.NO_MAN, {"square": sq("c5")}),
        ("b4-b3", Refusal.OPPONENTS_MAN, {"square": sq("b4")}),
        ("a4-a3", Refusal.NOT_FORWARD, {"start": sq("a4"), "end": sq("a3")}),
        ("a4a4", Refusal.NOT_FORWARD, {"start": sq("a4"), "end": sq("a4")}),
        ("a4-a6", Refusal.TOO_FAR, {"start": sq("a4"), "end": sq("a6")}),
        ("d2-d3", Refusal.OWN_MAN, {"square": sq("d3")}),
        ("b3-b4", Refusal.BLOCKED, {"start": sq("b3"), "end": sq("b4")}),
        ("b3:b4", Refusal.BLOCKED, {"start": sq("b3"), "end": sq("b4")}),
        ("a4xa5", Refusal.NOTHING_TO_CAPTURE, {"square": sq("a5")}),
        ("xe4", Refusal.NOTHING_TO_CAPTURE, {"square": sq("e4")}),
        ("d2", Refusal.OWN_MAN, {"square": sq("d2")}),
        ("b4", Refusal.UNREACHABLE, {"square": sq("b4")}),
        ("d6", Refusal.UNREACHABLE, {"square": sq("d6")}),
    ],
)
def test_broken_rules(typed: str, reason: Reason, fields: dict[str, object]) -> None:
    with pytest.raises(IllegalMove) as refused:
        _NOTATION.parse(typed, position(_MIDDLE))
    assert refused.value.reason is reason
    assert refused.value.fields == fields


@pytest.mark.parametrize(
    ("typed", "reason", "fields"),
    [
        ("h7-h9", Spelling.OFF_THE_BOARD, {"square": sq("h9"), "board": Grid(8, 8)}),
        ("i3", Spelling.OFF_THE_BOARD, {"square": sq("i3"), "board": Grid(8, 8)}),
        ("b3x4", Spelling.OFF_THE_BOARD, {"square": sq("x4"), "board": Grid(8, 8)}),
        ("a0", Spelling.NOT_A_SQUARE, {"text": "a0"}),
        ("a4-a5 b3-c4", Spelling.ONE_MOVE_ONLY, {}),
        ("a4 a5 a6", Spelling.ONE_MOVE_ONLY, {}),
        ("a4,a5", Spelling.NOT_A_MOVE, {"text": "a4,a5"}),
        ("a4--a5", Spelling.NOT_A_MOVE, {"text": "a4--a5"}),
        ("a4-", Spelling.NOT_A_MOVE, {"text": "a4-"}),
        ("Knight Е5", Spelling.NOT_A_MOVE, {"text": "Knight Е5"}),
        ("pawn " * 20, Spelling.NOT_A_MOVE, {"text": "pawn pawn pawn pawn pawn…"}),
        ("д5", Spelling.STRANGE_CHARACTER, {"character": "д"}),
        ("a٣", Spelling.STRANGE_CHARACTER, {"character": "٣"}),
        (" ", Spelling.EMPTY, {}),
        ("a4" * 5000, Spelling.TOO_LONG, {"limit": 400}),
    ],
)
def test_no_moves_at_all(typed: str, reason: Reason, fields: dict[str, object]) -> None:
    for here in (position(_MIDDLE), position("8/8/8/3w4/8/8/8/8 b")):
        with pytest.raises(BadNotation) as refused:
            _NOTATION.parse(typed, here)
        assert refused.value.reason is reason
        assert refused.value.fields == fields


def test_file_x_is_told_from_the_sign() -> None:
    """On 24 files and more a letter x may be a file, a capture, or one after the other."""
    here = played(start("26x4"), "w2xx3", "y3:x2")
    assert here.at(sq("x2")) is not None
    assert str(parse("w1x2", here)) == "w1xx2"
    assert str(parse("w1xx2", here)) == "w1xx2"
    assert str(parse("w1 x x2", here)) == "w1xx2"
    assert str(parse("х2ху3", played(start("26x4"), "a2xb3", "a3xb2"))) == "x2xy3"


# Picking a move by steps.


def test_the_man_then_the_target() -> None:
    here = position("8/b6w/8/8/wbbb4/1w1w4/3w4/8 w")
    first = GAME.fork(here, ())
    assert first.prompt == "breakthrough.fork.man"
    assert [step.token for step in first.steps] == ["a4", "b3", "d2", "d3", "h7"]
    assert {step.picks for step in first.steps} == {Picks.PIECE}
    second = GAME.fork(here, ("d3",))
    assert second.prompt == "breakthrough.fork.target"
    assert [step.token for step in second.steps] == ["c4", "e4"]
    assert {step.picks for step in second.steps} == {Picks.CELLS}
    done = GAME.fork(here, ("d3", "c4"))
    assert str(done.move) == "d3xc4"
    assert done.steps == ()


# What can be chosen, and what cannot.


def test_presets() -> None:
    boards = {"classic": 8, "7x7": 7, "mini": 5, "6x6": 6, "10x10": 10}
    wanted = {name: Options(Grid(side, side), Variant.CLASSIC) for name, side in boards.items()}
    wanted["misere"] = Options(Grid(8, 8), Variant.MISERE)
    assert {preset: GAME.choose({"preset": preset}) for preset in GAME.schema.presets} == wanted


@pytest.mark.parametrize("variant", Variant)
def test_boards_below_six_by_six_are_not_ratable(variant: Variant) -> None:
    for size, ratable in {
        "5": False,
        "3x6": False,
        "12x5": False,
        "6": True,
        "6x7": True,
        "20x6": True,
    }.items():
        assert GAME.ratable(GAME.choose({"board": size, "variant": variant.value})) is ratable, size
