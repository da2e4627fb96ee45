"""How the proofs judge what a chat shows: a board that a kill left, and one that the bot forgot to fold."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tests.reliability.bot_process import BotProcess
from tests.reliability.chats import Chat
from tests.reliability.going_on import AgainstEngine
from tests.reliability.tally import Tally

TITLE = "Breakthrough (board: 4×5) · #aaaaaa"
FIRST = f"Ann: a2-a3\n{TITLE}\nTurn: Klop, level 1"
SECOND = f"Ann: b2-b3\nKlop, level 1: c4-c3\n{TITLE}\nTurn: Ann"
OVER = f"Victory: Ann\n{TITLE}"


class Shown(Chat):
    """A chat that shows what it is given."""

    def __init__(self) -> None:
        self._history: list[tuple[int, str]] = []

    async def say(self, bot: BotProcess, who: int, command: str, text: str = "", code: str = "") -> None:
        raise NotImplementedError

    async def press(self, bot: BotProcess, who: int, code: str, label: str) -> None:
        raise NotImplementedError

    @property
    def history(self) -> list[tuple[int, str]]:
        return self._history

    @property
    def shown(self) -> Sequence[str]:
        return list(dict(self._history).values())


@pytest.mark.parametrize(("killed_after", "stale"), [((), 1), ((1,), 0), ((2,), 1)])
def test_a_board_is_excused_if_it_is_the_last_before_a_kill(killed_after: Sequence[int], stale: int) -> None:
    chat = Shown()
    played = AgainstEngine(chat, Tally(), random.Random(1))
    for number, said in enumerate((FIRST, SECOND), 1):
        chat.history.append((number, said))
        played.runs += [len(chat.history)] * (number in killed_after)
    chat.history.append((2, OVER))
    assert played.stale == stale
    assert len(played.orphans) == 1 - stale


def test_a_board_that_a_later_run_changes_was_known() -> None:
    chat = Shown()
    played = AgainstEngine(chat, Tally(), random.Random(1))
    chat.history.append((1, FIRST))
    played.runs.append(1)
    chat.history.extend([(2, SECOND), (1, FIRST), (2, OVER)])
    assert played.stale == 1
    assert not played.orphans
