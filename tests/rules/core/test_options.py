"""Options are read from text, written back, and refused with what may be chosen instead."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core import BadOption, Grid, Number, OneOf, Option, Schema, Size, Square, Squares, sq
from rules.core.errors import OptionReason

VARIANT = OneOf("variant", "classic", ("classic", "sudden-death"))
PLAYERS = Number("players", "2", 2, 10)
BOARD = Size("board", "8x8", (2, 26), (4, 30))
BASES = Squares("bases", "")
SCHEMA = Schema(
    (VARIANT, PLAYERS, BOARD, BASES),
    {"classic": {}, "large": {"board": "20x30", "players": "4", "bases": "a1,t30"}},
)
DEFAULTS = {"variant": "classic", "players": 2, "board": Grid(8, 8), "bases": ()}


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


def test_nothing_chosen_is_the_defaults() -> None:
    assert SCHEMA.read({}) == DEFAULTS
    assert SCHEMA.read({"preset": "classic"}) == DEFAULTS
    assert SCHEMA.write(DEFAULTS) == {}


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


def test_a_strange_key_is_not_repeated_in_full() -> None:
    with pytest.raises(BadOption) as refused:
        SCHEMA.read({"\0" * 500: "1"})
    assert refused.value.fields["option"] == "\ufffd" * 24 + "…"


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
