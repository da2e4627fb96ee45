"""What a message may hold: words, embeds, rows of buttons and selects, files, whom it calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.platforms.discord.checks import (
    Check,
    Form,
    Found,
    anything,
    flag,
    link,
    number,
    one_of,
    several,
    snowflake,
    text,
)

CONTENT: Final = 2000
EMBEDS: Final = 10
EMBED_SUM: Final = 6000
ATTACHMENTS: Final = 10
ALT_TEXT: Final = 1024
ROWS: Final = 5
BUTTONS_IN_ROW: Final = 5
CUSTOM_ID: Final = 100
BUTTON_LABEL: Final = 80
OPTIONS: Final = 25
NONCE: Final = 25
EPHEMERAL: Final = 1 << 6
FLAGS_OF_MESSAGES: Final = 1 << 2 | EPHEMERAL | 1 << 12 | 1 << 15
"""No embeds, ephemeral, silent, components v2."""

_EMBED: Final = Form(
    {
        "title": text(256),
        "type": one_of("rich"),
        "description": text(4096),
        "url": link,
        "color": number(0, 0xFFFFFF),
        "timestamp": text(40),
        "footer": Form({"text": text(2048), "icon_url": link}),
        "image": Form({"url": link}),
        "thumbnail": Form({"url": link}),
        "author": Form({"name": text(256), "url": link, "icon_url": link}),
        "fields": several(
            Form({"name": text(256, 1), "value": text(1024, 1), "inline": flag}, ("name", "value")), 25
        ),
        "flags": anything,
    }
)
_EMOJI: Final = Form({"id": snowflake, "name": text(32), "animated": flag})
_OPTION: Final = Form(
    {
        "label": text(100, 1),
        "value": text(100, 1),
        "description": text(100),
        "emoji": _EMOJI,
        "default": flag,
    },
    ("label", "value"),
)


def _button_says_something(value: Mapping[str, Any], at: str) -> Found:
    if not value.get("label") and not value.get("emoji"):
        yield f"{at}: neither label nor emoji"
    links = value.get("style") == 5
    if links != bool(value.get("url")) or links == bool(value.get("custom_id")):
        yield f"{at}: a link has an address, any other button an id"


def _values_once(value: Mapping[str, Any], at: str) -> Found:
    values = [option.get("value") for option in value.get("options") or ()]
    if len(set(values)) < len(values):
        yield f"{at}: a value twice"
    if (value.get("max_values") or 1) > len(values):
        yield f"{at}: more can be chosen than there are"


ID: Final = text(CUSTOM_ID, 1)
_BUTTON: Final = Form(
    {
        "type": one_of(2),
        "id": number(0, 2**31 - 1),
        "style": one_of(1, 2, 3, 4, 5),
        "label": text(BUTTON_LABEL),
        "emoji": _EMOJI,
        "custom_id": ID,
        "url": text(512, 1),
        "disabled": flag,
    },
    ("style",),
    (_button_says_something,),
)
_SELECT: Final = Form(
    {
        "type": one_of(3),
        "id": number(0, 2**31 - 1),
        "custom_id": ID,
        "placeholder": text(150),
        "min_values": number(0, 25),
        "max_values": number(1, 25),
        "disabled": flag,
        "required": flag,
        "options": several(_OPTION, OPTIONS, 1),
    },
    ("custom_id", "options"),
    (_values_once,),
)


def _row(value: Any, at: str) -> Found:
    if not isinstance(value, dict) or value.get("type") != 1:
        yield f"{at}: no row"
        return
    held = value.get("components")
    if not isinstance(held, list) or not held:
        yield f"{at}: an empty row"
        return
    if any(each.get("type") == 3 for each in held):
        if len(held) > 1:
            yield f"{at}: a select has its row to itself"
        yield from _SELECT(held[0], f"{at}[0]")
        return
    yield from several(_BUTTON, BUTTONS_IN_ROW, 1)(held, at)


def _rows(value: Any, at: str) -> Found:
    yield from several(_row, ROWS)(value, at)
    if not isinstance(value, list):
        return
    ids = [
        each.get("custom_id") for row in value for each in row.get("components", ()) if each.get("custom_id")
    ]
    if len(set(ids)) < len(ids):
        yield f"{at}: an id twice"


def _all_embeds(value: Any, at: str) -> Found:
    yield from several(_EMBED, EMBEDS)(value, at)
    if sum(map(_length, value)) > EMBED_SUM:
        yield f"{at}: more than {EMBED_SUM} characters in all"


def _length(embed: Mapping[str, Any]) -> int:
    parts = [embed.get("title"), embed.get("description")]
    parts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for each in embed.get("fields") or ():
        parts += [each.get("name"), each.get("value")]
    return sum(len(part) for part in parts if part)


def _pings(value: Any, at: str) -> Found:
    yield from Form(
        {
            "parse": several(one_of("users", "roles", "everyone"), 3, unique=True),
            "users": several(snowflake, 100, unique=True),
            "roles": several(snowflake, 100, unique=True),
            "replied_user": flag,
        }
    )(value, at)
    for kind in ("users", "roles"):
        if value.get(kind) and kind in (value.get("parse") or ()):
            yield f"{at}: {kind} both named and parsed"
    if value.get("parse"):
        yield f"{at}: this bot parses no mentions"


def _says_something(value: Mapping[str, Any], at: str) -> Found:
    if not any(value.get(key) for key in ("content", "embeds", "components", "attachments")):
        yield f"{at}: an empty message"


def _mentions_none(value: Mapping[str, Any], at: str) -> Found:
    if "allowed_mentions" not in value:
        yield f"{at}: does not say whom it calls"


_MESSAGE: Final[Mapping[str, Check]] = {
    "content": text(CONTENT),
    "embeds": _all_embeds,
    "components": _rows,
    "allowed_mentions": _pings,
    "attachments": several(
        Form(
            {"id": snowflake, "filename": text(1024, 1), "description": text(ALT_TEXT), "title": text(1024)},
            ("id",),
        ),
        ATTACHMENTS,
    ),
    "flags": number(0, 2**31 - 1),
    "tts": one_of(False),
}


def _flags_known(value: Mapping[str, Any], at: str) -> Found:
    if (value.get("flags") or 0) & ~FLAGS_OF_MESSAGES:
        yield f"{at}: flags that may not be set"


def _nonce(value: Mapping[str, Any], at: str) -> Found:
    if not value.get("nonce") or value.get("enforce_nonce") is not True:
        yield f"{at}: could come twice, for it has no nonce that counts"


NEW: Final = Form(
    {**_MESSAGE, "nonce": text(NONCE, 1), "enforce_nonce": flag},
    (),
    (_says_something, _mentions_none, _flags_known, _nonce),
)
EDIT: Final = Form(_MESSAGE)
FOLLOW_UP: Final = Form(_MESSAGE, (), (_says_something, _mentions_none, _flags_known))
