from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageChops, ImageSequence

from render.picture import Painter
from rules.core import SEATS
from tests.render.picture.golden import CASES, FILMS, FOLDER, PAGE, page, shoot
from tests.render.picture.reading import opened

BLOCK = 8
"""Pixels of a square in which pictures are compared: half of the smallest cell."""

TOLERANCE = 0.15
"""Of the mean difference in a block, 0 to 1: another FreeType may draw a letter's edges a little differently. One sign
or piece for another makes more."""


def _worst(one: Image.Image, other: Image.Image) -> float:
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue).reduce(BLOCK)
    return max(largest.tobytes()) / 255


@pytest.mark.parametrize("name", CASES)
def test_pictures_look_as_they_did(painter: Painter, name: str) -> None:
    picture = opened(CASES[name].paint(painter))
    with Image.open(FOLDER / f"{name}.png") as golden:
        assert picture.size == golden.size
        assert _worst(picture, golden.convert("RGB")) <= TOLERANCE


@pytest.mark.parametrize(
    "name", ["klopodavka", "klopodavka-tournament", "klopodavka-largest", "breakthrough"]
)
def test_one_piece_for_another_is_beyond_the_tolerance(painter: Painter, name: str) -> None:
    case = CASES[name]
    first, *rest = case.diagram.pieces
    for owner in (None, *(seat for seat in SEATS[:2] if seat != first.owner)):
        other = replace(case, diagram=replace(case.diagram, pieces=(replace(first, owner=owner), *rest)))
        assert _worst(opened(case.paint(painter)), opened(other.paint(painter))) > TOLERANCE
    bare = replace(case, diagram=replace(case.diagram, marks=()))
    assert _worst(opened(case.paint(painter)), opened(bare.paint(painter))) > TOLERANCE


def test_the_gallery_shows_all_of_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert {path.stem for path in FOLDER.iterdir()} == {*CASES, *FILMS}


def test_the_film_looks_as_it_did() -> None:
    one, other = (_frames(data) for data in (shoot(), (FOLDER / "film.gif").read_bytes()))
    assert len(one) == len(other)
    for ours, golden in zip(one, other, strict=True):
        assert ours.size == golden.size
        assert _worst(ours, golden) <= TOLERANCE


def _frames(data: bytes) -> list[Image.Image]:
    with Image.open(BytesIO(data)) as image:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(image)]


def test_the_gallery_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000
