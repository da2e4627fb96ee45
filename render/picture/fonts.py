"""The bundled font, and what of a text it can draw."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from PIL import ImageFont, features

_FOLDER: Final = Path(__file__).with_name("fonts")
_SHAPED: Final = features.check("raqm")
_LAYOUT: Final = ImageFont.Layout.RAQM if _SHAPED else ImageFont.Layout.BASIC

_FRACTION: Final = re.compile("([¼½¾⅐-⅞])")
_MARKS: Final = 2  # signs over and under a letter: enough for any language here, too few for a tower
_NOT_A_CHARACTER: Final = "\N{REPLACEMENT CHARACTER}"


@lru_cache(maxsize=192)
def face(name: str, layout: ImageFont.Layout, size: int) -> ImageFont.FreeTypeFont:
    """A bundled face in a size in pixels."""
    return ImageFont.truetype(_FOLDER / name, size, layout_engine=layout)


# The faces by their size in pixels: for numbers and letters by the board; and plain and bold for what people write.
bold: Final = partial(face, "DejaVuSans-Bold.ttf", ImageFont.Layout.BASIC)
regular: Final = partial(face, "DejaVuSans.ttf", _LAYOUT)
heavy: Final = partial(face, "DejaVuSans-Bold.ttf", _LAYOUT)


@lru_cache(maxsize=4096)
def drawable(character: str) -> bool:
    """Whether both faces have a glyph for a character."""
    return character == " " or all(
        bytes(font.getmask(character)) != missing
        for font, missing in map(_probe, ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
    )


@lru_cache(maxsize=2)
def _probe(name: str) -> tuple[ImageFont.FreeTypeFont, bytes]:
    font = face(name, ImageFont.Layout.BASIC, 24)
    # U+10FFFF is no character and never will be one: what is drawn for it is drawn for all that a font lacks.
    return font, bytes(font.getmask("\U0010ffff"))


@lru_cache(maxsize=4096)
def legible(text: str, stand_in: str = "") -> str:
    """What the font can draw of a text, in one line; `stand_in` where less than half of its letters are left.

    Fancy letters become plain ones; emoji and other characters that the font lacks are left out; towers of accents are cut
    down; characters that turn the direction of writing go.
    """
    letters = kept = marks = 0
    out: list[str] = []
    for character in "".join(map(_plain, _FRACTION.split(text))):
        category = unicodedata.category(character)
        if category[0] == "Z" or character in "\t\n\r":
            out.append(" ")
        elif category[0] == "M":
            marks += 1
            if out and out[-1] != " " and marks <= _MARKS and drawable(character):
                out.append(character)
        elif category[0] != "C":
            marks = 0
            is_letter = category[0] in "LN"
            letters += is_letter
            if drawable(character) and character != _NOT_A_CHARACTER:
                kept += is_letter
                out.append(character)
            else:
                marks = _MARKS  # what stood over a letter that is left out goes with it
    shown = " ".join("".join(out).split())
    if stand_in and (2 * kept < letters or not any(not part.isspace() for part in shown)):
        return stand_in
    return shown or "\N{HORIZONTAL ELLIPSIS}"


def _plain(text: str) -> str:
    """Return a text with fancy letters as plain ones; a fraction stays, since 1½ would become 11⁄2."""
    return text if _FRACTION.fullmatch(text) else unicodedata.normalize("NFKC", text)


def fitted(text: str, font: ImageFont.FreeTypeFont, width: float) -> str:
    """The text, or as much of its beginning as fits in so many pixels, and an ellipsis. Letters keep their accents."""
    if font.getlength(text) <= width:
        return text
    ends = [at for at in range(len(text)) if not unicodedata.category(text[at]).startswith("M")]
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if font.getlength(_cut(text, ends[middle])) <= width:
            low = middle
        else:
            high = middle - 1
    return _cut(text, ends[low]) if ends else ""


def _cut(text: str, end: int) -> str:
    return text[:end].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def visual(text: str) -> str:
    """Text in the order in which it is drawn from left to right.

    The layout engine does this where it is to be had. Without it, runs of letters that are written from right to left
    are turned round: letters stay unjoined, but in order.
    """
    if _SHAPED:
        return text
    return turned(text)


def turned(text: str) -> str:
    """Runs of right-to-left letters turned round, with the spaces and accents inside them."""
    out: list[str] = []
    run: list[str] = []
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in {"R", "AL"}:
            run.append(character)
        elif direction == "NSM" and run:
            run[-1] += character
        elif run and direction in {"WS", "CS", "ON"}:
            run.append(character)
        else:
            out += _flush(run)
            out.append(character)
    return "".join(out + _flush(run))


def _flush(run: list[str]) -> list[str]:
    tail: list[str] = []
    while run and unicodedata.bidirectional(run[-1][0]) not in {"R", "AL"}:
        tail.insert(0, run.pop())
    done = [*reversed(run), *tail]
    run.clear()
    return done
