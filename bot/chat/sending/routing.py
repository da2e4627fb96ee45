"""Which kind of message a fact makes, who receives it, and what is shown to one recipient."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from bot.chat.sending.ports import Recipient
from bot.chat.view import ButtonGrid, View
from play import facts
from play.events.event import AnyFact, Changed, Event, subject_of
from play.facts import Fact
from play.match import Cancel, Match, plays_alone
from play.people import Account, Address


class MessageKind(IntEnum):
    """The kind of message that shows a fact; of several facts shown together, the greatest."""

    NOTE = 1  # beside the board: in the message that is there already, if there is one
    EDIT = 2  # in the board's message
    QUESTION = 3  # beside the board, in a new message, because players have to answer
    IN_PLACE = 4  # in the board's message, if those whom it calls look at it; else a fresh board
    BOARD = 5  # a fresh board; the old one is closed


_NEVER: Final = (facts.Planned, facts.Later, facts.Renamed)
_PRIVATE: Final = (facts.Reminded, facts.HeadsUp, facts.Told)
_ONE_PLACE: Final = (
    *(facts.Watching, facts.Reached, facts.Waiting, facts.Absent, facts.Unreached, facts.Deliberated),
)
_NOTE: Final = (facts.Declined, facts.VacationUsed, facts.VacationEnded, facts.Paused, facts.TimeGiven)
_EDIT: Final = (facts.Joined, facts.LeftLobby, facts.Undone, facts.Postponed, facts.Deliberated)
_ALTERS: Final = (*_NOTE, facts.Asked, facts.TimeIsUp)
_QUESTION: Final = (facts.TimeIsUp, facts.SilenceNoticed, facts.Unreached, facts.Told)
_ACTS: Final = (
    *(facts.Moved, facts.Undone, facts.Asked, facts.Declined, facts.TakenBack),
    *(facts.Drawn, facts.Departed, facts.Paused, facts.Resumed),
)
"""What players do in a match. What time brings calls a person who is not looking, so it is a new message."""


def message_kind(fact: Fact) -> MessageKind:
    """How a public fact is shown. One board, and beside it a new message only for a question.

    What is done with engines alone changes the board: nobody else is to answer a question.
    """
    kind = _among_people(fact)
    if isinstance(fact, _ACTS) and (kind is MessageKind.BOARD or plays_alone(fact.match)):
        return MessageKind.IN_PLACE
    return kind


def is_beside(fact: Fact) -> bool:
    """Whether the words for a fact come without the board."""
    return _among_people(fact) in (MessageKind.NOTE, MessageKind.QUESTION)


def _among_people(fact: Fact) -> MessageKind:
    if isinstance(fact, facts.Moved):
        return MessageKind.BOARD if fact.handed_on or not fact.match.live else MessageKind.EDIT
    if isinstance(fact, facts.Asked):
        return MessageKind.QUESTION if fact.agreed is None else MessageKind.NOTE
    if isinstance(fact, facts.Watching):
        return MessageKind.BOARD if fact.on else MessageKind.QUESTION
    if isinstance(fact, _NOTE):
        return MessageKind.NOTE
    if isinstance(fact, _EDIT) or _is_withdrawn(fact):
        full = isinstance(fact, facts.Joined) and fact.match.full  # a new message: its host has to start it
        return MessageKind.BOARD if full else MessageKind.EDIT
    aside = isinstance(fact, _QUESTION) or (isinstance(fact, facts.Absent) and fact.reached is not None)
    return MessageKind.QUESTION if aside else MessageKind.BOARD


def _is_withdrawn(fact: Fact) -> bool:
    """Whether a host withdrew an invitation: they know, and no one else waits for it, so that no one has to be called."""
    by_host = isinstance(fact, facts.CalledOff) and fact.by == fact.match.host
    return by_host and fact.match.cancelled is Cancel.WITHDRAWN


def alters_board(fact: Fact) -> bool:
    """Whether a fact that is shown beside the board changes what that shows: its controls, or the time left."""
    return isinstance(fact, _ALTERS)


def parted(news: Sequence[AnyFact]) -> tuple[list[Changed], list[Fact]]:
    """Return the facts about an event, and those about a match; one of them is empty."""
    events = [fact for fact in news if isinstance(fact, Changed)]
    return events, [fact for fact in news if not isinstance(fact, Changed)]


def recipients(fact: AnyFact) -> tuple[Recipient, ...]:
    """Return the recipients of a fact: where its match or event is shown, and those players whose platform has none of that."""
    if isinstance(fact, Changed):
        return readers(fact.event)
    if isinstance(fact, _NEVER):
        return ()
    if isinstance(fact, facts.Reminded | facts.HeadsUp):
        return (fact.to,)
    if isinstance(fact, facts.Watching | facts.Deliberated | facts.Absent):
        alone = fact.player.account if isinstance(fact, facts.Absent) and fact.reached is None else None
        return (alone or fact.where,)
    if isinstance(fact, facts.Reached | facts.Waiting | facts.Unreached | facts.Told):
        return tuple(filter(None, (fact.where, fact.to)))
    return readers(fact.match)


def readers(match: Match | Event) -> tuple[Recipient, ...]:
    """Return the places where a match or event is shown, and those players whose platform has none of them."""
    platforms = {place.platform for place in match.addresses}
    elsewhere = (account for account in match.people() if account.platform not in platforms)
    return (*dict.fromkeys(match.addresses), *elsewhere)


def is_private(fact: AnyFact) -> bool:
    """Whether a fact is for one person's eyes, or repeats what was."""
    return isinstance(fact, _PRIVATE) or (isinstance(fact, facts.Unreached) and fact.to is not None)


