"""Time that players give each other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.actions.agreeing import Undo
from play.actions.giving import GiveTime, most_to_give, usual_gift
from play.actions.playing import MakeMove
from play.errors import Refused, Stale
from play.facts import Flagged, Moved, Reminded, TimeGiven, TimeIsUp
from play.ports import Operation
from play.settings import Settings
from play.time.clock import Now, Times, deadline, extended, left
from play.time.week import Week
from tests.support.desk import ANN, BOB, CEM, EVE, S1, S2, Desk, times

D, H = timedelta(days=1), timedelta(hours=1)


async def test_time_is_given_to_the_player_on_turn_and_the_flag_falls_later(desk: Desk) -> None:
    match = await desk.duel(clock="2d")
    ends = deadline(times(match), Now(desk.now))
    desk.now += 36 * H
    fact = await desk.gives(TimeGiven, match, BOB, GiveTime())
    assert (fact.seat, fact.to, fact.length) == (S2, S1, D)
    assert ends
    assert fact.deadline == ends + D
    assert Flagged not in map(type, await desk.wait(35 * H))
    assert Flagged in map(type, await desk.wait(H))


async def test_a_turn_gets_at_most_what_the_clock_began_with_and_the_next_one_again(desk: Desk) -> None:
    match = await desk.duel(clock="2d")
    match = (await desk.gives(TimeGiven, match, BOB, GiveTime(36 * H))).match
    assert (most_to_give(match), usual_gift(match)) == (12 * H, 12 * H)
    refusal = await desk.refused(match, BOB, GiveTime(13 * H), Refused.GIFT_BOUNDS)
    assert refusal.fields["example"] == "12h"
    await desk.refused(match, BOB, GiveTime(timedelta(seconds=1)), Refused.GIFT_BOUNDS)
    match = (await desk.gives(TimeGiven, match, BOB, GiveTime())).match
    await desk.refused(match, BOB, GiveTime(), Refused.GIVEN_ALL)
    match = (await desk.gives(Moved, match, ANN, MakeMove("a2-a3"))).match
    assert (most_to_give(match), times(match).left[S2]) == (2 * D, 2 * D)
    assert times((await desk.gives(Moved, match, BOB, MakeMove("a7-a6"))).match).left[S1] == 2 * D


async def test_who_may_give_to_whom(desk: Desk) -> None:
    match = await desk.duel(clock="2d")
    await desk.refused(match, ANN, GiveTime(), Refused.NO_GIFT_TO_SELF)
    await desk.refused(match, EVE, GiveTime(), Refused.NOT_SEATED)
    await desk.refused(await desk.duel(), BOB, GiveTime(), Refused.NO_CLOCK)
    of_three = await desk.party(ANN, BOB, CEM, board="9x5", clock="3d")
    await desk.refused(of_three, CEM, GiveTime(to=S2), Refused.NO_GIFT_AHEAD)
    banks = await desk.party(ANN, BOB, CEM, board="9x5", clock="3d+1d")
    fact = await desk.gives(TimeGiven, banks, CEM, GiveTime(to=S2))
    assert (times(fact.match).left, fact.deadline) == ((3 * D, 4 * D, 3 * D), None)  # beyond its cap


async def test_a_soft_clock_whose_time_is_up_runs_again_from_now_on(desk: Desk) -> None:
    match = await desk.duel(clock="1d soft")
    assert TimeIsUp in map(type, await desk.wait(D))
    desk.now += 5 * H
    fact = await desk.gives(TimeGiven, match, BOB, GiveTime(2 * H))
    assert (times(fact.match).up, fact.deadline) == (False, desk.now + 2 * H)
    assert TimeIsUp in map(type, await desk.wait(2 * H))


async def test_a_second_tap_on_one_key_gives_nothing(desk: Desk) -> None:
    match = await desk.duel(clock="2d")
    seen = (await desk.table.get(match.id)).revision
    await desk.gives(TimeGiven, match, BOB, GiveTime(), seen=seen)
    with pytest.raises(Stale):
        await desk.act(match, BOB, GiveTime(), seen=seen)


async def test_the_same_operation_twice_gives_once(desk: Desk) -> None:
    match, operation = await desk.duel(clock="3d"), Operation("update:1", "/moretime 1d")
    for _ in range(2):
        await desk.act(match, BOB, GiveTime(D), operation=operation)
    assert most_to_give(await desk.table.get(match.id)) == 2 * D


async def test_what_was_given_stays_when_a_ply_is_undone(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, game="klopodavka", clock="2d")
    await desk.gives(TimeGiven, match, BOB, GiveTime())
    before = times(await desk.table.get(match.id)).left
    move = desk.table.course(await desk.table.get(match.id)).position.legal_moves()[0]
    text = desk.table.course(match).game.notation.format(move)
    played = (await desk.gives(Moved, match, ANN, MakeMove(text))).match
    assert times(played).seat == S1, "a turn of several actions is under way"
    await desk.act(match, ANN, Undo())
    assert times(await desk.table.get(match.id)).left == before


async def test_reminders_follow_what_is_left_after_a_gift(desk: Desk) -> None:
    await desk.store.settings.change(ANN.account, lambda _: Settings(reminders=(50, 10)))
    match = await desk.duel(clock="2d")
    assert Reminded in map(type, await desk.wait(30 * H))
    await desk.gives(TimeGiven, match, BOB, GiveTime(D))
    # 72 hours in all, of which 42 are left: half of it comes after 6, a tenth after 34.8.
    assert Reminded not in map(type, await desk.wait(5 * H))
    assert Reminded in map(type, await desk.wait(2 * H))


@given(st.integers(1, 10_000), st.integers(0, 20_000), st.integers(1, 10_000))
def test_a_gift_is_left_in_full_and_moves_no_deadline_ahead(initial: int, used: int, gift: int) -> None:
    minute = timedelta(minutes=1)
    since = Desk().now
    now = Now(since + used * minute)
    before = Times((initial * minute, initial * minute), S1, since)
    after = extended(before, S1, gift * minute, now)
    assert left(after, S1, now) == max(timedelta(), left(before, S1, now)) + gift * minute
    ends, ended = deadline(after, now), deadline(before, now)
    assert ends is not None
    assert ended is not None
    assert ends > ended
    assert left(after, S2, now) == left(before, S2, now)


@pytest.mark.parametrize("begins", range(0, 24, 4))
async def test_reminders_come_by_shares_of_waking_time_and_never_in_rest(desk: Desk, begins: int) -> None:
    await desk.store.settings.change(ANN.account, lambda _: Settings(reminders=(50, 10), week=Week()))
    desk.now += begins * H
    match = await desk.duel(clock="20h awake")
    reminded = []
    for _ in range(60 * 4):
        before = desk.now
        facts = [fact for fact in await desk.wait(H / 4) if isinstance(fact, Reminded)]
        reminded += [(before, left(times(fact.match), S1, Now(before))) for fact in facts]
    assert len(reminded) == 2, match
    for (at, rest), share in zip(reminded, (10 * H, 2 * H), strict=True):
        assert (at + H / 4).hour >= 8
        assert at.hour < 23
        assert share - H / 2 <= rest <= share + H / 2
