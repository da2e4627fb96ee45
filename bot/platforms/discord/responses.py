"""Responses to interactions: acknowledged at once, and filled in when the answer is known; and their authors as visitors."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import aiohttp
import discord

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.desk import Deciding, decided
from bot.chat.fair_queue import Recent
from bot.chat.i18n import Words, words_of
from bot.chat.periodic import Barrier
from bot.chat.quotas import Quota
from bot.chat.receiving import Admission, Gate, Rest, too_many
from bot.chat.sending.delivery import unowned
from bot.chat.sending.ports import CourierError
from bot.chat.sending.posted import LatestEdits
from bot.chat.services import Services
from bot.chat.taps import PICKING
from bot.chat.view import Message, Person, View
from bot.chat.visitor import NamedBot, Visitor
from bot.platforms.discord import rendering
from bot.platforms.discord.channels import named_channel
from bot.platforms.discord.courier import DiscordCourier, same_message
from bot.platforms.discord.followups import Followups, OpenInteraction, delivering, here, place_name
from bot.platforms.discord.proofs import activity_link
from bot.platforms.discord.rendering import (
    PLATFORM,
    WHO,
    DiscordMessage,
    keys_of,
    place,
    player,
    render,
)
from play.errors import Unavailable
from play.people import Account, Player

_ID: Final = re.compile(r"(?:<@!?)?([0-9]{5,20})>?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class NamedUser:
    """A user whom an interaction names."""

    player: Player
    bot: bool


@dataclass(frozen=True, slots=True)
class NamedUsers:
    """The users whom an interaction names, by id."""

    users: Mapping[str, NamedUser]
    own: discord.ClientUser | None  # this bot

    def find(self, name: str) -> Player | None:
        """Return the player of an id or a name."""
        uid = self._id(name)
        return self.users[uid].player if uid in self.users else None

    def bot(self, name: str) -> NamedBot | None:
        """Return which bot an id or a name is of."""
        uid = self._id(name.removeprefix("@"))
        if self.own is not None and uid == str(self.own.id):
            return NamedBot.OWN
        return NamedBot.OTHER if uid in self.users and self.users[uid].bot else None

    def _id(self, name: str) -> str:
        if found := _ID.match(name):
            return found[1]
        wanted = name.casefold()
        return next((uid for uid, one in self.users.items() if one.player.name.casefold() == wanted), "")


def _selected(data: Any) -> tuple[str, ...]:
    chosen = str((data or {}).get("custom_id", "")).startswith(WHO)
    return tuple(map(str, data.get("values") or ())) if chosen else ()


def _server_locale(interaction: discord.Interaction[Any]) -> str | None:
    """A server that is no community cannot choose its language, and has American English."""
    locale, guild = interaction.guild_locale, interaction.guild
    chosen = locale is not discord.Locale.american_english or (guild and "COMMUNITY" in guild.features)
    return locale.value if locale and chosen else None


def may_write(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot may write where an interaction came from."""
    if interaction.guild_id is None:
        return True
    may = interaction.app_permissions
    in_thread = isinstance(interaction.channel, discord.Thread)
    writes = may.send_messages_in_threads if in_thread else may.send_messages
    return may.view_channel and writes


def people(interaction: discord.Interaction[Any]) -> Mapping[str, NamedUser]:
    """Return the users named in an interaction, by id, under their names there."""
    data: Any = interaction.data or {}
    resolved = data.get("resolved") or {}
    members = resolved.get("members") or {}
    named = {}
    for uid, user in (resolved.get("users") or {}).items():
        nick = (members.get(uid) or {}).get("nick")
        name = nick or user.get("global_name") or user.get("username") or uid
        who = Player(Account(PLATFORM, str(uid)), str(name))
        named[str(uid)] = NamedUser(who, bool(user.get("bot")))
    return named


def _is_own(interaction: discord.Interaction[Any]) -> bool:
    """Whether the pressed message is seen by the one who pressed alone."""
    return bool(interaction.message and interaction.message.flags.ephemeral)


def packed(data: Any) -> str:
    """Return the callback data of a press: untrusted text."""
    custom_id, values = str(data.get("custom_id", "")), data.get("values") or ()
    if custom_id.startswith(WHO):
        return custom_id.removeprefix(WHO)
    return str(values[0]) if values else custom_id


LANGUAGE_WITHIN: Final = 0.5
"""Seconds to wait for the language that a person chose; after that their client's is used."""

AT_ONCE: Final = 0.5
"""Seconds in which what a move is picked from is shown as the response to a press; Discord waits for three."""

_PICKING: Final = (*PICKING, Verb.MOVE, Verb.MOVES)
_KEPT: Final = 1024  # private messages that are known, of people in matches

