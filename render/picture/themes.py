"""Themes: the colours of a board, and the palette that all its pictures share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from render.picture.canvas import Colour, rgb


class Theme(StrEnum):
    """The looks that people choose among."""

    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"
    WOOD = "wood"


@dataclass(frozen=True, slots=True)
class Colours:
    """What a theme is made of."""

    frame: Colour  # round the board, behind coordinates and the strip
    ink: Colour  # text on the frame
    faint: Colour  # text on the frame that matters less; still read well
    bar: Colour  # behind the line of who is on turn
    light: Colour  # squares of a chequered board, as h1
    dark: Colour  # squares of a chequered board, as a1
    paper: Colour  # squares of a ruled board
    rule: Colour  # lines of a ruled board
    border: Colour  # the line round the board
    outline: Colour  # round pieces
    limb: Colour  # legs and feelers
    seats: tuple[Colour, ...]  # the pieces of each seat
    # The pieces of the first two seats where they are men: light and dark by tradition.
    men: tuple[Colour, Colour]
    neutral: Colour  # pieces without an owner
    moved: Colour  # marks of the last turn
    taken: Colour  # marks of what was taken in the last turn
    chosen: Colour  # marks of the move being made, and of what can be chosen
    paint: Colour  # painted cells
    grain: float = 0.0  # how strongly wood is veined, 0 for no wood


def _seats(last: str) -> tuple[Colour, ...]:
    # Okabe and Ito, "Color Universal Design" (2008), in an order that agrees with the emoji of the text boards. Two
    # more than they have: brown and grey; their black is the last, and white where the board is dark.
    names = ("d55e00", "0072b2", "f0e442", "009e73", "cc79a7", "e69f00", "7a4a2b", "56b4e9", "9aa0a6")
    return tuple(map(rgb, (*names, last)))


COLOURS: Final[dict[Theme, Colours]] = {
    Theme.LIGHT: Colours(
        frame=rgb("f6f6f3"),
        ink=rgb("24282e"),
        faint=rgb("5c636d"),
        bar=rgb("dfe6ee"),
        light=rgb("e9edf1"),
        dark=rgb("a9b7c6"),
        paper=rgb("ffffff"),
        rule=rgb("c5ccd4"),
        border=rgb("6b7580"),
        outline=rgb("24282e"),
        limb=rgb("24282e"),
        seats=_seats("2e3138"),
        men=(rgb("fdfcf8"), rgb("363b44")),
        neutral=rgb("7d858f"),
        moved=rgb("c79a00"),
        taken=rgb("c2185b"),
        chosen=rgb("1f5fbf"),
        paint=rgb("f3cf7a"),
    ),
    Theme.DARK: Colours(
        frame=rgb("1d2026"),
        ink=rgb("e8eaed"),
        faint=rgb("a3abb6"),
        bar=rgb("333b47"),
        light=rgb("8b97a6"),
        dark=rgb("5d6879"),
        paper=rgb("2b3038"),
        rule=rgb("474f5b"),
        border=rgb("8a94a1"),
        outline=rgb("0f1114"),
        limb=rgb("c3c9d2"),
        seats=_seats("f4f4f0"),
        men=(rgb("f6f4ee"), rgb("14171c")),
        neutral=rgb("aab1ba"),
        moved=rgb("e5c04b"),
        taken=rgb("ff5c93"),
        chosen=rgb("a8cdff"),
        paint=rgb("6d5a2a"),
    ),
    Theme.CONTRAST: Colours(
        frame=rgb("ffffff"),
        ink=rgb("000000"),
        faint=rgb("303030"),
        bar=rgb("ffe45c"),
        light=rgb("ffffff"),
        dark=rgb("b4b4b4"),
        paper=rgb("ffffff"),
        rule=rgb("707070"),
        border=rgb("000000"),
        outline=rgb("000000"),
        limb=rgb("000000"),
        seats=_seats("000000"),
        men=(rgb("ffffff"), rgb("000000")),
        neutral=rgb("6e6e6e"),
        moved=rgb("a86a00"),
        taken=rgb("b0004c"),
        chosen=rgb("003fb8"),
        paint=rgb("ffd84d"),
    ),
    Theme.WOOD: Colours(
        frame=rgb("4a2f1d"),
        ink=rgb("f8ead3"),
        faint=rgb("d9bf9c"),
        bar=rgb("704a2e"),
        light=rgb("ecd0a0"),
        dark=rgb("b98553"),
        paper=rgb("e4c290"),
        rule=rgb("b08450"),
        border=rgb("2b190d"),
        outline=rgb("2a1a10"),
        limb=rgb("2a1a10"),
        seats=_seats("33302d"),
        men=(rgb("faf1de"), rgb("3a2417")),
        neutral=rgb("8b7f75"),
        moved=rgb("5f8a1c"),
        taken=rgb("a3123f"),
        chosen=rgb("123f86"),
        paint=rgb("cf9a3c"),
        grain=0.09,
    ),
}


class BoardPattern(StrEnum):
    """What a board is ruled like."""

    CHEQUERED = "chequered"
    RULED = "ruled"


class Style(NamedTuple):
    """What all of one picture is drawn by: its theme, the kind of board, and measures in pixels."""

    theme: Theme
    pattern: BoardPattern
    scale: int
    cell: int
    margin: int


class RenderOptions(NamedTuple):
    """How a picture or an animation is painted."""

    theme: Theme = Theme.LIGHT
    flipped: bool = False  # as the side at the top sees it
    scale: int = 2  # 1 for at most 640 pixels a side, 2 for twice that
    # Higher than wide where cells are larger so, and if that is not enough, with the part where something goes on.
    phone: bool = False
