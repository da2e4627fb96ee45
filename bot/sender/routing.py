"""What kind of message each fact makes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from bot.sender.ports import Recipient
from play import facts
from play.facts import Fact
from play.match import Match
from play.people import Account, Address


class Placement(IntEnum):
    """How a fact is shown; of several shown together, the greatest."""

    NOTE = 1  # beside the board: in the message that is there already, if there is one
    EDIT = 2  # in the board's message
    QUESTION = 3  # beside the board, in a new message, because somebody has to answer
    BOARD = 4  # a fresh board; the old one is folded


_NEVER: Final = (facts.Planned, facts.Later, facts.Renamed)
_PRIVATE: Final = (facts.Reminded, facts.HeadsUp, facts.Unreached)
_NOTE: Final = (facts.Declined, facts.VacationUsed, facts.VacationEnded, facts.Paused)
_EDIT: Final = (facts.Joined, facts.LeftLobby, facts.Undone)
_QUESTION: Final = (facts.TimeIsUp, facts.SilenceNoticed, facts.Unreached)


def placement(fact: Fact) -> Placement:
    """How a public fact is shown. One new board a turn, and beside it a new message only for a question."""
    if isinstance(fact, facts.Moved):
        return Placement.BOARD if fact.handed_on or not fact.match.live else Placement.EDIT
    if isinstance(fact, facts.Asked):
        return Placement.QUESTION if fact.agreed is None else Placement.NOTE
    if isinstance(fact, facts.Watching):
        return Placement.BOARD if fact.on else Placement.QUESTION
    if isinstance(fact, _NOTE):
        return Placement.NOTE
    if isinstance(fact, _EDIT):
        return Placement.EDIT
    return Placement.QUESTION if isinstance(fact, _QUESTION) else Placement.BOARD


def recipients(fact: Fact) -> tuple[Recipient, ...]:
    """Who is told of a fact: the places where its match is shown, and those players whose platform has none of them."""
    if isinstance(fact, _NEVER):
        return ()
    if isinstance(fact, _PRIVATE):
        return (fact.to,)
    if isinstance(fact, facts.Watching):
        return (fact.where,)
    match = fact.match
    return (*dict.fromkeys(match.addresses), *_elsewhere(match))


def is_private(fact: Fact) -> bool:
    """Whether a fact is for one person's eyes."""
    return isinstance(fact, _PRIVATE)


def pinged_at(match: Match, account: Account) -> Recipient:
    """Where somebody is called: the first place that the match is shown at on their platform, else privately.

    Where it is shown in the conversation with them, and that is called as they are, it is there.
    """
    places = [place for place in match.addresses if place.platform == account.platform]
    return next((place for place in places if place.place == account.uid), next(iter(places), account))


def is_final(fact: Fact) -> bool:
    """Whether a fact is the end of its match, which is shown whatever follows."""
    return not fact.match.live


def _elsewhere(match: Match) -> Iterable[Account]:
    platforms = {place.platform for place in match.addresses}
    return (account for account in match.people() if account.platform not in platforms)


def state_address(to: Recipient) -> Address:
    """Under which address it is remembered what somebody was told; no platform's places are called like that."""
    return to if isinstance(to, Address) else Address(to.platform, f"account/{to.uid}")


def label(to: Recipient) -> str:
    """A short name of somebody told, for logs and rates."""
    return f"{to.platform}:{to.place}" if isinstance(to, Address) else f"{to.platform}:@{to.uid}"
