"""Whole games, kept as pages: a change of the rules shows as a change in a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.breakthrough.transcript import rewrite

_PAGES = sorted(Path(__file__).with_name("games").glob("*.txt"))


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: path.stem)
def test_page_comes_out_the_same(path: Path) -> None:
    page = path.read_text("utf-8")
    assert rewrite(page) == page


def test_there_are_pages() -> None:
    assert {"classic", "captured", "misere-reached", "misere-captured", "wide"} <= {p.stem for p in _PAGES}
