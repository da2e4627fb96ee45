"""Answers that wait for their turn: a handful of each person in a chat. Of more the oldest ones are left out."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from enum import Enum, auto
from typing import Any, Final, TypeAlias

from play.people import Account

HANDFUL: Final = 5  # answers to one person that wait in one chat

Whose: TypeAlias = tuple[Account, int | str]
"""A person, and the chat that they are answered in."""


class Turn(Enum):
    """What became of an answer that waited."""

    CAME = auto()
    LATE = auto()  # it waited for too long
    LEFT_OUT = auto()
    FIRST_LEFT_OUT = auto()  # so the person is to know of it


class PendingAnswers:
    """The answers that wait for their turn. Boards are not among them: those are the sender's."""

    def __init__(self) -> None:
        self._waiting: dict[Whose, deque[asyncio.Task[bool]]] = {}
        self._noticed: set[Whose] = set()

    async def wait(self, whose: Whose, turn: Coroutine[Any, Any, bool]) -> Turn:
        """Wait for a turn, which may come too late, unless newer answers to the person take its place."""
        task = asyncio.create_task(turn)
        mine = self._waiting.setdefault(whose, deque())
        mine.append(task)
        if len(mine) > HANDFUL:
            mine.popleft().cancel()
        try:
            return Turn.CAME if await asyncio.shield(task) else Turn.LATE
        except asyncio.CancelledError:
            if not task.cancelled():  # this very request is cancelled
                task.cancel()
                raise
            first = whose not in self._noticed
            self._noticed.add(whose)
            return Turn.FIRST_LEFT_OUT if first else Turn.LEFT_OUT
        finally:
            if task in mine:
                mine.remove(task)
            if not mine and self._waiting.get(whose) is mine:
                del self._waiting[whose]
                self._noticed.discard(whose)
