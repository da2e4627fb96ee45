"""Deliver the sender's messages to channels, threads and private conversations."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

import discord

from bot.chat.fair_queue import Recent
from bot.chat.pictures import Pictures
from bot.chat.sending.delivery import board_of
from bot.chat.sending.ports import Blocked, CourierError, Gone, NoMessage, Pace, Rate, Recipient, Transient
from bot.chat.sending.posted import NewestMessages
from bot.chat.view import View, ViewKind
from bot.platforms.discord import rendering
from bot.platforms.discord.followups import (
    MISSING_PERMISSIONS,
    UNKNOWN_MEMBER,
    UNKNOWN_USER,
    Followups,
    OpenInteraction,
    ThreadArchived,
    Threads,
    delivering,
    here,
)
from bot.platforms.discord.registration import mentioning
from bot.platforms.discord.rendering import PICTURE, PLATFORM, BaseClient, DiscordMessage, place, render
from play.people import Account, Address
from play.settings import OldBoards
from storage.ports import BoardMessage

_log: Final = logging.getLogger(__name__)

_REF: Final = re.compile(r"(~?)([0-9]+)/([0-9]+)/([pt])\Z", re.ASCII)

_KEPT: Final = 4096  # most channels that are remembered: of conversations, without files, with their servers
_CERTAIN: Final = 20_000  # most messages of which it is known which picture they have


_T = TypeVar("_T")
Arguments: TypeAlias = Callable[[DiscordMessage], dict[str, Any]]
"""Arguments of the library's edit for a message."""


@dataclass(frozen=True, slots=True)
class _Ref:
    where: str
    message: str
    painted: bool
    followup: bool = False

    def __str__(self) -> str:
        return f"{'~' if self.followup else ''}{self.where}/{self.message}/{'p' if self.painted else 't'}"

    @classmethod
    def parse(cls, ref: str) -> _Ref | None:
        found = _REF.match(ref)
        return cls(found[2], found[3], found[4] == "p", bool(found[1])) if found else None


def same_message(one: str, other: str) -> bool:
    """Whether two refs name the same message, whose board may have become a picture or text meanwhile."""
    first, second = _Ref.parse(one), _Ref.parse(other)
    return first is not None and second is not None and first.message == second.message


@dataclass(frozen=True, slots=True)
class _Renderings:
    """A message with its files, and what makes it without any, where the board is text."""

    full: DiscordMessage
    bare: Callable[[], DiscordMessage]


async def _member(guild: discord.Guild, user: int) -> discord.Member | None:
    try:
        return await guild.fetch_member(user)
    except discord.NotFound as unknown:
        if unknown.code in (UNKNOWN_MEMBER, UNKNOWN_USER):
            return None
        raise


