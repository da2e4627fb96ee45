"""Carries what the sender says into channels, threads and conversations."""

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
from bot.on_discord.followups import Followups, OpenInteraction
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

_LENT: Final = "~"
"""Begins the name of a message that can be changed only by the answer it came with."""

_PAINTED: Final = "/p"
_AS_TEXT: Final = "/t"
"""Ends the name of a message whose board is a picture, or stands among its words, if it has one."""

_CONVERSATIONS: Final = 1024
"""Conversations whose channels are remembered."""

_WITHOUT_FILES: Final = 4096
"""Channels without files that are remembered."""

_SETTLING: Final = 10.0
"""Seconds that an answer is waited for before a message follows it."""


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Renderings:
    """A message with its files, and without any: the board is text there."""

    full: DiscordMessage
    bare: DiscordMessage


class DiscordCourier:
    """The courier of Discord. A message's name is its channel and its id.

    Args:
        client: Connected, or about to be.
        pictures: Paints boards.
        lent: Where the bot is only a guest.
        threads: Where matches have threads.
    """

    platform = PLATFORM
    pace = Pace(overall=Rate(40.0, 40), chat=Rate(1.0, 5))
    """Discord allows 50 requests a second in all, and about five messages in five seconds in a channel."""

    def __init__(self, client: BaseClient, pictures: Pictures, lent: Followups, threads: Threads) -> None:
        self._client = client
        self._pictures = pictures
        self._followups = lent
        self._threads = threads
        self._conversations: OrderedDict[str, int] = OrderedDict()
        self._without_files: OrderedDict[int, None] = OrderedDict()

    def learn(self, channel: int, *, files: bool) -> None:
        """Hear whether files may be attached in a channel; where they may not, boards are text."""
        self._without_files.pop(channel, None)
        if not files:
            self._without_files[channel] = None
            if len(self._without_files) > _WITHOUT_FILES:
                self._without_files.popitem(last=False)

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        """See `Courier.post`."""
        shown = await self._renderings(view, ping)
        self._check()
        if isinstance(to, Address) and (loan := self._followups.of(to.place)) is not None:
            return await self._follow(loan, to.place, shown.full)
        try:
            return await self._posted(to, view, shown, nonce)
        except Blocked as closed:
            raise Blocked(self._with_whom(to)) from closed

    async def _posted(self, to: Recipient, view: View, shown: _Renderings, nonce: str) -> str:
        with delivering():
            channel = await self._conversation(to.uid) if isinstance(to, Account) else int(to.place)
        if isinstance(to, Address):
            with delivering():
                thread = await self._threads.channel(to, view)
            if thread != channel:
                try:
                    return await self._sent(thread, shown, nonce)
                except Gone:  # somebody deleted the thread, or closed it: the match goes on in the channel
                    await self._threads.leave(to, view)
        return await self._sent(channel, shown, nonce)

    async def _sent(self, channel: int, shown: _Renderings, nonce: str) -> str:
        """A new message; a thread in the archive is taken out of it."""
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
        """See `Courier.retire`. Nobody picks anything in a message that all see: pictures stay as they are."""
        if view is None:
            await self._change(ref, None)
        elif view.diagram is None or ref.endswith(_AS_TEXT):
            await self._change(ref, render(view))
        elif ref.endswith(_PAINTED):
            await self._change(ref, render(view, b""))
        else:  # nobody knows any more whether the board is among its words
            await self._change(ref, None)

    async def _renderings(self, view: View, ping: Sequence[Account]) -> _Renderings:
        picture = None if view.text_board else await self._pictures.board(view)
        called = tuple(one for one in ping if one.platform == PLATFORM)
        return _Renderings(render(view, picture, ping=called), replace(render(view, ping=called), files=()))

    def _check(self) -> None:
        """Check that there is anybody to carry it: nobody is, before the client has logged in, and after its end.

        Raises:
            Transient: there is not.
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
        """Say something with its files; without them where they may not be attached.

        Discord does not tell which permission is missing: it is the files if the same without them is taken.
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
        """Change a message: all of it, its words alone, or take only its rows away."""
        self._check()
        ref = ref.removesuffix(_PAINTED).removesuffix(_AS_TEXT)
        if ref.startswith(_LENT):
            full = shown.full if isinstance(shown, _Renderings) else shown
            await self._change_lent(ref.removeprefix(_LENT), full, files=isinstance(shown, _Renderings))
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
        except (
            ChannelMissing
        ):  # with its channel, perhaps a thread of this match alone: whoever writes next finds out
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
        """Take a thread out of the archive; one that is locked stays as it is."""
        await self._client.http.edit_channel(channel, archived=False)

    async def home(self, whose: Account) -> Address | None:
        """The conversation with a person; whether the bot may write there, only writing tells."""
        if whose.platform != PLATFORM or not self._client.logged_in:
            return None
        try:
            with delivering():
                return place(await self._conversation(whose.uid))
        except CourierError:
            return None

    def link(self, near: discord.Interaction[Any], where: Address, shown: Shown) -> str | None:
        """The URL of a match's board, for whoever did something somewhere; None where its server is not known."""
        known, _, name = (board_of(shown) or "").removeprefix(_LENT).partition("/")
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

    def _with_whom(self, to: Recipient) -> str | None:
        """Who is spoken to somewhere alone, as far as that is remembered."""
        if isinstance(to, Account):
            return to.uid
        return next((uid for uid, at in self._conversations.items() if str(at) == to.place), None)

    async def _conversation(self, uid: str) -> int:
        """The channel in which a person is spoken to alone."""
        if not uid.isdecimal():
            raise Gone
        if (known := self._conversations.get(uid)) is not None:
            self._conversations.move_to_end(uid)
            return known
        opened = await self._client.create_dm(discord.Object(int(uid)))
        self._conversations[uid] = opened.id
        if len(self._conversations) > _CONVERSATIONS:
            self._conversations.popitem(last=False)
        return opened.id

    # --- where the bot is a guest

    async def _follow(self, loan: OpenInteraction, where: str, shown: DiscordMessage) -> str:
        """A message that follows an answer, which is the only way to write where the bot is not a member."""
        with delivering():
            await asyncio.wait_for(loan.settled.wait(), _SETTLING)
            message = await loan.interaction.followup.send(**widgets.fresh(shown), wait=True)
        self._followups.remember(where, message.id, loan)
        painted = any(each.name == PICTURE for each in shown.files)
        return f"{_LENT}{where}/{message.id}" + (_PAINTED if painted else _AS_TEXT)

    async def _change_lent(self, ref: str, shown: DiscordMessage | None, *, files: bool) -> None:
        where, _, message = ref.partition("/")
        loan = self._followups.wrote(where, message)
        if loan is None:
            raise NoMessage
        with delivering():
            if shown is None:
                await loan.interaction.followup.edit_message(int(message), view=None)
            else:
                words = widgets.change(shown) if files else widgets.reworded(shown)
                await loan.interaction.followup.edit_message(int(message), **words)
