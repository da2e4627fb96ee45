"""One parcel to one place: a fresh board, an edit or a note, and what was said before folded away."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot.sender.backoff import Sleep, pause
from bot.sender.composer import Saying, Speaker
from bot.sender.message_state import Messages, nonce
from bot.sender.ports import Courier, NoMessage, Rate, RetryAfter, To
from bot.sender.queue import Parcel
from bot.sender.routing import Way, filed, here, private
from play.errors import Unavailable
from play.facts import Unreached
from storage.faults import fault
from storage.outgoing import Bucket, Outgoing

_log: Final = logging.getLogger(__name__)


class Delivery:
    """Delivers parcels. What is known of earlier messages stands in the stream's store, so any sender can go on.

    Raises:
        CourierError: from `deliver`: it did not get through; what did is remembered, so that it can be tried again.
        Unavailable: likewise.
    """

    def __init__(
        self,
        outgoing: Outgoing,
        bucket: Bucket,
        voice: Speaker,
        *,
        now: Callable[[], Awaitable[datetime]],
        sleep: Sleep,
    ) -> None:
        self._outgoing = outgoing
        self._bucket = bucket
        self._voice = voice
        self._now = now
        self._sleep = sleep

    async def deliver(self, courier: Courier, to: To, parcel: Parcel) -> None:
        """Show what of a parcel has not been shown there, and fold what it replaces."""
        dead, known = await self._outgoing.known(parcel.match_id, filed(to))
        if dead:
            return
        newest = parcel.facts[-1]
        shown = Messages.unpack(known)
        fresh = [
            fact
            for fact in parcel.facts
            if fact.match.revision > shown.revision or isinstance(fact, Unreached)  # which has no revision
        ]
        if fresh and not private(newest) and not await self._voice.wants(fresh, to):
            return
        if fresh:
            saying = await self._voice.saying(fresh, to)
            fault("before-send")
            shown = replace(await self._say(courier, to, shown, saying), revision=saying.revision)
            fault("after-send")
            await self._remember(parcel.match_id, to, shown)
        for old in shown.folding:
            view = None
            if old.stands is not None:
                view = await self._voice.folded(parcel.facts, to, old.stands)
            await self.turn(courier, to)
            try:
                await courier.fold(old.ref, view)
            except NoMessage:
                _log.info("a message to be folded is not there any more: %s", here(to))
        if shown.folding:
            await self._remember(parcel.match_id, to, replace(shown, folding=()))

    async def _say(self, courier: Courier, to: To, shown: Messages, saying: Saying) -> Messages:
        if saying.way is Way.EDIT and shown.board and await self._edited(courier, to, shown.board, saying):
            shown = replace(shown, stands=saying.stands)
            return shown if saying.open else shown.without_aside()
        if saying.way is Way.ASIDE and shown.aside and await self._edited(courier, to, shown.aside, saying):
            return shown
        await self.turn(courier, to)
        ref = await courier.post(to, saying.view, ping=saying.ping, nonce=nonce(saying, to))
        if saying.way in (Way.ASIDE, Way.CALL):
            return shown.with_aside(ref)
        shown = shown.with_board(ref, saying.stands)
        return shown if saying.open else shown.without_aside()

    async def _edited(self, courier: Courier, to: To, ref: str, saying: Saying) -> bool:
        """Change a message in place; whether it is still there to be changed."""
        await self.turn(courier, to)
        try:
            await courier.edit(ref, saying.view)
        except NoMessage:
            return False
        return True

    async def turn(self, courier: Courier, to: To) -> None:
        """Wait until the platform, and then the chat, can bear one more message."""
        pace = courier.pace
        if pace.chat is not None:
            await self._take(here(to), pace.chat)
        if pace.overall is not None:
            await self._take(courier.platform, pace.overall)

    async def _take(self, key: str, rate: Rate) -> None:
        while wait := await self._bucket.take(key, rate.each_second, rate.burst, await self._now()):
            await self._sleep(wait)

    async def hold(self, courier: Courier, to: To, late: RetryAfter) -> None:
        """Have every sender be as silent as the platform asks, as far as the shared buckets can see to it."""
        rate = courier.pace.overall if late.everywhere else courier.pace.chat
        if rate is None:
            return
        key = courier.platform if late.everywhere else here(to)
        at = await self._now()
        until = at + timedelta(seconds=late.seconds)
        await self._bucket.hold(key, rate.each_second, rate.burst, at, until)

    async def is_dead(self, to: To) -> bool:
        """Whether nothing can be sent there, as long as nobody speaks there."""
        return await self._outgoing.dead(filed(to)) is not None

    async def _remember(self, match_id: str, to: To, shown: Messages) -> None:
        """Write down what was shown, however long it takes: it would be said again otherwise."""
        tries = 0
        while True:
            try:
                await self._outgoing.set_shown(match_id, filed(to), shown.pack())
            except Unavailable:
                tries += 1
                await self._sleep(pause(tries))
            else:
                return

    async def give_up(self, to: To) -> None:
        """Never write there again, until somebody speaks there."""
        _log.warning("nothing can be sent any more to %s", here(to))
        tries = 0
        while True:
            try:
                await self._outgoing.set_dead(filed(to), await self._now())
            except Unavailable:
                tries += 1
                await self._sleep(pause(tries))
            else:
                return