class DiscordCourier:
    """The courier of Discord. A message's ref is its channel and its id."""

    platform = PLATFORM
    closes = True
    pace = Pace(overall=Rate(40.0, 40), chat=Rate(1.0, 5))
    """Discord allows 50 requests a second in all, and about five messages in five seconds in a channel."""

    def __init__(
        self,
        client: BaseClient,
        pictures: Pictures,
        followups: Followups,
        threads: Threads,
        *,
        takes: bool,
    ) -> None:
        self._client = client
        self._pictures = pictures
        self._followups = followups
        self._threads = threads
        self._conversations = Recent[str, int](_KEPT)
        self._without_files = Recent[int, None](_KEPT)
        self._servers = Recent[int, int](_KEPT)  # by channel; without the gateway nothing else says it
        self._newest = NewestMessages()
        self.command_ids: Mapping[str, str] = {}
        """Of the registered commands, by name; empty until they are known."""
        self._takes = takes  # interactions; a process that only sends does not see what buries a board
        self._certain = Recent[str, None](_CERTAIN)

    def commands_in(self, view: View, locale: str | None) -> Callable[[str], str]:
        """Return what writes the commands in a view for its readers; what they copy and pass on stays as it is typed."""
        return str if view.kind is ViewKind.INVITE else mentioning(self.command_ids, locale or "")

    def learn(self, channel: int, *, files: bool) -> None:
        """Note whether files may be attached in a channel; if not, boards are text there."""
        self._without_files.pop(channel, None)
        if not files:
            self._without_files[channel] = None

    def ref_of(self, interaction: discord.Interaction[Any]) -> str | None:
        """Return the name of the message that was pressed; None where only the author sees it, or none was.

        Where the bot is no member, the message can be edited by this interaction from now on.
        """
        message = interaction.message
        if message is None or message.flags.ephemeral:
            return None
        painted = any(each.filename == PICTURE for each in message.attachments)
        guest = self._followups.guest(interaction)
        where = place(here(interaction)).place if guest else str(interaction.channel_id)
        return str(_Ref(where, str(message.id), painted, followup=guest))

    def looked_at(self, interaction: discord.Interaction[Any]) -> None:
        """Note that the author of an interaction looks at the message with the button. A typed command leaves nothing below a board."""
        message = interaction.message
        if interaction.guild_id is not None:
            self._servers[here(interaction)] = interaction.guild_id
        if message is not None and not message.flags.ephemeral:
            self._newest.pressed(str(interaction.channel_id), message.id)

    def buried(self, to: Recipient, ref: str) -> bool:  # noqa: ARG002 - the ref says the channel
        known = _Ref.parse(ref)
        return not self._takes or known is None or self._newest.buried(known.where, int(known.message))

    async def reads(self, where: Address, who: Account) -> bool:
        """See `Courier.reads`. A member is asked for by id, which needs no intent; whom a private thread holds is not seen."""
        if not who.uid.isdecimal() or not self._client.logged_in or await self._followups.of(where.place):
            return True
        try:
            with delivering():
                channel = await self._server_channel(int(where.place))
                if channel is None:
                    return True
                member = await _member(channel.guild, int(who.uid))
                return member is not None and channel.permissions_for(member).read_messages
        except (CourierError, discord.DiscordException) as failed:
            _log.info("it is not known whether %s reads %s: %r", who, where, failed)
            return True

    async def _server_channel(self, number: int) -> discord.abc.GuildChannel | discord.Thread | None:
        """Return a channel with its server's roles; without the gateway Discord is asked for both. None: a conversation."""
        known = self._client.get_channel(number)
        found = known or await self._client.fetch_channel(number)
        if isinstance(found, discord.abc.PrivateChannel):
            return None
        if known is None:
            guild = await self._client.fetch_guild(found.guild.id, with_counts=False)
            found = await guild.fetch_channel(number)
        return found

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        shown = await self._renderings(view, ping)
        self._check()
        if isinstance(to, Address):
            if (opened := await self._followups.of(to.place)) is not None:
                return await self._follow(opened, to.place, shown.full)
            self._followups.wrote_as_member(to.place, is_member=False)  # until it has gone through
        try:
            ref = await self._posted(to, view, shown, ping, nonce)
        except Blocked as closed:
            conversations = self._conversations.items()
            user = next((uid for uid, at in conversations if place(at) == to), None)
            raise Blocked(to.uid if isinstance(to, Account) else user) from closed
        if isinstance(to, Address):
            self._followups.wrote_as_member(to.place, is_member=True)
        return ref

    async def _posted(
        self, to: Recipient, view: View, shown: _Renderings, ping: Sequence[Account], nonce: str
    ) -> str:
        with delivering():
            channel = await self._conversation(to.uid) if isinstance(to, Account) else int(to.place)
        if isinstance(to, Address):
            with delivering():
                thread = await self._threads.channel(to, view)
            if thread != channel:
                try:
                    return await self._unarchived(thread, lambda: self._post(thread, shown, nonce))
                except Gone:  # the thread was deleted or closed: the match goes on in the channel
                    said = await self._threads.leave(to, view.code or "")
                    shown = await self._renderings(replace(view, lines=(*said.lines, *view.lines)), ping)
        return await self._unarchived(channel, lambda: self._post(channel, shown, nonce))

    async def _unarchived(self, channel: int, act: Callable[[], Awaitable[_T]]) -> _T:
        """Do something in a channel; a thread is taken out of the archive for it, but for a locked one."""
        try:
            with delivering():
                return await act()
        except ThreadArchived:
            with delivering():
                await self._client.http.edit_channel(channel, archived=False)
                return await act()

    async def edit(self, ref: str, view: View) -> None:
        known = self._parsed(ref)
        self._certain.pop(known.message, None)  # until it has gone through
        await self._change(known, await self._renderings(view, ()), rendering.change)
        self._certain[known.message] = None

    async def close(self, ref: str, view: View | None) -> None:
        """See `Courier.close`. Pictures stay as they are, unless they shrink or may show a later turn.

        An edit may have been carried out though no answer came, or though its process ended before it was remembered.
        """
        known = self._parsed(ref)
        if view is None:
            keyless = {"view": None, "allowed_mentions": discord.AllowedMentions.none()}
            await self._change(known, _Renderings(DiscordMessage(), DiscordMessage), lambda _: keyless)
        elif view.folded is OldBoards.DELETE:
            await self._delete(known)
        elif known.painted and (view.folded is OldBoards.SHRINK or known.message not in self._certain):
            await self._change(known, await self._renderings(view, ()), rendering.change)
        else:
            picture = b"" if known.painted and view.diagram else None
            words = replace(render(view, picture, commands=self.commands_in(view, view.language)), files=())
            await self._change(known, _Renderings(words, lambda: words), rendering.reworded)

    def _parsed(self, ref: str) -> _Ref:
        self._check()
        known = _Ref.parse(ref)
        if known is None:
            raise NoMessage
        return known

    async def _renderings(self, view: View, ping: Sequence[Account]) -> _Renderings:
        picture = None if view.text_board else await self._pictures.board(view)
        called = tuple(one for one in ping if one.platform == PLATFORM)
        shown = partial(render, view, ping=called, commands=self.commands_in(view, view.language))
        return _Renderings(shown(picture), lambda: replace(shown(), files=()))

    def _check(self) -> None:
        if not self._client.logged_in:
            raise Transient

    async def _post(self, channel: int, shown: _Renderings, nonce: str) -> str:
        at = self._client.get_partial_messageable(channel)
        message = await self._as_allowed(
            channel, shown, lambda one: at.send(**rendering.fresh(one), nonce=nonce)
        )
        painted = any(each.filename == PICTURE for each in message.attachments)
        return self._sent_as(_Ref(str(channel), str(message.id), painted))

    def _sent_as(self, ref: _Ref) -> str:
        self._newest.came(ref.where, int(ref.message))
        self._certain[ref.message] = None
        return str(ref)

    async def _as_allowed(
        self, channel: int, shown: _Renderings, say: Callable[[DiscordMessage], Awaitable[_T]]
    ) -> _T:
        """Discord does not say which permission is missing: it is that for files if the message without them is accepted."""
        if not shown.full.files:
            return await say(shown.full)
        if channel not in self._without_files:
            try:
                return await say(shown.full)
            except discord.Forbidden as refused:
                if refused.code != MISSING_PERMISSIONS:
                    raise
        said = await say(shown.bare())
        self.learn(channel, files=False)
        return said

    async def _change(self, ref: _Ref, shown: _Renderings, arguments: Arguments) -> None:
        if ref.followup:
            opened = await self._followups.wrote(ref.message)
            if opened is None:
                raise NoMessage
            message: Any = "@original" if opened.pressed == ref.message else int(ref.message)
            edited = partial(self._webhook(opened).edit_message, message)
            with delivering():
                # Files are read once: each try has its own.
                await self._followups.acknowledged(
                    int(opened.interaction), lambda: edited(**arguments(shown.full))
                )
            return
        channel = int(ref.where)
        at = self._client.get_partial_messageable(channel).get_partial_message(int(ref.message))
        edit = partial(self._as_allowed, channel, shown, lambda one: at.edit(**arguments(one)))
        try:
            await self._unarchived(channel, edit)
        except Gone:  # it may be the thread of a match alone: the next post finds that out
            raise NoMessage from None

    async def _delete(self, ref: _Ref) -> None:
        if ref.followup:
            opened = await self._followups.wrote(ref.message)
            if opened is not None:
                with delivering():
                    await self._webhook(opened).delete_message(int(ref.message))
            return
        at = self._client.get_partial_messageable(int(ref.where)).get_partial_message(int(ref.message))
        try:
            with delivering():
                await at.delete()
        except (ThreadArchived, Gone):
            raise NoMessage from None

    async def home(self, whose: Account) -> Address | None:
        """Return the private conversation with a person; whether the bot may write there shows when it does."""
        if whose.platform != PLATFORM or not self._client.logged_in:
            return None
        try:
            with delivering():
                return place(await self._conversation(whose.uid))
        except CourierError:
            return None

    def link(self, near: discord.Interaction[Any], where: Address, shown: BoardMessage) -> str | None:
        """Return the URL of a match's board, as seen from an interaction; None if its server is not known."""
        ref = _Ref.parse(board_of(shown) or "")
        if ref is None:
            return None
        if int(ref.where) == near.channel_id:
            server = near.guild_id or "@me"
        else:
            channels = (int(ref.where), int(where.place))
            known = (self._client.get_channel(each) for each in channels)
            guild = next((at.guild for at in known if at is not None and hasattr(at, "guild")), None)
            found = guild.id if guild else next(filter(None, map(self._servers.get, channels)), None)
            if found is None:
                return None
            server = found
        return f"https://discord.com/channels/{server}/{ref.where}/{ref.message}"

    async def _conversation(self, uid: str) -> int:
        if not uid.isdecimal():
            raise Gone
        if (known := self._conversations.get(uid)) is not None:
            self._conversations.move_to_end(uid)
            return known
        opened = await self._client.create_dm(discord.Object(int(uid)))
        self._conversations[uid] = opened.id
        return opened.id

    # --- where the bot is no member

    async def _follow(self, opened: OpenInteraction, where: str, shown: DiscordMessage) -> str:
        send = self._webhook(opened).send
        with delivering():
            message = await self._followups.acknowledged(
                int(opened.interaction), lambda: send(**rendering.fresh(shown), wait=True)
            )
        await self._followups.followed(str(message.id), opened)
        painted = any(each.name == PICTURE for each in shown.files)
        return self._sent_as(_Ref(where, str(message.id), painted, followup=True))

    def _webhook(self, opened: OpenInteraction) -> discord.Webhook:
        application = self._client.application_id
        if application is None:
            raise Transient
        return discord.Webhook.partial(application, opened.token, client=self._client)
