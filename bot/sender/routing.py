"""What kind of message each fact makes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from bot.sender.ports import To
from play import facts
from play.facts import Fact
from play.match import Match
from play.people import Account, Address


class Way(IntEnum):
    """How a fact is shown; of several shown together, the greatest."""

    ASIDE = 1  # beside the board: in the message that is there already, if there is one
    EDIT = 2  # in the board's message
    CALL = 3  # beside the board, in a new message, because somebody has to answer
    TURN = 4  # a fresh board; the old one is folded


_NEVER: Final = (facts.Planned, facts.Later, facts.Renamed)
_PRIVATE: Final = (facts.Reminded, facts.HeadsUp, facts.Unreached)
_ASIDE: Final = (facts.Declined, facts.VacationUsed, facts.VacationEnded, facts.Paused)
_EDIT: Final = (facts.Joined, facts.LeftLobby, facts.Undone)
_CALL: Final = (facts.TimeIsUp, facts.SilenceNoticed, facts.Unreached)


def way(fact: Fact) -> Way:
    """How a public fact is shown. One new board a turn, and beside it a new message only for a question."""
    if isinstance(fact, facts.Moved):
        return Way.TURN if fact.handed_on or not fact.match.live else Way.EDIT
    if isinstance(fact, facts.Asked):
        return Way.CALL if fact.agreed is None else Way.ASIDE
    if isinstance(fact, facts.Watching):
        return Way.TURN if fact.on else Way.CALL
    if isinstance(fact, _ASIDE):
        return Way.ASIDE
    if isinstance(fact, _EDIT):
        return Way.EDIT
    return Way.CALL if isinstance(fact, _CALL) else Way.TURN


def told(fact: Fact) -> tuple[To, ...]:
    """Who is told of a fact: the places where its match is shown, and those players whose platform has none of them."""
    if isinstance(fact, _NEVER):
        return ()
    if isinstance(fact, _PRIVATE):
        return (fact.to,)
    if isinstance(fact, facts.Watching):
        return (fact.where,)
    match = fact.match
    return (*dict.fromkeys(match.addresses), *_elsewhere(match))


def private(fact: Fact) -> bool:
    """Whether a fact is for one person's eyes."""
    return isinstance(fact, _PRIVATE)


def pinged_at(match: Match, account: Account) -> To:
    """Where somebody is called: the first place that the match is shown at on their platform, else privately.

    Where it is shown in the conversation with them, and that is called as they are, it is there.
    """
    places = [place for place in match.addresses if place.platform == account.platform]
    return next((place for place in places if place.place == account.uid), next(iter(places), account))


def final(fact: Fact) -> bool:
    """Whether a fact is the end of its match, which is shown whatever follows."""
    return not fact.match.live


def _elsewhere(match: Match) -> Iterable[Account]:
    platforms = {place.platform for place in match.addresses}
    return (account for account in match.people() if account.platform not in platforms)


def filed(to: To) -> Address:
    """Under which address it is remembered what somebody was told; no platform's places are called like that."""
    return to if isinstance(to, Address) else Address(to.platform, f"account/{to.uid}")


def here(to: To) -> str:
    """A short name of somebody told, for logs and rates."""
    return f"{to.platform}:{to.place}" if isinstance(to, Address) else f"{to.platform}:@{to.uid}"
