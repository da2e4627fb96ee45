"""Updates as they come over the wire, and as they are kept in the inbox."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from storage.inbox import Update

Raw: TypeAlias = dict[str, Any]

KINDS: Final = (
    "message", "edited_message", "callback_query", "inline_query", "chosen_inline_result", "my_chat_member",
    "chat_member",
)  # fmt: skip
"""The kinds of updates that are asked for."""

_READ_OF_PRESSED: Final = (
    "message_id", "date", "chat", "from", "message_thread_id", "is_topic_message", "photo", "text", "entities",
    "reply_to_message",
)  # fmt: skip


def stored(raw: Raw) -> Update:
    """Return an update for the inbox.

    Raises:
        TypeError, ValueError: it is not known whose it is, as its chat or its person is no object, or has no plain id.
    """
    body = json.dumps(lean(raw), ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
    chat, person = chat_of(raw), person_of(raw)
    if not (chat + person).isascii():
        raise ValueError("an id that is none")
    return Update(str(raw["update_id"]), chat, person, body)


def lean(raw: Raw) -> Raw:
    """Return an update without the parts that are not read: with every press comes the whole message."""
    query = raw.get("callback_query")
    if isinstance(query, dict) and isinstance(message := query.get("message"), dict):
        kept = {key: message[key] for key in _READ_OF_PRESSED if key in message}
        if isinstance(photo := kept.get("photo"), list):
            kept["photo"] = photo[:1]  # in one size, to know that it is one
        return {**raw, "callback_query": {**query, "message": _without_keys(kept)}}
    for kind in ("message", "edited_message"):
        if isinstance(message := raw.get(kind), dict):
            return {**raw, kind: _without_keys(message)}
    return raw


def _without_keys(message: Raw) -> Raw:
    found = {key: held for key, held in message.items() if key != "reply_markup"}
    if isinstance(reply := found.get("reply_to_message"), dict):
        found["reply_to_message"] = _without_keys(reply)
    return found


def chat_of(raw: Mapping[str, Any]) -> str:
    """Return what an update is ordered by: its chat, its inline message or its person."""
    held = _held(raw)
    if named := held.get("inline_message_id"):
        return f"inline:{named}"
    chat = _part(held, "chat") or _part(_part(held, "message"), "chat") or _part(held, "from")
    return str(chat.get("id", ""))


def person_of(raw: Mapping[str, Any]) -> str:
    """Return who caused an update: a user, or the chat in whose name a message was written; empty if that is not said."""
    held = _held(raw)
    who = _part(held, "sender_chat") or _part(held, "from")
    return str(who.get("id", ""))


def _part(held: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object in another, empty if it is not there."""
    part = held.get(name) or {}
    if not isinstance(part, dict):
        raise TypeError(f"{name} is no object")
    return part


def _held(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((held for kind in KINDS if isinstance(held := raw.get(kind), dict)), {})
