"""Names at the door, and codes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.people import MAX_NAME, Account, Player, clean, entering, harmless, visible
from play.ports import ALPHABET, SystemChance, derived
from tests.support.desk import ANN


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann \t Lee\r\n", "Ann Lee"),
        ("A\x00n\x1bn", "Ann"),
        ("\u202eAnn\u2069", "Ann"),
        ("Оксана Їжак", "Оксана Їжак"),
        ("\ud800Ann", "Ann"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("x" * 500, "x" * 64),
        ("", "ann"),
        ("\u200e\u2066", "ann"),
    ],
)
def test_names(typed: str, kept: str) -> None:
    assert entering(Player(ANN.account, typed)) == Player(ANN.account, kept)


def test_a_person_without_any_name() -> None:
    assert entering(Player(Account("console", "\u202e"), "")).name == "?"


@given(st.text(max_size=300))
def test_a_clean_text_is_short_harmless_and_stays_as_it_is(text: str) -> None:
    kept = clean(text)
    assert len(kept) <= MAX_NAME
    assert all(harmless(c) or c in "\u200c\u200d" for c in kept)
    assert clean(kept) == kept
    kept.encode()


def test_codes_have_no_look_alikes() -> None:
    chance = SystemChance()
    codes = {chance.code() for _ in range(200)}
    assert len(codes) > 190
    assert all(len(code) == 6 and set(code) <= set(ALPHABET) for code in codes)
    assert not set(ALPHABET) & set("ilo01")


def test_a_shuffle_has_everything_once() -> None:
    chance = SystemChance()
    orders = {tuple(chance.shuffled(5)) for _ in range(200)}
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len(orders) > 50
    assert list(chance.shuffled(0)) == []


def test_derived_codes_are_codes_and_differ() -> None:
    codes = {derived(match, attempt) for match in ("tab001", "tab002") for attempt in range(50)}
    assert len(codes) == 100
    assert all(len(code) == 6 and set(code) <= set(ALPHABET) for code in codes)
    assert derived("tab001", 0) == derived("tab001", 0)


def test_what_could_upset_a_screen_is_left_out() -> None:
    assert visible("a\u202eb\u2066c\x00d\u200be") == "abcde"
    assert visible("a\tb\nc") == "a b c"
    assert visible("a\tb\nc", "\n") == "a b\nc"
    family = "👩\u200d👧 ❤\ufe0f"
    assert visible(family) == family