_EPHEMERAL: Final = discord.MessageFlags(ephemeral=True).value

Ask: TypeAlias = Callable[[Visitor], Coroutine[Any, Any, Sequence[Message]]]  # returns what answers a visitor

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What an interaction asks, the quota that it counts for, and of a press its action."""

    ask: Ask
    cost: Quota | None
    pressed: CallbackData | None = None


class Responder:
    """Answers interactions: shows the messages of the desk."""

    def __init__(self, services: Services, courier: DiscordCourier, followups: Followups) -> None:
        self._services = services
        self._courier = courier
        self._followups = followups
        self._edits = LatestEdits()
        self._refusing: set[int] = set()  # people who are just being refused
        self._gate = Gate(PLATFORM, services.store.bucket(), services.now)
        self._open: dict[int, asyncio.Future[None]] = {}  # interactions whose response their answer may be
        self._picking = Recent[tuple[int, str], discord.Interaction[Any]](_KEPT)  # by person and match
        self.activity: int | None = None
        """The application, if the board page opens as its Activity."""

    def close(self) -> None:
        """Show nothing more."""
        self._edits.close()

    async def decide(self, interaction: discord.Interaction[Any], question: Question, *, last: bool) -> Rest:
        """Decide an interaction; return what is still to be shown."""
        opened = None
        self._learn(interaction)
        if self._followups.guest(interaction):
            opened = await self._followups.open(place(here(interaction)).place, interaction)
        asked = partial(self._admitted, interaction, question)
        answer = _Answer(interaction, self._followups, self._edits, self.claim)
        progress = partial(self._show_progress, answer)
        visitor = replace(self.visitor(interaction), retried=not last, progress=progress)
        deciding = await decided(visitor, asked)
        if not last and deciding.done() and isinstance(away := deciding.exception(), Unavailable):
            raise away
        return self._show(answer, opened, deciding, question.pressed)

    def _learn(self, interaction: discord.Interaction[Any]) -> None:
        self._courier.looked_at(interaction)
        if not self._followups.guest(interaction) and interaction.guild_id is not None:
            # A thread has the permissions of its channel.
            for channel in {here(interaction), interaction.channel_id or 0}:
                self._courier.learn(channel, files=interaction.app_permissions.attach_files)

    async def picks_at_once(self, interaction: discord.Interaction[Any], question: Question) -> bool:
        """Show what a move is picked from as the response itself, one request in place of two: nothing has changed by it.

        False where it takes too long, or anything else is to be said: then it is stored and answered as all else is.
        """
        pressed = question.pressed
        if pressed is None or pressed.verb is not Verb.MOVE or pressed.argument:
            return False
        if _is_own(interaction) or self._followups.guest(interaction):
            return False
        self._learn(interaction)
        with Barrier() as barrier:
            async with asyncio.timeout(AT_ONCE):
                messages = await self._admitted(interaction, question, self.visitor(interaction))
                if len(messages) != 1 or messages[0].refused or not isinstance(messages[0].to, Person):
                    return False
                shown = rendering.fresh(await self._render(interaction, messages[0].view))
        if barrier.error is not None:
            return False
        await interaction.response.send_message(**shown, ephemeral=True)
        key = interaction.user.id, pressed.match
        before, self._picking[key] = self._picking.get(key), interaction
        if before is not None and not before.is_expired():  # a person needs one of them
            with suppress(discord.HTTPException):
                await before.delete_original_response()
        return True

    def _note_picking(
        self, interaction: discord.Interaction[Any], pressed: CallbackData | None, *, stays: bool
    ) -> None:
        if pressed is not None and _is_own(interaction):
            key = interaction.user.id, pressed.match
            self._picking.pop(key, None)
            if stays:
                self._picking[key] = interaction

    def leave_open(
        self, interaction: discord.Interaction[Any], question: Question | None
    ) -> asyncio.Future[None] | None:
        """Let the answer to a press on what a move is picked from be its response, one request in place of two.

        Returns what is done then; None where the response is to be deferred at once. Who claims it, gives it.
        """
        pressed = question.pressed if question else None
        if pressed is None or pressed.verb not in _PICKING or not _is_own(interaction):
            return None
        self._open[interaction.id] = asyncio.get_running_loop().create_future()
        return self._open[interaction.id]

    def claim(self, interaction: discord.Interaction[Any]) -> asyncio.Future[None] | None:
        """Return what is done once the response to an interaction is given, if that is still open."""
        return self._open.pop(interaction.id, None)

    async def _show_progress(self, answer: _Answer, message: Message) -> None:
        try:
            await answer.put(partial(self._render, answer.interaction, message.view))
        except (CourierError, discord.HTTPException, OSError) as failed:
            _log.info("a progress bar could not be shown: %s", failed)

    async def _show(
        self,
        answer: _Answer,
        opened: OpenInteraction | None,
        deciding: Deciding,
        pressed: CallbackData | None,
    ) -> None:
        interaction = answer.interaction
        try:
            messages = await deciding
        except Exception:  # noqa: BLE001 - the last barrier: each interaction is answered
            _log.exception("an interaction failed")
            messages, pressed = await self.refusal(interaction, "bot.command.failed"), None
        alone = [message for message in messages if isinstance(message.to, Person)]
        if not alone and not (opened or may_write(interaction)):
            alone = [*await self.refusal(interaction, "bot.discord.may-not-write")]
        elif not (opened or interaction.guild_id is None or interaction.app_permissions.attach_files):
            kept = [each for each in messages if each in alone or not (each.view.film or each.view.files)]
            if len(kept) < len(messages):
                messages = kept
                alone += await self.refusal(interaction, "bot.discord.may-not-attach")
        self._note_picking(interaction, pressed, stays=bool(alone))
        try:
            await self._show_alone(answer, alone)
        except (CourierError, discord.HTTPException, OSError) as failed:
            _log.warning("an answer could not be shown: %s", failed)
        finally:
            if opened is not None:
                await self._followups.settle(opened)
        await self._show_all(interaction, messages)
        ref = self._courier.ref_of(interaction)
        if ref is None or pressed is None or not any(message.refused for message in messages):
            return
        visitor = self.visitor(interaction)
        stored, where = self._services.store.outgoing(), (visitor.place, visitor.account)
        if await unowned(stored, where, pressed, partial(same_message, ref)):
            with suppress(CourierError):
                await self._courier.close(ref, None)

    def dropped(self, who: int, cost: Quota | None, waiting: int = 0) -> bool:
        """Whether a person, of whom so many wait, has sent so many that this interaction is not handled."""
        return not self._gate.takes(str(who), cost, waiting)

    async def refuse(self, interaction: discord.Interaction[Any]) -> None:
        """Say when to try again in the response itself, without the store; in a flood to one interaction of a person at a time."""
        who = interaction.user.id
        if who in self._refusing:
            return
        self._refusing.add(who)
        try:
            with suppress(discord.HTTPException, OSError):
                await interaction.response.send_message(self._too_many(interaction), ephemeral=True)
        finally:
            self._refusing.discard(who)

    def _too_many(self, interaction: discord.Interaction[Any]) -> str:
        return too_many(words_of(interaction.locale.value, self._services.language))

    async def admits(self, who: int, cost: Quota | None) -> bool:
        """Take one of a person's quota; whether there was one."""
        return await self._gate.enter(str(who), cost) is Admission.ADMITTED

    async def _admitted(
        self, interaction: discord.Interaction[Any], question: Question, visitor: Visitor
    ) -> Sequence[Message]:
        await self._services.reopen(visitor.account)
        entry = await self._gate.enter(str(interaction.user.id), question.cost)
        if entry is Admission.ADMITTED:
            return await question.ask(visitor)
        if entry is Admission.DROPPED:
            return self._alone(interaction, self._too_many(interaction))
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

    def visitor(self, interaction: discord.Interaction[Any]) -> Visitor:
        """Return the author of an interaction as a visitor, who can name the people in it."""
        channel, may, own = interaction.channel, interaction.permissions, interaction.app_permissions
        named, in_server = NamedUsers(people(interaction), interaction.client.user), interaction.guild_id
        return Visitor(
            player(interaction.user),
            place(here(interaction)),
            find=named.find,
            locale=interaction.locale.value,
            request=str(interaction.id),
            buttons=True,
            admin=in_server is None or may.manage_guild or may.administrator,
            bot=named.bot,
            server_locale=_server_locale(interaction),
            selected=_selected(interaction.data),
            around=place(channel.parent_id) if isinstance(channel, discord.Thread) else None,
            created=interaction.user.created_at,
            called=interaction.user.global_name or interaction.user.name,
            link=partial(self._courier.link, interaction),
            message=self._courier.ref_of(interaction),
            own_message=_is_own(interaction),
            keys=str(interaction.message.id) if interaction.message else None,
            pressed=rendering.unescaped(interaction.message.content) if interaction.message else "",
            writable=self._followups.guest(interaction) or may_write(interaction),
            threads=in_server is None or (own.create_public_threads and own.send_messages_in_threads),
            page=partial(activity_link, self.activity) if self.activity else None,
            home=self._courier.home if interaction.context.dm_channel else None,
            place_name=place_name(interaction),
            member_since=getattr(interaction.user, "joined_at", None),
            find_place=partial(named_channel, interaction) if in_server else None,
        )

    async def words(self, interaction: discord.Interaction[Any]) -> Words:
        """Return the words in the language of an interaction's author."""
        who = player(interaction.user).account
        return await self._services.words(who, interaction.locale.value, within=LANGUAGE_WITHIN)

    async def _show_alone(self, answer: _Answer, alone: Sequence[Message]) -> None:
        """A refusal in words alone leaves the private message that was pressed as it is: what it offers still holds."""
        view = alone[0].view if alone and alone[0].refused else None
        is_words = view is not None and view.diagram is None and not view.buttons
        if answer.interaction.message is None or answer.begun or not is_words:
            if alone:
                await answer.put(partial(self._render, answer.interaction, alone[0].view))
            elif answer.in_place:  # the answer is public: nothing is left to say in it
                await answer.remove()
            alone = alone[1:]
        if alone:
            await answer.defer()
        for message in alone:
            shown = rendering.fresh(await self._render(answer.interaction, message.view))
            follow = partial(answer.interaction.followup.send, **shown, ephemeral=True)
            await self._followups.acknowledged(answer.interaction.id, follow)

    async def _show_all(self, interaction: discord.Interaction[Any], messages: Sequence[Message]) -> None:
        for number, message in enumerate(messages):
            if isinstance(message.to, Person):
                continue
            nonce = f"i{interaction.id}:{number}"
            try:
                await self._courier.post(message.to, message.view, ping=(), nonce=nonce)
            except (CourierError, Unavailable) as failed:
                _log.warning("a message could not be shown: %s", type(failed).__name__)

    async def _render(self, interaction: discord.Interaction[Any], view: View) -> DiscordMessage:
        picture = None if view.text_board else await self._services.pictures.board(view)
        commands = self._courier.commands_in(view, interaction.locale.value)
        view = view.in_words  # a reader may not see a picture of a table
        return render(view, picture, more=keys_of(view, await self.words(interaction)), commands=commands)


