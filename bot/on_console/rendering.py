"""Render a message as lines of text: the board as letters or emoji, buttons with numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final, Literal

from bot.i18n import Words
from bot.view import Button, Message, Person, View, numbered
from render import ASCII, EMOJI, Alphabet, ascii_board, emoji_board, fits, seat_symbols
from render.text.elements import Rim
from rules.core import TURN, Diagram, Kind, Sign, Zone

KEYS: Final = {"bot.legend.{}": (("neutral", *Zone, *Sign, *Rim, *(f"planned-{sign}" for sign in TURN)),)}
"""The keys that this module puts together, by their template: the members of each hole."""

Style = Literal["emoji", "ascii"]

WIDTH: Final = 98  # the columns that words are wrapped to by default; boards are never wrapped

_MARGIN: Final = "  "
_LONG: Final = 32  # characters; if a label is longer, each button has a row


def lines(message: Message, words: Words, style: Style, name: str = "", width: int = WIDTH) -> Iterator[str]:
    """Return a message as the lines to print: a head that says who sees it (for a private one, `name`), then the view."""
    if isinstance(message.to, Person):
        yield words("bot.console.private", name=name or message.to.account.uid)
    else:
        yield words("bot.console.public")
    for line in body(message.view, words, style, width - len(_MARGIN)):
        yield (_MARGIN + line).rstrip()


def body(view: View, words: Words, style: Style, width: int = WIDTH) -> Iterator[str]:
    """Return a view as lines."""
    view = view.in_words
    for line in view.lines:
        yield from wrapped(line, width)
    if view.diagram and not any(button.preview for button in view.buttons):  # else each button has a board
        yield from board(view.diagram, style, flipped=view.flipped)
        if signs := " · ".join(explained(view.diagram, words, style)):
            yield from wrapped(signs, width)
    for seated in view.roster:
        sign = (
            seat_symbols(view.diagram, seated.seat, alphabet(view.diagram, style))
            if view.diagram
            else f"{seated.seat.number}."
        )
        yield f"{sign} {seated.text}"
    for line in view.after:
        yield from wrapped(line, width)
    yield from buttons(view.buttons, style, width, flipped=view.flipped)
    if view.film:
        name, film = view.film
        size = {"width": film.width, "height": film.height}
        yield from wrapped(words("bot.console.film", name=name, seconds=round(film.seconds), **size), width)
    for name, content in view.files:
        if isinstance(content, str):  # a picture cannot be printed
            yield f"--- {name}"
            yield from content.splitlines()
            yield "---"


def wrapped(line: str, width: int) -> Iterator[str]:
    """Return a paragraph as rows; the further rows of a list entry are indented."""
    entry = line.startswith(("/", "·"))
    rows = textwrap.wrap(line, width, subsequent_indent="    " if entry else "", break_on_hyphens=False)
    yield from rows or [""]


def board(diagram: Diagram, style: Style, *, flipped: bool = False) -> Iterator[str]:
    """Return a board between blank lines."""
    yield ""
    emoji = alphabet(diagram, style) is EMOJI
    drawn = emoji_board(diagram, flipped=flipped) if emoji else ascii_board(diagram, flipped=flipped)
    yield from drawn.text.splitlines()
    yield ""


def explained(diagram: Diagram, words: Words, style: Style) -> Iterator[str]:
    """Return what the letters of a board mean; emoji need no words, and the roster shows the pieces' owners."""
    if alphabet(diagram, style) is EMOJI:
        return
    for entry in ascii_board(diagram).legend:
        if entry.owner is None:
            meaning = "neutral" if isinstance(entry.what, Kind) else entry.what.value
            if diagram.planned and entry.what in TURN:
                meaning = f"planned-{meaning}"
            yield f"{entry.symbol} {words(f'bot.legend.{meaning}')}"


def alphabet(diagram: Diagram, style: Style) -> Alphabet:
    """Return emoji if they are wanted and the board is narrow enough, else letters."""
    return EMOJI if style == "emoji" and fits(diagram) else ASCII


def buttons(
    offered: tuple[Button, ...], style: Style, width: int = WIDTH, *, flipped: bool = False
) -> Iterator[str]:
    """Return numbered buttons: in rows, or each with the board it leads to."""
    if any(button.preview for button in offered):
        for number, button in enumerate(offered, 1):
            yield _numbered(number, button)
            if button.preview:
                yield from board(button.preview, style, flipped=flipped)
        return
    parts = [_numbered(number, button) for number, button in enumerate(offered, 1)]
    if any(len(part) > _LONG for part in parts):
        yield from parts
        return
    row = ""
    for part in parts:
        if row and len(row) + 2 + len(part) > width:
            yield row
            row = ""
        row = f"{row}  {part}" if row else part
    if row:
        yield row


def _numbered(number: int, button: Button) -> str:
    # Where numbers stand on the board, labels have them already.
    return f"[{number}] {button.label.removeprefix(numbered(number, ''))}"
