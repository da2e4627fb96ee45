"""Deliver the sender's messages to Telegram, call the players of inline cards, and follow in which chats the bot may write."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from telegram import ChatMember, ChatMemberRestricted, ChatMemberUpdated, InlineKeyboardButton, Message, User
from telegram.constants import ChatMemberStatus, ChatType
from telegram.error import TelegramError

from bot.chat.i18n import Words, pick
from bot.chat.i18n import words as words_for
from bot.chat.presenting.boards import controls, decided, finishing, has_to_answer, show, waits_for
from bot.chat.presenting.cards import against_computer, greeting
from bot.chat.presenting.naming import turn
from bot.chat.receiving import Rest
from bot.chat.sending.delivery import urgency
from bot.chat.sending.ports import CourierError, Gone, NoMessage, Pace, Recipient
from bot.chat.sending.posted import FOREVER
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import state_address
from bot.chat.sending.unreached import come_back, leave, reopen
from bot.chat.services import Services
from bot.chat.view import View
from bot.chat.visitor import Visitor
from bot.platforms.telegram.integration import TelegramSettings
from bot.platforms.telegram.known_users import KnownUsers
from bot.platforms.telegram.places import (
    PLATFORM,
    BotMessage,
    Chat,
    ChatMessage,
    InlineMessage,
    account,
    address,
    destination,
    group_link,
    is_known,
    parse_ref,
    place_key,
    start_link,
)
from bot.platforms.telegram.rendering import Call, Extras
from bot.platforms.telegram.replies import Replies
from bot.platforms.telegram.sending import Messenger
from play.errors import PlayError, Unavailable
from play.match import Match, Phase
from play.people import Account, Address
from rules.core import AnyGame

_log: Final = logging.getLogger(__name__)

KEPT: Final = timedelta(hours=47)  # how long a call can be deleted; Telegram allows it for two days
MOST: Final = 10  # matches in which a person is called who can be written to again


class TurnCalls:
    """Calls the players whose answer a card waits for; the calls before that are deleted."""

    def __init__(self, services: Services, messenger: Messenger) -> None:
        self._services = services
        self._messenger = messenger

    async def call(self, card: InlineMessage, match: Match, people: Sequence[Account]) -> None:
        """Call people privately, once at each revision of the match. One who cannot be called is marked so."""
        notes, name = self._services.store.notes, _note(card)
        (held,) = await notes.read(name)
        revision, *before = (held or "0").split()
        if revision == str(match.revision):
            return
        await self._withdraw(before)
        sent = [await self._called(match, who) for who in people if await self._messenger.reaches(who)]
        refs = [message.ref for message in sent if message is not None]
        await notes.write(name, " ".join((str(match.revision), *refs)), keep=KEPT)

    async def end(self, card: InlineMessage, match: Match) -> None:
        """Delete the calls of those whom a match does not wait for any more; its card changed in place."""
        notes, name = self._services.store.notes, _note(card)
        (held,) = await notes.read(name)
        revision, *calls = (held or "0").split()
        waiting = [call for call in calls if self._awaits(match, _called_by(call))]
        if waiting != calls:
            await self._withdraw([call for call in calls if call not in waiting])
            await notes.write(name, " ".join((revision, *waiting)), keep=KEPT)

    async def _withdraw(self, calls: Sequence[str]) -> None:
        for call in map(parse_ref, calls):
            if isinstance(call, ChatMessage):
                with suppress(CourierError, TelegramError):
                    await self._messenger.rate_limiter.chat(call.chat, Urgency.ANSWER)
                    await self._messenger.withdraw(call)

    async def catch_up(self, who: Account) -> None:
        """Call a person who can be written to again, in the matches of cards that wait for them."""
        notes = self._services.store.notes
        waiting = [match for match in await self._services.store.matches.of(who) if self._awaits(match, who)]
        for match in waiting[:MOST]:
            cards = [card for each in match.addresses if isinstance(card := destination(each), InlineMessage)]
            for card in cards:
                (held,) = await notes.read(_note(card))
                if (call := await self._called(match, who)) is not None:
                    kept = held or str(match.revision)
                    await notes.write(_note(card), f"{kept} {call.ref}", keep=KEPT)

    def _awaits(self, match: Match, who: Account) -> bool:
        if match.phase is not Phase.PLAYING:
            return False
        course = self._services.table.course(match)
        return who in (*waits_for(match, course), *has_to_answer(match, course))

    async def _called(self, match: Match, who: Account) -> ChatMessage | None:
        chat, store = Chat(int(who.uid)), self._services.store
        await self._messenger.rate_limiter.chat(chat.id, Urgency.BOARD)
        try:
            return await self._messenger.send(chat, await self._view(match, who))
        except Gone:
            await store.outgoing().set_dead(state_address(who), await store.now())
        except (CourierError, TelegramError) as error:
            _log.info("a player was not called: %r", error)
        return None

    async def _view(self, match: Match, who: Account) -> View:
        words = await self._services.words(who, None, address(Chat(int(who.uid))))
        shown = self._services.present(match, words)
        asked = (words("bot.telegram.inline.asked"),) if match.offer else ()
        title = words("bot.which.match", title=shown.names.title, opponents=shown.names.opponents)
        return View(
            lines=(title, turn(shown), *decided(shown), *asked),
            buttons=(*finishing(shown), *controls(shown)),
            links=((match.id, start_link(self._messenger.bot.username, "board", match.id)),),
        )


def _called_by(call: str) -> Account:
    """The person whom a call is for: it is in their private chat."""
    ours = parse_ref(call)
    return account(ours.chat if isinstance(ours, ChatMessage) else 0)


def _note(card: InlineMessage) -> str:
    """The note holds the revision at which calls were made, and their messages."""
    return f"{PLATFORM}:called:{card.message}"


def lesson_keys(bot: str, game: AnyGame, words: Words) -> tuple[InlineKeyboardButton, ...]:
    """Return the key under an inline card that begins the lesson of its game, in the private chat of a reader."""
    url = start_link(bot, "learn", game.key)
    return (InlineKeyboardButton(words("bot.button.learn"), url=url),) if game.lesson else ()


class TelegramCourier:
    """The courier of Telegram; `ready` is set once the bot is connected, and its name known."""

    platform = PLATFORM
    closes = True
    pace = Pace()  # the rate limiter paces all requests, and each chat: the topics of a forum are one chat

    def __init__(
        self,
        services: Services,
        messenger: Messenger,
        known_users: KnownUsers,
        ready: asyncio.Event,
    ) -> None:
        self._services = services
        self._messenger = messenger
        self._rate_limiter = messenger.rate_limiter
        self._known_users = known_users
        self._turn_calls = TurnCalls(services, messenger)
        self._ready = ready

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:  # noqa: ARG002
        """See `Courier.post`. Telegram has no nonces."""
        await self._ready.wait()
        if isinstance(to, Account) and not is_known(to):
            raise Gone(to.uid)
        where = destination(to)
        if isinstance(where, InlineMessage):
            if (match := await self._match_on(where)) is not None:
                await self._turn_calls.call(where, match, ping)
            try:
                await self._edit(where, view)
            except NoMessage:  # it was deleted, or invented: a place is its message
                raise Gone(where.ref) from None
            return where.ref
        await self._rate_limiter.chat(where.id, urgency(view))
        # A user name calls its user as it stands in the text.
        called = () if where.private else filter(is_known, ping)
        calls = [Call(one.uid, await self._known_users.name(one.uid)) for one in called]
        # In a group only messages that call a person come with a sound.
        silent = not where.private and not ping
        extras = Extras(calls, await self._keys(to, view), silent=silent)
        return (await self._messenger.send(where, view, extras)).ref

    async def edit(self, ref: str, view: View) -> None:
        await self._ready.wait()
        ours = parse_ref(ref)
        if ours is None:
            raise NoMessage(ref)
        await self._edit(ours, view)

    async def _edit(self, ours: BotMessage, view: View) -> None:
        await self._rate_limiter.chat(ours.pace_key, urgency(view))
        async with self._messenger.dropped(ours, view.revision):
            if isinstance(ours, InlineMessage):
                await self._change_card(ours, view)
            else:
                keys = await self._keys(address(Chat(ours.chat)), view)
                await self._messenger.change(ours, view, Extras(keys=keys))

    def buried(self, to: Recipient, ref: str) -> bool:
        """See `Courier.buried`. An inline message is the only one of its match; a process that only sends does not see the chats."""
        ours, where = parse_ref(ref), destination(to)
        if not isinstance(ours, ChatMessage) or not isinstance(where, Chat):
            return False
        takes = self._services.config.of(TelegramSettings).takes_telegram
        return not takes or self._messenger.newest.buried(place_key(ours.chat, where.topic), ours.message)

    async def reads(self, where: Address, who: Account) -> bool:
        """See `Courier.reads`. Telegram answers for users that it has shown to the bot, and for all where it is an administrator."""
        chat = destination(where)
        if not isinstance(chat, Chat) or chat.private or not is_known(who) or not self._ready.is_set():
            return True
        await self._rate_limiter.question()
        try:
            return is_inside(await self._messenger.member(chat, int(who.uid)))
        except TelegramError as error:
            _log.info("it is not known whether %s is in %s: %s", who, where, error)
            return True

    async def close(self, ref: str, view: View | None) -> None:
        """See `Courier.close`. A half-made move stays on the board until the message says otherwise. An inline message is the only one of its match: it stays open."""
        await self._ready.wait()
        ours = parse_ref(ref)
        if ours is not None and not isinstance(ours, InlineMessage):
            await self._rate_limiter.chat(ours.chat, Urgency.ANSWER)
            async with self._messenger.dropped(ours, FOREVER):
                await self._messenger.close_message(ours, view)

    async def _keys(self, to: Recipient, view: View) -> tuple[InlineKeyboardButton, ...]:
        if view.code is None or not view.joinable:
            return ()
        words = await self._words(to)
        url = start_link(self._messenger.bot.username, "join", view.code)
        return (InlineKeyboardButton(words("bot.telegram.join-link"), url=url),)

    async def _match_on(self, card: InlineMessage) -> Match | None:
        return next(iter(await self._services.store.matches.at(address(card))), None)

    async def _change_card(self, card: InlineMessage, view: View) -> None:
        """Change an inline card: one message, so its words stand above the board."""
        match = await self._match_on(card)
        if match is not None:
            await self._turn_calls.end(card, match)
        keys: tuple[InlineKeyboardButton, ...] = ()
        words = await self._words(address(card))
        if match is None or match.phase is not Phase.PLAYING:
            if match is not None and match.phase is Phase.OPEN:
                keys = lesson_keys(
                    self._messenger.bot.username, self._services.table.games[match.game], words
                )
            await self._messenger.change(card, view, Extras(keys=keys))
            return
        shown = self._services.present(match, words)
        if view.diagram is None:
            board = show(shown)
            own = (line for line in view.lines if line not in board.after)
            lines = (*own, *(line for line in board.lines if line not in view.lines))
            view = replace(board, lines=lines, buttons=view.buttons or board.buttons, ping=())
        for who in waits_for(match, shown.course):
            if who.platform == PLATFORM and not await self._messenger.reaches(who):
                name = shown.names.seat(shown.course.position.to_move)
                view = replace(view, after=(*view.after, words("bot.telegram.inline.not-called", name=name)))
                url = start_link(self._messenger.bot.username)
                keys = (InlineKeyboardButton(words("bot.telegram.start"), url=url),)
        await self._messenger.change(card, view, Extras(keys=keys))

    async def _words(self, to: Recipient) -> Words:
        return await self._services.words_at(to if isinstance(to, Address) else Address(PLATFORM, to.uid))


_INSIDE: Final = (ChatMemberStatus.MEMBER, ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


class Membership:
    """Follows the bot's membership in chats."""

    def __init__(self, services: Services, replies: Replies, known_users: KnownUsers) -> None:
        self._services = services
        self._replies = replies
        self._known_users = known_users
        self._bot = replies.messenger.bot
        self._original = replies.messenger.migrations.original
        self._turn_calls = TurnCalls(services, replies.messenger)

    async def changed(self, change: ChatMemberUpdated) -> Rest:
        """Note that the bot was added, removed, promoted or blocked; return the greeting that is still to be sent."""
        where = Chat(await self._original(change.chat.id))
        await self._known_users.met(where.id, [change.from_user])
        before, now = _writes(change.old_chat_member), _writes(change.new_chat_member)
        matches, outgoing = self._services.store.matches, self._services.store.outgoing()
        recipients = (address(where), account(where.id)) if where.private else (address(where),)
        for to in recipients:
            if now:
                await self._catch_up(to)
                await reopen(matches, outgoing, to)
            else:
                await outgoing.set_dead(state_address(to), self._services.now())
        if now and not before and change.chat.type in (ChatType.GROUP, ChatType.SUPERGROUP):
            return await self._welcome(where, change.from_user.language_code)
        return None

    async def note_members(self, message: Message, where: Chat) -> None:
        """Note who joined or left a group, as it says so itself."""
        for user in message.new_chat_members:
            await self._moved(Chat(where.id), user, inside=True)
        if message.left_chat_member:
            await self._moved(Chat(where.id), message.left_chat_member, inside=False)

    async def person_changed(self, change: ChatMemberUpdated) -> None:
        """Note that a person joined or left a group; Telegram says so to bots that are administrators."""
        where = Chat(await self._original(change.chat.id))
        await self._moved(where, change.new_chat_member.user, inside=is_inside(change.new_chat_member))

    async def _moved(self, where: Chat, user: User, *, inside: bool) -> None:
        if where.private or user.is_bot:
            return
        change = come_back if inside else leave
        await change(self._services.table, address(where), account(user.id))

    async def greet(self, where: Chat, visitor: Visitor) -> None:
        """Greet a person who opened the private chat: with keys to play the computer, a friend, or in a group."""
        words, me = await self._replies.words(visitor), self._bot.bot
        view = greeting(words, first=await self._services.first_met(visitor.account))
        if self._services.thinker is not None:
            view = replace(view, buttons=(against_computer(words), *view.buttons[1:]))
        keys = []
        if me.supports_inline_queries:
            keys.append(InlineKeyboardButton(words("bot.telegram.challenge-friend"), switch_inline_query=""))
        if me.can_join_groups:
            keys.append(
                InlineKeyboardButton(words("bot.telegram.add-to-group"), url=group_link(self._bot.username))
            )
        await self._replies.send(where, view, visitor, Extras(keys=keys))

    async def sync_private_chat(self, visitor: Visitor) -> None:
        """Set a private chat's language to its person's, and let the sender write to them again."""
        store, place = self._services.store, visitor.place
        try:
            mine, there = await store.settings.get(visitor.account), await store.settings.get(place)
            spoken = pick(mine, visitor.locale, there, self._services.language)
            if there.language != spoken:
                await store.settings.change(place, lambda now: replace(now, language=spoken))
        except Unavailable:
            return
        with suppress(PlayError):
            await self._catch_up(visitor.account)
            await reopen(store.matches, store.outgoing(), visitor.account)

    async def _catch_up(self, to: Recipient) -> None:
        """This comes before the mark is cleared: a process that ends in between calls them twice at most."""
        if isinstance(to, Account) and await self._services.store.outgoing().dead(state_address(to)):
            await self._turn_calls.catch_up(to)

    async def _welcome(self, where: Chat, locale: str | None) -> Rest:
        """Greet a group once, in its language; until one is chosen, that of the person who added the bot."""
        store = self._services.store
        try:
            if not await store.notes.write_once(f"{PLATFORM}:greeted:{where.id}", ""):
                return None
            place = address(where)
            spoken = pick(await store.settings.get(place), locale, self._services.language)
            await store.settings.change(place, lambda now: replace(now, language=spoken))
        except Unavailable:
            return None

        async def greet() -> None:
            await self._replies.send(where, greeting(words_for(spoken)), None)

        return greet()


def is_inside(member: ChatMember) -> bool:
    """Whether a user is in a group, and reads it."""
    return member.is_member if isinstance(member, ChatMemberRestricted) else member.status in _INSIDE


def _writes(member: ChatMember) -> bool:
    if isinstance(member, ChatMemberRestricted):
        return member.is_member and member.can_send_messages
    return member.status in _INSIDE
