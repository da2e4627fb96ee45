"""Deliver the sender's messages to channels, threads and private conversations."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import discord

from bot.on_discord import widgets
from bot.on_discord.base_client import BaseClient
from bot.on_discord.errors import MISSING_PERMISSIONS, ChannelMissing, ThreadArchived, delivering
from bot.on_discord.followups import Followups, OpenInteraction, remember
from bot.on_discord.places import PLATFORM, place
from bot.on_discord.rendering import PICTURE, DiscordMessage, render
from bot.sender.message_state import board_of
from bot.sender.ports import Blocked, CourierError, Gone, NoMessage, Pace, Rate, Recipient, Transient
from play.people import Account, Address

if TYPE_CHECKING:
    from bot.on_discord.threads import Threads
    from bot.pictures import Pictures
    from bot.view import View
    from storage.outgoing import Shown

_FOLLOWUP: Final = "~"
"""Begins the ref of a followup, which can be edited only by its interaction."""

_PAINTED: Final = "/p"
_AS_TEXT: Final = "/t"
"""Ends the ref of a message whose board is a picture, or is text."""

_CONVERSATIONS: Final = 1024
"""Most conversations whose channels are remembered."""

_WITHOUT_FILES: Final = 4096
"""Most channels that are remembered to allow no files."""

_SETTLING: Final = 10.0
"""Seconds that a followup waits for the response before it."""


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Renderings:
    """A message with its files, and without any, where the board is text."""

    full: DiscordMessage
    bare: DiscordMessage


class DiscordCourier:
    """The courier of Discord. A message's ref is its channel and its id.

    Args:
        client: Connected, or about to be.
        pictures: Paints boards.
        followups: Open interactions, for places where the bot is no member.
        threads: Threads of matches.
    """

    platform = PLATFORM
    pace = Pace(overall=Rate(40.0, 40), chat=Rate(1.0, 5))
    """Discord allows 50 requests a second in all, and about five messages in five seconds in a channel."""

    def __init__(
        self, client: BaseClient, pictures: Pictures, followups: Followups, threads: Threads
    ) -> None:
        self._client = client
        self._pictures = pictures
        self._followups = followups
        self._threads = threads
        self._conversations: OrderedDict[str, int] = OrderedDict()
        self._without_files: OrderedDict[int, None] = OrderedDict()

    def learn(self, channel: int, *, files: bool) -> None:
        """Note whether files may be attached in a channel; if not, boards are text there."""
        self._without_files.pop(channel, None)
        if not files:
            remember(self._without_files, channel, None, most=_WITHOUT_FILES)

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        """See `Courier.post`."""
        shown = await self._renderings(view, ping)
        self._check()
        if isinstance(to, Address) and (opened := self._followups.of(to.place)) is not None:
            return await self._follow(opened, to.place, shown.full)
        try:
            return await self._posted(to, view, shown, nonce)
        except Blocked as closed:
            raise Blocked(self._user_of(to)) from closed

    async def _posted(self, to: Recipient, view: View, shown: _Renderings, nonce: str) -> str:
        with delivering():
            channel = await self._conversation(to.uid) if isinstance(to, Account) else int(to.place)
        if isinstance(to, Address):
            with delivering():
                thread = await self._threads.channel(to, view)
            if thread != channel:
                try:
                    return await self._sent(thread, shown, nonce)
                except Gone:  # the thread was deleted or closed: the match goes on in the channel
                    await self._threads.leave(to, view)
        return await self._sent(channel, shown, nonce)

    async def _sent(self, channel: int, shown: _Renderings, nonce: str) -> str:
        """Send a new message; take a thread out of the archive if need be."""
        try:
            with delivering():
                return await self._post(channel, shown, nonce)
        except ThreadArchived:
            with delivering():
                await self._unarchive(channel)
                return await self._post(channel, shown, nonce)

    async def edit(self, ref: str, view: View) -> None:
        """See `Courier.edit`."""
        await self._change(ref, await self._renderings(view, ()))

    async def retire(self, ref: str, view: View | None) -> None:
        """See `Courier.retire`. Moves are not picked in public messages: pictures stay as they are."""
        if view is None:
            await self._change(ref, None)
        elif view.diagram is None or ref.endswith(_AS_TEXT):
            await self._change(ref, render(view))
        elif ref.endswith(_PAINTED):
            await self._change(ref, render(view, b""))
        else:  # it is not known whether the board is among its words
            await self._change(ref, None)

    async def _renderings(self, view: View, ping: Sequence[Account]) -> _Renderings:
        picture = None if view.text_board else await self._pictures.board(view)
        called = tuple(one for one in ping if one.platform == PLATFORM)
        return _Renderings(render(view, picture, ping=called), replace(render(view, ping=called), files=()))

    def _check(self) -> None:
        """Check that the client is logged in.

        Raises:
            Transient: it is not, or not any more.
        """
        if not self._client.logged_in:
            raise Transient

    async def _post(self, channel: int, shown: _Renderings, nonce: str) -> str:
        at = self._client.get_partial_messageable(channel)
        message = await self._as_allowed(
            channel, shown, lambda one: at.send(**widgets.fresh(one), nonce=nonce)
        )
        name = f"{channel}/{message.id}"
        painted = any(each.filename == PICTURE for each in message.attachments)
        return name + (_PAINTED if painted else _AS_TEXT)

    async def _as_allowed(
        self, channel: int, shown: _Renderings, say: Callable[[DiscordMessage], Awaitable[_T]]
    ) -> _T:
        """Send or edit with files; without them where they may not be attached.

        Discord does not say which permission is missing: it is that for files if the message without them is accepted.
        """
        if not shown.full.files:
            return await say(shown.full)
        if channel not in self._without_files:
            try:
                return await say(shown.full)
            except discord.Forbidden as refused:
                if refused.code != MISSING_PERMISSIONS:
                    raise
        said = await say(shown.bare)
        self.learn(channel, files=False)
        return said

    async def _change(self, ref: str, shown: _Renderings | DiscordMessage | None) -> None:
        """Edit a message: all of it, its words and rows, or only take its rows away."""
        self._check()
        ref = ref.removesuffix(_PAINTED).removesuffix(_AS_TEXT)
        if ref.startswith(_FOLLOWUP):
            full = shown.full if isinstance(shown, _Renderings) else shown
            await self._change_followup(
                ref.removeprefix(_FOLLOWUP), full, files=isinstance(shown, _Renderings)
            )
            return
        channel, _, message = ref.partition("/")
        if not (channel.isdecimal() and message.isdecimal()):
            raise NoMessage
        at, which = int(channel), int(message)
        try:
            with delivering():
                await self._edit(at, which, shown)
        except ThreadArchived:
            pass
        except ChannelMissing:  # it may be the thread of a match: the next post finds that out
            raise NoMessage from None
        else:
            return
        try:
            with delivering():
                await self._unarchive(at)
                await self._edit(at, which, shown)
        except Gone:
            raise NoMessage from None

    async def _edit(self, channel: int, message: int, shown: _Renderings | DiscordMessage | None) -> None:
        at = self._client.get_partial_messageable(channel).get_partial_message(message)
        if shown is None:
            await at.edit(view=None, allowed_mentions=discord.AllowedMentions.none())
            return
        if isinstance(shown, DiscordMessage):
            await at.edit(**widgets.reworded(shown))
            return
        await self._as_allowed(channel, shown, lambda one: at.edit(**widgets.change(one)))

    async def _unarchive(self, channel: int) -> None:
        """Take a thread out of the archive; a locked one stays there."""
        await self._client.http.edit_channel(channel, archived=False)

    async def home(self, whose: Account) -> Address | None:
        """Return the private conversation with a person; whether the bot may write there shows when it does."""
        if whose.platform != PLATFORM or not self._client.logged_in:
            return None
        try:
            with delivering():
                return place(await self._conversation(whose.uid))
        except CourierError:
            return None

    def link(self, near: discord.Interaction[Any], where: Address, shown: Shown) -> str | None:
        """Return the URL of a match's board, as seen from an interaction; None if its server is not known."""
        known, _, name = (board_of(shown) or "").removeprefix(_FOLLOWUP).partition("/")
        message = name.partition("/")[0]
        if not (known.isdecimal() and message.isdecimal()):
            return None
        if int(known) == near.channel_id:
            server = near.guild_id or "@me"
        else:
            at = self._client.get_channel(int(known)) or self._client.get_channel(int(where.place))
            guild = getattr(at, "guild", None)
            if guild is None:
                return None
            server = guild.id
        return f"https://discord.com/channels/{server}/{known}/{message}"

    def _user_of(self, to: Recipient) -> str | None:
        """Return the user of an account or of a private conversation; None if that is not remembered."""
        if isinstance(to, Account):
            return to.uid
        return next((uid for uid, at in self._conversations.items() if str(at) == to.place), None)

    async def _conversation(self, uid: str) -> int:
        """Return the channel of the private conversation with a user."""
        if not uid.isdecimal():
            raise Gone
        if (known := self._conversations.get(uid)) is not None:
            self._conversations.move_to_end(uid)
            return known
        opened = await self._client.create_dm(discord.Object(int(uid)))
        remember(self._conversations, uid, opened.id, most=_CONVERSATIONS)
        return opened.id

    # --- where the bot is no member

    async def _follow(self, opened: OpenInteraction, where: str, shown: DiscordMessage) -> str:
        """Send a followup, the only way to write where the bot is no member."""
        with delivering():
            await asyncio.wait_for(opened.settled.wait(), _SETTLING)
            message = await opened.interaction.followup.send(**widgets.fresh(shown), wait=True)
        self._followups.followed(where, message.id, opened)
        painted = any(each.name == PICTURE for each in shown.files)
        return f"{_FOLLOWUP}{where}/{message.id}" + (_PAINTED if painted else _AS_TEXT)

    async def _change_followup(self, ref: str, shown: DiscordMessage | None, *, files: bool) -> None:
        where, _, message = ref.partition("/")
        opened = self._followups.wrote(where, message)
        if opened is None:
            raise NoMessage
        with delivering():
            if shown is None:
                await opened.interaction.followup.edit_message(int(message), view=None)
            else:
                words = widgets.change(shown) if files else widgets.reworded(shown)
                await opened.interaction.followup.edit_message(int(message), **words)
