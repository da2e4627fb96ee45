"""Private messages that call the players of inline cards."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from telegram.error import TelegramError

from bot.chat.presenting.boards import controls, decided, finishing, has_to_answer, waits_for
from bot.chat.presenting.naming import turn
from bot.chat.sending.ports import CourierError, Gone
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import state_address
from bot.chat.services import Services
from bot.chat.view import View
from bot.platforms.telegram.places import (
    PLATFORM,
    Chat,
    ChatMessage,
    InlineMessage,
    address,
    destination,
    look_link,
    parse_ref,
)
from bot.platforms.telegram.sending import Messenger
from play.match import Match, Phase
from play.people import Account

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
        for call in map(parse_ref, before):
            if isinstance(call, ChatMessage):
                with suppress(CourierError, TelegramError):
                    await self._messenger.rate_limiter.chat(call.chat, Urgency.ANSWER, new=False)
                    await self._messenger.withdraw(call)
        sent = [await self._called(match, who) for who in people if await self._messenger.reaches(who)]
        refs = [message.ref for message in sent if message is not None]
        await notes.write(name, " ".join((str(match.revision), *refs)), keep=KEPT)

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
