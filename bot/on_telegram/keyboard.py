"""Keyboard under a message: the board as keys, buttons and controls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from telegram import InlineKeyboardButton as Key
from telegram import InlineKeyboardMarkup as Keyboard

from bot.callback_data import Verb
from bot.on_telegram.markup import clean, cut
from bot.presenter.captions import length
from bot.presenter.selection import begins
from bot.view import Button, SquareButton, View
from render import EMOJI
from rules.core import Diagram

Special: TypeAlias = Callable[[Button, str], Key | None]

MOST: Final = 100  # most keys under a message
NOTHING: Final = "-"  # begins the data of a key that does nothing but name its square
IN_ROW: Final = 5  # most keys in a row of a list, so that a phone shows a square and what stands there
_ROW: Final = 26  # characters of the labels in one row that a phone shows whole

_PICKING: Final = (Verb.STEP, Verb.PICK, Verb.WHY)
_NAMED: Final = re.compile(rf"(?:\A{NOTHING}|[:;/+~? ])([a-z][1-9][0-9]?)\Z", re.ASCII)
_LONGEST: Final = 64
_COLOURS: Final = {"good": "success", "danger": "danger"}
_CELLS: Final = {"choice": "primary", "picked": "success"}
"""Colour of cells to pick and of picked ones. Old clients show none: there a sign stands on picked cells and empty targets."""


class _PressedKey(Key):
    """A key that sends its data. The library would look through the 13 fields of each of them."""

    __slots__ = ()

    def to_dict(self, recursive: bool = True) -> dict[str, Any]:  # noqa: ARG002 - as the library calls it
        """See `TelegramObject.to_dict`."""
        said = {"text": self.text, "callback_data": self.callback_data}
        return {**said, "style": self.style} if self.style else said


def keyboard(
    view: View, extra: Sequence[Key] = (), *, as_text: bool = False, special: Special = lambda _, __: None
) -> Keyboard | None:
    """Return the keyboard of a view, with `extra` keys in the last row; None if it has no keys.

    The control for a board as text is left out where the board is text already. `special` returns the key of a button that is no
    ordinary one, by the button and its label.
    """

    def key(button: Button) -> Key:
        label = cut(clean(button.label), _LONGEST) or "?"
        return special(button, label) or _key(button, label)

    rows: list[list[Key]] = []
    buttons: Sequence[Button] = view.buttons
    if view.grid is not None:
        rows += [[_cell(cell) for cell in row] for row in view.grid.rows]
        buttons = [each for each in buttons if not each.on_grid]
    offered = {button.data for button in buttons}
    under_way = view.grid is not None or any(each.data.verb is Verb.STEP for each in buttons)
    wanted = [
        each
        for each in view.controls
        if each.data not in offered
        and not (under_way and begins(each.data))
        and not (as_text and each.data.verb is Verb.TEXT)
    ]
    controls = list(_rows(map(key, wanted)))
    room = MOST - sum(map(len, rows)) - sum(map(len, controls)) - len(extra)
    fitting = [button for button in buttons if button.data.fits][: max(0, room)]
    rows += _rows(map(key, _with_pieces(fitting, view.diagram)))
    rows += controls
    if extra:
        rows.append(list(extra))
    return Keyboard(rows) if rows else None


def _with_pieces(buttons: Iterable[Button], diagram: Diagram | None) -> Iterator[Button]:
    """Yield buttons, those that pick a square with what stands there: `a2 ♟`."""
    pieces = {str(square): piece for piece in diagram.pieces for square in piece.cells} if diagram else {}
    for button in buttons:
        piece = pieces.get(button.label) if button.data.verb in _PICKING else None
        symbol = "" if piece is None else f" {EMOJI.symbol(piece.kind, piece.owner)}"
        yield replace(button, label=f"{button.label}{symbol}")


def named_square(data: str) -> str | None:
    """Return the square that the data of a full-board key names; None if it names none."""
    found = _NAMED.search(data)
    return found[1] if found else None


def _key(button: Button, label: str) -> Key:
    return _PressedKey(label, callback_data=button.data.pack(), style=_COLOURS.get(button.style))


def _cell(cell: SquareButton) -> Key:
    data = cell.data.pack() if cell.data else f"{NOTHING}{cell.name}"
    return _PressedKey(cell.symbol, callback_data=data, style=_CELLS.get(cell.state))


def _rows(keys: Iterable[Key]) -> list[list[Key]]:
    """Return keys in rows whose labels a phone shows whole."""
    rows: list[list[Key]] = []
    taken = 0
    for key in keys:
        size, least = length(key.text), _ROW // IN_ROW
        wide = least if size <= least else size + 2
        if rows and len(rows[-1]) < IN_ROW and taken + wide <= _ROW:
            rows[-1].append(key)
            taken += wide
        else:
            rows.append([key])
            taken = wide
    return rows
