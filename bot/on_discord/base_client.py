"""The client as the modules see it that write through it, without an import of those that it serves."""

from __future__ import annotations

from typing import Any

import discord


class BaseClient(discord.AutoShardedClient):
    """A client with what the widgets and the courier need of it.

    Attributes:
        logged_in: Whether messages can be sent.
    """

    logged_in: bool = False

    async def pressed(self, interaction: discord.Interaction[Any], packed: str) -> None:
        """Handle a press of a button or of a select's entry.

        Args:
            interaction: The press.
            packed: The id or the value: untrusted text.
        """
        raise NotImplementedError
