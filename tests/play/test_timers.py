"""Reminders and vacations."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from play.actions.leaving import Resign
from play.errors import BadRequest, Refused, WrongPhase
from play.facts import Flagged, Reminded, TimeIsUp, VacationUsed
from play.match import Match
from play.people import Player
from play.request import Request
from play.settings import QuietHours, Settings, Vacation
from play.time.clock import Now, Outage, away_until, deadline, left
from play.time.timers import REMIND, heads_up, quiet_until, timers
from play.time.vacation import (
    BUDGET,
    budget_left,
    end_vacation,
    ended,
    length_of,
    run_on,
    take_vacation,
    taken,
)
from tests.support.desk import ANN, BOB, CEM, HOUR, NOON, S1, S2, S3, Desk, times
from tests.support.stores import set_settings

# Reminders: when they come, to whom, and when they do not.


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


async def test_not_within_an_hour_of_being_active(desk: Desk) -> None:
    match = await desk.duel(clock="100h")
    await choose(desk, ANN, active=desk.now + 49.5 * HOUR)
    assert await heard(desk, match, 60 * HOUR) == [50.5 * HOUR]


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
            datetime(2026, 3, 29, 1, tzinfo=UTC),  # 3:30 is skipped
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


# Vacation: the budget, the clocks it stops, and the day that is taken by itself.


S = timedelta(seconds=1)


def test_the_budget() -> None:
    first = taken(None, 10 * D, NOON)
    assert first == Vacation(2026, 10 * D, NOON, NOON + 10 * D)
    assert budget_left(first, NOON) == 20 * D
    over = ended(first, NOON + 4 * D)
    assert (over.spent, over.until) == (4 * D, NOON + 4 * D)
    with pytest.raises(WrongPhase):
        ended(over, NOON + 4 * D)
    with pytest.raises(BadRequest) as caught:
        taken(over, 27 * D, NOON + 5 * D)
    assert (caught.value.reason, caught.value.fields) == (
        Refused.VACATION_SPENT,
        {"left": 26 * D, "year": "2026"},
    )
    assert budget_left(over, datetime(2027, 1, 1, tzinfo=UTC)) == BUDGET


def test_asked_again_it_is_not_paid_twice() -> None:
    first = taken(None, 10 * D, NOON)
    assert taken(first, 10 * D, NOON) == first
    longer = taken(first, 20 * D, NOON + 2 * D)
    assert longer == Vacation(2026, 22 * D, NOON, NOON + 22 * D)
    shorter = taken(first, D, NOON + 2 * D)
    assert shorter == Vacation(2026, 3 * D, NOON, NOON + 3 * D)


@pytest.mark.parametrize("text", ["", "x", "0d", "59m", "-1d", "tomorrow"])
def test_what_is_no_length(text: str) -> None:
    with pytest.raises(BadRequest):
        length_of(text)


async def test_it_stops_the_clocks_that_allow_it(desk: Desk) -> None:
    allowed = await desk.duel(clock="3d vacation")
    strict = await desk.duel(clock="30d")
    desk.now += D
    days, told = await take_vacation(desk.table, Request(ANN, desk.now), "10d")
    assert days.until == desk.now + 10 * D
    (used,) = told
    assert (used.match.id, used.seat, used.until, used.automatic) == (allowed.id, S1, days.until, False)
    facts = await desk.wait(10 * D)
    assert facts == [], "no reminder either"
    match = await desk.table.get(allowed.id)
    assert left(times(match), S1, Now(desk.now)) == 2 * D - 2 * S
    facts = await desk.wait(2 * D)
    assert isinstance(facts[-1], VacationUsed)
    assert facts[-1].automatic
    assert (await desk.table.get(strict.id)).times.away == ()  # type: ignore[union-attr]


async def test_back_before_its_end(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    await take_vacation(desk.table, Request(ANN, desk.at), 10 * D)
    desk.now += 2 * D - S
    days, told = await end_vacation(desk.table, Request(ANN, desk.at))
    assert days.spent == 2 * D
    assert [fact.match.id for fact in told] == [match.id]
    assert deadline(times(told[0].match), Now(desk.now)) == desk.now + 3 * D - S
    with pytest.raises(WrongPhase):
        await end_vacation(desk.table, Request(ANN, desk.at))


async def test_a_day_is_taken_before_a_loss_and_then_another(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    facts = [fact for fact in await desk.wait(3 * D) if not isinstance(fact, Reminded)]
    (used,) = facts
    assert isinstance(used, VacationUsed)
    assert (used.seat, used.until, used.automatic, used.deadline) == (S1, desk.now + D, True, desk.now + D)
    assert used.most == desk.now + 30 * D
    facts = [fact for fact in await desk.wait(40 * D) if not isinstance(fact, Reminded)]
    assert [type(fact) for fact in facts] == [VacationUsed, Flagged], (
        "each day is not told again, the last one is"
    )
    last = facts[0]
    assert isinstance(last, VacationUsed)
    assert (last.until, last.deadline, last.most) == (used.most, used.most, None)
    assert facts[-1].match.log == match.log
    settings = await desk.store.settings.get(ANN.account)
    assert settings.vacation
    assert settings.vacation.spent == BUDGET


async def test_reminders_come_while_days_are_taken(desk: Desk) -> None:
    await desk.duel(clock="1d vacation")
    await desk.wait(D + S)
    facts = [fact for fact in await desk.wait(2 * D) if isinstance(fact, Reminded)]
    tenth = D / 10
    assert [(fact.to, fact.left) for fact in facts] == [(ANN.account, D / 2), (ANN.account, tenth)] * 2


async def test_the_last_day_is_told_as_such_where_it_is_the_first(desk: Desk) -> None:
    await desk.duel(clock="3d vacation")
    await set_settings(desk.store, ANN.account, Settings(vacation=Vacation(2026, BUDGET - 5 * HOUR)))
    facts = [fact for fact in await desk.wait(4 * D) if not isinstance(fact, Reminded)]
    assert [type(fact) for fact in facts] == [VacationUsed, Flagged]
    assert isinstance(facts[0], VacationUsed)
    assert (facts[0].automatic, facts[0].most) == (True, None)


async def test_days_of_the_next_year_count_too(desk: Desk) -> None:
    desk.now = datetime(2026, 12, 20, tzinfo=UTC)
    await desk.duel(clock="1d vacation")
    facts = [fact for fact in await desk.wait(100 * D) if not isinstance(fact, Reminded)]
    assert [type(fact) for fact in facts] == [VacationUsed, VacationUsed, Flagged]
    assert isinstance(facts[0], VacationUsed)
    assert isinstance(facts[1], VacationUsed)
    assert facts[0].most == facts[1].until


async def test_several_matches_are_told_of_the_first_day_and_of_the_last(desk: Desk) -> None:
    codes = []
    for _ in range(3):
        codes.append((await desk.duel(clock="3d vacation")).id)
        desk.now += HOUR
    facts = [fact for fact in await desk.wait(60 * D) if not isinstance(fact, Reminded)]
    for code in codes:
        told = [fact for fact in facts if fact.match.id == code]
        assert [type(fact) for fact in told] == [VacationUsed, VacationUsed, Flagged]
        used = [fact for fact in told if isinstance(fact, VacationUsed)]
        assert all(fact.automatic for fact in used)
        assert used[0].most == used[1].deadline


async def test_days_that_were_asked_for_meanwhile_are_told_and_what_follows_them(desk: Desk) -> None:
    await desk.duel(clock="1d vacation")
    await desk.wait(D + HOUR)
    _, (used,) = await take_vacation(desk.table, Request(ANN, desk.at), 10 * D)
    assert (used.automatic, used.until) == (False, desk.now + 10 * D)
    facts = [fact for fact in await desk.wait(11 * D) if not isinstance(fact, Reminded)]
    assert [(type(fact), fact.automatic) for fact in facts if isinstance(fact, VacationUsed)] == [
        (VacationUsed, True)
    ]


async def test_days_that_save_a_match_are_not_given_back_before_a_move(desk: Desk) -> None:
    match = await desk.duel(clock="1d vacation")
    await desk.wait(D + HOUR)
    ending = end_vacation(desk.table, Request(ANN, desk.at))
    await desk.refuses(ending, Refused.VACATION_SAVES, code=f"#{match.id}")
    await desk.play(match, "a2-a3")
    days, _ = await end_vacation(desk.table, Request(ANN, desk.at))
    assert days.spent < 2 * HOUR


async def test_each_turn_that_begins_during_a_vacation_stands_still_at_once(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    days, _ = await take_vacation(desk.table, Request(BOB, desk.at), 5 * D)
    match = await desk.play(match, "a2-a3", "a7-a6", "b2-b3")
    assert days.until
    assert deadline(times(match), Now(desk.now)) == days.until + 3 * D
    await end_vacation(desk.table, Request(BOB, desk.at))
    match = await desk.table.get(match.id)
    assert away_until(times(match), desk.now) is None
    match = await desk.play(match, "b7-b6", "c2-c3")
    assert deadline(times(match), Now(desk.now)) == desk.now + 3 * D


async def test_a_clock_without_vacation_runs_on(desk: Desk) -> None:
    await desk.duel(clock="3d vacation")
    strict = await desk.duel(clock="3d")
    await take_vacation(desk.table, Request(ANN, desk.at), 10 * D)
    assert [match.id for match in await run_on(desk.table, ANN.account)] == [strict.id]
    facts = await desk.wait(4 * D)
    assert [type(fact) for fact in facts] == [Reminded, Reminded, Flagged]
    assert await run_on(desk.table, ANN.account) == (), "it is over"


async def test_no_day_is_used_up_where_it_would_stop_no_clock(desk: Desk) -> None:
    await desk.refuses(take_vacation(desk.table, Request(ANN, desk.at), "10d"), Refused.VACATION_NOWHERE)
    match = await desk.duel(clock="3d")
    await desk.duel()
    await desk.refuses(take_vacation(desk.table, Request(ANN, desk.at), "10d"), Refused.VACATION_NOWHERE)
    assert (await desk.store.settings.get(ANN.account)).vacation is None
    await desk.act(match, BOB, Resign())
    stopped = await desk.duel(clock="3d vacation")
    await take_vacation(desk.table, Request(ANN, desk.at), "10d")
    await desk.act(stopped, ANN, Resign())
    days, _ = await take_vacation(desk.table, Request(ANN, desk.at), "5d")
    assert days.until == desk.now + 5 * D, "one that is under way can be made shorter"


async def test_no_days_left_no_mercy(desk: Desk) -> None:
    await desk.duel(clock="3d vacation soft")
    await set_settings(desk.store, ANN.account, Settings(vacation=Vacation(2026, BUDGET)))
    facts = await desk.wait(3 * D)
    assert isinstance(facts[-1], TimeIsUp)
