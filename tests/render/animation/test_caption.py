from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from render.animation import AnimationFrame, animate, typeset
from render.picture import RenderOptions
from render.picture.fonts import regular
from render.picture.themes import Theme
from tests.render.animation.watching import filmed, watched

EDGE = 8
"""Pixels at either side that words never reach; the track below them runs from edge to edge."""

(PLAIN,) = filmed("breakthrough", 1)


def band(frames: list[AnimationFrame], at: int, scale: int = 1) -> Image.Image:
    """The words below the board of a frame, without the track."""
    film = animate(frames, RenderOptions(scale=scale))
    shown = watched(film)[at].image
    bare = watched(animate([replace(frame, caption="") for frame in frames], RenderOptions(scale=scale)))[
        0
    ].image
    return shown.crop((0, bare.height, shown.width, shown.height - 6 * scale))


def ink(image: Image.Image) -> tuple[int, int, int, int] | None:
    """Where anything is drawn."""
    ground = Image.new("RGB", image.size, image.getpixel((0, 0)))
    return ImageChops.difference(image, ground).getbbox()


@pytest.mark.parametrize(
    "words",
    [
        "Аня (Білі): шашка йде з b2 на a3",
        "Їжачок: клоп розчавлений на k25 (Ёлка)",
        "שירה: bug on a1",
        "مرحبا: a2-a3",
        "Катя 🧠🎉: a2-a3",
        "Ngọc Ánh: a bug on z30; a bug on y29",
        "\u202ejust a name\u202c: a1",
        "W" * 300,
        "ключ " * 120,
        "שלום " * 120,
        "🎉" * 200 + " a1",
    ],
)
@pytest.mark.parametrize("scale", [1, 2])
def test_words_of_any_script_and_length_stand_within_the_band(words: str, scale: int) -> None:
    image = band([replace(PLAIN, caption=words)], 0, scale)
    found = ink(image)
    assert found
    left, top, right, bottom = found
    assert left >= EDGE * scale
    assert right <= image.width - EDGE * scale
    assert 0 < top < bottom < image.height


def test_different_words_look_different_and_the_same_look_the_same() -> None:
    frames = [replace(PLAIN, caption=words) for words in ("Аня: a1", "Аня: b1", "Аня: a1", "")]
    first, second, third, fourth = (band(frames, at) for at in range(4))
    assert first.tobytes() != second.tobytes()
    assert first.tobytes() == third.tobytes()
    assert ink(fourth) is None


def test_a_film_without_words_has_no_band() -> None:
    silent, told = animate([replace(PLAIN, caption=" ")]), animate([PLAIN])
    assert silent.height < told.height


def test_the_track_shows_how_far_the_match_has_come() -> None:
    film = animate([replace(PLAIN, caption=str(at)) for at in range(4)])
    ends = []
    for shown in watched(film)[:4]:
        row = shown.image.crop((0, film.height - 2, film.width, film.height - 1)).tobytes()
        pixels = [row[at : at + 3] for at in range(0, len(row), 3)]
        ends.append(pixels.count(pixels[0]) / len(pixels))
    assert ends == pytest.approx([0.25, 0.5, 0.75, 1.0], abs=0.01)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.integers(30, 640), st.sampled_from([1, 2]))
def test_any_text_is_set_on_two_lines_at_most_that_fit(text: str, width: int, scale: int) -> None:
    one = typeset(text, width * scale, scale)
    assert len(one.lines) <= 2
    font = regular(one.size)
    widest = max(font.getlength(line) for line in one.lines)
    assert widest <= max(width * scale - 24 * scale, font.getlength("\N{HORIZONTAL ELLIPSIS}"))


def test_what_does_not_fit_ends_in_an_ellipsis() -> None:
    one = typeset("ключ " * 120, 500, 1)
    assert len(one.lines) == 2
    assert one.lines[-1].endswith("\N{HORIZONTAL ELLIPSIS}")
    assert typeset("ключ", 500, 1).lines == ("ключ",)


def test_words_are_in_the_theme_of_the_board() -> None:
    light, dark = (
        watched(animate([PLAIN], RenderOptions(theme=theme)))[0].image for theme in (Theme.LIGHT, Theme.DARK)
    )
    corner = 2, light.height - 20
    assert sum(light.getpixel(corner)) > 600  # type: ignore[arg-type]
    assert sum(dark.getpixel(corner)) < 200  # type: ignore[arg-type]
