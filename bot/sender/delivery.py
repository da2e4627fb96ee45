"""Delivery of one bundle to one recipient: a fresh board, an edit or a note, and older messages retired."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.sender.announcement import INVITATION, Announcement
from bot.sender.backoff import Sleep, delay
from bot.sender.composer import Composes
from bot.sender.message_state import MessageState, nonce
from bot.sender.ports import Courier, NoMessage, Recipient, RetryAfter, StillGone
from bot.sender.queue import Bundle
from bot.sender.routing import MessageKind, is_private, label, state_address
from bot.sender.turns import Clock, Turns, Urgency
from bot.view import View
from play.errors import Unavailable
from play.events.facts import subject_of
from play.facts import Absent, CalledOff, Reached, Unreached
from storage.faults import fault
from storage.outgoing import BoardMessage, Bucket, Known, Outgoing

_log: Final = logging.getLogger(__name__)


class Delivery:
    """Delivers bundles. What is known of earlier messages stands in the stream's store, so any sender can go on.

    Raises:
        CourierError: from `deliver` and `retire`: it did not get through; what did is remembered, so that it can be tried again.
        Unavailable: likewise.
    """

    def __init__(
        self,
        outgoing: Outgoing,
        bucket: Bucket,
        composer: Composes,
        *,
        now: Clock,
        sleep: Sleep,
        paced: Clock | None = None,
    ) -> None:
        self._outgoing = outgoing
        self._turns = Turns(bucket, paced, sleep)
        self._composer = composer
        self._now = now
        self._sleep = sleep

    async def deliver(self, courier: Courier, to: Recipient, bundle: Bundle) -> bool:
        """Show what of a bundle has not been shown there; whether it replaces older messages, which `retire` folds."""
        bundle.known = known = await self._known(to, bundle)
        if known.dead and not _revives(bundle):
            raise StillGone
        newest = bundle.facts[-1]
        shown = MessageState.unpack(known.shown)
        fresh = [
            fact
            for fact in bundle.facts
            if subject_of(fact).revision > shown.revision
            or isinstance(fact, Absent | Unreached)  # which have no revision
        ]
        if fresh and not is_private(newest) and not self._composer.wants(fresh, to, known.chosen):
            return False
        if shown.given_away and isinstance(newest, CalledOff):
            return False
        if fresh:
            announcement = await self._composer.compose(fresh, to, known.chosen, bundle.also)
            shown = await self._with_message_of_another(to, shown, announcement)
            fault("before-send")
            shown = await self._say(courier, to, shown, announcement)
            fault("after-send")
            bundle.pinged = announcement.ping
            shown = replace(shown, revision=max(shown.revision, announcement.revision))
            known = replace(known, shown=await self._remember(bundle.match_id, to, shown))
        bundle.known = known
        return bool(shown.retiring)

    async def retire(self, courier: Courier, to: Recipient, bundle: Bundle) -> None:
        """Fold the messages that newer ones have replaced."""
        known = bundle.known or await self._known(to, bundle)
        if known.dead and not _revives(bundle):
            return
        shown = MessageState.unpack(known.shown)
        for old in shown.retiring:
            view = None
            if old.shows is not None:
                view = self._composer.retired(bundle.facts, to, known.chosen, old.shows)
            await self.turn(courier, to, Urgency.ANSWER)
            try:
                await courier.retire(old.ref, view)
            except NoMessage:
                _log.info("a message to be retired is not there any more: %s", label(to))
        if shown.retiring:
            # If the process ends before that is stored, its facts are not done, and the messages are folded again.
            packed = replace(shown, retiring=()).pack()
            self._outgoing.set_shown_later(bundle.match_id, state_address(to), packed)

    async def _with_message_of_another(
        self, to: Recipient, shown: MessageState, announcement: Announcement
    ) -> MessageState:
        """Give an invitation the message of another one that it is shown instead of.

        That is stored for the new one first: if the process ends in between, the next one finds the same message.
        """
        for code in announcement.instead:
            other = MessageState.unpack(await self._outgoing.shown(code, state_address(to)))
            if other.board and other.shows == INVITATION and shown.board in (None, other.board):
                shown = replace(shown, board=other.board, shows=INVITATION)
                await self._remember(announcement.match_id, to, shown)
                await self._remember(code, to, replace(other, board=None))
        return shown

    async def _say(
        self, courier: Courier, to: Recipient, shown: MessageState, announcement: Announcement
    ) -> MessageState:
        kind = announcement.kind
        if (
            shown.board
            and kind in (MessageKind.EDIT, MessageKind.IN_PLACE)
            and not (kind is MessageKind.IN_PLACE and courier.buried(to, shown.board))
            and await self._edited(courier, to, shown.board, announcement.view)
        ):
            shown = replace(shown, shows=announcement.shows)
            return shown if announcement.open else shown.without_aside()
        if announcement.board and shown.board:  # first: it may be done twice, a message must not
            await self._edited(courier, to, shown.board, announcement.board)
        if (
            kind is MessageKind.NOTE
            and shown.aside
            and await self._edited(courier, to, shown.aside, announcement.view)
        ):
            return shown
        await self.turn(courier, to, _urgency(announcement.view))
        ref = await courier.post(to, announcement.view, ping=announcement.ping, nonce=nonce(announcement, to))
        if kind in (MessageKind.NOTE, MessageKind.QUESTION):
            return shown.with_aside(ref)
        shown = shown.with_board(ref, announcement.shows)
        return shown if announcement.open else shown.without_aside()

    async def _edited(self, courier: Courier, to: Recipient, ref: str, view: View) -> bool:
        """Change a message in place; whether it is still there to be changed."""
        await self.turn(courier, to, _urgency(view))
        try:
            await courier.edit(ref, view)
        except NoMessage:
            return False
        return True

    async def turn(self, courier: Courier, to: Recipient, urgency: Urgency) -> None:
        """Wait for a turn of the chat's rate, and then of the platform's."""
        pace = courier.pace
        rates = {label(to): pace.chat, courier.platform: pace.overall}
        await self._turns.take({key: rate for key, rate in rates.items() if rate is not None}, urgency)

    async def hold(self, courier: Courier, to: Recipient, late: RetryAfter) -> None:
        """Have every sender be as silent as the platform asks, as far as the shared buckets can see to it."""
        rate = courier.pace.overall if late.everywhere else courier.pace.chat
        if rate is None:
            return
        await self._turns.hold(courier.platform if late.everywhere else label(to), rate, late.seconds)

    async def is_dead(self, to: Recipient) -> bool:
        """Whether nothing can be sent there until a message comes from there."""
        return await self._outgoing.dead(state_address(to)) is not None

    async def _known(self, to: Recipient, bundle: Bundle) -> Known:
        whose = self._composer.concerns(bundle.facts, to)
        return await self._outgoing.known(state_address(to), *whose, match_id=bundle.match_id)

    async def _remember(self, match_id: str, to: Recipient, shown: MessageState) -> BoardMessage:
        packed = shown.pack()
        await self._stored(lambda: self._outgoing.set_shown(match_id, state_address(to), packed))
        return packed

    async def give_up(self, to: Recipient) -> None:
        """Send nothing there again until a message comes from there."""
        _log.warning("nothing can be sent any more to %s", label(to))

        async def set_dead() -> None:
            await self._outgoing.set_dead(state_address(to), await self._now())

        await self._stored(set_dead)

    async def _stored(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write something, however long it takes: the message would be sent again otherwise."""
        tries = 0
        while True:
            with suppress(Unavailable):
                return await write()
            tries += 1
            await self._sleep(delay(tries))


def _urgency(view: View) -> Urgency:
    return Urgency.CARD if view.joinable else Urgency.BOARD


def _revives(bundle: Bundle) -> bool:
    """Whether a bundle is sent to a recipient who is marked as dead: the mark is cleared once all their boards are queued."""
    return any(isinstance(fact, Reached) for fact in bundle.facts)
