"""Keyboard under a message: the board as keys, buttons and controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from telegram import InlineKeyboardButton as Key
from telegram import InlineKeyboardMarkup as Keyboard

from bot.callback_data import Verb
from bot.on_telegram.markup import clean, cut
from bot.presenter.captions import length
from bot.view import Button, SquareButton, View

MOST: Final = 100  # most keys under a message
WIDEST: Final = 8  # most keys in a row
NOTHING: Final = "-"  # the data of a key that does nothing
_ROW: Final = 26  # characters of the labels in one row that a phone shows whole

_LONGEST: Final = 64
_COLOURS: Final = {"good": "success", "danger": "danger"}
_CELLS: Final = {"choice": ("·{}·", "primary"), "picked": ("{}", "success")}
"""Label and colour of cells to pick and of picked ones. Old clients show no colours; a picked cell's label has a sign."""


def keyboard(view: View, extra: Sequence[Key] = (), *, as_text: bool = False) -> Keyboard | None:
    """Return the keyboard of a view, with `extra` keys in the last row; None if it has no keys.

    The control for a board as text is left out where the board is text already.
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
    """Whether a button only begins to pick a move."""
    return button.data.verb is Verb.MOVE and not button.data.argument


def _key(button: Button) -> Key:
    label = cut(clean(button.label), _LONGEST) or "?"
    return Key(label, callback_data=button.data.pack(), style=_COLOURS.get(button.style))


def _cell(cell: SquareButton) -> Key:
    shape, colour = _CELLS.get(cell.state, ("{}", None))
    data = cell.data.pack() if cell.data else NOTHING
    return Key(shape.format(cell.label), callback_data=data, style=colour)


def _rows(keys: Iterable[Key]) -> list[list[Key]]:
    """Return keys in rows whose labels a phone shows whole."""
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
