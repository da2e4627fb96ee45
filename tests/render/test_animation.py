"""Films of matches, watched as a program that knows GIF files shows them."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from render.animation import HOLD, LIMIT, SHORTEST, Animation, AnimationFrame, animate, spread, typeset
from render.picture import Painter, RenderOptions, Strip, StripLine, Theme, Unpaintable
from render.picture.fonts import regular
from rules import GAMES
from rules.core import SEATS, Arrow, Diagram, Grid, Highlights, Kind, Mark, Piece, Seat, Sign, Square, sq
from tests.render.picture.reading import opened

# Films watched as a program that knows GIF files shows them, and matches to film.


STANDARD: Final[Mapping[str, str]] = {}


class Seen(NamedTuple):
    """What stands still on the screen, and for how many seconds."""

    image: Image.Image
    seconds: float


def watched(film: Animation) -> list[Seen]:
    """What is seen one after another; images too short to be seen are part of what follows them."""
    seen = []
    waited = 0.0
    with Image.open(io.BytesIO(film.data)) as image:
        for at in range(getattr(image, "n_frames", 1)):
            image.seek(at)
            seconds = image.info["duration"] / 1000
            waited += seconds
            if round(100 * seconds) > SHORTEST:
                seen.append(Seen(image.convert("RGB"), waited))
                waited = 0.0
    return seen


def filmed(
    key: str, plies: int, chosen: Mapping[str, str] = STANDARD, *, seed: int = 0, strip: Strip | None = None
) -> list[AnimationFrame]:
    """A match played at random, or several one after another until there are enough plies."""
    return [
        AnimationFrame(diagram, f"{at}. {text}", 0.5, strip)
        for at, (diagram, text) in zip(range(plies), _boards(key, seed, chosen), strict=False)
    ]


def _boards(key: str, seed: int, chosen: Mapping[str, str]) -> Iterator[tuple[Any, str]]:
    game, chance = GAMES[key], Random(seed)
    while True:
        position = game.start(game.choose(chosen))
        yield game.draw(position), "·"
        while position.outcome is None:
            move = chance.choice(position.legal_moves())
            before, position = position, position.play(move)
            yield game.draw(position, Highlights(last=(move,), before=before)), game.notation.format(move)


def strip(*names: str) -> Strip:
    return Strip(tuple(StripLine(name, Seat(at)) for at, name in enumerate(names)))


NAMES = strip("Аня", "Bob Longbottom-Smythe", "שירה")


class Way(NamedTuple):
    theme: Theme
    flipped: bool = False
    scale: int = 1
    names: Strip | None = None


MATCHES: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("breakthrough", {}),
    ("breakthrough", {"board": "2x4"}),
    ("lgame", {"variant": "scoring"}),
    ("klopodavka", {"board": "3x3"}),
    ("klopodavka", {"players": "3", "topology": "torus"}),
    ("klopodavka", {"variant": "hq"}),
)


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter()


@pytest.mark.parametrize(("key", "chosen"), MATCHES)
@pytest.mark.parametrize(
    "way",
    [Way(Theme.LIGHT), Way(Theme.DARK, flipped=True, names=NAMES), Way(Theme.WOOD, scale=2, names=NAMES)],
)
def test_every_frame_is_the_painted_picture_above_its_caption(
    painter: Painter, key: str, chosen: Mapping[str, str], way: Way
) -> None:
    theme, flipped, scale, names = way
    frames = filmed(key, 12 // scale, chosen, strip=names)
    film = animate(frames, RenderOptions(theme=theme, flipped=flipped, scale=scale))
    seen = watched(film)
    assert len(seen) == film.frames + 1 == len(frames) + 1  # one more, which changes nothing
    assert seen[-1].image.tobytes() == seen[-2].image.tobytes()
    # With points, or with a player out, a board has a strip even without names; a film has it from the beginning.
    lines = names or (strip("", "") if frames[-1].diagram.scores else None)
    for frame, shown in zip(frames, seen[:-1], strict=True):
        assert shown.image.size == (film.width, film.height)
        picture = opened(painter.paint(frame.diagram, RenderOptions(theme, flipped, scale), strip=lines))
        board = shown.image.crop((0, 0, *picture.size))
        assert board.tobytes() == picture.tobytes()


def test_it_goes_on_at_the_pace_it_was_given_and_its_end_holds() -> None:
    frames = [replace(frame, seconds=0.3 + at / 10) for at, frame in enumerate(filmed("breakthrough", 6))]
    film = animate(frames)
    *shown, last, tail = watched(film)
    assert [round(one.seconds, 2) for one in shown] == [0.3, 0.4, 0.5, 0.6, 0.7]
    assert last.seconds == pytest.approx(HOLD)
    assert film.seconds == pytest.approx(sum(one.seconds for one in (*shown, last, tail)))
    with Image.open(io.BytesIO(film.data)) as image:
        assert image.info["loop"] == 0  # again and again
    long = watched(animate(frames, hold=9))
    assert long[-2].seconds == pytest.approx(9)


def test_what_does_not_change_costs_almost_nothing_and_takes_its_time() -> None:
    (frame,) = filmed("klopodavka", 1)
    one, many = animate([frame]), animate([frame] * 50)
    assert len(many.data) - len(one.data) < 50 * 700  # the bar below grows
    still = animate([replace(frame, caption="")] * 50)
    assert len(still.data) - len(animate([replace(frame, caption="")]).data) < 50 * 40
    assert len(watched(still)) == 51


def test_a_board_keeps_its_ground_when_all_men_are_gone(painter: Painter) -> None:
    (full,) = filmed("breakthrough", 1)
    bare = replace(full, diagram=replace(full.diagram, pieces=(), marks=(Mark(Sign.LEFT, sq("a1")),)))
    seen = watched(animate([full, bare]))
    cell = 30, seen[0].image.height // 2
    assert seen[0].image.getpixel(cell) == seen[1].image.getpixel(cell)


def test_a_block_and_the_new_start_after_it_are_two_frames() -> None:
    frames = filmed("lgame", 121, {"variant": "scoring"}, seed=3)
    before, both, above = next(
        (before, after, above) for before, after in pairwise(frames) if (above := after.diagram.first)
    )
    start = replace(both, diagram=replace(both.diagram, first=None))
    assert animate([before, both]).data == animate([before, replace(both, diagram=above), start]).data


def test_an_animation_leaves_no_images_to_the_collector_of_garbage() -> None:
    def images() -> int:
        return sum(isinstance(each, Image.Image) for each in gc.get_objects())

    frames = filmed("breakthrough", 9, {"board": "5x5"}, seed=3)
    animate(frames)  # what is kept for the next ones
    gc.freeze()  # else all that other tests have left is looked at
    gc.disable()
    try:
        before = images()
        animate(frames)
        assert images() == before
    finally:
        gc.enable()
        gc.unfreeze()


def busy(grid: Grid, frames: int, seed: int = 1) -> list[AnimationFrame]:
    """Boards on which nothing ever stays as it was: worse than any match."""
    chance = Random(seed)
    squares = [Square(file, rank) for file in range(grid.files) for rank in range(grid.ranks)]
    signs = (Sign.ENTERED, Sign.CRUSHED)
    return [
        AnimationFrame(
            Diagram(
                grid,
                tuple(
                    Piece(chance.choice((Kind.BUG, Kind.WALL)), (at,), chance.choice(SEATS))
                    for at in squares
                    if chance.random() < 0.8
                ),
                marks=tuple(Mark(chance.choice(signs), at) for at in chance.sample(squares, 9)),
                arrows=tuple(Arrow(start, end) for start, end in (chance.sample(squares, 2),)),
            ),
            "a caption " * chance.randrange(1, 6),
        )
        for _ in range(frames)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        *MATCHES,
        ("lgame", {}),
        ("breakthrough", {"board": "26x26"}),
        ("klopodavka", {"board": "20x30", "players": "6"}),
        ("klopodavka", {"board": "26x30", "players": "10", "actions": "10"}),
    ],
)
def test_120_plies_of_any_board_stay_below_5_megabytes(
    key: str, chosen: Mapping[str, str], scale: int
) -> None:
    for theme in (Theme.LIGHT, Theme.WOOD):
        frames = filmed(key, 121, chosen, seed=3, strip=NAMES)
        film = animate(frames, RenderOptions(theme=theme, scale=scale))
        assert len(film.data) < 5_000_000
        assert film.frames == 121 + sum(frame.diagram.first is not None for frame in frames)
        assert film.scale == scale


@pytest.mark.slow
def test_even_what_no_match_is_like_stays_below_5_megabytes() -> None:
    film = animate(busy(Grid(26, 30), 121), RenderOptions(scale=2))
    assert len(film.data) <= LIMIT < 5_000_000
    assert film.scale == 1
    assert film.frames > 20
    assert len(watched(film)) == film.frames + 1


def test_what_would_be_too_large_gets_smaller_and_then_shorter() -> None:
    frames = busy(Grid(4, 4), 6)
    large, small = animate(frames, RenderOptions(scale=2)), animate(frames, RenderOptions(scale=1))
    assert large.scale == 2
    assert len(large.data) > len(small.data)
    limit = len(small.data) + 1000
    less = animate(frames, RenderOptions(scale=2), limit=limit)
    assert (less.scale, less.frames) == (1, 6)
    assert less.data == small.data
    short = animate(frames, RenderOptions(scale=2), limit=limit // 3 * 2)
    assert short.scale == 1
    assert 1 < short.frames < 6
    assert len(short.data) <= limit // 3 * 2
    with pytest.raises(Unpaintable):
        animate(frames, limit=1000)


def test_more_frames_than_anybody_watches_are_thinned_out() -> None:
    frames = filmed("klopodavka", 40, {"board": "4x4"})
    film = animate(frames, most=10)
    assert film.frames == 10
    assert watched(film)[-1].image.tobytes() == watched(animate(frames[-1:]))[-1].image.tobytes()


def test_things_are_spread_evenly_with_both_ends() -> None:
    things = list(range(100))
    for most in range(1, 130):
        some = list(spread(things, most))
        assert len(some) == min(most, 100)
        assert some[-1] == 99
        assert most == 1 or some[0] == 0
        steps = {later - earlier for earlier, later in pairwise(some)}
        assert not steps or max(steps) - min(steps) <= 1


def test_what_cannot_be_filmed() -> None:
    (one,) = filmed("klopodavka", 1)
    (other,) = filmed("klopodavka", 1, {"board": "3x3"})
    for frames in ([], [one, other], [one, replace(one, strip=NAMES)]):
        with pytest.raises(Unpaintable):
            animate(frames)
    with pytest.raises(Unpaintable):
        animate([one], RenderOptions(scale=3))


def test_players_who_go_out_have_their_line_from_the_beginning() -> None:
    frames = filmed("klopodavka", 3)
    out = replace(frames[-1], diagram=replace(frames[-1].diagram, out=frozenset({Seat.S2})))
    film = animate([*frames[:-1], out])
    seen = watched(film)
    assert {one.image.size for one in seen} == {(film.width, film.height)}


"""Pixels at either side that words never reach; the track below them runs from edge to edge."""

(PLAIN,) = filmed("breakthrough", 1)


def test_a_film_without_words_has_no_band() -> None:
    silent, told = animate([replace(PLAIN, caption=" ")]), animate([PLAIN])
    assert silent.height < told.height


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
