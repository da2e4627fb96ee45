"""Animations of 60 plies beside Pillow's own way: `save_all` with images in RGB.

Ours is timed from the diagrams to the file, cells drawn before. Pillow's side is given its images ready; only writing
them is timed. They are the same boards with the same captions, once in all the colours of
smooth edges, and once in the few of our pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

from PIL import Image

from bench.measure import Budget, Goal, Row, Side, interleaved
from bench.playouts import playouts
from render.animation import AnimationFrame, animate, frame_rows, painted
from render.picture import RenderOptions, Theme
from render.picture.cells import drawn
from render.picture.composition import compose
from rules.breakthrough import GAME as BREAKTHROUGH
from rules.core import AnyGame, Highlights
from rules.klopodavka import GAME as KLOPODAVKA
from rules.lgame import GAME as LGAME

FASTER: Final = Goal(at_least=10)
SHARE: Final = 60
"""Per cent of the size of Pillow's file, at most."""

PLIES: Final = 60
ROUNDS: Final = 3

MATCHES: Final[Sequence[tuple[str, AnyGame, Mapping[str, str]]]] = (
    ("Breakthrough 8x8", BREAKTHROUGH, {"board": "8x8"}),
    ("Klopodavka 10x10", KLOPODAVKA, {"board": "10x10"}),
    ("Klopodavka 26x30, ten", KLOPODAVKA, {"board": "26x30", "players": "10"}),
    ("L-game", LGAME, {}),
)


def rows(budget: Budget) -> Sequence[Row]:
    """A match of each kind, beside both of Pillow's; in a few rounds, for those take more than a second each.

    A quick look is at the first kind alone.
    """
    shown = MATCHES if budget.matches > 1 else MATCHES[:1]
    budget = replace(budget, rounds=min(ROUNDS, budget.rounds))
    return [row for what, game, chosen in shown for row in _rows(what, game, chosen, budget)]


def _rows(what: str, game: AnyGame, chosen: Mapping[str, str], budget: Budget) -> list[Row]:
    frames = filmed(game, chosen, PLIES)
    ours = animate(frames)
    few = _in_few_colours(frames)
    many = _in_all_colours(frames, few)

    def side(name: str, images: Sequence[Image.Image]) -> Side:
        size = len(_saved(images))
        share = round(100 * len(ours.data) / size)
        verdict = "met" if share <= SHARE else "MISSED"
        text = f"Pillow, {name}, {size / 1000:.0f} kB; ours <= {SHARE} %: {share} {verdict}"
        return Side(text, lambda: _saved(images), 1)

    mine, all_colours, our_colours = interleaved(
        (
            Side(f"ours, {len(ours.data) / 1000:.0f} kB", lambda: animate(frames), 1),
            side("all colours", many),
            side("our colours", few),
        ),
        budget,
    )
    return [
        Row(f"{what}, {PLIES} plies", "animation", mine, peer, rate=False, goal=FASTER)
        for peer in (all_colours, our_colours)
    ]


def filmed(game: AnyGame, chosen: Mapping[str, str], plies: int) -> list[AnimationFrame]:
    """A match played at random, a frame for each position with its last ply marked."""
    played = next(playouts(game, chosen, least=plies, most=plies))
    frames = []
    before: Any = None
    for at, (position, move) in enumerate(zip(played.positions, (None, *played.moves), strict=False)):
        last = () if move is None else (move,)
        diagram = game.draw(position, Highlights(last=last, before=before))
        caption = f"{at}. {game.notation.format(move)}" if move is not None else "Ann – Bob"
        frames.append(AnimationFrame(diagram, caption, 0.8))
        before = position
    return frames


def _in_few_colours(frames: Sequence[AnimationFrame]) -> list[Image.Image]:
    found = []
    for board in frame_rows(frames, RenderOptions(Theme.LIGHT, flipped=False, scale=1)):
        image = painted([*board.marked, *board.caption])
        image.putpalette(board.palette.data)
        found.append(image.convert("RGB"))
    return found


def _in_all_colours(frames: Sequence[AnimationFrame], few: Sequence[Image.Image]) -> list[Image.Image]:
    cells: dict[Any, Image.Image] = {}
    found = []
    for frame, image in zip(frames, few, strict=True):
        one = compose(frame.diagram, RenderOptions(theme=Theme.LIGHT, flipped=False, scale=1))
        measures, whole = one.layout, image.copy()
        for row, looks in enumerate(one.board.rows):
            for column, spec in enumerate(looks):
                key = spec, measures.cell
                if key not in cells:
                    cells[key] = drawn(spec, Theme.LIGHT, one.style.pattern, measures.cell)
                left = measures.indent + measures.margin + column * measures.cell
                whole.paste(cells[key], (left, measures.margin + row * measures.cell))
        found.append(whole)
    return found


def _saved(images: Sequence[Image.Image]) -> bytes:
    file = BytesIO()
    images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=800, loop=0)
    return file.getvalue()
