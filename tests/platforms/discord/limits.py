"""Every way in which a request of the bot goes beyond what Discord takes.

Shapes and bounds are those of Discord's description of its API (`openapi`). Here stands what that does not say: sums,
what may stand beside what, and the rules of the pages that Discord publishes beside it; and what this bot never does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.platforms.discord.openapi import BODIES, SCHEMAS, Found, against, pattern

EPHEMERAL: Final = 1 << 6

_CONTENT: Final = 2000
_EMBED_SUM: Final = 6000
_ROWS: Final = 5
_FILE_SIZE: Final = 10 * 1024 * 1024
_FLAGS: Final = 1 << 2 | EPHEMERAL | 1 << 12 | 1 << 15
"""No embeds, ephemeral, silent, components v2."""

_COMMANDS: Final = 100
_MENU: Final = 15
"""Entries in the menu of a person; other menus are not used."""

_COMMAND_SUM: Final = 8000
_COMMAND_NAME: Final = re.compile(r"[-_'\w]{1,32}\Z")
_LOCALES: Final = [each["const"] for each in SCHEMAS["AvailableLocalesEnum"]["oneOf"]]
_PATHS: Final = [(route, pattern(route)) for route in BODIES]


def problems(method: str, path: str, payload: Any, files: Sequence[tuple[str, bytes]] = ()) -> list[str]:
    """Everything about a request that Discord would refuse; nothing, if it would take it.

    Args:
        method: Of the request.
        path: After the version, with the ids in it.
        payload: The JSON; None where there is none.
        files: The names and contents of uploads, in their order.
    """
    for route, paths in _PATHS:
        if route.startswith(f"{method} ") and paths.fullmatch(path):
            body = BODIES[route]
            if body is None:
                return ["body: nothing is expected"] if payload else []
            wrong = list(against(body, payload, "body"))
            return wrong or [*_beside(route, payload), *_files(payload, files)]
    return [f"no such route: {method} {path}"]


def _beside(route: str, payload: Any) -> Found:
    """What the description does not say of a body whose shape is right."""
    if route.endswith("/commands"):
        yield from _commands(payload)
    elif route.endswith("/callback"):
        kind, data = payload["type"], payload.get("data") or {}
        if kind in (4, 7):
            yield from _message(data)
        if kind == 4:
            yield from _new(data)
        if kind == 9 and len(data["components"]) > _ROWS:
            yield "a modal of too many parts"
    elif ("/messages" in route and not route.endswith("/threads")) or route.startswith("POST /webhooks/"):
        yield from _message(payload)
        if route.startswith("POST"):
            yield from _new(payload)
        if route == "POST /channels/{channel_id}/messages" and not (
            payload.get("nonce") and payload.get("enforce_nonce") is True
        ):
            yield "could come twice, for it has no nonce that counts"
    elif route == "POST /users/@me/channels" and not payload.get("recipient_id"):
        yield "a conversation with no person"


# --- messages


def _new(value: Mapping[str, Any]) -> Found:
    if not any(value.get(key) for key in ("content", "embeds", "components", "attachments")):
        yield "an empty message"
    if "allowed_mentions" not in value:
        yield "does not say whom it calls"
    if (value.get("flags") or 0) & ~_FLAGS:
        yield "flags that may not be set"


def _message(value: Mapping[str, Any]) -> Found:
    if len(value.get("content") or "") > _CONTENT:
        yield f"more than {_CONTENT} characters"
    if sum(map(_length, value.get("embeds") or ())) > _EMBED_SUM:
        yield f"embeds of more than {_EMBED_SUM} characters in all"
    if (value.get("allowed_mentions") or {}).get("parse") or value.get("tts"):
        yield "this bot parses no mentions, and reads nothing aloud"
    rows = value.get("components") or []
    if len(rows) > _ROWS:
        yield f"{len(rows)} rows"
    parts = [each for row in rows for each in row["components"]]
    ids = [each["custom_id"] for each in parts if each.get("custom_id")]
    if len(set(ids)) < len(ids):
        yield "an id twice"
    for row in rows:
        if len(row["components"]) > 1 and any(each["type"] in (3, 5) for each in row["components"]):
            yield "a select has its row to itself"
    for each in parts:
        yield from {2: _button, 3: _select, 5: _people_select}[each["type"]](each)


def _length(embed: Mapping[str, Any]) -> int:
    parts = [embed.get("title"), embed.get("description")]
    parts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    parts += [part for each in embed.get("fields") or () for part in (each["name"], each["value"])]
    return sum(len(part) for part in parts if part)


def _button(value: Mapping[str, Any]) -> Found:
    if not value.get("label") and not value.get("emoji"):
        yield "a button with neither label nor emoji"
    link = value["style"] == 5
    if link != bool(value.get("url")) or link == bool(value.get("custom_id")):
        yield "a link has an address, any other button an id"


def _select(value: Mapping[str, Any]) -> Found:
    values = {option["value"] for option in value["options"]}
    if len(values) < len(value["options"]):
        yield "a value twice"
    if (value.get("max_values") or 1) > len(values):
        yield "more can be chosen than there are"


def _people_select(value: Mapping[str, Any]) -> Found:
    if (value.get("min_values") or 1) > (value.get("max_values") or 1):
        yield "more must be chosen than can be"


def _files(payload: Any, files: Sequence[tuple[str, bytes]]) -> Found:
    """Uploads are named in the message that they come with, and described."""
    if sum(len(content) for _, content in files) > _FILE_SIZE:
        yield "files: too large"
    inner = (payload.get("data", payload) if isinstance(payload, dict) else None) or {}
    named = {str(each["id"]): each for each in inner.get("attachments") or ()}
    for index, (name, content) in enumerate(files):
        held = named.get(str(index))
        if held is None or held.get("filename") != name:
            yield f"files[{index}]: the message does not name it"
        elif name.endswith((".png", ".gif", ".webp")) and not held.get("description"):
            yield f"files[{index}]: a picture without words for those who cannot see it"
        if not content:
            yield f"files[{index}]: empty"


# --- commands


_ENTRY_POINT: Final = 4


def _commands(value: Sequence[Mapping[str, Any]]) -> Found:
    typed = [each for each in value if each.get("type", 1) == 1]
    menus = [each for each in value if each.get("type", 1) != 1]
    if len(typed) > _COMMANDS or len(menus) > _MENU:
        yield "too many commands"
    yield from _names_once(typed)
    yield from _names_once(menus)
    for command in value:
        yield from (f"{command['name']}: {wrong}" for wrong in _command(command, menu=command in menus))


def _command(command: Mapping[str, Any], *, menu: bool) -> Found:
    if command.get("type") != _ENTRY_POINT and menu == bool(command.get("description")):
        yield "a command that is typed has a description, an entry of a menu none"
    if command.get("handler") and command.get("type") != _ENTRY_POINT:
        yield "a handler is of an Entry Point command alone"
    options = command.get("options") or []
    for each in options if menu else (command, *options):
        for name in (each["name"], *(each.get("name_localizations") or {}).values()):
            if not _COMMAND_NAME.match(name) or name != name.lower():
                yield f"{name!r} is no name of a command"
    for each in (command, *options, *(one for option in options for one in option.get("choices") or ())):
        for key in ("name_localizations", "description_localizations"):
            if unknown := (each.get(key) or {}).keys() - set(_LOCALES):
                yield f"{unknown} is no language of Discord's"
    yield from _options(options)
    if (total := _counted(command)) > _COMMAND_SUM:
        yield f"{total} characters in all"


def _options(options: Sequence[Mapping[str, Any]]) -> Found:
    yield from _names_once(options)
    needed = [bool(option.get("required")) for option in options]
    if needed != sorted(needed, reverse=True):
        yield "an option that is needed after one that is not"
    if any(option.get("autocomplete") and option.get("choices") for option in options):
        yield "either choices or autocomplete"


def _names_once(entries: Sequence[Mapping[str, Any]]) -> Found:
    for locale in ("", *_LOCALES):
        called = [(each.get("name_localizations") or {}).get(locale) or each["name"] for each in entries]
        if len(set(called)) < len(called):
            yield f"a name twice in {locale or 'the default language'}: {sorted(called)}"


def _counted(value: Mapping[str, Any]) -> int:
    """Characters of a command that count: of each text the longest of its languages."""
    total = 0
    for key in ("name", "description"):
        texts = [value.get(key) or "", *(value.get(f"{key}_localizations") or {}).values()]
        total += max(map(len, texts))
    for each in (*(value.get("options") or ()), *(value.get("choices") or ())):
        total += _counted(each) + len(str(each.get("value", "")))
    return total
