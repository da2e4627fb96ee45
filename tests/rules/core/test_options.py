"""Options as text, and narrowing: any number of squares becomes a few choices at a time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core import (
    MAX_STEPS,
    BadOption,
    Fork,
    Grid,
    IllegalMove,
    Legality,
    Number,
    OneOf,
    Option,
    Picks,
    Schema,
    Size,
    Square,
    Squares,
    Step,
    narrow,
    sq,
    take,
    walk,
)
from rules.core.errors import OptionReason

# Options are read from text, written back, and refused with what may be chosen instead.


VARIANT = OneOf("variant", "classic", ("classic", "sudden-death"))
PLAYERS = Number("players", "2", 2, 10)
BOARD = Size("board", "8x8", (2, 26), (4, 30))
BASES = Squares("bases", "")
SCHEMA = Schema(
    (VARIANT, PLAYERS, BOARD, BASES),
    {"classic": {}, "large": {"board": "20x30", "players": "4", "bases": "a1,t30"}},
)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (VARIANT, "sudden-death", "sudden-death"),
        (VARIANT, "sudden death", "sudden-death"),
        (PLAYERS, "10", 10),
        (PLAYERS, "007", 7),
        (BOARD, "26x30", Grid(26, 30)),
        (BOARD, "8*6", Grid(8, 6)),
        (BOARD, "8 x 6", Grid(8, 6)),
        (BOARD, "7", Grid(7, 7)),
        (BASES, "a1,j10", (sq("a1"), sq("j10"))),
        (BASES, "j10 a1", (sq("j10"), sq("a1"))),
        (BASES, "", ()),
    ],
)
def test_reads(option: Option, text: str, value: Any) -> None:
    assert option.read(text) == value
    assert option.read(option.write(value)) == value


@pytest.mark.parametrize(
    ("option", "text", "reason", "fields"),
    [
        (VARIANT, "nonsense", OptionReason.NOT_OFFERED, {"value": "nonsense", "offered": VARIANT.offered}),
        (VARIANT, "", OptionReason.NOT_OFFERED, {"value": "", "offered": VARIANT.offered}),
        (PLAYERS, "two", OptionReason.NOT_A_NUMBER, {"value": "two", "low": 2, "high": 10}),
        (PLAYERS, "٣", OptionReason.NOT_A_NUMBER, {"value": "٣", "low": 2, "high": 10}),
        (PLAYERS, "9" * 400, OptionReason.NOT_A_NUMBER, {"value": "9" * 24 + "…", "low": 2, "high": 10}),
        (PLAYERS, "1", OptionReason.OUT_OF_BOUNDS, {"value": 1, "low": 2, "high": 10}),
        (PLAYERS, "11", OptionReason.OUT_OF_BOUNDS, {"value": 11, "low": 2, "high": 10}),
        (BOARD, "big", OptionReason.NOT_A_SIZE, {"value": "big"}),
        (BOARD, "8x8x8", OptionReason.NOT_A_SIZE, {"value": "8x8x8"}),
        (BOARD, "9999x9", OptionReason.NOT_A_SIZE, {"value": "9999x9"}),
        (BOARD, "1x8", OptionReason.FILES_OUT_OF_BOUNDS, {"value": 1, "low": 2, "high": 26}),
        (BOARD, "27x8", OptionReason.FILES_OUT_OF_BOUNDS, {"value": 27, "low": 2, "high": 26}),
        (BOARD, "8x3", OptionReason.RANKS_OUT_OF_BOUNDS, {"value": 3, "low": 4, "high": 30}),
        (BOARD, "8x31", OptionReason.RANKS_OUT_OF_BOUNDS, {"value": 31, "low": 4, "high": 30}),
        (BASES, "a1,b", OptionReason.NOT_SQUARES, {"value": "a1,b"}),
    ],
)
def test_refuses(option: Option, text: str, reason: OptionReason, fields: dict[str, object]) -> None:
    with pytest.raises(BadOption) as refused:
        option.read(text)
    assert refused.value.reason is reason
    assert refused.value.fields == {"option": option.key, **fields}


def test_choices_go_on_top_of_a_preset() -> None:
    assert SCHEMA.read({"players": "3", "preset": "large"}) == {
        "variant": "classic",
        "players": 3,
        "board": Grid(20, 30),
        "bases": (sq("a1"), sq("t30")),
    }
    assert SCHEMA.read({"preset": "large", "bases": ""})["bases"] == ()


def test_typed_texts_are_folded() -> None:
    typed = {"variant": " Sudden  DEATH ", "board": "10х8", "bases": "А1, С3"}
    assert SCHEMA.read(typed) == {
        "variant": "sudden-death",
        "players": 2,
        "board": Grid(10, 8),
        "bases": (sq("a1"), sq("c3")),
    }


def test_refuses_what_it_does_not_know() -> None:
    with pytest.raises(BadOption) as refused:
        SCHEMA.read({"colour": "red"})
    assert refused.value.reason is OptionReason.UNKNOWN_OPTION
    assert refused.value.fields == {
        "option": "colour",
        "known": ("variant", "players", "board", "bases", "preset"),
    }
    for preset in ("huge", "", "😀"):
        with pytest.raises(BadOption) as refused:
            SCHEMA.read({"preset": preset})
        assert refused.value.reason is OptionReason.UNKNOWN_PRESET
        assert refused.value.fields == {"preset": preset, "known": ("classic", "large")}


@pytest.mark.parametrize("text", ["\0", "٣", "😀", "\u202e2", "2" * 10_000, "a1 " * 5000])
@pytest.mark.parametrize("option", SCHEMA.options, ids=lambda option: option.key)
def test_what_cannot_be_folded_is_refused_by_its_option(option: Option, text: str) -> None:
    with pytest.raises(BadOption) as refused:
        SCHEMA.read({option.key: text})
    assert refused.value.fields["option"] == option.key
    assert len(str(refused.value.fields["value"])) <= 25
    if isinstance(option, OneOf):
        assert refused.value.fields["offered"] == option.offered


@given(
    st.fixed_dictionaries(
        {
            "variant": st.sampled_from(VARIANT.offered),
            "players": st.integers(2, 10),
            "board": st.builds(Grid, st.integers(2, 26), st.integers(4, 30)),
            "bases": st.lists(st.builds(Square, st.integers(0, 25), st.integers(0, 98)), max_size=5).map(
                tuple
            ),
        }
    )
)
def test_written_values_are_read_back(values: dict[str, Any]) -> None:
    written = SCHEMA.write(values)
    assert SCHEMA.read(written) == values
    for option in SCHEMA.options:
        assert (option.key in written) == (values[option.key] != option.read(option.default))


@given(st.dictionaries(st.sampled_from(["variant", "players", "board", "bases", "preset", "x"]), st.text()))
def test_any_text_is_a_value_or_refused(chosen: dict[str, str]) -> None:
    try:
        values = SCHEMA.read(chosen)
    except BadOption:
        return
    assert SCHEMA.read(SCHEMA.write(values)) == values


# Narrowing: any number of squares becomes a few choices at a time, and every one of them is reached.


def steps(squares: Iterable[Square]) -> list[Step]:
    return [Step(str(square), Picks.CELLS, (square,)) for square in squares]


def pick(squares: Sequence[Square]) -> Callable[[tuple[str, ...]], Fork[Square]]:
    """A fork that picks one of some squares."""
    offered = steps(squares)

    def at(path: tuple[str, ...]) -> Fork[Square]:
        shown, rest = narrow(offered, path)
        if not rest:
            return Fork("prompt", shown)
        return Fork("prompt", move=take(Fork("prompt", shown), rest[0]).squares[0])

    return at


def leaves(
    offered: list[Step], path: tuple[str, ...] = (), depth: int = 0
) -> list[tuple[tuple[str, ...], Step]]:
    """Every step under a narrowing, with the regions that lead to it."""
    shown, rest = narrow(offered, path)
    assert not rest
    assert 0 < len(shown) <= MAX_STEPS
    assert len({step.token for step in shown}) == len(shown)
    assert depth < 4
    found = []
    for step in shown:
        if step.picks is Picks.REGION:
            assert len(step.token) <= 12
            found += leaves(offered, (*path, step.token), depth + 1)
        else:
            found.append((path, step))
    return found


@settings(max_examples=25)
@given(st.integers(1, 26), st.integers(1, 30), st.floats(0, 1), st.randoms(use_true_random=False))
def test_any_squares_are_reached_once(files: int, ranks: int, share: float, chance: random.Random) -> None:
    squares = [square for square in Grid(files, ranks) if chance.random() < share] or [Square(0, 0)]
    found = leaves(steps(squares))
    assert [str(step.squares[0]) for _, step in found] == [step.token for _, step in found]
    assert sorted(step.squares[0] for _, step in found) == sorted(squares)
    assert max(len(path) for path, _ in found) <= (1 if files <= 10 and ranks <= 10 else 2)
    for _ in range(3):
        square = chance.choice(squares)
        path, fork = walk(pick(squares), [str(square)])
        assert fork.move == square
        assert path[-1] == str(square)


def test_the_quarters_of_a_ten_by_ten_board() -> None:
    shown, _ = narrow(steps(Grid(10, 10)), ())
    assert [step.token for step in shown] == ["a6-e10", "f6-j10", "a1-e5", "f1-j5"]
    assert all(step.picks is Picks.REGION for step in shown)
    inside, rest = narrow(steps(Grid(10, 10)), ("f1-j5", "g2", "more"))
    assert len(inside) == 25
    assert list(rest) == ["g2", "more"]


def test_too_many_steps_on_one_square_are_a_mistake_of_the_game() -> None:
    with pytest.raises(ValueError, match="one square"):
        narrow([Step(str(n), Picks.CELLS, (sq("a1"),)) for n in range(26)], ())


def test_several_steps_on_each_square_are_cut_down_too() -> None:
    offered = [Step(f"{square} {n}", Picks.PIECE, (square,)) for square in Grid(4, 4) for n in range(5)]
    assert len(leaves(offered)) == 80


def test_walk_adds_the_regions_and_refuses_what_is_not_there() -> None:
    squares = [square for square in Grid(26, 30) if square != sq("m15")]
    path, fork = walk(pick(squares), ["z30"])
    assert len(path) >= 2
    assert fork.move == sq("z30")
    for wrong in ("m15", "nothing", "", "a1-b2", "a31"):
        with pytest.raises(IllegalMove) as refused:
            walk(pick(squares), [wrong])
        assert refused.value.reason is Legality.NO_SUCH_STEP
    assert walk(pick(squares), [])[0] == ()
