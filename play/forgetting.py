"""Forgetting a person: their matches keep what was played, without their name."""

from __future__ import annotations

from contextlib import suppress

from play.actions.renaming import Forget
from play.counting import count, seated
from play.errors import BadLog, BadRequest
from play.facts import CalledOff, Departed, LeftLobby, Renamed
from play.request import Request
from play.table import Table


async def forget(table: Table, match_id: str, request: Request) -> CalledOff | LeftLobby | Departed | Renamed:
    """Take the player who asks out of a match; see `Forget`.

    What is to be counted for their rating is counted before and at once, so that nothing of theirs is written later.
    """
    people = await seated(table, await table.get(match_id))
    with suppress(BadLog, BadRequest):  # what cannot be replayed cannot be counted
        await count(table, match_id)
    fact = await table.act(match_id, Forget(), request)
    with suppress(BadLog, BadRequest):
        await count(table, match_id, people)
    return fact
