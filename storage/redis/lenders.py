"""What is known of the keys of lent computers: a hash for each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from storage import keys
from storage.client import Connection, pairs
from storage.timestamps import from_micros, to_micros

LAST: Final = 20  # verdicts of spot checks that are kept, a letter each


@dataclass(frozen=True, slots=True)
class LenderRecord:
    """What a key did with its jobs.

    Attributes:
        given: How many jobs it got.
        answered: How many results it sent, wrong ones too.
        unanswered: The jobs that it got since its last result and did not give back; those under way are among them.
        waited: For how many of these in a row it has had to wait.
        verdicts: The last spot checks of its results, the latest last; a letter each, of which the store knows nothing.
        suspended: Since when it is suspended; None if it is not.
        why: The result for which it is.
    """

    given: int = 0
    answered: int = 0
    unanswered: int = 0
    waited: int = 0
    verdicts: str = ""
    suspended: datetime | None = None
    why: str = ""


class RedisLenders:
    """The records of keys, by their ids. Every method may raise `Unavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(self, lender_id: str) -> LenderRecord:
        """Return the record of a key."""
        found = await self._connection.command("HGETALL", keys.lender_key(lender_id))
        held = {bytes(name).decode(): bytes(value).decode() for name, value in pairs(found)}
        suspended = held.get("suspended")
        return LenderRecord(
            given=int(held.get("given", 0)),
            answered=int(held.get("answered", 0)),
            unanswered=int(held.get("unanswered", 0)),
            waited=int(held.get("waited", 0)),
            verdicts=held.get("verdicts", ""),
            suspended=from_micros(int(suspended)) if suspended else None,
            why=held.get("why", ""),
        )

    async def given(self, lender_id: str) -> None:
        """Count a job that a key got."""
        await self._add(lender_id, given=1, unanswered=1)

    async def returned(self, lender_id: str) -> None:
        """Count a job that a key gave back."""
        await self._add(lender_id, unanswered=-1)

    async def answered(self, lender_id: str, under_way: int) -> None:
        """Count a result of a key that has so many other jobs under way."""
        await self._set(lender_id, unanswered=under_way, waited=0)
        await self._add(lender_id, answered=1)

    async def waits(self, lender_id: str, unanswered: int) -> None:
        """Note that a key waits for so many jobs that it did not answer."""
        await self._set(lender_id, waited=unanswered)

    async def checked(self, lender_id: str, verdict: str) -> str:
        """Add the verdict of a spot check, a letter; return the last ones."""
        verdicts = ((await self.read(lender_id)).verdicts + verdict)[-LAST:]
        await self._set(lender_id, verdicts=verdicts)
        return verdicts

    async def suspend(self, lender_id: str, at: datetime, why: str) -> None:
        """Suspend a key, for good."""
        await self._set(lender_id, suspended=to_micros(at), why=why)

    async def _add(self, lender_id: str, **numbers: int) -> None:
        key = keys.lender_key(lender_id)
        await self._connection.batch([("HINCRBY", key, name, by) for name, by in numbers.items()])

    async def _set(self, lender_id: str, **fields: Any) -> None:
        words = [word for field in fields.items() for word in field]
        await self._connection.command("HSET", keys.lender_key(lender_id), *words)
