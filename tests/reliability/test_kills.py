"""Bots killed at every point of their work: no move is lost, doubled or left unannounced, and they are back at once.

What happened is judged by what people see in their chats.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from tests.reliability.chats import PLATFORMS, Chat
from tests.reliability.conftest import Figure
from tests.reliability.played import AgainstEngine, Tally
from tests.reliability.scenario import WITH_TIMERS, Scenario, places
from tests.support.faults import ARCHIVING, POINTS, Place, plant
from tests.support.servers import redis_server

PARTS: Final = 20
KILLS: Final = 25  # of a part
POINTS_ONCE: Final = len(POINTS) + 1

_slow, _long = pytest.mark.slow, pytest.mark.reliability
_SIZES: Final = [
    pytest.param((0, POINTS_ONCE), id="short", marks=_slow),
    *(pytest.param((part, KILLS), id=f"full-{part}", marks=[_slow, _long]) for part in range(PARTS)),
]
"""The full size comes in parts, each with its seeds, which can be run one by one: `-k "kills and telegram and full-7"`."""


@pytest.fixture(scope="module")
def sums() -> dict[str, Tally]:
    """What all parts found that were run, by platform."""
    return {}


@pytest.mark.parametrize("size", _SIZES)
@pytest.mark.parametrize("name", PLATFORMS)
async def test_killed_bots(
    name: str, size: tuple[int, int], sums: dict[str, Tally], figure: Figure, tmp_path: Path
) -> None:
    tally = Tally()
    part, number = size
    points = list(islice(places(), part * KILLS, part * KILLS + number))
    timed = [point for point in points if point in WITH_TIMERS]
    others = [point for point in points if point not in WITH_TIMERS]
    half = len(points) // 2 - len(timed)
    try:
        async with AsyncExitStack() as stack:
            # A server that outlives its bots, and the bot's own, which goes with it.
            server = stack.enter_context(redis_server(tmp_path / "server"))

            async def one(seed: int, socket: Path | None, points: list[str]) -> None:
                platform = await stack.enter_async_context(PLATFORMS[name]())
                scenario = Scenario(platform, socket, tmp_path / f"bot{seed}", seed, tally)
                for point in points:
                    await scenario.killed_at(point)
                await scenario.finish()

            async with asyncio.TaskGroup() as group:
                group.create_task(one(2 * part, server, [*timed, *others[:half]]))
                group.create_task(one(2 * part + 1, None, others[half:]))
    finally:
        total = sums.setdefault(name, Tally())
        total.add(tally)
        figure(_figures(f"kills, {name}, part {part}", tally))
        if total.kills != tally.kills:
            figure(_figures(f"kills, {name}, all parts so far", total))
    assert tally.kills.total() == len(points)
    tally.check()
    assert tally.sent_too_often == 0
    assert tally.sent_again + tally.orphans <= tally.kills.total()


def _figures(what: str, tally: Tally) -> str:
    return (
        f"{what}: {tally.kills.total()} at {len(tally.kills)} points, {tally.requests} requests and"
        f" {tally.repeated} rounds of them repeated, {tally}, {tally.sent_too_often} too often; what waited was shown"
        f" {_times(tally.back)} after the start of the process and {_times(tally.shown)} after it was connected"
        f" (load {os.getloadavg()[0]:.0f}); refused: {dict(tally.refused)}"
    )


def _times(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.1f} s (median), {max(seconds):.1f} s (longest)" if seconds else "never"


# How the proofs judge what a chat shows: a board that a kill left, and one that the bot forgot to fold.


TITLE: Final = "Breakthrough (board: 4×5) · #aaaaaa"
FIRST: Final = 1, f"Ann: a2-a3\n{TITLE}\nTurn: Klop, level 1"
SECOND: Final = 2, f"Ann: b2-b3\nKlop, level 1: c4-c3\n{TITLE}\nTurn: Ann"
OVER: Final = 2, f"Ann won.\n{TITLE}"
KLOPODAVKA: Final = "Klopodavka (board: 8×8) · #aaaaaa"  # the name of the engine is in it
BUGS: Final = 1, f"Ann: a2 b3 c2\n{KLOPODAVKA}\nTurn: Bob — 3 actions left"
MERGED: Final = 2, f"Ann: a2 b3 c2\nBob: g8 f7 f6\n{KLOPODAVKA}\nTurn: Ann — 3 actions left"


class Shown(Chat):
    """A chat that shows what it is given."""

    history: list[tuple[int, str]] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.history = []


@pytest.mark.parametrize(
    ("messages", "stale", "orphans", "twins"),
    [
        ((FIRST, SECOND, OVER), 1, set(), {}),
        ((FIRST, None, SECOND, OVER), 0, {1}, {}),  # the last before a kill is excused
        ((FIRST, SECOND, None, OVER), 1, set(), {}),
        ((FIRST, None, SECOND, FIRST, OVER), 1, set(), {}),  # one that a later run changes was known
        ((BUGS, None, MERGED), 1, {1}, {1: 2}),  # a merged board tells what its twin told
    ],
)
def test_what_a_kill_leaves_is_told_from_what_a_bot_forgets(
    messages: Sequence[tuple[int, str] | None], stale: int, orphans: set[int], twins: dict[int, int]
) -> None:
    chat = Shown()
    played = AgainstEngine(chat, Tally(), random.Random(1))
    for message in messages:
        if message:
            chat.history.append(message)
        else:
            played.runs.append(len(chat.history))
    assert (played.stale, played.orphans, played.twins) == (stale, orphans, twins)


def test_who_plays_the_same_twice_is_told_of_twice() -> None:
    chat = Shown()
    played = AgainstEngine(chat, Tally(), random.Random(1))
    played.turns = [("Ann", "c2-b3"), ("Bob", "b5-b4"), ("Ann", "c2-b3")]
    for number, (who, moves) in enumerate(played.turns, 1):
        chat.history.append((number, f"{who}: {moves}\n{TITLE}"))
    assert not played.twins
    played.turns.pop()
    assert played.twins == {1: 3}


@pytest.mark.parametrize("place", [*POINTS.values(), *ARCHIVING.values()])
def test_a_fault_can_be_planted_at_every_point(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    function = getattr(place.owner, place.function)
    plant(place, lambda: None, monkeypatch.setattr)
    assert getattr(place.owner, place.function) is not function
