"""Picture, emoji grid and ASCII board of one diagram say the same, cell by cell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from render import ascii_board, emoji_board
from render.picture import Painter, Theme
from rules import GAMES
from rules.core import SEATS, Area, Diagram, Grid, Highlights, Kind, Mark, Piece, Sign, Square, Zone
from tests.render.picture.reading import Reader, View
from tests.render.text.golden import CASES
from tests.render.text.reading import Read, read_ascii, read_emoji, truth
from tests.render.text.samples import anything

VIEWS = [View(theme) for theme in Theme] + [View(flipped=True), View(Theme.DARK, flipped=True, scale=2)]

COMMON = [name for name in CASES if name not in {"klopodavka-largest", "klopodavka-tournament"}]


def _live(diagram: Diagram) -> frozenset[object]:
    """Those of whom there is something on the board that shows whether they are out."""
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
    for name in COMMON:
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


@pytest.mark.parametrize(
    "preset", [(key, preset) for key, game in GAMES.items() for preset in game.schema.presets]
)
def test_games_in_play(painter: Painter, preset: tuple[str, str]) -> None:
    game = GAMES[preset[0]]
    position = game.start(game.choose({"preset": preset[1]}))
    reader = Reader(painter, View())
    for ply in range(6):
        move = position.legal_moves()[(7 * ply) % len(position.legal_moves())]
        after = position.play(move)
        if ply % 5 == 0:
            _agree(reader, game.draw(after, Highlights(last=(move,), before=position)))
        position = after
        if not position.legal_moves():
            return


def _everything(side: int) -> Diagram:
    """Each kind of piece of each owner, on each zone and under each sign, on boards of one cell size."""
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
