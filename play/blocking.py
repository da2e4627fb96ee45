"""Who may meet.

Two people, one of whom has blocked the other, begin no match together and ask each other nothing. A person whom the admins
of a chat keep out takes no seat in a match made there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from play.engine_players import is_engine
from play.errors import NotAllowed, Refused
from play.match import Match
from play.people import Account, Player, is_forgotten
from play.ports import SettingsStore
from play.settings import Settings


async def check_meeting(store: SettingsStore, who: Account, match: Match, *, new: bool = False) -> None:
    """Check that a person may meet or ask the others of a match, and that none who takes a seat is excluded there.

    Args:
        store: The settings of people and chats.
        who: Who asks.
        match: Which match; it was made in the chat of its first address, or the one around that.
        new: Whether it is being made: then all of its people take seats.

    Raises:
        NotAllowed: one of them has blocked the other, or is excluded.
    """
    others = _others(who, match.people())
    if not others:
        return
    chats = [match.addresses[0].chat] if match.addresses else []
    own, *rest = await store.get_many(who, *chats, *others)
    chat, theirs = rest[0] if chats else Settings(), rest[len(chats) :]
    if chat.around:
        chat = await store.get(chat.around)
    if (new or not any(match.seats_of(who))) and listed_in(chat.excluded, {who, *own.others}):
        raise NotAllowed(Refused.YOU_EXCLUDED)
    for account, chosen in zip(others, theirs, strict=True):
        _check_pair((who, own), (account, chosen))
        if new and (out := listed_in(chat.excluded, {account, *chosen.others})):
            raise NotAllowed(Refused.EXCLUDED, name=out.name)


def listed_in(listed: Sequence[Player], accounts: Collection[Account]) -> Player | None:
    """Return the person of a list who has one of these accounts; None if there is none."""
    return next((player for player in listed if player.account in accounts), None)


async def check_blocks(store: SettingsStore, who: Account, others: Iterable[Account]) -> None:
    """Check that a person may meet or ask others.

    Raises:
        NotAllowed: one of them has blocked the other.
    """
    if met := _others(who, others):
        own, *theirs = await store.get_many(who, *met)
        for other in zip(met, theirs, strict=True):
            _check_pair((who, own), other)


def _others(who: Account, accounts: Iterable[Account]) -> list[Account]:
    """Return the people among some accounts, each once, without one."""
    return [
        one for one in dict.fromkeys(accounts) if one != who and not (is_engine(one) or is_forgotten(one))
    ]


def _check_pair(asker: tuple[Account, Settings], other: tuple[Account, Settings]) -> None:
    (who, own), (account, chosen) = asker, other
    if blocked := listed_in(own.blocked, {account, *chosen.others}):
        raise NotAllowed(Refused.YOU_BLOCKED, name=blocked.name)
    if listed_in(chosen.blocked, {who, *own.others}):
        raise NotAllowed(Refused.BLOCKED)


async def blocked_pairs(store: SettingsStore, accounts: Sequence[Account]) -> frozenset[tuple[int, int]]:
    """Return the pairs of some accounts, by their indices, the lower one first, of whom one has blocked the other."""
    chosen = await store.get_many(*accounts)
    mine = {
        account: index
        for index, (first, own) in enumerate(zip(accounts, chosen, strict=True))
        for account in (first, *own.others)
    }
    met = [
        (index, mine[player.account])
        for index, own in enumerate(chosen)
        for player in own.blocked
        if player.account in mine
    ]
    return frozenset((min(pair), max(pair)) for pair in met if pair[0] != pair[1])
