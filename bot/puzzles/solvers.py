"""Count of the people who have solved a place's daily puzzle: each once, without names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.puzzles.library import number_of
from bot.puzzles.ports import PuzzleStore
from play.people import Account, Address

KEPT: Final = timedelta(days=4)
"""How long it is known: longer than which puzzle was that of a day."""

MOST: Final = 1000
"""People who are counted for one puzzle at a place."""

_AT_ONCE: Final = 20


class Solvers:
    """The people who have solved a puzzle: a numbered note each, which holds a hash.

    Args:
        store: Where the notes are.
    """

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store

    async def add(self, place: Address, puzzle_id: str, who: Account) -> None:
        """Count a person who has solved it, once, unless they were told the solution."""
        mine = _sign(place, puzzle_id, who)
        if (await self._store.notes.read(_told(mine)))[0] is not None:
            return
        standing = list(await self._standing(place, puzzle_id))
        while mine not in standing and len(standing) < MOST:
            name = _note(place, puzzle_id, len(standing))
            await self._store.notes.write_once(name, mine, keep=KEPT)
            standing += [
                sign for sign in await self._store.notes.read(name) if sign
            ]  # perhaps another came first

    async def tell(self, place: Address, puzzle_id: str, who: Account) -> None:
        """Remember that a person was told the solution."""
        await self._store.notes.write(_told(_sign(place, puzzle_id, who)), "", keep=KEPT)

    async def count(self, place: Address, puzzle_id: str) -> int:
        """How many have solved it."""
        return len(await self._standing(place, puzzle_id))

    async def _standing(self, place: Address, puzzle_id: str) -> Sequence[str]:
        """Return the notes up to the first missing one."""
        found: list[str] = []
        while len(found) < MOST:
            numbers = range(len(found), len(found) + _AT_ONCE)
            for sign in await self._store.notes.read(
                *(_note(place, puzzle_id, number) for number in numbers)
            ):
                if sign is None:
                    return found
                found.append(sign)
        return found


def _note(place: Address, puzzle_id: str, number: int) -> str:
    return f"solved:{place}:{puzzle_id}:{number}"


def _told(sign: str) -> str:
    return f"solved-told:{sign}"


def _sign(place: Address, puzzle_id: str, who: Account) -> str:
    """Return the hash of a person at one puzzle of one place."""
    return f"{number_of(str(place), puzzle_id, str(who)):x}"
