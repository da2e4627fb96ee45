"""Golden games: a change of the rules, the notation or who is out shows in the diff as a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.klopodavka.transcript import rewrite

PAGES = sorted((Path(__file__).parent / "games").glob("*.txt"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_game(page: Path) -> None:
    text = page.read_text("utf-8")
    assert rewrite(text) == text
    assert "\nend: " in text


def test_the_main_variants_have_a_page() -> None:
    played = {page.stem for page in PAGES}
    assert played >= {"standard", "four", "teams", "bases", "fence", "torus", "cylinder", "linked", "leaving"}
    assert "leaves: " in (PAGES[0].parent / "leaving.txt").read_text("utf-8")
