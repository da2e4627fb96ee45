"""Engines at the table: an engine is a player with an account on the platform `engine`.

Its account says how strong it is, and which of several at one table it is: `engine:5`, `engine:5.2`. An engine
that is asked for sits down at once; it acts by ordinary requests.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Final

from play.people import Account, Player

if TYPE_CHECKING:
    from play.match import Match
    from rules.core import Seat

PLATFORM: Final = "engine"
"""The platform of engines' accounts."""

WEAKEST: Final = 1
STRONGEST: Final = 8

SEVERAL: Final = 10
"""Engines of one level at one table, at most."""

_UID: Final = re.compile(r"([a-z0-9]{1,16})(?:\.([2-9]|10))?\Z", re.ASCII)


def is_engine(account: Account) -> bool:
    """Whether it is an engine's account."""
    return account.platform == PLATFORM


def kind_of(account: Account) -> str | None:
    """Which engine it is: the number of a level, or the name of a program from outside; None where it is no engine."""
    found = _UID.match(account.uid) if is_engine(account) else None
    return found[1] if found else None


def number_of(account: Account) -> int:
    """Which of several such engines at one table it is, counted from 1."""
    found = _UID.match(account.uid) if is_engine(account) else None
    return int(found[2]) if found and found[2] else 1


def only_engines(match: Match, seats: Iterable[Seat]) -> bool:
    """Whether only engines sit in some seats of a match."""
    players = [match.chairs[seat].player for seat in seats]
    return all(player is not None and is_engine(player.account) for player in players)


def plays_alone(match: Match) -> bool:
    """Whether one person sits at a table of engines."""
    seated = {chair.player.account for chair in match.chairs if chair.player}
    return len(seated) > 1 and sum(not is_engine(account) for account in seated) == 1


def engine(kind: str | int, taken: Container[Account] = ()) -> Player:
    """Return an engine that does not sit at the table yet.

    Args:
        kind: The number of a level, or the name of a program from outside.
        taken: Who sits there.
    """
    accounts = (
        Account(PLATFORM, f"{kind}.{number}" if number > 1 else str(kind)) for number in range(1, SEVERAL + 1)
    )
    account = next(account for account in accounts if account not in taken)
    number = number_of(account)
    return Player(account, f"Klop {kind}" if number == 1 else f"Klop {kind} ({number})")


def accounts() -> tuple[Account, ...]:
    """Every account that an engine with a level can have."""
    return tuple(
        Account(PLATFORM, f"{level}.{number}" if number > 1 else str(level))
        for level in range(WEAKEST, STRONGEST + 1)
        for number in range(1, SEVERAL + 1)
    )