class _Answer:
    """The first private message that answers an interaction; it shows the answer to the latest press on it."""

    def __init__(
        self,
        interaction: discord.Interaction[Any],
        followups: Followups,
        edits: LatestEdits,
        claim: Callable[[discord.Interaction[Any]], asyncio.Future[None] | None],
    ) -> None:
        self.interaction = interaction
        self.in_place = interaction.message is None or _is_own(interaction)
        self.begun = False
        self._acknowledged = partial(followups.acknowledged, interaction.id)
        self._edits = edits
        self._claim = partial(claim, interaction)
        self._followup: discord.WebhookMessage | None = None
        self._ref = str(interaction.message.id if interaction.message and self.in_place else interaction.id)

    async def put(self, render: Callable[[], Awaitable[DiscordMessage]]) -> None:
        self.begun = True
        if self.in_place or self._followup is not None:
            await self._edits.show(self._ref, partial(self._change, render))
        else:
            await self._acknowledged(partial(self._send, await render()))

    async def defer(self) -> None:
        """Defer the response, if that is still open."""
        if (given := self._claim()) is not None:
            await acknowledge(self.interaction)
            given.set_result(None)

    async def remove(self) -> None:
        await self.defer()
        await self._edits.show(self._ref, partial(self._made, self.interaction.delete_original_response))

    async def _change(self, render: Callable[[], Awaitable[DiscordMessage]]) -> None:
        shown = await render()
        followup = self._followup
        if (given := self._claim()) is not None:
            try:
                await self._made(partial(self.interaction.response.edit_message, **rendering.change(shown)))
            except CourierError:  # it is edited later, so Discord is not kept waiting
                with suppress(
                    discord.HTTPException, aiohttp.ClientError, OSError
                ):  # or it was taken, and the reply is lost
                    await acknowledge(self.interaction)
                raise
            finally:
                given.set_result(None)
            return
        change = self.interaction.edit_original_response if followup is None else followup.edit
        await self._made(lambda: change(**rendering.change(shown)))

    async def _made(self, change: Callable[[], Awaitable[object]]) -> None:
        with delivering():
            await self._acknowledged(change)

    async def _send(self, shown: DiscordMessage) -> None:
        send = self.interaction.followup.send
        self._followup = await send(**rendering.fresh(shown), ephemeral=True, wait=True)


async def acknowledge(interaction: discord.Interaction[Any]) -> None:
    """Defer the response. Discord waits three seconds for this."""
    new = interaction.message is None
    await interaction.response.defer(ephemeral=new, thinking=new)


def acknowledgement(interaction: discord.Interaction[Any]) -> Mapping[str, Any]:
    """Return the same response, where it is the answer to Discord's own request."""
    if interaction.message is not None:
        return {"type": discord.InteractionResponseType.deferred_message_update.value}
    kind = discord.InteractionResponseType.deferred_channel_message
    return {"type": kind.value, "data": {"flags": _EPHEMERAL}}
