"""What an interaction may be answered with: an acknowledgement, choices, a modal, a message."""

from __future__ import annotations

from typing import Any, Final

from tests.platforms.discord.checks import Form, Found, anything, flag, number, one_of, several, text
from tests.platforms.discord.message_limits import EDIT, EPHEMERAL, FOLLOW_UP, ID

_INPUT: Final = Form(
    {
        "type": one_of(4),
        "id": number(0, 2**31 - 1),
        "custom_id": ID,
        "style": one_of(1, 2),
        "label": text(45, 1),
        "value": text(4000),
        "placeholder": text(100),
        "required": flag,
        "min_length": number(0, 4000),
        "max_length": number(1, 4000),
    },
    ("custom_id", "style"),
)


def _part_of_modal(value: Any, at: str) -> Found:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == 1:
        held = value.get("components")
        if not isinstance(held, list) or len(held) != 1:
            yield f"{at}: a row of a modal holds one thing"
            return
        yield from Form({**_INPUT.fields}, (*_INPUT.needed, "label"))(held[0], f"{at}[0]")
    elif kind == 18:
        yield from Form(
            {
                "type": one_of(18),
                "id": number(0, 2**31 - 1),
                "label": text(45, 1),
                "description": text(100, 1),
                "component": _INPUT,
            },
            ("label", "component"),
        )(value, at)
    else:
        yield f"{at}: {kind} is not in modals here"


_MODAL: Final = Form(
    {"custom_id": ID, "title": text(45, 1), "components": several(_part_of_modal, 5, 1)},
    ("custom_id", "title", "components"),
)
_CHOICE: Final = Form(
    {"name": text(100, 1), "name_localizations": anything, "value": text(100, 1)}, ("name", "value")
)


def callback(value: Any, at: str) -> Found:
    kind = value.get("type") if isinstance(value, dict) else None
    data = value.get("data") if isinstance(value, dict) else None
    if kind in (5, 6):
        yield from Form({"flags": number(0, EPHEMERAL)})(data or {}, f"{at}.data")
    elif kind == 8:
        yield from Form({"choices": several(_CHOICE, 25)}, ("choices",))(data, f"{at}.data")
    elif kind == 9:
        yield from _MODAL(data, f"{at}.data")
    elif kind in (4, 7):
        yield from (FOLLOW_UP if kind == 4 else EDIT)(data, f"{at}.data")
    else:
        yield f"{at}.type: {kind} is no answer"
