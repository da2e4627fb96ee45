from __future__ import annotations

from pathlib import Path

import pytest

from rules import GAMES
from tests.rules.golden_games import PAGES, rewrite, typed_in


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_page_comes_out_the_same(path: Path) -> None:
    page = path.read_text("utf-8")
    assert rewrite(path.parts[-3], page) == page
    assert len(typed_in(page)) >= 3


def test_every_game_has_pages() -> None:
    assert {path.parts[-3] for path in PAGES} == set(GAMES)