def is_for_readers(fact: Fact) -> bool:
    """Whether a fact is for all who read a match, and not for one person or place."""
    return not isinstance(fact, (*_NEVER, *_PRIVATE, *_ONE_PLACE))


def pinged_at(match: Match | Event, account: Account, left: Collection[Address] = ()) -> Recipient:
    """Return where a person is called: the first place that the match is shown at on their platform, else privately.

    Where it is shown in the conversation with them, and that is called as they are, it is there. Places that they have
    left do not count.
    """
    near = (place for place in match.addresses if place.platform == account.platform)
    places = [place for place in near if place not in left and place.chat not in left]
    return next((place for place in places if place.place == account.uid), next(iter(places), account))


def is_final(fact: AnyFact) -> bool:
    """Whether a fact is the end of its match or event, which is always shown."""
    return not subject_of(fact).live


def state_address(to: Recipient) -> Address:
    """Return the address under which a recipient's messages are stored; no place of a platform has such a name."""
    return to if isinstance(to, Address) else Address(to.platform, f"account/{to.uid}")


def label(to: Recipient) -> str:
    """Return a short name of a recipient, for logs and rates."""
    return f"{to.platform}:{to.place}" if isinstance(to, Address) else f"{to.platform}:@{to.uid}"


INVITATION: Final = -1  # what the message of an invitation shows; see `Announcement.shows`


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is shown to one recipient.

    Attributes:
        revision: The latest revision that it tells of.
        open: Whether a question stays open after it, so that the message beside the board keeps its controls.
        shows: What its board shows: the match after so many entries of its log, or an invitation (`INVITATION`). None where
            it shows neither.
        instead: Codes of invitations: it is shown in the message of one of them, if that is there.
        about: Whether it is about people whom messages do not reach, which is no change of the match.
        looking: Of a board that may change in place: who has to have acted there lately.
        unseen: Lines that come first where its board changes in place: what those whom it calls have not seen.
        recalls: Whether those whom it calls are called later, where its board changed in place.
        keys: Returns the board as keys, which stands under one that changes in place: the person on turn begins a move without a press more.
        board: The board as it is now, where `view` stands beside it and changes what it shows.
    """

    match_id: str
    revision: int
    kind: MessageKind
    view: View
    ping: tuple[Account, ...]
    open: bool
    shows: int | None = None
    board: View | None = None
    about: bool = False
    instead: tuple[str, ...] = ()
    looking: tuple[Account, ...] = ()
    unseen: tuple[str, ...] = ()
    recalls: bool = False
    keys: Callable[[], ButtonGrid | None] = lambda: None

    @property
    def in_place(self) -> View:
        """What its board says where it changes in place."""
        keys = self.keys() if self.kind is MessageKind.IN_PLACE else None
        return replace(self.view, lines=(*self.unseen, *self.view.lines), grid=self.view.grid or keys)
