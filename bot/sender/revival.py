"""Recipients that can be written to again: the matches that went on meanwhile are shown as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.sender.ports import Recipient
from bot.sender.routing import pinged_at, readers, state_address
from play.errors import Stale
from play.facts import Fact, Reached
from play.match import Match
from play.people import Address
from play.ports import MatchStore
from storage.outgoing import Outgoing

MOST: Final = 10  # boards that are shown; the last one says how many matches more there are


async def reopen(matches: MatchStore, outgoing: Outgoing, to: Recipient) -> None:
    """Send to a recipient again, if that was given up, and first of all the boards that they missed.

    The boards are queued before the mark is cleared: a process that ends in between loses none. If they are queued
    again, none is shown twice: the delivery knows the revision that was shown last. What happens in between is dropped
    by the mark, so those boards are queued after it.

    Raises:
        Unavailable: the store does not answer; the next request tries again.
    """
    if await outgoing.dead(state_address(to)) is None:
        return
    missed = await _missed(matches, outgoing, to)
    for place, match in reversed(list(enumerate(missed[:MOST]))):
        more = 0 if place else max(0, len(missed) - MOST)
        await announce(matches, _reached(match, to, more))
    await outgoing.set_dead(state_address(to), None)
    revisions = {match.id: match.revision for match in missed}
    for match in await _missed(matches, outgoing, to):
        if match.revision != revisions.get(match.id):
            await announce(matches, _reached(match, to))


def _reached(match: Match, to: Recipient, more: int = 0) -> Reached:
    """Return that a recipient can be written to again: the board of a match; of one that has ended meanwhile, the end."""
    where, person = (to, None) if isinstance(to, Address) else (None, to)
    return Reached(match, where, person, more)


async def _missed(matches: MatchStore, outgoing: Outgoing, to: Recipient) -> Sequence[Match]:
    """Return the live matches of a recipient that are not shown there as they are, the latest change first."""
    if isinstance(to, Address):
        live = [match for match in await matches.at(to, over=False) if to in readers(match)]
    else:
        left = (await outgoing.known(state_address(to), to)).chosen[to].left
        live = [match for match in await matches.of(to) if match.live and pinged_at(match, to, left) == to]
    shown = await asyncio.gather(*[outgoing.shown(match.id, state_address(to)) for match in live])
    return [
        match
        for match, known in zip(live, shown, strict=True)
        if known is None or known.revision < match.revision
    ]


async def announce(matches: MatchStore, fact: Fact) -> None:
    """Queue a fact about a match as it is, with the match as it is by then."""
    while True:
        try:
            return await matches.announce(fact)
        except Stale as newer:
            fact = replace(fact, match=newer.match)
