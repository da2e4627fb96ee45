"""What can be pressed under a message: the board as keys, and buttons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from telegram import InlineKeyboardButton as Key
from telegram import InlineKeyboardMarkup as Keyboard

from bot.callback_data import Verb
from bot.on_telegram.markup import clean, cut
from bot.presenter.captions import length
from bot.view import Button, Cell, View

MOST: Final = 100
"""Keys under a message."""

WIDEST: Final = 8
"""Keys in a row."""

NOTHING: Final = "-"
"""What a key holds that is there to be seen only."""

_ROW: Final = 26
"""Characters of the labels in one row that a phone shows whole."""

_LONGEST: Final = 64
_COLOURS: Final = {"good": "success", "danger": "danger"}
_CELLS: Final = {"choice": ("·{}·", "primary"), "picked": ("{}", "success")}
"""Cells that can be picked, and that have been: told by more than a colour, which old clients do not show (what is picked
has a sign of its own)."""


def keyboard(view: View, extra: Sequence[Key] = (), *, as_text: bool = False) -> Keyboard | None:
    """Everything that can be pressed.

    Args:
        view: What is shown.
        extra: Keys of the platform's own, in the last row.
        as_text: Whether the board is text already, which then need not be offered.
    """
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
        and not (under_way and _opens(each))
        and not (as_text and each.data.verb is Verb.TEXT)
    ]
    controls = list(_rows(map(_key, wanted)))
    room = MOST - sum(map(len, rows)) - sum(map(len, controls)) - len(extra)
    rows += _rows([_key(button) for button in buttons if button.data.fits][: max(0, room)])
    rows += controls
    if extra:
        rows.append(list(extra))
    return Keyboard(rows) if rows else None


def _opens(button: Button) -> bool:
    """Whether a button only opens what the keys of a board, or of a move that is being picked, are there for anyway."""
    return button.data.verb is Verb.MOVE and not button.data.argument


def _key(button: Button) -> Key:
    label = cut(clean(button.label), _LONGEST) or "?"
    return Key(label, callback_data=button.data.pack(), style=_COLOURS.get(button.style))


def _cell(cell: Cell) -> Key:
    shape, colour = _CELLS.get(cell.state, ("{}", None))
    data = cell.data.pack() if cell.data else NOTHING
    return Key(shape.format(cell.label), callback_data=data, style=colour)


def _rows(keys: Iterable[Key]) -> list[list[Key]]:
    """Keys in rows, as many beside each other as can be read."""
    rows: list[list[Key]] = []
    taken = 0
    for key in keys:
        wide = length(key.text) + 2
        if rows and len(rows[-1]) < WIDEST and taken + wide <= _ROW:
            rows[-1].append(key)
            taken += wide
        else:
            rows.append([key])
            taken = wide
    return rows
