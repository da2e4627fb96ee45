"""Matches under a clock: what each move costs, and what happens when the time is up."""

from __future__ import annotations

from datetime import timedelta

from play.actions.agreeing import Answer, AskTakeback, OfferDraw, Undo
from play.actions.leaving import Claim, Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import Refused
from play.facts import Departed, Flagged, Moved, Postponed, Reminded, TimeIsUp
from play.files.matchfile import Import, write
from play.files.matchreader import read, record
from play.match import Ask, Closing, Exit, Match, Phase, Result
from play.opening import rematch
from play.request import Request
from play.time.clock import Now, Outage, left
from play.time.firing import fire
from play.time.timers import FLAG, timers
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, HOUR, S1, S2, S3, Desk, times

D = timedelta(days=1)
S = timedelta(seconds=1)


def has(match: Match, desk: Desk) -> list[timedelta]:
    return [left(times(match), seat, Now(desk.now)) for seat in (S1, S2, S3)[: len(match.chairs)]]


async def test_per_move_every_turn_has_its_full_time(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    assert (times(match).seat, times(match).since) == (S1, desk.now)
    desk.now += 2 * D
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [D - S, 3 * D]
    desk.now += D
    match = await desk.play(match, "a7-a6")
    assert has(match, desk) == [3 * D, 2 * D - S]


async def test_a_bank_is_paid_for_each_turn_up_to_its_cap(desk: Desk) -> None:
    match = await desk.duel(clock="10d+1d12h")
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [10 * D, 10 * D]
    desk.now += 5 * D - S
    match = await desk.play(match, "a7-a6")
    assert has(match, desk) == [10 * D, 6.5 * D]
    match = await desk.play(match, "a3-a4", "b7-b6")
    assert has(match, desk) == [10 * D, 8 * D - S]


async def test_a_turn_of_several_plies_runs_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d+1h/2d")
    begun = desk.now
    desk.now += HOUR
    match = await desk.play(match, "a1")
    assert (times(match).seat, times(match).since) == (S1, begun)
    match = await desk.play(match, "a2")
    assert times(match).seat is S2
    assert times(match).left == (D - 2 * S, D, D)


async def test_undoing_gives_no_time_back_and_pays_nothing_twice(desk: Desk) -> None:
    match = await desk.duel(clock="1d+1h/2d")
    desk.now += 2 * HOUR - S
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [23 * HOUR, 24 * HOUR]
    for _ in range(3):
        desk.now += HOUR - S
        match = (await desk.act(match, ANN, Undo())).match
        assert times(match).seat is S1
        match = await desk.play(match, "b2-b3")
    assert has(match, desk) == [23 * HOUR - 3 * S, 21 * HOUR]
    match = await desk.play(match, "b7-b6")
    assert has(match, desk) == [23 * HOUR - 3 * S, 22 * HOUR - S]


async def test_an_exit_that_stays_pays_nothing_twice(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d+1h/2d")
    match = await desk.play(match, "a1 a2")
    match = (await desk.act(match, CEM, Resign())).match
    before = has(match, desk)
    for _ in range(3):
        match = (await desk.act(match, ANN, Undo())).match
        match = await desk.play(match, "a3")
    assert [entry.seat for entry in match.log] == [S1, S3, S1]
    assert before[0] - 4 * S <= has(match, desk)[0] <= before[0], "one increment, not four"
    match = await desk.play(match, "e1 e2", "a4 a5")
    assert has(match, desk)[0] > before[0]


async def test_undoing_per_move_resumes_the_turn_and_not_its_time(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    desk.now += 20 * HOUR - S
    match = await desk.play(match, "a2-a3")
    match = (await desk.act(match, ANN, Undo())).match
    assert has(match, desk) == [4 * HOUR, D - S]
    match = await desk.play(match, "b2-b3")
    assert has(match, desk) == [4 * HOUR - S, D]


async def test_a_takeback_gives_no_time_back(desk: Desk) -> None:
    match = await desk.play(await desk.duel(clock="5d+0m"), "a2-a3")
    desk.now += D - S
    match = await desk.play(match, "a7-a6")
    await desk.act(match, ANN, AskTakeback())
    desk.now += D - S - S
    match = (await desk.act(match, BOB, Answer(Ask.TAKEBACK, True))).match
    assert match.log == ()
    assert has(match, desk) == [4 * D - S, 4 * D]


async def test_the_flag_ends_a_match_of_two(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    assert await fire(desk.table, match.id, FLAG, desk.table.now(desk.now + 3 * D - S)) is None
    (_reminded, _again, fact) = await desk.wait(4 * D)
    assert isinstance(fact, Flagged)
    assert (fact.seat, fact.player, fact.claimed_by) == (S1, ANN, None)
    assert fact.match.result == Result((S2,), Closing.TIME.value)
    assert fact.match.phase is Phase.OVER
    assert times(fact.match).since is None
    assert times(fact.match).left == (timedelta(), 3 * D)
    assert timers(fact.match, Now(desk.now)) == ()
    assert await fire(desk.table, match.id, FLAG, desk.table.now(desk.now)) is None
    back = (await desk.open(EVE, Import(write(fact.match), HALL))).match
    assert (back.result, back.clock, back.log) == (fact.match.result, fact.match.clock, fact.match.log)


async def test_a_move_before_the_flag_has_fallen_counts(desk: Desk) -> None:
    match = await desk.duel(clock="1d+1h")
    desk.now += 2 * D
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [HOUR, D]


async def test_of_three_the_flagged_one_is_out(desk: Desk) -> None:
    await desk.party(ANN, BOB, CEM, board="9x5", clock="1d")
    facts = await desk.wait(D)
    fact = facts[-1]
    assert isinstance(fact, Flagged)
    assert (fact.seat, fact.match.phase) == (S1, Phase.PLAYING)
    assert fact.match.log == (Exit(S1, Closing.TIME, desk.now),)
    assert (times(fact.match).seat, times(fact.match).since) == (S2, desk.now)
    await desk.play(fact.match, "a1 a2")
    facts = await desk.wait(D)
    assert isinstance(facts[-1], Flagged)
    assert facts[-1].match.result
    assert facts[-1].match.result.winners == (S2,)
    text = write(facts[-1].match)
    assert read(text) == record(facts[-1].match)
    assert "* time" in text


async def test_a_soft_clock_waits_for_a_claim(desk: Desk) -> None:
    match = await desk.duel(clock="1d soft")
    await desk.refused(match, BOB, Claim(), Refused.NOTHING_TO_CLAIM)
    facts = await desk.wait(D)
    up = facts[-1]
    assert isinstance(up, TimeIsUp)
    assert (up.seat, up.match.phase) == (S1, Phase.PLAYING)
    assert [timer.name for timer in timers(up.match, Now(desk.now))] == ["silence"]
    await desk.refused(match, ANN, Claim(), Refused.NOTHING_TO_CLAIM)
    await desk.refused(match, EVE, Claim(), Refused.NOT_SEATED)
    fact = await desk.act(match, BOB, Claim(), seen=match.revision)
    assert (fact.seat, fact.claimed_by) == (S1, S2)
    assert fact.match.result == Result((S2,), Closing.TIME.value)


async def test_without_a_clock_there_is_nothing_to_claim(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refused(match, BOB, Claim(), Refused.UNTIMED)


async def test_on_a_soft_clock_a_late_move_still_counts(desk: Desk) -> None:
    match = await desk.duel(clock="1d soft")
    await desk.wait(2 * D)
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [timedelta(), D]
    await desk.refused(match, BOB, Claim(), Refused.NOTHING_TO_CLAIM)
    await desk.refused(match, ANN, Claim(), Refused.NOTHING_TO_CLAIM)


async def test_an_outage_costs_no_time(desk: Desk) -> None:
    await desk.duel(clock="1d")
    start = desk.now
    desk.now += 26 * HOUR
    desk.table.outages = [Outage(start + 20 * HOUR, start + 26 * HOUR)]
    facts = await desk.wait(timedelta())
    assert {type(fact) for fact in facts} == {Reminded}
    facts = await desk.wait(4 * HOUR - S)
    assert not any(isinstance(fact, Flagged) for fact in facts)
    facts = await desk.wait(S)
    assert isinstance(facts[-1], Flagged)


async def test_a_move_after_an_outage_costs_only_what_was_thought(desk: Desk) -> None:
    match = await desk.duel(clock="2d+0m")
    start = desk.now
    desk.now += D - S
    desk.table.outages = [Outage(start, start + 20 * HOUR)]
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [2 * D - 4 * HOUR, 2 * D]


async def test_the_clock_stops_at_every_end(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    match = (await desk.act(match, BOB, Resign())).match
    assert times(match).since is None
    match = await desk.duel(clock="3d")
    await desk.act(match, ANN, OfferDraw())
    match = (await desk.act(match, BOB, OfferDraw())).match
    assert times(match).since is None
    again = await rematch(desk.table, match.id, Request(ANN, desk.at))
    assert again.match.clock == match.clock
    assert again.match.times is None


async def test_who_leaves_on_their_turn_passes_it_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x5", clock="1d")
    desk.now += 5 * HOUR
    fact = await desk.act(match, CEM, Resign())
    assert times(fact.match).since == times(match).since
    fact = await desk.gives(Departed, match, ANN, Resign())
    assert (times(fact.match).seat, times(fact.match).since) == (S2, desk.now)


async def test_a_match_with_a_clock_goes_through_its_file(desk: Desk) -> None:
    match = await desk.duel(clock="2d+1h/3d soft")
    desk.now += timedelta(hours=3, microseconds=7)
    match = await desk.play(match, "a2-a3")
    text = write(match)
    assert read(text) == record(match)
    assert '[Clock "2d+1h/3d soft"]' in text
    opened = (await desk.open(ANN, Import(text, HALL))).match
    assert times(opened).since is None
    desk.now += 5 * HOUR
    begun = (await desk.act(opened, BOB, Join())).match
    assert (times(begun).left, times(begun).seat, times(begun).since) == (times(match).left, S2, desk.now)
    for wrong, by in (
        ('[Left "1"', '[Left "2"'),
        ('[Clock "2d+1h/3d soft"]\n', ""),
        ('[Clock "2d', '[Clock "48h'),
        ('[Running "2"', '[Running "3"'),
        ('[Left "2" "172800"]', '[Left "2" "999999"]'),
        ('[Left "2" "172800"]', '[Left "2" "-1"]'),
    ):
        assert wrong in text
        await desk.refuses(desk.open(ANN, Import(text.replace(wrong, by), HALL)), Refused.BAD_FILE)


async def test_buttons_outlive_what_changes_nothing(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    (fact,) = await desk.wait(1.6 * D)
    assert fact.match.revision > match.revision + 1
    await desk.gives(Moved, match, ANN, MakeMove("a2-a3"), seen=match.revision)
    await desk.refused(match, BOB, MakeMove("a7-a6"), Refused.STALE, seen=match.revision)


async def test_a_timer_that_did_not_know_of_an_outage_is_set_anew(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    start = desk.now
    desk.now += D
    desk.table.outages = [Outage(start + HOUR, start + 4 * HOUR)]
    fact = await fire(desk.table, match.id, FLAG, desk.table.now(desk.now))
    assert isinstance(fact, Postponed), "boards show the new deadline"
    due = await desk.store.timers.due(start + 10 * D, start + 10 * D, 10)
    assert [one.timer.at for one in due if one.timer.name == FLAG] == [start + D + 3 * HOUR]
