"""Reminders: when they come, to whom, and when they do not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from play.actions.leaving import Resign
from play.facts import Fact, Flagged, Reminded
from play.match import Match
from play.people import Player
from play.settings import QuietHours, Settings
from play.time.clock import Now, Outage
from play.time.firing import fire
from play.time.timers import REMIND, heads_up, quiet_until, timers
from tests.support.desk import ANN, BOB, CEM, HOUR, NOON, S2, S3, Desk
from tests.support.storing import set_settings

D = timedelta(days=1)
NIGHT = QuietHours(time(22), time(8), "Europe/Kyiv")


async def choose(desk: Desk, who: Player, **chosen: object) -> Settings:
    settings = replace(Settings(), **chosen)  # type: ignore[arg-type]
    await set_settings(desk.store, who.account, settings)
    return settings


async def heard(desk: Desk, match: Match, length: timedelta) -> list[timedelta]:
    """After how long each reminder comes, until that much has passed."""
    start, hours = desk.now, []
    for _ in range(int(length / HOUR * 4)):
        facts = await desk.wait(HOUR / 4)
        hours += [desk.now - start for fact in facts if isinstance(fact, Reminded)]
    return hours


async def test_at_half_and_at_a_tenth(desk: Desk) -> None:
    await desk.duel(clock="100h")
    facts = await desk.wait(100 * HOUR - timedelta(seconds=1))
    assert [(type(fact), fact.to, fact.left) for fact in facts if isinstance(fact, Reminded)] == [
        (Reminded, ANN.account, 50 * HOUR),
        (Reminded, ANN.account, 10 * HOUR),
    ]
    assert len(facts) == 2


async def test_each_turn_begins_anew(desk: Desk) -> None:
    match = await desk.duel(clock="100h")
    assert await heard(desk, match, 60 * HOUR) == [50 * HOUR]
    match = await desk.play(match, "a2-a3")
    facts = await desk.wait(50 * HOUR)
    assert [fact.to for fact in facts if isinstance(fact, Reminded)] == [BOB.account]
    match = await desk.play(match, "a7-a6", "b2-b3")
    assert [timer.at - desk.now for timer in timers(match, Now(desk.now)) if timer.name == REMIND] == [
        10 * HOUR
    ]


@pytest.mark.parametrize(
    ("shares", "hours"), [((), []), ((75,), [25]), ((99, 20, 20, 1), [10, 80, 99]), ((0, -5), [])]
)
async def test_other_shares(desk: Desk, shares: tuple[int, ...], hours: list[int]) -> None:
    match = await desk.duel(clock="100h")
    await choose(desk, ANN, reminders=shares)
    assert await heard(desk, match, 99 * HOUR) == [n * HOUR for n in hours]


async def test_the_other_persons_choice_is_not_asked(desk: Desk) -> None:
    match = await desk.duel(clock="100h")
    await choose(desk, BOB, reminders=())
    assert await heard(desk, match, 99 * HOUR) == [50 * HOUR, 90 * HOUR]


async def test_not_within_an_hour_of_being_active(desk: Desk) -> None:
    match = await desk.duel(clock="100h")
    await choose(desk, ANN, active=desk.now + 49.5 * HOUR)
    assert await heard(desk, match, 60 * HOUR) == [50.5 * HOUR]


async def test_not_in_quiet_hours(desk: Desk) -> None:
    await desk.duel(clock="24h")  # from 14:00 in Kyiv; half of it is at two in the night
    await choose(desk, ANN, quiet=NIGHT)
    facts: list[Fact] = []
    while not facts:
        facts = await desk.wait(HOUR / 4)
    assert isinstance(facts[0], Reminded)
    assert facts[0].left is not None
    assert facts[0].left < 6 * HOUR + HOUR / 4
    assert desk.now - HOUR / 4 <= datetime(2026, 11, 22, 6, tzinfo=UTC) <= desk.now


async def test_left_out_when_the_time_is_up_before_the_quiet_ends(desk: Desk) -> None:
    await desk.duel(clock="12h")
    await choose(desk, ANN, quiet=QuietHours(time(13), time(3), "UTC"))
    assert [type(fact) for fact in await desk.wait(D)] == [Flagged]


async def test_one_for_several_that_are_owed(desk: Desk) -> None:
    await desk.duel(clock="100h")
    desk.now += 95 * HOUR
    facts = await desk.wait(timedelta())
    assert [fact.left for fact in facts if isinstance(fact, Reminded)] == [5 * HOUR]
    facts = await desk.wait(4 * HOUR)
    assert facts == []


async def test_an_outage_moves_them(desk: Desk) -> None:
    match = await desk.duel(clock="100h")
    desk.table.outages = [Outage(desk.now + 40 * HOUR, desk.now + 45 * HOUR)]
    assert await heard(desk, match, 99 * HOUR) == [55 * HOUR, 95 * HOUR]


async def test_none_without_a_clock(desk: Desk) -> None:
    match = await desk.duel()
    assert timers(match, Now(desk.now))[0].name == "silence"
    assert await fire(desk.table, match.id, REMIND, desk.table.now(desk.now)) is None


@pytest.mark.parametrize(
    ("quiet", "at", "until"),
    [
        (NIGHT, datetime(2026, 11, 21, 19, 59, tzinfo=UTC), None),
        (NIGHT, datetime(2026, 11, 21, 20, tzinfo=UTC), datetime(2026, 11, 22, 6, tzinfo=UTC)),
        (NIGHT, datetime(2026, 11, 22, 1, tzinfo=UTC), datetime(2026, 11, 22, 6, tzinfo=UTC)),
        (NIGHT, datetime(2026, 11, 22, 6, tzinfo=UTC), None),
        (NIGHT, datetime(2026, 7, 1, 4, 59, tzinfo=UTC), datetime(2026, 7, 1, 5, tzinfo=UTC)),
        (QuietHours(time(13), time(15), "UTC"), NOON + 2 * HOUR, NOON + 3 * HOUR),
        (QuietHours(time(13), time(15), "UTC"), NOON, None),
        (QuietHours(time(12), time(12), "UTC"), NOON, None),
        (QuietHours(time(12), time(13), "Nowhere/At_All"), NOON, NOON + HOUR),
        (
            QuietHours(time(0), time(3, 30), "Europe/Kyiv"),
            datetime(2026, 3, 29, 0, 59, tzinfo=UTC),
            datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        ),
    ],
)
def test_quiet_hours(quiet: QuietHours, at: datetime, until: datetime | None) -> None:
    assert quiet_until(quiet, at) == until


async def test_who_is_next(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    told = heads_up(match, desk.table.course(match))
    assert told
    assert (told.seat, told.to) == (S2, BOB.account)
    match = await desk.play(match, "a1 a2")
    told = heads_up(match, desk.table.course(match))
    assert told
    assert told.seat is S3
    match = (await desk.act(match, CEM, Resign())).match
    assert heads_up(match, desk.table.course(match)) is None, "of two, the other is always next"
