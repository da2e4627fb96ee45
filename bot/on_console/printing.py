"""A message as lines of text: the board drawn with letters or emoji, buttons with numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from bot.i18n import Words
from bot.view import Button, Message, Person, View
from render import ASCII, EMOJI, Alphabet, ascii_board, emoji_board, fits, seat_symbol
from rules.core import Diagram

Style = Literal["emoji", "ascii"]

_MARGIN: Final = "  "


def lines(message: Message, words: Words, style: Style) -> Iterator[str]:
    """What the room prints: a head that says who sees it, then the view."""
    if isinstance(message.to, Person):
        yield words("bot.console.private", name=message.to.account.uid)
    else:
        yield words("bot.console.public")
    for line in body(message.view, style):
        yield (_MARGIN + line).rstrip()


def body(view: View, style: Style) -> Iterator[str]:
    """A view without its head."""
    yield from view.lines
    if view.diagram:
        yield from board(view.diagram, style)
    for line in view.roster:
        sign = (
            seat_symbol(view.diagram, line.seat, alphabet(view.diagram, style))
            if view.diagram
            else f"{line.seat.number}."
        )
        yield f"{sign} {line.text}"
    yield from view.after
    yield from buttons(view.buttons, style)
    if view.attachment:
        name, text = view.attachment
        yield f"--- {name}"
        yield from text.splitlines()
        yield "---"


def board(diagram: Diagram, style: Style) -> Iterator[str]:
    """A board with a blank line around it."""
    yield ""
    drawn = emoji_board(diagram) if alphabet(diagram, style) is EMOJI else ascii_board(diagram)
    yield from drawn.text.splitlines()
    yield ""


def alphabet(diagram: Diagram, style: Style) -> Alphabet:
    """Emoji where they are wanted and the board is not too wide for them."""
    return EMOJI if style == "emoji" and fits(diagram) else ASCII


def buttons(offered: tuple[Button, ...], style: Style) -> Iterator[str]:
    """Numbered buttons: in a row, or each with the board it leads to."""
    if any(button.preview for button in offered):
        for number, button in enumerate(offered, 1):
            yield f"[{number}] {button.label}"
            if button.preview:
                yield from board(button.preview, style)
    elif offered:
        row = ""
        for number, button in enumerate(offered, 1):
            part = f"[{number}] {button.label}"
            if row and len(row) + len(part) > 96:
                yield row
                row = ""
            row = f"{row}  {part}" if row else part
        yield row
