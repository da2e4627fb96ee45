"""Delivery of one bundle to one recipient: a fresh board, an edit or a note, and older messages closed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.periodic import Sleep, delay
from bot.chat.sending.attention import Attention
from bot.chat.sending.composer import Composer
from bot.chat.sending.ports import Courier, CourierError, Gone, NoMessage, Recipient, RetryAfter, StillGone
from bot.chat.sending.queue import Bundle, Clock, Turns, Urgency
from bot.chat.sending.routing import (
    INVITATION,
    Announcement,
    MessageKind,
    is_beside,
    is_private,
    label,
    state_address,
)
from bot.chat.view import View
from play.errors import NoSuchMatch, Unavailable
from play.events.event import AnyFact, Changed, subject_of
from play.facts import Absent, CalledOff, Deliberated, Reached, Told, Unreached, Waiting
from play.match import Phase
from play.table import Table
from storage.ports import AddressState, BoardMessage, Bucket, Outgoing

SENDING: Final = 90.0
"""Seconds that `Delivery.sent` waits for a turn and the platform."""

_BESIDE: Final = (MessageKind.NOTE, MessageKind.QUESTION)
_TOLD: Final = 10  # messages of players, of which it is remembered that they were shown


@dataclass(frozen=True, slots=True)
class Outdated:
    """A message whose controls are still to be taken away.

    Attributes:
        shows: What its board showed, see `Announcement.shows`; None: what it says stays right.
    """

    ref: str
    shows: int | None = None


@dataclass(frozen=True, slots=True)
class MessageState:
    """The messages of a match at one place, which are stored, so that nothing is posted twice.

    Attributes:
        aside: The message beside it, with a question or a note.
        outdated: Messages whose controls are still to be taken away.
        quiet: Whether its board changed in place, for players who are still to be called.
        told: The numbers of the last messages of players that were shown.
    """

    revision: int = 0
    board: str | None = None
    aside: str | None = None
    outdated: tuple[Outdated, ...] = ()
    shows: int | None = None
    quiet: bool = False
    told: tuple[int, ...] = ()

    @property
    def given_away(self) -> bool:
        """Whether a later invitation is shown in the message of this one."""
        return self.board is None and self.shows == INVITATION

    def with_board(self, ref: str, shows: int | None) -> MessageState:
        """Once there is a fresh board: the old one is closed."""
        outdated = _and(self.outdated, self.board, self.shows)
        return replace(self, board=ref, shows=shows, outdated=outdated, quiet=False)

    def with_aside(self, ref: str | None) -> MessageState:
        """Once there is a fresh message beside the board, or the old one has had its time: that is closed."""
        return replace(self, aside=ref, outdated=_and(self.outdated, self.aside))

    def pack(self) -> BoardMessage:
        """As the store keeps it."""
        outdated = [[old.ref, old.shows] for old in self.outdated]
        kept = [self.board, self.aside, self.shows, outdated]
        more = [self.quiet, self.told] if self.told else [True] if self.quiet else []
        return BoardMessage(json.dumps([*kept, *more], ensure_ascii=False), self.revision)

    @classmethod
    def unpack(cls, shown: BoardMessage | None) -> MessageState:
        """From what `pack` made. Where that cannot be read, its messages are left as they are."""
        if shown is None:
            return cls()
        try:
            board, aside, shows, outdated, *more = json.loads(shown.message)
            quiet, told = more[:1] == [True], tuple(more[1]) if len(more) > 1 else ()
            closing = tuple(Outdated(*old) for old in outdated)
            return cls(shown.revision, board, aside, closing, shows, quiet, told)
        except (ValueError, TypeError):
            return cls(shown.revision)


def board_of(shown: BoardMessage) -> str | None:
    """The message with the board, as its platform calls it, of what is remembered of a match at a place."""
    return MessageState.unpack(shown).board


def nonce(announcement: Announcement, to: Recipient, number: int | None = None) -> str:
    """The name that a new message goes out under, the same at each try; `number` is that of a player's message.

    Platforms that compare such names do so over all of a bot's chats, so the place is part of it. With a revision
    of five digits it has 23 characters; Discord allows 25.
    """
    place = hashlib.blake2b(label(to).encode(), digest_size=2).hexdigest()
    if number is not None:
        return f"{announcement.match_id}:t{number}:{place}"
    kind = "gone" if announcement.about else "call" if announcement.kind in _BESIDE else "turn"
    return f"{announcement.match_id}:v{announcement.revision}:{kind}:{place}"


def _and(outdated: tuple[Outdated, ...], ref: str | None, shows: int | None = None) -> tuple[Outdated, ...]:
    if ref is None or any(old.ref == ref for old in outdated):
        return outdated
    return (*outdated, Outdated(ref, shows))


_log: Final = logging.getLogger(__name__)


def urgency(view: View) -> Urgency:
    """Return how urgent a message of the sender is."""
    return Urgency.CARD if view.joinable else Urgency.BOARD


class Delivery:
    """Delivers bundles. What is known of earlier messages stands in the stream's store, so any sender can go on.

    Raises:
        CourierError: from `deliver` and `close_replaced`: it did not get through; what did is remembered, so that it can be tried again.
        Unavailable: likewise.
    """

    def __init__(
        self,
        outgoing: Outgoing,
        bucket: Bucket,
        composer: Composer,
        *,
        now: Clock,
        sleep: Sleep,
        paced: Clock | None = None,
        attention: Attention | None = None,
    ) -> None:
        self._outgoing = outgoing
        self._turns = Turns(bucket, paced, sleep)
        self._composer = composer
        self._now = now
        self._sleep = sleep
        self._attention = attention

    async def deliver(self, courier: Courier, to: Recipient, bundle: Bundle) -> bool:
        """Show what of a bundle has not been shown there; whether it replaces older messages, which `close_replaced` closes."""
        bundle.known = known = await self._known(to, bundle)
        if known.dead and not _revives(bundle):
            raise StillGone
        shown = await self._tell(courier, to, bundle, known)
        news = [fact for fact in bundle.facts if not isinstance(fact, Told)]
        if not news:
            return bool(shown.outdated)
        known = bundle.known
        newest = news[-1]
        fresh = [fact for at, fact in enumerate(news) if _is_fresh(fact, shown, news[at + 1 :])]
        if fresh and not is_private(newest) and not self._composer.wants(fresh, to, known.chosen):
            return False
        if shown.given_away and isinstance(newest, CalledOff):
            return False
        if fresh:
            announcement = await self._composer.compose(fresh, to, known.chosen, bundle.also)
            announcement = await self._composer.of_a_place(announcement, fresh, to, known.chosen)
            shown = await self._with_message_of_another(to, shown, announcement)
            shown = await self._say(courier, to, shown, announcement)
            bundle.pinged = announcement.ping
            shown = replace(shown, revision=max(shown.revision, announcement.revision))
            if not courier.closes:
                shown = replace(shown, outdated=())
            if shown.outdated:  # closing them may take long
                packed = await self._remember(bundle.match_id, to, shown)
            else:  # with what acknowledges the fact; at once, for others may have it for long yet
                self._outgoing.set_shown_later(bundle.match_id, state_address(to), packed := shown.pack())
                self._outgoing.wake()
            known = replace(known, shown=packed)
        bundle.known = known
        return bool(shown.outdated)

    async def _tell(
        self, courier: Courier, to: Recipient, bundle: Bundle, known: AddressState
    ) -> MessageState:
        """Post what players write, each in a message of its own; return the messages there."""
        shown = MessageState.unpack(known.shown)
        for fact in bundle.facts:
            if isinstance(fact, Told) and fact.number not in shown.told:
                said = await self._composer.compose([fact], to, known.chosen)
                await self.turn(courier, to, Urgency.BOARD)
                await courier.post(to, said.view, ping=(), nonce=nonce(said, to, fact.number))
                shown = replace(shown, told=(*shown.told, fact.number)[-_TOLD:])
                bundle.known = replace(known, shown=await self._remember(bundle.match_id, to, shown))
        return shown

    async def close_replaced(self, courier: Courier, to: Recipient, bundle: Bundle) -> None:
        """Take the controls of the messages away that newer ones have replaced."""
        known = bundle.known or await self._known(to, bundle)
        if known.dead and not _revives(bundle):
            return
        shown = MessageState.unpack(known.shown)
        for old in shown.outdated:
            view = None
            if old.shows is not None:
                view = self._composer.closed(bundle.facts, to, known.chosen, old.shows)
            await self.turn(courier, to, Urgency.ANSWER)
            try:
                await courier.close(old.ref, view)
            except NoMessage:
                _log.info("a message to be closed is not there any more: %s", label(to))
        if shown.outdated:
            # If the process ends before that is stored, its facts are not done, and the messages are closed again.
            packed = replace(shown, outdated=()).pack()
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
            and (
                kind is MessageKind.EDIT
                or (kind is MessageKind.IN_PLACE and await self._seen(courier, to, shown.board, announcement))
            )
            and await self._edited(courier, to, shown.board, announcement.in_place)
        ):
            quiet = shown.quiet if kind is MessageKind.EDIT else announcement.recalls
            shown = replace(shown, shows=announcement.shows, quiet=quiet)
            return shown if announcement.open else shown.with_aside(None)
        if announcement.board and shown.board:  # first: it may be done twice, a message must not
            await self._edited(courier, to, shown.board, announcement.board)
        if (
            kind is MessageKind.NOTE
            and shown.aside
            and await self._edited(courier, to, shown.aside, announcement.view)
        ):
            return shown
        await self.turn(courier, to, urgency(announcement.view))
        ref = await courier.post(to, announcement.view, ping=announcement.ping, nonce=nonce(announcement, to))
        if kind in _BESIDE:
            return shown.with_aside(ref)
        if shown.quiet and self._attention:
            await self._attention.call_no_more(announcement.match_id, to)
        shown = shown.with_board(ref, announcement.shows)
        return shown if announcement.open else shown.with_aside(None)

    async def _seen(self, courier: Courier, to: Recipient, board: str, announcement: Announcement) -> bool:
        """Whether those whom a change concerns see it in the board's message; it is seen to that they are called later."""
        if courier.buried(to, board):
            return False
        attention = self._attention
        if attention is None:
            return not (announcement.looking or announcement.recalls)
        if not attention.looks(to, announcement.looking):
            return False
        if announcement.recalls:  # before it: a call too many finds a board that called
            await attention.call_later(announcement.match_id, to)
        return True

    async def _edited(self, courier: Courier, to: Recipient, ref: str, view: View) -> bool:
        await self.turn(courier, to, urgency(view))
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

    async def sent(
        self, courier: Courier, to: Recipient, urgency: Urgency, send: Callable[[], Awaitable[object]]
    ) -> bool:
        """Send something that is no fact, in its turn; return whether no further try is needed."""
        try:
            async with asyncio.timeout(SENDING):
                await self.turn(courier, to, urgency)
                await send()
        except Gone:
            await self.give_up(to)
        except RetryAfter as late:
            await self.hold(courier, to, late)
            return False
        except (CourierError, TimeoutError) as failed:
            _log.info("what is no fact has to wait at %s: %r", label(to), failed)
            return False
        return True

    async def is_dead(self, to: Recipient) -> bool:
        """Whether nothing can be sent there until a message comes from there."""
        return await self._outgoing.dead(state_address(to)) is not None

    async def _known(self, to: Recipient, bundle: Bundle) -> AddressState:
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


