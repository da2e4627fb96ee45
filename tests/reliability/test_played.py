"""How the proofs judge what a chat shows: a board that a kill left, and one that the bot forgot to fold."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tests.reliability.bot_process import BotProcess
from tests.reliability.chats import Chat
from tests.reliability.going_on import AgainstEngine
from tests.reliability.tally import Tally
from tests.support.faults import ARCHIVING, POINTS, Place, plant

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


def test_a_merged_board_of_any_game_tells_what_its_twin_told() -> None:
    """Klopodavka has the name of the engine in it."""
    chat = Shown()
    played = AgainstEngine(chat, Tally(), random.Random(1))
    title = "Klopodavka (board: 8×8) · #aaaaaa"
    chat.history.append((1, f"Ann: a2 b3 c2\n{title}\nTurn: Bob — 3 actions left"))
    played.runs.append(1)
    chat.history.append((2, f"Ann: a2 b3 c2\nBob: g8 f7 f6\n{title}\nTurn: Ann — 3 actions left"))
    assert played.twins == {1: 2}
    assert played.stale == 1  # the newest board


def test_who_plays_the_same_twice_is_told_of_twice() -> None:
    chat = Shown()
    played = AgainstEngine(chat, Tally(), random.Random(1))
    title = "Breakthrough (board: 5×6) · #aaaaaa"
    played.turns = [("Ann", "c2-b3"), ("Bob", "b5-b4"), ("Ann", "c2-b3")]
    for number, (who, moves) in enumerate(played.turns, 1):
        chat.history.append((number, f"{who}: {moves}\n{title}"))
    assert not played.twins
    played.turns.pop()
    assert played.twins == {1: 3}


@pytest.mark.parametrize("place", [*POINTS.values(), *ARCHIVING.values()])
def test_a_fault_can_be_planted_at_every_point(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    function = getattr(place.owner, place.function)
    plant(place, lambda: None, monkeypatch.setattr)
    assert getattr(place.owner, place.function) is not function
