"""Responses to interactions: acknowledged at once, and filled in when the answer is known."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import discord

from bot.callback_data import CallbackData
from bot.desk.decisions import Deciding, decided
from bot.desk.visitor import Visitor
from bot.i18n import Words
from bot.metrics import ACKNOWLEDGE
from bot.on_discord import widgets
from bot.on_discord.command_mentions import mentioning
from bot.on_discord.costs import cost_of
from bot.on_discord.courier import DiscordCourier, same_message
from bot.on_discord.followups import Followups, OpenInteraction
from bot.on_discord.modals import keys_of
from bot.on_discord.places import PLATFORM, place, player
from bot.on_discord.registration import activity_link
from bot.on_discord.rendering import DiscordMessage, render
from bot.on_discord.visitors import NamedUser, here, may_write, visitor
from bot.platform import Services
from bot.receiver import Entry, Gate, Handling, Lanes, Rest, too_many
from bot.sender.orphans import orphaned
from bot.sender.ports import CourierError
from bot.view import Message, Person, View
from play.errors import Unavailable

LANGUAGE_WITHIN: Final = 0.5
"""Seconds to wait for the language that a person chose; after that their client's is used."""

MOST_OPEN: Final = 64
"""Interactions of one person that wait at once; more are not even acknowledged."""

_EPHEMERAL: Final = discord.MessageFlags(ephemeral=True).value

Ask: TypeAlias = Callable[[Visitor], Coroutine[Any, Any, Sequence[Message]]]
"""Returns what answers a visitor."""

Acknowledged: TypeAlias = Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]
"""Makes a call by an interaction's token; see `Followups.acknowledged`."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What an interaction asks, and of a press its action."""

    ask: Ask
    pressed: CallbackData | None = None