def _is_fresh(fact: AnyFact, shown: MessageState, later: Sequence[AnyFact]) -> bool:
    """Whether a fact is not shown yet; that a player is still to be called stands only while no later one changes the board."""
    if isinstance(fact, Waiting):
        stands = shown.quiet and fact.match.revision >= shown.revision
        return stands and all(not isinstance(each, Waiting | Changed) and is_beside(each) for each in later)
    return subject_of(fact).revision > shown.revision or isinstance(fact, Absent | Deliberated | Unreached)


def _revives(bundle: Bundle) -> bool:
    """Whether a bundle is sent to a recipient who is marked as dead: the mark is cleared once all their boards are queued."""
    return any(isinstance(fact, Reached) for fact in bundle.facts)


_INVITING: Final = (Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.START)
"""What is offered until a match begins."""

_ALONE: Final = (
    Verb.MOVE, Verb.MOVES, Verb.STEP, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.PAUSE, Verb.RESUME, Verb.YES, Verb.NO, Verb.CLAIM,
    Verb.VOTE, Verb.MORETIME, Verb.RESIGN, Verb.LEAVE, Verb.HINT, *_INVITING,
)  # fmt: skip
"""What is offered of one match until it ends, and not in lists of several."""


async def unowned(
    outgoing: Outgoing,
    where: Iterable[Recipient],
    pressed: CallbackData,
    same: Callable[[str], bool],
    table: Table | None = None,
) -> bool:
    """Whether a message is none of those that are remembered, and what is pressed under it is outdated or cannot be done any more.

    A process that ends between sending a board and storing that leaves one, where the platform does not compare nonces or the
    next board tells more. So does each answer to one person. The first press that comes too late takes its controls away.

    Args:
        outgoing: What is remembered.
        where: The place of the message, and the person who pressed: a match shown nowhere on a platform is sent to its players.
        pressed: The button.
        same: Whether a message, as its platform calls it, is the pressed one.
        table: Where the match is read, of a message that one person alone sees. In front of others a forged button of a match
            that is over would take the controls of another away.
    """
    if pressed.verb not in _ALONE:
        return False
    try:
        for to in where:
            shown = MessageState.unpack(await outgoing.shown(pressed.match, state_address(to)))
            refs = (*filter(None, (shown.board, shown.aside)), *(old.ref for old in shown.outdated))
            if any(map(same, refs)):
                return False
            if shown.revision > pressed.seen:
                return True
        return table is not None and await _in_vain(table, pressed)
    except Unavailable:
        return False


async def _in_vain(table: Table, pressed: CallbackData) -> bool:
    try:
        match = await table.get(pressed.match)
    except NoSuchMatch:
        return True
    return not match.live or (pressed.verb in _INVITING and match.phase is not Phase.OPEN)
