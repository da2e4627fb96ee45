"""Pictures to look at, and the page that shows them. `python -m tests.render.picture.golden` paints them anew."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final

from PIL import Image, ImageSequence

from bot.chat.i18n import words
from bot.chat.presenting.lettered import lettered
from bot.features.matches.cards import frames
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.opening import Challenge
from play.people import Account, Player
from play.request import Request
from render.animation import AnimationFrame, animate
from render.picture import Painter, RenderOptions, Strip, StripLine, Theme
from rules import GAMES
from rules.core import (
    AnyGame,
    Area,
    Diagram,
    Grid,
    Highlights,
    Kind,
    Mark,
    Piece,
    Position,
    Seat,
    Sign,
    Square,
    Zone,
    sq,
)
from tests.bot.world import NOON, ROOM, World
from tests.render.text.golden import CASES as TEXT_CASES

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "gallery.md"
FOLDER: Final = ROOT / "docs" / "gallery"


@dataclass(frozen=True)
class Case:
    caption: str
    diagram: Diagram
    strip: Strip | None = None
    theme: Theme = Theme.LIGHT
    flipped: bool = False

    def paint(self, painter: Painter) -> bytes:
        return painter.paint(
            self.diagram, RenderOptions(self.theme, self.flipped, scale=1, phone=True), strip=self.strip
        )


def played(key: str, moves: str, *, candidates: str = "", planned: bool = False, **options: str) -> Diagram:
    """A game after some turns, with the last one shown, as a preview if `planned`, and moves that may follow numbered."""
    game = GAMES[key]
    position = before = game.start(game.choose(options))
    last: list[object] = []
    for text in moves.split(";"):
        before, last = position, []
        for move in game.notation.parse(text.strip(), position):
            last.append(move)
            position = position.play(move)
    numbered = [
        move for text in candidates.split(";") if text for move in game.notation.parse(text, position)
    ]
    shown = Highlights(last=tuple(last), planned=planned, before=before, candidates=tuple(numbered))
    return game.draw(position, shown)


def _at(key: str) -> tuple[AnyGame, Position[Any]]:
    return GAMES[key], GAMES[key].start(GAMES[key].choose({}))


def grown(files: int, ranks: int, seats: int, rounds: int, *, seed: int = 1) -> Diagram:
    """Bugs that spread from bases and crush one another where they meet, as in a game of bugs half-way through.

    Made here and not by playing: the order in which legal moves are found does not change these boards.
    """
    chance, grid = Random(seed), Grid(files, ranks)
    corner = (0, 0), (files - 1, ranks - 1), (0, ranks - 1), (files - 1, 0)
    middle = (files // 2, 0), (files // 2, ranks - 1), (0, ranks // 2), (files - 1, ranks // 2)
    homes = [
        Square(*at) for at in (*corner, *middle, (files // 3, ranks // 2), (2 * files // 3, ranks // 2))
    ][:seats]
    standing = {home: (Kind.BUG, Seat(at)) for at, home in enumerate(homes)}
    last: list[Mark] = []
    for turn in range(rounds * seats):
        seat, last = Seat(turn % seats), []
        for _ in range(3):
            own = {at for at, one in standing.items() if one == (Kind.BUG, seat)}
            near = {
                Square(at.file + right, at.rank + up)
                for at in own
                for right in (-1, 0, 1)
                for up in (-1, 0, 1)
            }
            free = sorted(at for at in near if at in grid and at not in standing)
            foes = sorted(
                at for at in near if at in standing and standing[at][0] is Kind.BUG and at not in own
            )
            if foes and (not free or chance.random() < 0.4):
                at = chance.choice(foes)
                standing[at] = Kind.WALL, seat
                last.append(Mark(Sign.CRUSHED, at))
            elif free:
                at = chance.choice(free)
                standing[at] = Kind.BUG, seat
                last.append(Mark(Sign.ENTERED, at))
    return Diagram(
        grid,
        tuple(Piece(kind, (at,), seat) for at, (kind, seat) in standing.items()),
        tuple(Area(Zone.BASE, (home,), Seat(at)) for at, home in enumerate(homes)),
        tuple(last),
    )


def strip(*names: str, turn: int = 0, note: str = "", clocks: str = "") -> Strip:
    times = clocks.split()
    return Strip(
        tuple(
            StripLine(
                name,
                Seat(at),
                at == turn,
                note if at == turn else "",
                times[at] if times else "",
                f"Гравець {at + 1}",
            )
            for at, name in enumerate(names)
        )
    )


_OPENING: Final = "b2-b3; g7-g6; b3-b4; g6-g5; f2-f3; c7-c6; f3-f4; c6-c5; f4xg5"
_NAMES: Final = (
    "Аня",
    "Bob Longbottom-Smythe",
    "Їжачок",
    "Zoë",
    "שירה",
    "Олександра",
    "Li",
    "Иван",
    "Ngọc",
    "Max",
)
_SHIFT: Final = "L c1-a1-a2 n d1-b2"


def _labels(diagram: Diagram, text: str) -> Diagram:
    """Candidates: `c4=1 d5=2`."""
    pairs = (pair.split("=") for pair in text.split())
    return replace(
        diagram, marks=(*diagram.marks, *(Mark(Sign.CANDIDATE, sq(at), label) for at, label in pairs))
    )


def _choices(squares: str) -> Diagram:
    marks = tuple(Mark(Sign.CANDIDATE, sq(at)) for at in squares.split())
    board = replace(grown(26, 30, 2, 40, seed=4), joined_files=True, joined_ranks=True, marks=marks)
    return replace(board, planned=True)


CASES: Final[Mapping[str, Case]] = {
    "breakthrough": Case(
        "Breakthrough: white has just taken on g5. Small squares mark the rank that each side must reach.",
        played("breakthrough", _OPENING),
        strip(*_NAMES[:2], turn=1, clocks="4:51 5:07"),
    ),
    "breakthrough-dark": Case(
        "The dark theme, from the side of black.",
        played("breakthrough", f"{_OPENING}; h7-h6; g5xh6"),
        strip(*_NAMES[2:4], turn=1, clocks="3:20 2:58"),
        Theme.DARK,
        flipped=True,
    ),
    "breakthrough-wood": Case(
        "The wooden theme.", played("breakthrough", f"{_OPENING}; d7-d6"), theme=Theme.WOOD
    ),
    "breakthrough-choice": Case(
        "High contrast; numbers on the board match those on the buttons.",
        _labels(played("breakthrough", "b2-b3; d4-d3", preset="mini"), "a4=1 c4=2"),
        theme=Theme.CONTRAST,
    ),
    "lgame": Case(
        "The L-game: dashes where pieces were lifted, full lines where they were put, an arrow for the neutral.",
        played("lgame", _SHIFT),
        strip(*_NAMES[:2], turn=1),
    ),
    "lgame-scoring": Case(
        "The scoring variant on wood: painted cells, and points in the strip.",
        replace(played("lgame", _SHIFT, variant="scoring"), scores=(4, 7)),
        strip(*_NAMES[2:4], turn=1),
        Theme.WOOD,
    ),
    "lgame-candidates": Case(
        "Two moves to choose from.", _labels(played("lgame", _SHIFT), "d4=1 d3=2"), theme=Theme.DARK
    ),
    "lgame-lettered": Case(
        "Turns that a channel chooses from: letters where the L would lie, and on the arrows of the neutrals.",
        lettered(*_at("lgame"), (_SHIFT, "L c1-a1-a2", "L c1-a1-a2 n d1-d4", "L a3-a1-b1 n d1-d3")),
    ),
    "breakthrough-lettered": Case(
        "Moves that a channel chooses from: two that cross, and three of one man.",
        lettered(*_at("breakthrough"), ("c2-d3", "d2-c3", "f2-e3", "f2-f3", "f2-g3")),
        theme=Theme.DARK,
    ),
    "lgame-picked": Case(
        "A move that is being picked: hatched cells in a dashed frame, and numbers where it can go on.",
        GAMES["lgame"].draw(
            GAMES["lgame"].start(GAMES["lgame"].choose({})), Highlights(picked=("c1-a1-a2", "n a4"))
        ),
        strip(*_NAMES[:2]),
    ),
    "lgame-planned": Case(
        "A preview: the arrow and the frames of a move that is not played are dashed, and its cells are not coloured.",
        played("lgame", _SHIFT, planned=True),
        strip(*_NAMES[:2]),
    ),
    "klopodavka": Case(
        "Klopodavka: bugs, walls with their owner's sign, bases, and the last turn.",
        grown(10, 10, 2, 9),
        strip(*_NAMES[:2], note="залишилося 2 дії", clocks="12:04 9:30"),
    ),
    "klopodavka-choice": Case(
        "Cells to choose from, on a torus: teeth show the edges that are joined.",
        replace(
            _labels(grown(9, 9, 2, 6, seed=4), "c6=1 d5=2 e5=3 e6=4 d4=5 c7=6"),
            joined_files=True,
            joined_ranks=True,
        ),
        theme=Theme.DARK,
    ),
    "klopodavka-headquarters": Case(
        "Headquarters.", TEXT_CASES["klopodavka-headquarters"], strip(*_NAMES[4:6], note="8 actions left")
    ),
    "klopodavka-out": Case(
        "Four players, of whom one is out: his bugs are pale and his name is struck through.",
        replace(grown(12, 12, 4, 9, seed=2), out=frozenset({Seat.S3})),
        strip(*_NAMES[:4], turn=3, note="ще 1 дія", clocks="2:10 3:45 0:00 1:02"),
        Theme.CONTRAST,
    ),
    "klopodavka-tournament": Case(
        "20x30: the part in which the last turn was made is shown larger, framed on the whole board.",
        grown(20, 30, 4, 22),
        strip(*_NAMES[:4], turn=2, note="3 actions left", clocks="12:04 10:33 9:58 14:20"),
    ),
    "klopodavka-largest": Case(
        "26x30, ten players.",
        grown(26, 30, 10, 14),
        strip(*_NAMES, turn=4, note="осталось 2 действия", clocks=" ".join(["4:20"] * 10)),
        Theme.DARK,
    ),
    "klopodavka-ten": Case(
        "Ten players on wood, with the strip below the board.",
        grown(12, 12, 10, 3),
        strip(*_NAMES, turn=1, clocks=" ".join(["4:20"] * 10)),
        Theme.WOOD,
    ),
    "klopodavka-torus": Case(
        "A torus of 26x30: choices past its edges, named as on their buttons.",
        _choices("d30 z2 a1 c3 y29"),
        strip(*_NAMES[:2], note="8 actions left"),
    ),
    "smallest": Case("3x3.", grown(3, 3, 2, 1)),
}


_WORDS: Final = (
    """Pictures that the bot paints: PNG files in a palette, here at half of the size that is sent; and a GIF.
