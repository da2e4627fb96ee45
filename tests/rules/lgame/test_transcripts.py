"""Golden games: a change of the rules, the notation or the scores shows in the diff as a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.lgame import GAME
from tests.rules.lgame.transcript import rewrite

PAGES = sorted((Path(__file__).parent / "games").glob("*.txt"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_game(page: Path) -> None:
    text = page.read_text("utf-8")
    assert rewrite(text) == text
    assert text.count("> ") >= 3


def test_every_preset_is_played() -> None:
    assert {page.stem for page in PAGES} == set(GAME.schema.presets)
