from __future__ import annotations

import pytest

from tests.render.text.golden import CASES, FOLDER, page


@pytest.mark.parametrize("name", CASES)
def test_boards_look_as_they_did(name: str) -> None:
    assert page(CASES[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_golden_board_belongs_to_a_case() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(CASES)
