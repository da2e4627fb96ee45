"""Private messages that call the players of inline cards; keys that one person uses for a while; edits under way."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from telegram.error import TelegramError

from bot.chat.presenting.boards import controls, decided, finishing, has_to_answer, waits_for
from bot.chat.presenting.naming import turn
from bot.chat.sending.ports import CourierError, Gone
from bot.chat.sending.posted import Edit, LatestEdits
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import state_address
from bot.chat.services import Services
from bot.chat.view import View
from bot.platforms.telegram.places import (
    PLATFORM,
    BotMessage,
    Chat,
    ChatMessage,
    InlineMessage,
    address,
    destination,
    look_link,
    parse_ref,
)
from bot.platforms.telegram.sending import Messenger, RateLimiter
from play.errors import Unavailable
from play.match import Match, Phase
from play.people import Account, Player

_log: Final = logging.getLogger(__name__)

CALLS_KEPT: Final = timedelta(hours=47)  # how long a call can be deleted; Telegram allows it for two days
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
        for call in map(parse_ref, before):
            if isinstance(call, ChatMessage):
                with suppress(CourierError, TelegramError):
                    await self._messenger.rate_limiter.chat(call.chat, Urgency.ANSWER, new=False)
                    await self._messenger.withdraw(call)
        sent = [await self._called(match, who) for who in people if await self._messenger.reaches(who)]
        refs = [message.ref for message in sent if message is not None]
        await notes.write(name, " ".join((str(match.revision), *refs)), keep=CALLS_KEPT)

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
                    await notes.write(_note(card), f"{kept} {call.ref}", keep=CALLS_KEPT)

    def _awaits(self, match: Match, who: Account) -> bool:
        if match.phase is not Phase.PLAYING:
            return False
        course = self._services.table.course(match)
        return who in (*waits_for(match, course), *has_to_answer(match, course))

    async def _called(self, match: Match, who: Account) -> ChatMessage | None:
        chat, store = Chat(int(who.uid)), self._services.store
        await self._messenger.rate_limiter.chat(chat.id, Urgency.BOARD, new=True)
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
            links=((match.id, look_link(self._messenger.bot.username, match.id)),),
        )


def _note(card: InlineMessage) -> str:
    """The note holds the revision at which calls were made, and their messages."""
    return f"{PLATFORM}:called:{card.message}"


LASTS: Final = 60.0  # seconds without a press until the keys of all come back


@dataclass(frozen=True, slots=True)
class _Held:
    by: Player
    lapse: asyncio.Task[None]


class KeyMenus:
    """Who uses the keys under which message. This is in memory only: after a restart the next press gives the keys back."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._held: dict[str, _Held] = {}

    def other(self, ref: str, account: Account) -> Player | None:
        """Return the person who uses the keys under a message, unless it is this one."""
        held = self._held.get(ref)
        return held.by if held is not None and held.by.account != account else None

    def holds(self, ref: str, account: Account) -> bool:
        """Whether a person uses the keys under a message."""
        held = self._held.get(ref)
        return held is not None and held.by.account == account

    def hold(self, ref: str, by: Player, restore: Callable[[], Awaitable[None]]) -> None:
        """Let a person use the keys under a message; `restore` is called if they press none for a while."""
        self.release(ref)

        async def lapse() -> None:
            await self._sleep(LASTS)
            del self._held[ref]
            await restore()

        self._held[ref] = _Held(by, asyncio.create_task(lapse(), name=f"keys of {ref}"))

    def release(self, ref: str) -> None:
        """The keys under a message are those of all again."""
        if held := self._held.pop(ref, None):
            held.lapse.cancel()

    def close(self) -> None:
        """Let no keys lapse any more."""
        for ref in list(self._held):
            self.release(ref)


KEPT: Final = 4096  # messages whose last revision is remembered
FOREVER: Final = 1 << 62  # the revision up to which presses change nothing in a message that is closed


class Redraws:
    """The edits under way. The sender's edits come first: what presses asked for before them is dropped."""

    def __init__(self, rate_limiter: RateLimiter, menus: KeyMenus) -> None:
        self._rate_limiter = rate_limiter
        self._menus = menus
        self._edits = LatestEdits()
        self._revisions: OrderedDict[str, int] = OrderedDict()

    async def show(self, ours: BotMessage, revision: int, change: Edit) -> None:
        """Have `change` edit a message to a revision of its match, unless a newer edit comes first."""

        async def turn() -> None:
            with suppress(Unavailable):  # an answer that says so matters more than the pace
                await self._rate_limiter.chat(ours.pace_key, Urgency.PRESS, new=False)

        if revision >= self._revisions.get(ours.ref, 0):
            await self._edits.show(ours.ref, change, turn)

    @asynccontextmanager
    async def dropped(self, ours: BotMessage, revision: int) -> AsyncIterator[None]:
        """Edit a message for the sender, at a revision of its match: what presses asked for until then is not shown."""
        async with self._edits.lock(ours.ref):
            self._edits.drop(ours.ref)
            self._menus.release(ours.ref)
            self._revisions[ours.ref] = revision
            self._revisions.move_to_end(ours.ref)
            while len(self._revisions) > KEPT:
                self._revisions.popitem(last=False)
            yield

    def close(self) -> None:
        """Change nothing any more."""
        self._edits.close()
