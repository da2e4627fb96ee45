"""Updates as they come over the wire and are kept in the inbox; what they cost of quotas; which edited messages count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, TypeAlias

from bot.chat.callback_data import BadCallbackData, CallbackData
from bot.chat.quotas import COMMANDS, COMPLETIONS, Quota
from bot.features.commands import REGISTRY
from bot.platforms.telegram.places import PLATFORM, Chat
from play.errors import Unavailable
from play.ports import NoteStore
from storage.ports import Update

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
    part = held.get(name) or {}
    if not isinstance(part, dict):
        raise TypeError(f"{name} is no object")
    return part


def _held(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((held for kind in KINDS if isinstance(held := raw.get(kind), dict)), {})


def cost_of(update: Update) -> Quota | None:
    """Return the quota that an update counts for. What is said in a group counts for none."""
    raw = json.loads(update.body)
    if "inline_query" in raw:
        return COMPLETIONS
    if "chosen_inline_result" in raw:
        return COMMANDS
    if query := raw.get("callback_query"):
        try:
            return REGISTRY.counts_for(CallbackData.unpack(query.get("data") or ""))
        except BadCallbackData:
            return COMMANDS  # an inline card, a key that does nothing, an old one
    message = raw.get("message") or raw.get("edited_message")
    return _of_message(message) if message else None


def _of_message(message: dict[str, Any]) -> Quota | None:
    private = message["chat"]["type"] == "private"
    said = message.get("text") or message.get("caption") or ""
    if said.startswith("/") or (private and said):
        return REGISTRY.counts_for(said)
    return COMMANDS if private and "document" in message else None


KEPT: Final = timedelta(days=2)
"""How long a refused message can be corrected; Telegram lets people edit for two days."""


class Edits:
    """Remembers refused messages, so that each takes effect once at most, also after a restart.

    The note of a message is empty while the message is refused, and else the number of the edit that counts.
    """

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    async def refused(self, chat: Chat, message: int) -> None:
        """Note that a message, or its last edit, was refused."""
        with suppress(Unavailable):
            await self._notes.write(_note(chat, message), "", keep=KEPT)

    async def counts(self, chat: Chat, message: int, update: int) -> bool:
        """Whether an edit counts: the message is refused until now, or this very edit was delivered before."""
        name = _note(chat, message)
        try:
            (held,) = await self._notes.read(name)
            if held == "":
                await self._notes.write(name, str(update), keep=KEPT)
        except Unavailable:
            return False
        return held in ("", str(update))


def _note(chat: Chat, message: int) -> str:
    return f"{PLATFORM}:refused:{chat.id}:{message}"
