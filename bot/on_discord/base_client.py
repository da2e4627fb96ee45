"""The client, as those see it who write through it and whose keys are pressed: what it does with that is its own affair."""

from __future__ import annotations

from typing import Any

import discord


class BaseClient(discord.AutoShardedClient):
    """A client that says whether it is logged in, and takes what is pressed.

    Attributes:
        logged_in: Whether anything can be sent.
    """

    logged_in: bool = False

    async def pressed(self, interaction: discord.Interaction[Any], packed: str) -> None:
        """A button was pressed, or an entry chosen.

        Args:
            interaction: By whom and where.
            packed: The id or the value; anything at all.
        """
        raise NotImplementedError
