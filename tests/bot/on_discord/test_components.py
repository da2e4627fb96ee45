"""However many things there are to press, all of them can be pressed."""

from __future__ import annotations

from typing import Any

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import Button, ButtonGrid, SquareButton, View
from bot.platforms.discord.rendering import Key, PeopleSelect, Select, arranged, render, rows
from tests.platforms.discord.limits import problems

MESSAGES = "/channels/1/messages"


def button(number: int, verb: Verb = Verb.STEP) -> Button:
    return Button(f"button {number}", CallbackData(verb, "aaaaaa", 1, f"a{number}"))


@pytest.mark.parametrize("choices", [0, 1, 5, 6, 14, 15, 20, 24, 25])
@pytest.mark.parametrize("controls", [0, 3, 7, 10])
async def test_everything_that_is_offered_can_be_pressed(choices: int, controls: int) -> None:
    offered = tuple(map(button, range(choices)))
    under = tuple(button(number, Verb.DRAW) for number in range(controls))
    view = View(lines=("x",), after=("Which one?",), buttons=offered, controls=under)
    wanted = {each.data.pack() for each in (*offered, *under)}
    found = set()
    for row in arranged(view):
        assert not isinstance(row, PeopleSelect)
        found |= {value for _, value in row.entries} if isinstance(row, Select) else {key.id for key in row}
    assert found == wanted
    made = rows(render(view))
    components = made.to_components() if made else []
    payload = {
        "content": "x",
        "components": components,
        "allowed_mentions": {},
        "nonce": "n",
        "enforce_nonce": True,
    }
    assert problems("POST", MESSAGES, payload) == []


async def test_a_small_board_is_made_of_keys_and_its_steps_are_not_shown_twice() -> None:
    cells = tuple(
        tuple(
            SquareButton("·", "·", button(4 * down + right).data if right else None, "choice", "a1")
            for right in range(4)
        )
        for down in range(4)
    )
    steps = tuple(Button("x", button(number).data, on_grid=True) for number in range(16) if number % 4)
    view = View(lines=("x",), buttons=(*steps, button(99)), grid=ButtonGrid(cells), code="aaaaaa")
    made = arranged(view, [Key("Type it…", "type:aaaaaa")])
    assert [len(row) for row in made if isinstance(row, tuple)] == [4, 4, 4, 4, 2]
    assert {key.shade for row in made if isinstance(row, tuple) for key in row[:1]} == {"dead", "plain"}


async def test_a_board_that_is_too_large_for_keys_is_a_list_of_what_can_be_done() -> None:
    cells = tuple(tuple(SquareButton("·", "·", None, "free", "a1") for _ in range(8)) for _ in range(8))
    steps = tuple(Button("x", button(number).data, on_grid=True) for number in range(16))
    made = arranged(View(lines=("x",), buttons=steps, grid=ButtonGrid(cells)))
    assert sum(len(row) for row in made if isinstance(row, tuple)) == 16


async def test_under_a_public_board_there_are_its_controls() -> None:
    cells = tuple(
        tuple(SquareButton("·", "·", button(right).data, "choice", "a1") for right in range(4))
        for _ in range(4)
    )
    made = arranged(View(lines=("x",), grid=ButtonGrid(cells), controls=(button(1, Verb.DRAW),)))
    assert [[key.label for key in row] for row in made if isinstance(row, tuple)] == [["button 1"]]


def test_the_validator_bites() -> None:
    good = {"content": "x", "allowed_mentions": {}, "nonce": "n", "enforce_nonce": True}
    pressed = {"type": 2, "style": 2, "label": "x", "custom_id": "a"}
    assert problems("POST", MESSAGES, good) == []
    spoilt: tuple[dict[str, Any], ...] = (
        {"content": "x" * 2001},
        {"content": ""},
        {"nonce": "n" * 26},
        {"enforce_nonce": False},
        {"allowed_mentions": {"parse": ["everyone"]}},
        {"flags": 1 << 20},
        {"components": [{"type": 1, "components": [pressed] * 2}]},
        {"components": [{"type": 1, "components": []}]},
        {"components": [{"type": 1, "components": [{**pressed, "label": "x" * 81}]}]},
        {"components": [{"type": 1, "components": [{**pressed, "custom_id": "x" * 101}]}]},
        {"components": [{"type": 1, "components": [{**pressed, "custom_id": str(n)}]} for n in range(6)]},
        {"embeds": [{"description": "x" * 4097}]},
        {"embeds": [{"description": "x" * 4000}, {"description": "x" * 4000}]},
        {"attachments": [{"id": 0, "filename": "a.png", "description": "x" * 1025}]},
        {"poll": {}},
    )
    for bad in spoilt:
        assert problems("POST", MESSAGES, {**good, **bad}), bad
