"""Components under a message: five rows, each of at most five buttons or of one select."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bot.on_discord.markup import cut, plain
from bot.view import Button, ButtonGrid, SquareButton, View

ROWS: Final = 5
IN_ROW: Final = 5
LABEL: Final = 80
ENTRIES: Final = 25
ENTRY: Final = 100
PROMPT: Final = 150
"""Discord's limits: rows, buttons in one, characters of a label; entries of a select, characters of one and of its prompt."""

CHOOSE: Final = "pick:"  # begins the id of a select; the values of its entries are packed actions
WHO: Final = "who:"  # begins the id of a select of people; the packed action of the choice follows
FREE: Final = "cell:"  # begins the id of a disabled button

Shade: TypeAlias = Literal["plain", "good", "danger", "marked", "dead"]


@dataclass(frozen=True, slots=True)
class Key:
    """A button: its label, its id, its look. A dead one is disabled."""

    label: str
    id: str
    shade: Shade = "plain"


@dataclass(frozen=True, slots=True)
class Select:
    """A select: its id, its prompt, and the label and value of each entry."""

    id: str
    prompt: str
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PeopleSelect:
    """A select of people: its id, its prompt, how many can be chosen."""

    id: str
    prompt: str
    most: int


Row: TypeAlias = tuple[Key, ...] | Select | PeopleSelect  # a row


def arranged(view: View, more: Sequence[Key] = ()) -> tuple[Row, ...]:
    """Return the rows under a view: its grid, its buttons, its controls, and more keys.

    Nothing is left out: where there are too many for buttons, they become entries of selects.
    """
    rows: list[Row] = []
    seen: set[str] = set()
    offered = list(view.buttons)
    # A board with controls has no keys: a move is picked on a message of its own.
    if view.grid is not None and not view.controls and (board := _board(view.grid)) is not None:
        rows += board
        offered = [each for each in offered if not each.on_grid]
        seen = {key.id for row in board for key in row}
    if view.people is not None and view.people.data.fits:
        prompt = cut(plain(view.people.prompt), PROMPT)
        rows.append(PeopleSelect(f"{WHO}{view.people.data.pack()}", prompt, min(view.people.most, ENTRIES)))
    choices = list(_once(offered, seen))
    others = [*_once(view.controls, seen), *(key for key in more if key.id not in seen)]
    prompt = cut(plain(view.after[-1]), PROMPT) if view.after else ""
    every = [*choices, *others]
    # The first of these that fits; the last holds more than any view offers.
    fits: tuple[tuple[Row, ...], ...] = (
        (*_split(choices), *_split(others)),
        tuple(_split(every)),
        (*_selects(choices, prompt), *_split(others)),
        tuple(_selects(every, prompt)),
    )
    for rest in fits:
        if len(rows) + len(rest) <= ROWS:
            return (*rows, *rest)
    return (*rows, *_selects(every, prompt))[:ROWS]


def _board(grid: ButtonGrid) -> list[tuple[Key, ...]] | None:
    """Return a grid as rows of buttons; None if it leaves no row for the rest."""
    if len(grid.rows) > ROWS - 1 or max(map(len, grid.rows)) > IN_ROW:
        return None
    return [
        tuple(_cell(cell, f"{FREE}{down}.{right}") for right, cell in enumerate(row))
        for down, row in enumerate(grid.rows)
    ]


def _cell(cell: SquareButton, place: str) -> Key:
    label = cut(plain(cell.label), LABEL) or "·"
    if cell.data is None or not cell.data.fits:
        return Key(label, place, "dead")
    return Key(label, cell.data.pack(), "marked" if cell.state == "picked" else "plain")


def _once(buttons: Iterable[Button], seen: set[str]) -> Iterator[Key]:
    """Return buttons as keys, each once; an action that is too long is left out."""
    for button in buttons:
        if not button.data.fits:
            continue
        packed = button.data.pack()
        if packed not in seen:
            seen.add(packed)
            yield Key(plain(button.label) or "…", packed, button.style)


def _split(keys: Sequence[Key]) -> Iterator[tuple[Key, ...]]:
    for at in range(0, len(keys), IN_ROW):
        yield tuple(Key(cut(key.label, LABEL), key.id, key.shade) for key in keys[at : at + IN_ROW])


def _selects(keys: Sequence[Key], prompt: str) -> Iterator[Select]:
    for number, at in enumerate(range(0, len(keys), ENTRIES)):
        entries = tuple((cut(key.label, ENTRY), key.id) for key in keys[at : at + ENTRIES])
        yield Select(f"{CHOOSE}{number}", prompt, entries)
