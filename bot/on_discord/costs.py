"""What interactions of Discord cost of a person's quotas."""

from __future__ import annotations

from typing import Any

import discord

from bot.callback_data import BadCallbackData, CallbackData
from bot.commands import REGISTRY
from bot.on_discord.components import WHO
from bot.on_discord.modals import filled_in
from bot.quotas import COMMANDS, COMPLETIONS, Rate


def cost_of(interaction: discord.Interaction[Any]) -> Rate | None:
    """Return the quota that an interaction counts for; None: it is never dropped."""
    data: Any = interaction.data or {}
    match interaction.type:
        case discord.InteractionType.autocomplete:
            return COMPLETIONS
        case discord.InteractionType.application_command:
            return REGISTRY.counts_for(f"/{data.get('name', '')}")
        case discord.InteractionType.modal_submit:
            command = filled_in(data)
            return COMMANDS if command is None else REGISTRY.counts_for(f"/{command.name}")
        case discord.InteractionType.component:
            try:
                return REGISTRY.counts_for(CallbackData.unpack(packed(data)))
            except BadCallbackData:
                return COMMANDS
    return None


def packed(data: Any) -> str:
    """Return the callback data of a press: untrusted text."""
    custom_id, values = str(data.get("custom_id", "")), data.get("values") or ()
    if custom_id.startswith(WHO):
        return custom_id.removeprefix(WHO)
    return str(values[0]) if values else custom_id
