from __future__ import annotations

import pytest

from render.picture import Painter
from tests.render.picture.golden import CASES, FILMS, FOLDER, PAGE, page, pixels, shoot


@pytest.mark.parametrize("name", CASES)
def test_the_gallery_is_what_is_painted(painter: Painter, name: str) -> None:
    """Pixel by pixel: fonts are bundled, and FreeType comes with the locked Pillow."""
    golden = (FOLDER / f"{name}.png").read_bytes()
    same = pixels(CASES[name].paint(painter)) == pixels(golden)
    assert same, "repaint: python -m tests.render.picture.golden"


def test_the_film_is_what_is_painted() -> None:
    same = pixels(shoot()) == pixels((FOLDER / "film.gif").read_bytes())
    assert same, "repaint: python -m tests.render.picture.golden"


def test_the_gallery_shows_all_of_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert {path.stem for path in FOLDER.iterdir()} == {*CASES, *FILMS}


def test_the_gallery_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000
