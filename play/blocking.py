"""Blocks: two people, one of whom has blocked the other, begin no match together and ask each other nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from play.engine_players import is_engine
from play.errors import NotAllowed, Refused
from play.people import Account, is_forgotten
from play.ports import SettingsStore
from play.settings import Settings


async def check_blocks(store: SettingsStore, who: Account, others: Iterable[Account]) -> None:
    """Check that a person may meet or ask others.

    Raises:
        NotAllowed: one of them has blocked the other.
    """
    met = [
        one for one in dict.fromkeys(others) if one != who and not is_engine(one) and not is_forgotten(one)
    ]
    if not met:
        return
    own, *theirs = await store.get_many(who, *met)
    for account, chosen in zip(met, theirs, strict=True):
        for player in own.blocked:
            if player.account in (account, *chosen.others):
                raise NotAllowed(Refused.YOU_BLOCKED, name=player.name)
        if _blocks(chosen, who, own):
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


def _blocks(chosen: Settings, who: Account, own: Settings) -> bool:
    accounts = {who, *own.others}
    return any(player.account in accounts for player in chosen.blocked)
