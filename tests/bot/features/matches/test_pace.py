"""What the card of an invitation says that its clock means, before one accepts."""

from __future__ import annotations

from datetime import time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.settings import Settings
from play.time.calendar import slowest
from play.time.clock import Clock, Now, Times, completed, deadline
from play.time.week import ALL_DAY, Week
from rules.core import Seat
from tests.bot.world import ANN, BOB, NOON, World
from tests.support.stores import set_settings

KYIV = Week(zone="Europe/Kyiv")  # 15 hours a day
SHORT = Week(time(9), time(21), zone="Europe/Berlin")  # 12
WEEKS = st.builds(
    Week,
    st.builds(time, st.integers(5, 10), st.sampled_from([0, 30])),
    st.builds(time, st.integers(19, 23)),
    st.sets(st.integers(0, 6), max_size=3).map(lambda days: tuple(sorted(days))),
    st.sampled_from(["UTC", "Europe/Kyiv", "America/Los_Angeles", "Pacific/Auckland"]),
)
HOURS = st.integers(1, 200).map(lambda hours: timedelta(hours=hours))


HEADS = ("Awake hours", "Rated, so", "At the slowest")


async def card(world: World, line: str) -> str:
    views = [said.view for said in await world.say(ANN, line)]
    return next((text for view in views for text in view.lines if text.startswith(HEADS)), "")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bob lgame clock:3d", "At the slowest: 3 days a move, 6 months for 30 moves each."),
        (
            "bob lgame clock:3d awake",
            "Awake hours a day: ann 15, bob 12. At the slowest: 5 days a move, 11 months for 30 moves each.",
        ),
        (
            "bob lgame clock:3d awake rated:yes",
            "Rated, so all have about as many awake hours a day: 12.",
        ),
        ("bob lgame clock:3d pause:weekend", "At the slowest: 4 days a move, 8 months for 30 moves each."),
        ("bob lgame clock:10d+1d", "At the slowest: 3 months for 30 moves each."),
        ("bob lgame clock:1h", "At the slowest: 12 moves a day each, 2 days for 30 moves each."),
        ("bob lgame clock:3d soft", ""),
        ("bob lgame", ""),
        ("lgame clock:3d awake rated:yes", "Rated, so the longer awake day is cut to about the shorter one."),
        ("lgame clock:12h awake", "Awake hours a day: ann 15."),
    ],
)
async def test_the_card_says_what_the_clock_means(line: str, said: str) -> None:
    world = World()
    await set_settings(world.store, ANN.account, Settings(week=KYIV))
    await set_settings(world.store, BOB.account, Settings(week=SHORT))
    shown = await card(world, f"/challenge {line}")
    assert said in shown
    assert bool(said) == bool(shown)
    again = await world.say(BOB, "/board")
    assert any(shown in view.view.lines for view in again) or not shown


@given(st.lists(WEEKS, min_size=1, max_size=4), HOURS, st.none() | HOURS)
def test_the_slowest_match_is_one_in_which_all_use_their_time(
    weeks: list[Week], initial: timedelta, increment: timedelta | None
) -> None:
    clock = Clock(initial, increment, None if increment is None else timedelta(days=400))
    at, moves, entries = NOON, 4, 0
    played = Times((initial,) * len(weeks), Seat(0), NOON)
    for _ in range(moves):
        for seat, week in enumerate(weeks):
            played = Times(played.left, Seat(seat), at, entries, week=week)
            over = deadline(played, Now(at))
            assert over is not None
            at, entries = over, entries + 1
            played = completed(clock, played, Seat((seat + 1) % len(weeks)), entries, Now(at))
    assert slowest(clock, weeks, moves, NOON) == at - NOON


def test_an_engine_takes_no_time() -> None:
    day = timedelta(days=1)
    assert slowest(Clock(day), (ALL_DAY, None), 30, NOON) == 30 * day


async def test_a_rated_match_gives_both_the_hours_that_its_card_tells() -> None:
    world = World()
    await set_settings(world.store, ANN.account, Settings(week=KYIV))
    await set_settings(world.store, BOB.account, Settings(week=SHORT))
    await world.say(ANN, "/challenge bob breakthrough clock:3d awake rated:yes")
    await world.say(BOB, "/accept")
    days = []
    for who, move in ((ANN, "a2-a3"), (BOB, "a7-a6")):
        (match,) = world.playing()
        assert match.times is not None
        assert match.times.week is not None
        days.append(match.times.week.day)
        await world.say(who, f"/move {move}")
    assert days == [timedelta(hours=13, minutes=12), SHORT.day]
