"""What people type shows as they typed it, and does nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.discord.places import cut, escaped, fenced, plain

LIVELY = st.text(alphabet="*_~`|<>@#-+.[]()\\!&:/ htps0123456789abc\n\u202e\u200b", max_size=60)


@given(LIVELY)
def test_nothing_in_it_does_anything(text: str) -> None:
    shown = escaped(text)
    bare = re.sub(r"\\[^0-9A-Za-z\s]", "x", shown)  # what the backslash has made harmless
    assert not re.search(r"[*_~`|<@\[\]\\]", bare)
    assert "http://" not in bare.lower()
    assert "https://" not in bare.lower()
    assert not re.search(r"^\s*(#{1,3}\s|-#\s|[-+]\s|>\s|>>>|[0-9]+[.)]\s)", bare, re.MULTILINE)
    assert "\u202e" not in shown


@given(LIVELY)
def test_without_the_backslashes_it_is_what_was_typed(text: str) -> None:
    assert re.sub(r"\\([^0-9A-Za-z\s])", r"\1", escaped(text)) == plain(text)


@pytest.mark.parametrize("text", ["L c1-c3 n b2", "Прорив · #k7q2mz", "Аня — 3 × 4", "ok?", "a.b"])
def test_what_needs_no_escape_has_none(text: str) -> None:
    assert escaped(text) == text


def test_a_fence_cannot_be_left() -> None:
    assert fenced("a ``` b").count("```") == 2


def test_what_is_cut_says_so() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
