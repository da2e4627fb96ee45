"""Picture, emoji grid and ASCII board of one diagram say the same, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Final

import pytest

from render import ascii_board, emoji_board
from render.picture import Painter, Theme
from render.picture.canvas import contrast, over
from render.picture.cells import CellPiece, CellSpec
from render.picture.composition import cell_cache
from render.picture.markings import SIZE, Patch, palette
from render.picture.themes import COLOURS, BoardPattern
from rules.core import SEATS, Area, Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Square, Zone
from tests.render.picture.reading import SIGHTS, Reader, View, distance, looks
from tests.render.text.golden import CASES
from tests.render.text.reading import Read, anything, read_ascii, read_emoji, truth

VIEWS = [View(theme) for theme in Theme] + [View(flipped=True), View(Theme.DARK, flipped=True, scale=2)]

COMMON = [name for name in CASES if name not in {"klopodavka-largest", "klopodavka-tournament"}]


def _live(diagram: Diagram) -> frozenset[object]:
    return frozenset(piece.owner for piece in diagram.pieces if piece.kind is not Kind.WALL)


def _agree(reader: Reader, diagram: Diagram) -> None:
    # Arrows are drawn over whole rows of cells, and text boards have none: tested apart.
    diagram = replace(diagram, arrows=())
    reader.learn(diagram)
    read = reader.read(diagram)
    told = truth(diagram)
    assert read == replace(told, out=told.out & _live(diagram))
    flipped = reader.view.flipped
    for text in (
        read_ascii(ascii_board(diagram, flipped=flipped).text, diagram),
        read_emoji(emoji_board(diagram, flipped=flipped).text, diagram),
    ):
        assert isinstance(text, Read)
        assert replace(text, out=text.out & _live(diagram)) == read


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_all_forms_of_a_board_say_the_same(painter: Painter, view: View) -> None:
    reader = Reader(painter, view)
    for name in COMMON if view == View() else COMMON[VIEWS.index(view) % 2 :: 2]:
        _agree(reader, CASES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["klopodavka-largest", "klopodavka-tournament"])
@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.WOOD])
def test_all_forms_of_the_largest_boards_say_the_same(painter: Painter, name: str, theme: Theme) -> None:
    _agree(Reader(painter, View(theme)), CASES[name])


@pytest.mark.slow
@pytest.mark.parametrize("theme", Theme)
def test_all_forms_of_any_mixture_say_the_same(painter: Painter, theme: Theme) -> None:
    reader = Reader(painter, View(theme))
    for seed in range(0, 60, 3):
        diagram = anything(seed)
        # In the wood of one square veins differ from those of the next: a cell means the same with either.
        _agree(reader, diagram)


def _everything(side: int) -> Diagram:
    grid = Grid(side, side)
    squares = list(grid)
    return Diagram(
        grid,
        tuple(Piece(kind, (squares.pop(),), owner) for kind in Kind for owner in (*SEATS, None)),
    )


@pytest.mark.parametrize("side", [8, pytest.param(26, marks=pytest.mark.slow)])
@pytest.mark.parametrize("over", [None, *Sign, *Zone])
def test_each_piece_is_told_from_all_others_on_any_square(
    painter: Painter, side: int, over: Sign | Zone | None
) -> None:
    reader = Reader(painter, View())
    diagram = _everything(side)
    cells = (*(piece.cells[0] for piece in diagram.pieces), Square(0, 0))
    if isinstance(over, Sign):
        label = "12" if over is Sign.CANDIDATE else ""
        diagram = replace(diagram, marks=tuple(Mark(over, at, label) for at in cells))
    elif over:
        diagram = replace(
            diagram, areas=tuple(Area(over, (at,), SEATS[n % 10]) for n, at in enumerate(cells))
        )
    reader.learn(_everything(side))
    reader.learn(diagram)
    reader.read(diagram)


def test_numbers_match_those_of_the_buttons(painter: Painter) -> None:
    reader = Reader(painter, View())
    for side in (4, 26):
        grid = Grid(side, max(25 // side + 1, 8))
        labels = [*map(str, range(1, 26)), "1-4", "3+", "a"]
        reader.learn(
            Diagram(
                grid,
                (),
                marks=tuple(Mark(Sign.CANDIDATE, at, label) for at, label in zip(grid, labels, strict=False)),
            )
        )


# Whose a piece is can be told without seeing all colours, by drawing as well as by hue.


LEAST: Final[Mapping[Kind, tuple[float, float]]] = {
    # In colours as far as they are seen, and in grey, where drawing alone tells the owners apart. A man is small in
    # its cell, and its sign smaller: of men no game has more than the first two, which differ far more.
    Kind.TILE: (0.025, 0.02),
    Kind.DISC: (0.03, 0.018),
    Kind.MAN: (0.016, 0.013),
    Kind.BUG: (0.09, 0.085),
    Kind.WALL: (0.045, 0.03),
}
"""How much the pieces of any two owners differ at the least, as a share of the difference of black and white."""


def cell(spec: CellSpec, theme: Theme, pattern: BoardPattern, side: int) -> Patch:
    return cell_cache(theme, pattern, side)[spec]


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("kind", Kind)
def test_no_two_owners_pieces_look_alike(kind: Kind, theme: Theme) -> None:
    pattern = BoardPattern.CHEQUERED if kind is Kind.MAN else BoardPattern.RULED
    patches = {
        owner: cell(CellSpec(0, CellPiece(kind, owner)), theme, pattern, 18) for owner in (*SEATS, None)
    }
    for sight in SIGHTS:
        images = {owner: looks(patch, theme, pattern, sight) for owner, patch in patches.items()}
        least = LEAST[kind][sight == "grey"]
        for one, other in combinations(images, 2):
            assert distance(images[one], images[other]) >= least, (sight, one, other)


MEN = [[(shade, CellPiece(Kind.MAN, seat)) for seat in SEATS[:2]] for shade in (0, 1)]
BUGS = [[(0, CellPiece(kind, seat)) for kind in (Kind.BUG, Kind.WALL)] for seat in SEATS]


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize(
    ("pairs", "pattern", "side", "least"),
    [(MEN, BoardPattern.CHEQUERED, 40, 0.15), (BUGS, BoardPattern.RULED, 20, 0.09)],
    ids=["light and dark men", "bugs and walls of one owner"],
)
def test_pieces_are_far_apart(
    theme: Theme, pairs: list[list[tuple[int, CellPiece]]], pattern: BoardPattern, side: int, least: float
) -> None:
    for sight in SIGHTS:
        for pair in pairs:
            patches = (cell(CellSpec(shade, piece), theme, pattern, side) for shade, piece in pair)
            assert distance(*(looks(patch, theme, pattern, sight) for patch in patches)) >= least


@pytest.mark.parametrize("theme", Theme)
def test_text_is_read_well(theme: Theme) -> None:
    """4.5 to 1 is what WCAG 2.2 asks of text (1.4.3)."""
    colours = COLOURS[theme]
    pairs = [(colours.ink, colours.frame), (colours.ink, colours.bar), (colours.faint, colours.frame)]
    pairs.append((over(colours.chosen), colours.chosen))
    for ink, pattern in pairs:
        assert contrast(ink, pattern) >= 4.5, (ink, pattern)


@pytest.mark.parametrize("theme", Theme)
def test_men_are_told_from_their_squares(theme: Theme) -> None:
    """3 to 1 is what WCAG 2.2 asks of graphics (1.4.11): of the dark men, and of the line round the light ones."""
    colours = COLOURS[theme]
    for square in (colours.light, colours.dark):
        assert contrast(colours.men[1], square) >= 3
        assert max(contrast(colours.men[0], square), contrast(colours.outline, square)) >= 3


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("pattern", BoardPattern)
def test_colours_that_matter_are_in_the_palette(theme: Theme, pattern: BoardPattern) -> None:
    colours = COLOURS[theme]
    own = palette(theme, pattern).colours
    assert len(own) <= SIZE
    assert own[0] == colours.frame
    for colour in (colours.ink, colours.faint, *colours.seats):
        # Within the four steps that Pillow tells apart.
        assert any(max(abs(a - b) for a, b in zip(colour, near, strict=True)) < 4 for near in own)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((255, 255, 255), (118, 118, 118)) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("side", [45, 90])  # a board of 4 x 4 on a phone, and as it is sent
def test_a_picked_cell_looks_like_no_piece_and_like_no_empty_cell(theme: Theme, side: int) -> None:
    """Picked cells have a mark of their own: on empty cells, and over pieces, without relying on colours."""
    pieces = [
        None,
        *(CellPiece(Kind.TILE, owner) for owner in (Seat.S1, Seat.S2)),
        CellPiece(Kind.DISC, None),
    ]
    for sight in SIGHTS:
        bare = [
            looks(cell(CellSpec(0, one), theme, BoardPattern.RULED, side), theme, BoardPattern.RULED, sight)
            for one in pieces
        ]
        for one in pieces:
            look = CellSpec(0, one, signs=((Sign.PICKED, ""),))
            picked = looks(cell(look, theme, BoardPattern.RULED, side), theme, BoardPattern.RULED, sight)
            assert min(distance(picked, other) for other in bare) >= 0.1, (sight, one)


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("side", [18, 40, 90])
def test_a_planned_turn_looks_unlike_a_played_one(theme: Theme, side: int) -> None:
    turns = [[Sign.LEFT], [Sign.ENTERED], [Sign.CRUSHED], [Sign.ENTERED, Sign.CRUSHED]]
    shown = [tuple((sign, "") for sign in turn) for turn in turns]
    for pattern, kind in ((BoardPattern.CHEQUERED, Kind.MAN), (BoardPattern.RULED, Kind.WALL)):
        bare = CellSpec(0, CellPiece(kind, Seat.S1))
        planned = [cell(bare._replace(signs=one, planned=True), theme, pattern, side) for one in shown]
        played = [cell(bare._replace(signs=one), theme, pattern, side) for one in shown]
        assert len({*planned, *played, cell(bare, theme, pattern, side)}) == 9
        for sight in SIGHTS:
            for one, other in zip(planned, played, strict=True):
                assert distance(*(looks(patch, theme, pattern, sight) for patch in (one, other))) >= 0.01
    leg = CellSpec(0, legs=((0, 0, 2, 0, ""),))
    dashed = cell(leg._replace(planned=True), theme, BoardPattern.RULED, side)
    assert dashed != cell(leg, theme, BoardPattern.RULED, side)
