"""Vacations that are planned ahead: their days, the clocks that they stop, and how they are changed and withdrawn."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from play.errors import BadRequest, Refused, WrongPhase
from play.facts import Reminded, VacationEnded, VacationUsed
from play.request import Request
from play.settings import PlannedVacation, Vacation, as_of, on_vacation
from play.time.clock import Now, deadline
from play.time.vacation import (
    BUDGET,
    budget_left,
    end_vacation,
    ended,
    plan_vacation,
    planned,
    take_vacation,
    taken,
    withdrawn,
)
from tests.support.desk import ANN, BOB, Desk

D, HOUR = timedelta(days=1), timedelta(hours=1)
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
CHRISTMAS = datetime(2026, 12, 24, tzinfo=UTC)
NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)


def test_a_plan_for_january_neither_uses_up_nor_resets_the_days_of_december() -> None:
    spent = Vacation(2026, 12 * D)
    days = planned(spent, NEW_YEAR, NEW_YEAR + 10 * D, NOW)
    assert budget_left(days, NOW) == 18 * D
    assert budget_left(days, NEW_YEAR - HOUR) == 18 * D
    assert budget_left(days, NEW_YEAR + D) == 20 * D
    days = taken(days, 5 * D, NOW)
    assert budget_left(days, NOW) == 13 * D
    assert on_vacation(days, NEW_YEAR + D) == (NEW_YEAR, NEW_YEAR + 10 * D)


def test_a_vacation_over_new_year_counts_for_the_year_in_which_it_begins() -> None:
    days = planned(Vacation(2026, 15 * D), CHRISTMAS, CHRISTMAS + 15 * D, NOW)
    assert budget_left(days, NOW) == timedelta()
    assert budget_left(days, CHRISTMAS + D) == timedelta()
    assert ended(days, NEW_YEAR).spent == (15 + 8) * D
    assert budget_left(days, NEW_YEAR + 10 * D) == BUDGET


def test_the_year_is_that_of_the_person() -> None:
    midnight = datetime(2026, 12, 31, 22, tzinfo=UTC)
    assert planned(None, midnight, midnight + D, NOW, "Europe/Kyiv").plan == PlannedVacation(
        midnight, midnight + D, 2027, "Europe/Kyiv"
    )
    assert planned(None, midnight, midnight + D, NOW, "Europe/London").plan == PlannedVacation(
        midnight, midnight + D, 2026, "Europe/London"
    )


def test_another_plan_takes_the_place_of_the_first() -> None:
    first = planned(None, CHRISTMAS, CHRISTMAS + 20 * D, NOW)
    second = planned(first, CHRISTMAS + D, CHRISTMAS + 26 * D, NOW)
    assert budget_left(second, NOW) == 5 * D
    assert withdrawn(second, NOW) == Vacation(2026)
    with pytest.raises(WrongPhase):
        withdrawn(second, CHRISTMAS + D)


def test_what_touches_the_vacation_under_way_makes_it_longer() -> None:
    present = taken(None, 5 * D, NOW)
    longer = planned(present, NOW + 5 * D, NOW + 8 * D, NOW + D)
    assert longer == Vacation(2026, 8 * D, NOW, NOW + 8 * D)
    assert planned(longer, NOW + 5 * D, NOW + 8 * D, NOW + D) == longer, "asked again"
    apart = planned(present, NOW + 6 * D, NOW + 8 * D, NOW + D)
    assert (apart.until, apart.plan and apart.plan.since) == (NOW + 5 * D, NOW + 6 * D)
    assert ended(apart, NOW + D).plan == apart.plan


@pytest.mark.parametrize(
    ("since", "until", "reason"),
    [
        (CHRISTMAS, CHRISTMAS, Refused.VACATION_BACKWARDS),
        (CHRISTMAS, CHRISTMAS + 31 * D, Refused.VACATION_SPENT),
        (NOW + 367 * D, NOW + 368 * D, Refused.VACATION_FAR),
    ],
)
def test_what_cannot_be_planned(since: datetime, until: datetime, reason: Refused) -> None:
    with pytest.raises(BadRequest) as caught:
        planned(None, since, until, NOW)
    assert caught.value.reason is reason


def test_days_from_now_on_end_before_the_planned_ones() -> None:
    days = planned(None, NOW + 3 * D, NOW + 9 * D, NOW)
    with pytest.raises(BadRequest) as caught:
        taken(days, 3 * D + HOUR, NOW)
    assert (caught.value.reason, caught.value.fields) == (Refused.VACATION_OVERLAPS, {"left": 3 * D})
    assert taken(days, 3 * D, NOW).plan == days.plan


DO = {
    "take": lambda vacation, at, one, other: taken(vacation, one, at),
    "plan": lambda vacation, at, one, other: planned(vacation, at + one, at + one + other, at),
    "end": lambda vacation, at, one, other: ended(vacation, at),
    "withdraw": lambda vacation, at, one, other: withdrawn(vacation, at),
}
HOURS = st.integers(1, 700).map(HOUR.__mul__)


@given(st.lists(st.tuples(st.integers(0, 20 * 24), st.sampled_from(sorted(DO)), HOURS, HOURS), max_size=15))
@example([(2049, "plan", HOUR, 158 * HOUR), (159, "take", 563 * HOUR, HOUR)])  # at midnight of the new year
def test_no_year_has_more_days_than_its_budget(
    acts: list[tuple[int, str, timedelta, timedelta]],
) -> None:
    """The oracle is when each hour away had begun to be one of a vacation, counted one by one."""
    vacation: Vacation | None = None
    at, hours = datetime(2026, 10, 1, tzinfo=UTC), Counter[int]()
    for wait, act, one, other in [*acts, (60 * 24, "end", HOUR, HOUR)]:
        for _ in range(wait):
            if span := on_vacation(vacation, at):
                hours[span[0].year] += 1
            at += HOUR
        with suppress(BadRequest, WrongPhase):
            vacation = DO[act](vacation, at, one, other)
    assert all(count * HOUR <= BUDGET for count in hours.values())
    if now := as_of(vacation, at):
        assert now.spent == hours[now.year] * HOUR


async def test_a_planned_vacation_stops_the_clock_from_its_beginning_on(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    since, until = desk.now + 2 * D, desk.now + 12 * D
    before = deadline_of(desk, await desk.table.get(match.id))
    _, (used,) = await plan_vacation(desk.table, Request(ANN, desk.now), since, until)
    assert (used.match.id, used.planned and used.planned.since, used.until) == (match.id, since, until)
    assert used.deadline == before + 10 * D
    facts = await desk.wait(2 * D + HOUR)
    assert [type(fact) for fact in facts] == [Reminded]
    assert await desk.wait(10 * D - 2 * HOUR) == [], "no reminder, and no loss within it"
    facts = await desk.wait(D + 2 * HOUR)
    assert isinstance(facts[-1], VacationUsed)
    assert facts[-1].automatic, "the time is up where it was said to be"


async def test_each_match_knows_of_it(desk: Desk) -> None:
    """Under way without the turn, without vacations, and begun after it was planned."""
    waiting = await desk.duel(clock="3d vacation")
    strict = await desk.duel(clock="3d")
    since, until = desk.now + D, desk.now + 5 * D
    _, told = await plan_vacation(desk.table, Request(BOB, desk.now), since, until)
    assert [(fact.match.id, fact.deadline) for fact in told] == [(waiting.id, None)]
    later = await desk.duel(clock="3d vacation")
    for match, days in ((waiting, 4), (strict, 0), (later, 4)):
        played = await desk.play(match, "a2-a3")
        assert deadline_of(desk, played) == desk.now + (3 + days) * D


async def test_it_is_changed_and_withdrawn_before_it_begins(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    start = deadline_of(desk, match)
    for first, last in ((1, 6), (2, 9), (2, 3)):
        when = desk.now + first * D, desk.now + last * D
        _, (used,) = await plan_vacation(desk.table, Request(ANN, desk.now), *when)
        assert deadline_of(desk, used.match) == start + (last - first) * D
        assert len(used.match.times.away) == 1  # type: ignore[union-attr]
    days = desk.now + 2 * D, desk.now + 3 * D
    assert (await plan_vacation(desk.table, Request(ANN, desk.now), *days))[1] == (), "nothing changes"
    _, (over,) = await end_vacation(desk.table, Request(ANN, desk.now))
    assert (over.planned and over.planned.since, deadline_of(desk, over.match)) == (days[0], start)
    with pytest.raises(WrongPhase):
        await end_vacation(desk.table, Request(ANN, desk.now))


async def test_back_from_one_the_next_is_still_planned(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    start = deadline_of(desk, match)
    await plan_vacation(desk.table, Request(ANN, desk.now), desk.now + 5 * D, desk.now + 7 * D)
    _, (used,) = await take_vacation(desk.table, Request(ANN, desk.now), 5 * D)  # up to the planned one
    assert (used.planned, used.until, used.deadline) == (None, desk.now + 5 * D, start + 7 * D)
    desk.now += D
    days, (back,) = await end_vacation(desk.table, Request(ANN, desk.now))
    assert back.planned is None
    assert days.plan
    assert deadline_of(desk, back.match) == start + D, "the planned one begins after the time is up"
    await desk.refuses(end_vacation(desk.table, Request(ANN, desk.now)), Refused.NOT_ON_VACATION)
    await end_vacation(desk.table, Request(ANN, desk.now), planned=True)
    assert (await desk.store.settings.get(ANN.account)).vacation == replace(days, plan=None)


async def test_what_broke_off_is_done_when_it_is_asked_again(desk: Desk) -> None:
    """The settings were changed, and no match knows."""
    match = await desk.duel(clock="3d vacation")
    since, until = desk.now + 2 * D, desk.now + 12 * D
    await desk.store.settings.change(
        ANN.account, lambda now: replace(now, vacation=planned(None, since, until, desk.now))
    )
    days, told = await plan_vacation(desk.table, Request(ANN, desk.now), since, until)
    assert ([fact.match.id for fact in told], budget_left(days, desk.now)) == ([match.id], 20 * D)
    await desk.store.settings.change(
        ANN.account, lambda now: replace(now, vacation=withdrawn(days, desk.now))
    )
    _, (over,) = await end_vacation(desk.table, Request(ANN, desk.now))
    assert isinstance(over, VacationEnded)
    assert over.match.times
    assert over.match.times.away == ()


async def test_days_that_are_taken_by_themselves_end_where_the_planned_ones_begin(desk: Desk) -> None:
    match = await desk.duel(clock="1d vacation")
    since, until = desk.now + D + 6 * HOUR, desk.now + 5 * D
    await plan_vacation(desk.table, Request(ANN, desk.now), since, until)
    (used,) = [fact for fact in await desk.wait(D + HOUR) if isinstance(fact, VacationUsed)]
    assert (used.automatic, used.until, used.deadline) == (True, since, until)
    await desk.wait(6 * HOUR)
    assert await desk.wait(3 * D) == [], "no reminder in the planned one"
    match = await desk.table.get(match.id)
    assert match.live
    vacation = (await desk.store.settings.get(ANN.account)).vacation
    assert vacation is not None
    assert on_vacation(vacation, desk.now) == (since, until)


async def test_the_29th_of_february(desk: Desk) -> None:
    desk.now = datetime(2028, 2, 27, tzinfo=UTC)
    match = await desk.duel(clock="1d vacation")
    leap = datetime(2028, 2, 29, tzinfo=UTC)
    await plan_vacation(desk.table, Request(BOB, desk.now), leap, leap + D)
    desk.now = leap - 12 * HOUR
    match = await desk.play(match, "a2-a3")
    assert deadline_of(desk, match) == desk.now + 2 * D


def deadline_of(desk: Desk, match: object) -> datetime:
    falls = deadline(match.times, Now(desk.now))  # type: ignore[attr-defined]
    assert falls is not None
    return falls