class Responder:
    """Answers interactions: acknowledges, and shows the messages of the desk."""

    def __init__(self, services: Services, courier: DiscordCourier, followups: Followups) -> None:
        self._services = services
        self._courier = courier
        self._followups = followups
        self._lanes = Lanes()
        self._open: Counter[str] = Counter()  # by person: interactions that are not answered yet
        self._idle = asyncio.Event()  # while there are none
        self._idle.set()
        self._gate = Gate(PLATFORM, services.store.bucket(), services.now)
        self.activity: int | None = None
        """The application, if the board page opens as its Activity."""
        self.command_ids: Mapping[
            str, str
        ] = {}  # of the registered commands, by name; empty until they are known

    async def aclose(self) -> None:
        """Answer no more."""
        await self._lanes.close()

    async def settled(self) -> None:
        """Return once all that was acknowledged is answered."""
        while self._open:
            await self._idle.wait()

    def press(self, callback: CallbackData) -> Question:
        """Return what a press asks."""
        return Question(lambda visitor: self._services.desk.press(visitor, callback), callback)

    async def answer(self, interaction: discord.Interaction[Any], question: Question) -> None:
        """Acknowledge an interaction, have its turn come, and show the messages that answer it.

        Discord shows a person what was not acknowledged as failed, and they do it again: so it is not done.
        """
        who = str(interaction.user.id)
        waiting = self._open[who]
        if not self._gate.takes(who, cost_of(interaction), waiting) or waiting >= MOST_OPEN:
            _log.info("too many interactions of %s wait", who)
            return
        self._open[who] += 1
        self._idle.clear()
        try:
            with ACKNOWLEDGE.timed(PLATFORM):
                await _acknowledge(interaction)
            request = Handling(who, str(interaction.channel_id), partial(self.decide, interaction, question))
            self._lanes.put(request)
            await request.done
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an interaction could not be acknowledged: %s", failed)
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
            if not self._open:
                self._idle.set()

    async def decide(
        self, interaction: discord.Interaction[Any], question: Question, *, last: bool = True
    ) -> Rest:
        """Decide an interaction; return what is still to be shown.

        Raises:
            Unavailable: the store does not answer, and this is not the last try.
        """
        opened = None
        self._courier.looked_at(interaction)
        if self._followups.guest(interaction):
            opened = await self._followups.open(place(here(interaction)).place, interaction)
        elif interaction.guild_id is not None:  # a thread has the permissions of its channel
            for channel in {here(interaction), interaction.channel_id or 0}:
                self._courier.learn(channel, files=interaction.app_permissions.attach_files)

        asked = partial(self._admitted, interaction, question.ask)
        answer = _Answer(interaction, partial(self._followups.acknowledged, interaction.id))
        progress = partial(self._show_progress, answer)
        visitor = replace(self.visitor(interaction), retried=not last, progress=progress)
        deciding = await decided(visitor, asked)
        if not last and deciding.done() and isinstance(away := deciding.exception(), Unavailable):
            raise away
        return self._show(answer, opened, deciding, question.pressed)

    async def _show_progress(self, answer: _Answer, message: Message) -> None:
        try:
            await answer.put(await self._render(answer.interaction, message.view))
        except (discord.HTTPException, OSError) as failed:
            _log.info("a progress bar could not be shown: %s", failed)

    async def _show(
        self,
        answer: _Answer,
        opened: OpenInteraction | None,
        deciding: Deciding,
        pressed: CallbackData | None,
    ) -> None:
        """Show the messages that answer an interaction, once they are known."""
        interaction = answer.interaction
        try:
            messages = await deciding
        except Exception:  # noqa: BLE001 - each interaction is answered
            _log.exception("an interaction failed")
            messages, pressed = await self.refusal(interaction, "bot.command.failed"), None
        alone = [message for message in messages if isinstance(message.to, Person)]
        if not alone and not (opened or may_write(interaction)):
            alone = [*await self.refusal(interaction, "bot.discord.may-not-write")]
        try:
            await self._show_alone(answer, alone)
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an answer could not be shown: %s", failed)
        finally:
            if opened is not None:
                await self._followups.settle(opened)
        await self._show_all(interaction, messages)
        if pressed is not None and any(message.refused for message in messages):
            await self._retire_orphan(interaction, pressed)

    async def _retire_orphan(self, interaction: discord.Interaction[Any], pressed: CallbackData) -> None:
        """Take the buttons of a board away that is outdated, if no sender remembers it."""
        ref, visitor = self._courier.ref_of(interaction), self.visitor(interaction)
        if ref is None:
            return
        stored, where = self._services.store.outgoing(), (visitor.place, visitor.account)
        if await orphaned(stored, where, pressed, partial(same_message, ref)):
            with suppress(CourierError):
                await self._courier.retire(ref, None)

    def dropped(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether a person has sent so many that this interaction is not even acknowledged."""
        return self._gate.closed(str(interaction.user.id), cost_of(interaction))

    async def admits(self, interaction: discord.Interaction[Any]) -> bool:
        """Take one of a person's quota; whether there was one."""
        return await self._gate.enter(str(interaction.user.id), cost_of(interaction)) is Entry.ADMITTED

    async def _admitted(
        self, interaction: discord.Interaction[Any], ask: Ask, visitor: Visitor
    ) -> Sequence[Message]:
        """Return the messages that answer an interaction, or, once, that there are too many of them."""
        await self._services.reopen(visitor.account)
        entry = await self._gate.enter(str(interaction.user.id), cost_of(interaction))
        if entry is Entry.ADMITTED:
            return await ask(visitor)
        if entry is Entry.DROPPED:
            return ()
        return self._alone(interaction, too_many(await self.words(interaction)))

    async def refusal(
        self, interaction: discord.Interaction[Any], key: str, **fields: Any
    ) -> Sequence[Message]:
        """Return a text as a private answer."""
        return self._alone(interaction, (await self.words(interaction))(key, **fields))

    def _alone(self, interaction: discord.Interaction[Any], text: str) -> Sequence[Message]:
        view = View(lines=(text,))
        to = Person(player(interaction.user).account, place(here(interaction)))
        return [Message(to, view, refused=True)]

    def visitor(
        self, interaction: discord.Interaction[Any], also: Mapping[str, NamedUser] | None = None
    ) -> Visitor:
        """Return the author of an interaction as a visitor; see `visitors.visitor`."""
        who = replace(
            visitor(interaction, also),
            link=partial(self._courier.link, interaction),
            message=self._courier.ref_of(interaction),
            writable=self._followups.guest(interaction) or may_write(interaction),
            page=partial(activity_link, self.activity) if self.activity else None,
        )
        return replace(who, home=self._courier.home) if interaction.context.dm_channel else who

    async def words(self, interaction: discord.Interaction[Any]) -> Words:
        """Return the words in the language of an interaction's author."""
        who = player(interaction.user).account
        return await self._services.words(who, interaction.locale.value, within=LANGUAGE_WITHIN)

    async def _show_alone(self, answer: _Answer, alone: Sequence[Message]) -> None:
        """Show private messages as responses; the first fills in the acknowledgement, or takes the place of a progress bar.

        A refusal in words alone leaves the private message that was pressed as it is: what it offers still holds.
        """
        if answer.interaction.message is None or answer.begun or not (alone and _is_words(alone[0])):
            await self._first(answer, alone[0].view if alone else None)
            alone = alone[1:]
        for message in alone:
            await self._another(answer.interaction, message.view)

    async def _show_all(self, interaction: discord.Interaction[Any], messages: Sequence[Message]) -> None:
        """Post public messages at their places."""
        for number, message in enumerate(messages):
            if isinstance(message.to, Person):
                continue
            nonce = f"i{interaction.id}:{number}"
            try:
                await self._courier.post(message.to, message.view, ping=(), nonce=nonce)
            except (CourierError, Unavailable) as failed:
                _log.warning("a message could not be shown: %s", type(failed).__name__)

    async def _first(self, answer: _Answer, view: View | None) -> None:
        if view is not None:
            await answer.put(await self._render(answer.interaction, view))
        elif answer.in_place:  # the answer is public: nothing is left to say in it
            await answer.remove()

    async def _another(self, interaction: discord.Interaction[Any], view: View) -> None:
        shown = await self._render(interaction, view)

        async def follow() -> None:
            await interaction.followup.send(**widgets.fresh(shown), ephemeral=True)

        await self._followups.acknowledged(interaction.id, follow)

    async def _render(self, interaction: discord.Interaction[Any], view: View) -> DiscordMessage:
        picture = None if view.text_board else await self._services.pictures.board(view)
        # What is to be copied and passed on stays as it is typed.
        commands = str if view.passed_on else mentioning(self.command_ids, interaction.locale.value)
        return render(view, picture, more=keys_of(view, await self.words(interaction)), commands=commands)


class _Answer:
    """The first private message that answers an interaction: it may be put there several times, each in place of the last."""

    def __init__(self, interaction: discord.Interaction[Any], acknowledged: Acknowledged) -> None:
        self.interaction = interaction
        self.in_place = interaction.message is None or interaction.message.flags.ephemeral
        self.begun = False
        self._acknowledged = acknowledged
        self._followup: discord.WebhookMessage | None = None

    async def put(self, shown: DiscordMessage) -> None:
        """Show the message in place of the acknowledgement, or of the private message that was pressed; else as one more."""
        self.begun = True
        await self._acknowledged(partial(self._put, shown))

    async def _put(self, shown: DiscordMessage) -> None:
        if self.in_place:
            await self.interaction.edit_original_response(**widgets.change(shown))
        elif self._followup is None:
            send = self.interaction.followup.send
            self._followup = await send(**widgets.fresh(shown), ephemeral=True, wait=True)
        else:
            await self._followup.edit(**widgets.change(shown))

    async def remove(self) -> None:
        """Take the acknowledgement away."""
        await self._acknowledged(self.interaction.delete_original_response)


def _is_words(message: Message) -> bool:
    """Whether a message is a refusal that shows nothing and has nothing to press."""
    view = message.view
    return message.refused and view.diagram is None and not view.buttons


async def _acknowledge(interaction: discord.Interaction[Any]) -> None:
    """Defer the response. Discord waits three seconds for this."""
    if interaction.message is not None:
        await interaction.response.defer()
    else:
        await interaction.response.defer(ephemeral=True, thinking=True)


def acknowledgement(interaction: discord.Interaction[Any]) -> Mapping[str, Any]:
    """Return the same response, where it is the answer to Discord's own request."""
    if interaction.message is not None:
        return {"type": discord.InteractionResponseType.deferred_message_update.value}
    kind = discord.InteractionResponseType.deferred_channel_message
    return {"type": kind.value, "data": {"flags": _EPHEMERAL}}


def private_response(text: str) -> Mapping[str, Any]:
    """Return a response that tells the author of an interaction something alone."""
    kind = discord.InteractionResponseType.channel_message
    data = {
        "content": text,
        "flags": _EPHEMERAL,
        "allowed_mentions": discord.AllowedMentions.none().to_dict(),
    }
    return {"type": kind.value, "data": data}
