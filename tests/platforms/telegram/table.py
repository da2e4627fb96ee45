"""What the Bot API takes: the names and types of parameters, in a table made from the platform's description of itself.

`python -m tests.platforms.telegram.table PATH` makes the table anew from a file of the telegram-bot-api-spec project.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

TABLE: Final = Path(__file__).with_name("bot_api.json")

METHODS: Final = (
    "answerCallbackQuery", "answerInlineQuery", "deleteMessage", "deleteWebhook", "editMessageCaption",
    "editMessageMedia", "editMessageReplyMarkup", "editMessageText", "getChatMember", "getChatMenuButton", "getFile", "getMe",
    "getMyCommands", "getMyDescription", "getMyName", "getMyShortDescription", "getUpdates", "sendAnimation", "sendChatAction", "sendDocument", "sendMessage", "sendPhoto", "setMessageReaction",
    "setChatMenuButton", "setMyCommands", "setMyDescription", "setMyName", "setMyShortDescription", "setWebhook",
)  # fmt: skip
"""The methods that are used. Any other is refused, until it is named here."""

_QUOTED: Final = re.compile(r'"([^"]+)"')

_LEFT_OUT: Final = frozenset({"InputRichMessage", "LoginUrl", "CallbackGame"})
"""Types that lead far away, and are not used: nothing of theirs is valid."""

Fields: TypeAlias = Mapping[str, tuple[tuple[str, ...], bool]]
"""By name: the types it may have, and whether it must be there."""


def load() -> tuple[Mapping[str, Fields], Mapping[str, Fields | tuple[str, ...]], frozenset[str]]:
    """The methods; the types: their fields, or which others each may be; and the emoji of reactions."""
    held = json.loads(TABLE.read_text("utf-8"))
    methods = {name: _fields(fields) for name, fields in held["methods"].items()}
    types = {
        name: tuple(known) if isinstance(known, list) else _fields(known)
        for name, known in held["types"].items()
    }
    return methods, types, frozenset(held["reactions"])


def _fields(held: Mapping[str, str]) -> Fields:
    return {name: (tuple(types.rstrip("!").split("|")), types.endswith("!")) for name, types in held.items()}


def make(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The table, from the whole description."""
    methods = {name: _packed(spec["methods"][name].get("fields", ())) for name in METHODS}
    types: dict[str, Any] = {}
    waiting = {name for fields in methods.values() for name in _named(fields.values(), spec)}
    while waiting:
        name = waiting.pop()
        known = spec["types"][name]
        if name in _LEFT_OUT or name in types:
            continue
        if known.get("subtypes"):
            types[name] = sorted(known["subtypes"])
            found = set(known["subtypes"])
        else:
            types[name] = _packed(known.get("fields", ()))
            found = _named(types[name].values(), spec)
        waiting |= found - types.keys()
    (emoji,) = (field for field in spec["types"]["ReactionTypeEmoji"]["fields"] if field["name"] == "emoji")
    return {
        "version": spec["version"],
        "methods": methods,
        "types": dict(sorted(types.items())),
        "reactions": _QUOTED.findall(emoji["description"]),
    }


def _packed(fields: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    return {field["name"]: "|".join(field["types"]) + ("!" if field["required"] else "") for field in fields}


def _named(types: Iterable[str], spec: Mapping[str, Any]) -> set[str]:
    each = {
        one.rstrip("!").removeprefix("Array of ").removeprefix("Array of ")
        for text in types
        for one in text.split("|")
    }
    return {one for one in each if one in spec["types"]}


if __name__ == "__main__":
    made = make(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    TABLE.write_text(json.dumps(made, ensure_ascii=False, indent=1, sort_keys=False) + "\n", "utf-8")
