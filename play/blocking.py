"""Blocks: two people, one of whom has blocked the other, begin no match together and ask each other nothing."""

from __future__ import annotations

from collections.abc import Iterable

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


def _blocks(chosen: Settings, who: Account, own: Settings) -> bool:
    accounts = {who, *own.others}
    return any(player.account in accounts for player in chosen.blocked)
