"""Vacation: the budget, the clocks it stops, and the day that is taken by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from play.clock import deadline, left
from play.errors import BadRequest, Refused, WrongPhase
from play.facts import Flagged, Reminded, TimeIsUp, VacationUsed
from play.settings import Settings, Vacation
from play.vacation import BUDGET, budget_left, ended, length_of, taken
from tests.play.desk import ANN, BOB, HOUR, NOON, S1, Desk

D = timedelta(days=1)
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
    assert (caught.value.reason, caught.value.fields) == (Refused.VACATION_SPENT, {"left": "26d"})
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
    days, told = await desk.table.take_vacation(ANN.account, "10d", at=desk.now)
    assert days.until == desk.now + 10 * D
    (used,) = told
    assert (used.match.id, used.seat, used.until, used.automatic) == (allowed.id, S1, days.until, False)
    facts = await desk.wait(10 * D)
    assert facts == [], "no reminder either"
    match = await desk.table.get(allowed.id)
    assert match.times
    assert left(match.times, S1, desk.now) == 2 * D - 2 * S
    facts = await desk.wait(2 * D)
    assert isinstance(facts[-1], VacationUsed)
    assert facts[-1].automatic
    assert (await desk.table.get(strict.id)).times.away == ()  # type: ignore[union-attr]


async def test_back_before_its_end(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    await desk.table.take_vacation(ANN.account, 10 * D, at=desk.at)
    desk.now += 2 * D - S
    days, told = await desk.table.end_vacation(ANN.account, at=desk.at)
    assert days.spent == 2 * D
    assert [fact.match.id for fact in told] == [match.id]
    assert told[0].match.times
    assert deadline(told[0].match.times) == desk.now + 3 * D - S
    with pytest.raises(WrongPhase):
        await desk.table.end_vacation(ANN.account, at=desk.at)


async def test_a_day_is_taken_before_a_loss_and_then_another(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    facts = [fact for fact in await desk.wait(3 * D) if not isinstance(fact, Reminded)]
    (used,) = facts
    assert isinstance(used, VacationUsed)
    assert (used.seat, used.until, used.automatic, used.deadline) == (S1, desk.now + D, True, desk.now + D)
    facts = [fact for fact in await desk.wait(40 * D) if not isinstance(fact, Reminded)]
    assert [type(fact) for fact in facts] == [VacationUsed] * 29 + [Flagged]
    assert facts[-1].match.log == match.log
    settings = await desk.store.settings(ANN.account)
    assert settings.vacation
    assert settings.vacation.spent == BUDGET


async def test_one_day_serves_all_matches(desk: Desk) -> None:
    for _ in range(3):
        await desk.duel(clock="3d vacation")
    facts = await desk.wait(3 * D + HOUR)
    assert sum(isinstance(fact, VacationUsed) for fact in facts) == 3
    settings = await desk.store.settings(ANN.account)
    assert settings.vacation
    assert settings.vacation.spent == D


async def test_days_that_were_not_counted_yet_are_given_back(desk: Desk) -> None:
    await desk.table.take_vacation(ANN.account, 2 * D, at=desk.at)
    match = await desk.duel(clock="3d vacation")
    facts = [fact for fact in await desk.wait(3 * D) if not isinstance(fact, Reminded)]
    assert [(type(fact), fact.automatic) for fact in facts if isinstance(fact, VacationUsed)] == [
        (VacationUsed, False)
    ]
    assert facts[0].match.times
    assert deadline(facts[0].match.times) == NOON + S + 5 * D
    assert match.id == facts[0].match.id


async def test_no_days_left_no_mercy(desk: Desk) -> None:
    await desk.duel(clock="3d vacation soft")
    await desk.store.set_settings(ANN.account, Settings(vacation=Vacation(2026, BUDGET)))
    facts = await desk.wait(3 * D)
    assert isinstance(facts[-1], TimeIsUp)


async def test_who_is_not_on_turn_takes_a_vacation(desk: Desk) -> None:
    match = await desk.duel(clock="3d vacation")
    _, (used,) = await desk.table.take_vacation(BOB.account, "5d", at=desk.at)
    assert used.deadline is None
    match = await desk.play(match, "a2-a3")
    assert match.times
    assert deadline(match.times) == desk.now + 8 * D - S
    match = await desk.play(match, "a7-a6")
    assert await desk.table.take_vacation(BOB.account, "5d", at=desk.at)
    settings = await desk.store.settings(BOB.account)
    assert settings.vacation
    assert settings.vacation.spent == 5 * D + 3 * S
