"""Answers to what people do: acknowledged at once, whatever else takes its time, and filled in when it is known."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord

from bot.i18n import Words
from bot.on_discord import widgets
from bot.on_discord.modals import keys_of
from bot.on_discord.places import place, somebody
from bot.on_discord.rendering import DiscordMessage, render
from bot.on_discord.visitors import here, may_write, visitor
from bot.sender.ports import CourierError
from bot.sender.routing import state_address
from bot.view import Message, Person, View
from play.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.desk import Visitor
    from bot.on_discord.courier import DiscordCourier
    from bot.on_discord.followups import Followups
    from bot.platform import Services
    from play.people import Player

LANGUAGE_WITHIN: Final = 0.5
"""Seconds that it is waited for which language somebody has chosen; then that of their client does."""

_log: Final = logging.getLogger(__name__)


class Responder:
    """Acknowledges, and shows what the desk says."""

    def __init__(self, services: Services, courier: DiscordCourier, lent: Followups) -> None:
        self._services = services
        self._courier = courier
        self._followups = lent

    async def answer(self, interaction: discord.Interaction[Any], said: Awaitable[Sequence[Message]]) -> None:
        """Acknowledge, have the desk do it, and show what it says.

        Args:
            interaction: What somebody did.
            said: Does it; is not begun before the acknowledgement is on its way.
        """
        try:
            await _acknowledge(interaction)
        except (discord.HTTPException, OSError) as failed:
            # They see that it failed, and will do it again: so it must not be done now.
            _log.warning("an interaction could not be acknowledged: %s", failed)
            _close(said)
            return
        loan = None
        if self._followups.guest(interaction):
            loan = self._followups.lend(place(here(interaction)).place, interaction)
        elif interaction.guild_id is not None:  # a thread has the permissions of its channel
            for channel in {here(interaction), interaction.channel_id or 0}:
                self._courier.learn(channel, files=interaction.app_permissions.attach_files)
        try:
            await self._take_up(interaction)
            messages = await said
        except Exception:  # noqa: BLE001 - whoever waits for an answer gets one
            _log.exception("an interaction failed")
            words = await self.words(interaction)
            messages = [private(interaction, View(lines=(words("bot.discord.failed"),)))]
        if not any(isinstance(message.to, Person) for message in messages) and not self._seen(interaction):
            words = await self.words(interaction)
            messages = [*messages, private(interaction, View(lines=(words("bot.discord.may-not-write"),)))]
        try:
            await self._show_alone(interaction, messages)
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an answer could not be shown: %s", failed)
        finally:
            if loan is not None:
                loan.settled.set()
        await self._show_all(interaction, messages)

    def _seen(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether what everybody is told can be shown where somebody did something."""
        return self._followups.guest(interaction) or may_write(interaction)

    async def _take_up(self, interaction: discord.Interaction[Any]) -> None:
        """Write again to a person who was given up, now that they speak; the desk does the same for places."""
        account = state_address(somebody(interaction.user).account)
        outgoing = self._services.store.outgoing()
        with suppress(Unavailable):
            if await outgoing.dead(account) is not None:
                await outgoing.set_dead(account, None)

    def visitor(
        self, interaction: discord.Interaction[Any], also: Mapping[str, Player] | None = None
    ) -> Visitor:
        """Whoever did something; see `visitors.visitor`."""
        who = replace(visitor(interaction, also), link=partial(self._courier.link, interaction))
        return replace(who, home=self._courier.home) if interaction.context.dm_channel else who

    async def words(self, interaction: discord.Interaction[Any]) -> Words:
        """The language of whoever did something; that of their client, while the store does not say."""
        who = somebody(interaction.user).account
        return await self._services.words(who, interaction.locale.value, within=LANGUAGE_WITHIN)

    async def _show_alone(self, interaction: discord.Interaction[Any], messages: Sequence[Message]) -> None:
        """Private messages as answers; the first fills in what was acknowledged."""
        alone = [message.view for message in messages if isinstance(message.to, Person)]
        await self._first(interaction, alone[0] if alone else None)
        for view in alone[1:]:
            await self._another(interaction, view)

    async def _show_all(self, interaction: discord.Interaction[Any], messages: Sequence[Message]) -> None:
        """Public messages at their places."""
        for number, message in enumerate(messages):
            if isinstance(message.to, Person):
                continue
            nonce = f"i{interaction.id}:{number}"
            try:
                await self._courier.post(message.to, message.view, ping=(), nonce=nonce)
            except (CourierError, Unavailable) as failed:
                _log.warning("a message could not be shown: %s", type(failed).__name__)

    async def _first(self, interaction: discord.Interaction[Any], view: View | None) -> None:
        pressed = interaction.message
        in_place = pressed is None or pressed.flags.ephemeral
        if view is None:
            if in_place:  # nothing is left to say in it: what was done is seen by all
                await interaction.delete_original_response()
        elif in_place:
            shown = await self._render(interaction, view)
            await interaction.edit_original_response(**widgets.change(shown))
        else:
            await self._another(interaction, view)

    async def _another(self, interaction: discord.Interaction[Any], view: View) -> None:
        shown = await self._render(interaction, view)
        await interaction.followup.send(**widgets.fresh(shown), ephemeral=True)

    async def _render(self, interaction: discord.Interaction[Any], view: View) -> DiscordMessage:
        picture = None if view.text_board else await self._services.pictures.board(view)
        return render(view, picture, more=keys_of(view, await self.words(interaction)))


def private(interaction: discord.Interaction[Any], view: View) -> Message:
    """Something for whoever did something alone."""
    return Message(Person(somebody(interaction.user).account, place(here(interaction))), view)


async def _acknowledge(interaction: discord.Interaction[Any]) -> None:
    """The first answer: that it was heard. Discord waits three seconds for it."""
    if interaction.message is not None:
        await interaction.response.defer()
    else:
        await interaction.response.defer(ephemeral=True, thinking=True)


def _close(said: Awaitable[Sequence[Message]]) -> None:
    if asyncio.iscoroutine(said):
        said.close()
