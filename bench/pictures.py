"""Still pictures beside two libraries for chess boards: 8x8 with coordinates, last move and highlights at 640 pixels.

Theirs are boards of a chess match played at random, ours of a Breakthrough match; and, as simpler work for them, their
boards with pawns only, on the squares of our men. What is timed ends with a PNG file in memory. Theirs are measured at
their best: piece images are loaded and scaled before. Ours are measured with an empty painter (cells are drawn, no band
is kept) and, where it is said, with nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import cairosvg
import chess
import chess.svg
import fentoboardimage
from PIL import Image

from bench.measure import Budget, Goal, Row, Side, interleaved
from bench.playouts import Playout, playouts
from render.picture import Painter, RenderOptions, Theme, composition, fonts, markings
from rules.breakthrough import GAME as BREAKTHROUGH
from rules.core import Diagram, Highlights, Kind, Seat, Sign, Square
from rules.klopodavka import GAME as KLOPODAVKA

BESIDE_SVG: Final = Goal(at_least=20)
BESIDE_IMAGES: Final = Goal(at_least=4)
MATCH_BESIDE_SVG: Final = Goal(at_least=40)
LARGE: Final = Goal(below=3)
BYTES: Final = 17_000

_SIZE: Final = 640
_PLY: Final = 20
_SPREAD: Final = 6
"""Boards of the match that the slow side paints: every so many."""

_PIECES: Final = {"Pawn": "p", "Rook": "r", "Knight": "n", "Bishop": "b", "Queen": "q", "King": "k"}
_COLOURS: Final = {
    "dark": "#a9b7c6",
    "light": "#e9edf1",
    "moved dark": "#b5ab72",
    "moved light": "#dcca85",
    "ink": "#24282e",
}


@dataclass(frozen=True, slots=True)
class Board:
    """One board as each side is given it."""

    diagram: Diagram
    theirs: chess.Board
    last: chess.Move
    marked: tuple[chess.Square, ...] = ()


def rows(budget: Budget) -> Sequence[Row]:
    """One board, a match of boards, and a large board beside a small one."""
    played = next(playouts(BREAKTHROUGH, {"board": "8x8"}, least=40))
    match = [_diagram(played, ply, chosen=0) for ply in range(1, len(played.moves))]
    boards = [
        Board(diagram, *theirs) for diagram, theirs in zip(match, _chess_match(len(match)), strict=True)
    ]
    diagram = _diagram(played, _PLY, chosen=3)
    pawns = _pawns(diagram)
    marked = tuple(_square(mark.square) for mark in diagram.marks if mark.sign is Sign.CANDIDATE)
    board = replace(boards[_PLY - 1], diagram=diagram, marked=marked)
    with TemporaryDirectory() as folder:
        pieces = _piece_images(Path(folder))
        return [
            *_single("8x8, 640 px", board, pieces, budget),
            *_single(
                "8x8, 640 px, pawns only", replace(board, theirs=pawns, last=_move(diagram)), pieces, budget
            ),
            *_nothing_kept(board, pieces, budget),
            *_match(boards, budget),
            *_large(board, budget),
        ]


def _single(what: str, board: Board, pieces: Path, budget: Budget) -> list[Row]:
    ours, svg, images = interleaved(
        (
            _side("ours", lambda: _ours(board.diagram)),
            _side("chess.svg + cairosvg", lambda: _svg(board)),
            _side("fentoboardimage", lambda: _images(board, pieces)),
        ),
        budget,
    )
    return [
        Row(what, "board", ours, svg, rate=False, goal=BESIDE_SVG),
        Row(what, "board", ours, images, rate=False, goal=BESIDE_IMAGES),
    ]


def _nothing_kept(board: Board, pieces: Path, budget: Budget) -> list[Row]:

    def ours() -> bytes:
        for remembered in (
            markings.palette,
            composition.label,
            composition.corner,
            fonts.face,
            composition.cell_cache,
        ):
            remembered.cache_clear()
        return _ours(board.diagram)

    def images() -> bytes:
        fentoboardimage.main.piece_cache.clear()
        fentoboardimage.main.resized_cache.clear()
        fentoboardimage.main.alpha_cache.clear()
        return _images(board, pieces)

    mine, theirs = interleaved((_side("ours", ours), _side("fentoboardimage", images)), budget)
    return [Row("8x8, 640 px, nothing kept", "board", mine, theirs, rate=False, goal=BESIDE_IMAGES)]


def _match(boards: Sequence[Board], budget: Budget) -> list[Row]:
    some = boards[::_SPREAD]

    def ours() -> list[bytes]:
        with Painter() as painter:
            return [painter.paint(board.diagram, RenderOptions(scale=1)) for board in boards]

    sizes = sorted(map(len, ours()))
    verdict = "met" if sizes[-1] <= BYTES else "MISSED"
    mine, svg = interleaved(
        (
            Side(f"ours, {sizes[len(sizes) // 2] / 1000:.1f} kB", ours, len(boards)),
            Side("chess.svg + cairosvg", lambda: [_svg(board) for board in some], len(some)),
        ),
        budget,
    )
    what = f"{len(boards)} boards of a match; <= 17 kB: {sizes[-1] / 1000:.1f} {verdict}"
    return [Row(what, "board", mine, svg, rate=False, goal=MATCH_BESIDE_SVG)]


def _large(board: Board, budget: Budget) -> list[Row]:
    chosen = {"board": "20x30", "players": "6"}
    played = next(islice(playouts(KLOPODAVKA, chosen, most=400), 1))
    position: Any = played.positions[-1]
    diagram = KLOPODAVKA.draw(position, Highlights(last=played.moves[-4:-1]))
    large, small = interleaved(
        (
            _side("20x30, 6 players", lambda: _ours(diagram, phone=True)),
            _side("8x8", lambda: _ours(board.diagram)),
        ),
        budget,
    )
    return [Row("large board", "board", large, small, cost=True, rate=False, goal=LARGE)]


def _side(name: str, run: Callable[[], bytes]) -> Side:
    return Side(f"{name}, {len(run()) / 1000:.1f} kB", run, 1)


# Boards


def _diagram(played: Playout, ply: int, *, chosen: int) -> Diagram:
    before: Any = played.positions[ply - 1]
    position: Any = played.positions[ply]
    last = (played.moves[ply - 1],)
    moves = position.legal_moves()[:chosen]
    return BREAKTHROUGH.draw(position, Highlights(last=last, before=before, candidates=moves))


def _chess_match(plies: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    chance, board = Random(1), chess.Board()
    for _ in range(plies):
        move = chance.choice(list(board.legal_moves))
        board.push(move)
        yield board.copy(stack=False), move


def _pawns(diagram: Diagram) -> chess.Board:
    board = chess.Board(None)
    for piece in diagram.pieces:
        if piece.kind is Kind.MAN:
            colour = chess.WHITE if piece.owner is Seat.S1 else chess.BLACK
            board.set_piece_at(_square(piece.cells[0]), chess.Piece(chess.PAWN, colour))
    return board


def _move(diagram: Diagram) -> chess.Move:
    arrow = diagram.arrows[0]
    return chess.Move(_square(arrow.start), _square(arrow.end))


def _square(square: Square) -> chess.Square:
    return chess.square(square.file, square.rank)


# The work


def _ours(diagram: Diagram, *, phone: bool = False) -> bytes:
    with Painter() as painter:
        return painter.paint(diagram, RenderOptions(Theme.LIGHT, scale=1, phone=phone))


def _svg(board: Board) -> bytes:
    fill = dict.fromkeys(board.marked, "#1f5fbf80")
    arrow = chess.svg.Arrow(board.last.from_square, board.last.to_square)
    drawn = chess.svg.board(
        board.theirs, size=_SIZE, coordinates=True, lastmove=board.last, fill=fill, arrows=[arrow]
    )
    data = cairosvg.svg2png(bytestring=drawn.encode())
    assert isinstance(data, bytes)
    return data


def _images(board: Board, pieces: Path) -> bytes:
    """It knows a last move and letters within the board; 640 pixels without a margin are 80 a square."""
    last: Mapping[str, str] = {
        "before": chess.square_name(board.last.from_square),
        "after": chess.square_name(board.last.to_square),
        "darkColor": _COLOURS["moved dark"],
        "lightColor": _COLOURS["moved light"],
    }
    image: Image.Image = fentoboardimage.fen_to_image(
        fen=board.theirs.board_fen(),
        square_length=_SIZE // 8,
        piece_set=fentoboardimage.load_pieces_folder(str(pieces)),
        dark_color=_COLOURS["dark"],
        light_color=_COLOURS["light"],
        last_move=last,
        coordinates={
            "font": fonts.bold,
            "size": 16,
            "dark_color": _COLOURS["ink"],
            "light_color": _COLOURS["ink"],
            "position_fn": fentoboardimage.standard,
        },
    )
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _piece_images(folder: Path) -> Path:
    """It brings no pieces: python-chess's, in the size in which such sets are sold."""
    for side in ("black", "white"):
        (folder / side).mkdir()
        for name, symbol in _PIECES.items():
            piece = chess.Piece.from_symbol(symbol.upper() if side == "white" else symbol)
            drawn = chess.svg.piece(piece, size=150)
            cairosvg.svg2png(bytestring=drawn.encode(), write_to=str(folder / side / f"{name}.png"))
    return folder
