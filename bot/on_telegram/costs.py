"""What updates of Telegram cost of a person's quotas, read from their JSON alone."""

from __future__ import annotations

import json
from typing import Any

from bot.callback_data import BadCallbackData, CallbackData
from bot.commands import REGISTRY
from bot.quotas import COMMANDS, COMPLETIONS, Rate
from storage.inbox import Update


def cost_of(update: Update) -> Rate | None:
    """Return the quota that an update counts for; None: it is never dropped. What is said in a group counts for none."""
    raw = json.loads(update.body)
    if "inline_query" in raw:
        return COMPLETIONS
    if "chosen_inline_result" in raw:
        return COMMANDS
    if query := raw.get("callback_query"):
        return _of_press(query)
    message = raw.get("message") or raw.get("edited_message")
    return _of_message(message) if message else None


def _of_press(query: dict[str, Any]) -> Rate | None:
    try:
        return REGISTRY.counts_for(CallbackData.unpack(query.get("data") or ""))
    except BadCallbackData:
        return COMMANDS  # an inline card, a key that does nothing, an old one


def _of_message(message: dict[str, Any]) -> Rate | None:
    private = message["chat"]["type"] == "private"
    said = message.get("text") or message.get("caption") or ""
    if said.startswith("/") or (private and said):
        return REGISTRY.counts_for(said)
    return COMMANDS if private and "document" in message else None