`python -m tests.render.picture.golden` paints them anew, and the tests compare with them. The pictures of the page in
the browser stand at the end; `python -m tests.bot.platforms.page.gallery` takes them anew.""",
    """Themes are `light`, `dark`, `contrast` and `wood`. Players are told apart by the shape of their bugs and by the
sign on their walls and tiles as well as by colour; the colours are those of Okabe and Ito, which people with colour
deficiencies tell apart, and two more.""",
)


MOVES: Final = "b2-b3; d4-d3; c2xd3; c4xb3; a2xb3; e4xd3; e2xd3; b4-c3; d3-d4; c5xd4; b3xa4; b5xa4"
"""What is played in the film."""

FILMS: Final[Mapping[str, str]] = {
    "film": "A match as an animation, made by `/replay`: what was played stands below, and how far the match has come.",
}


VIEWS: Final[Mapping[str, str]] = {
    "page-lobby": "The page on a phone, light and dark. The lobby: your turn first, then invitations, and what else there is to play.",
    "page-new": "A new game: one tap for what was played last, or a choice of everything.",
    "page-breakthrough": "Breakthrough: a man is picked, and dots show where it can go.",
    "page-lgame": "The L-game: the old L fades while the new one is picked.",
    "page-klopodavka": "Klopodavka: two of three actions are picked; the reach is shaded, and a pip is left.",
    "page-replay": "Looking back: the slider, the steps, and the way back to the game.",
    "page-end": "The end of a match: the result, and what can follow.",
    "page-wide": "The page on a wide screen, with the list of moves.",
}
"""The page in the browser, which `tests.bot.platforms.page.gallery` takes."""


async def _match() -> tuple[AnimationFrame, ...]:
    world = World("uk")
    people = [Player(Account("console", name), name) for name in ("Оленка", "Zoë")]
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", {"board": "5x5"}, opponents=people[1:]), Request(people[0], NOON)
    )
    match = (await world.table.act(made.match.id, Join(), Request(people[1], NOON))).match
    for turn, text in enumerate(MOVES.split(";")):
        match = (
            await world.table.act(match.id, MakeMove(text.strip()), Request(people[turn % 2], NOON))
        ).match
    match = (await world.table.act(match.id, Resign(), Request(people[0], NOON))).match
    return frames(world.present(match, words("uk")))


def shoot() -> bytes:
    return animate(asyncio.run(_match())).data


def page() -> str:
    parts = ["# Gallery", *_WORDS]
    for name, caption in FILMS.items():
        parts += [f"## {caption}", f"![{name}](gallery/{name}.gif)"]
    captions = {**{name: case.caption for name, case in CASES.items()}, **VIEWS}
    for name, caption in captions.items():
        parts += [f"## {caption}", f"![{name}](gallery/{name}.png)"]
    return "\n\n".join(parts) + "\n"


def pixels(data: bytes) -> list[tuple[tuple[int, int], bytes]]:
    """What a file shows: the size and the pixels of each of its images."""
    with Image.open(BytesIO(data)) as image:
        return [(one.size, one.convert("RGB").tobytes()) for one in ImageSequence.Iterator(image)]


def _write(path: Path, data: bytes) -> None:
    # Another zlib packs the same pixels into other bytes.
    if not path.exists() or pixels(path.read_bytes()) != pixels(data):
        path.write_bytes(data)


def main() -> None:
    """Paint everything anew; files that show the same already stay."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        if old.stem not in {*CASES, *FILMS, *VIEWS}:
            old.unlink()
    _write(FOLDER / "film.gif", shoot())
    with Painter() as painter:
        for name, case in CASES.items():
            _write(FOLDER / f"{name}.png", case.paint(painter))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
