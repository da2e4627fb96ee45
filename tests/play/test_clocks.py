"""Clocks as they are typed, and the counting."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.actions.agreeing import Undo
from play.actions.leaving import Claim, Resign
from play.actions.seating import Join
from play.errors import BadRequest, Refused
from play.facts import Departed, Flagged, Postponed, TimeIsUp
from play.files.matchfile import Import, write
from play.files.matchreader import read as read_file
from play.files.matchreader import record
from play.match import Closing, Exit, Match, Phase, Result
from play.opening import Challenge, Lobby
from play.time.clock import (
    DEFAULT_CLOCK,
    Away,
    Clock,
    Now,
    Outage,
    Times,
    deadline,
    left,
    moment,
    spent,
    stopped,
)
from play.time.clock_text import LARGEST_INCREMENT, LONGEST, SHORTEST, read
from play.time.firing import fire
from play.time.timers import FLAG, timers
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, HOUR, NOON, ROOM, S1, S2, S3, Desk, times

D, H, M = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
BANK = Clock(10 * D, 36 * H, 10 * D)

TEXTS = [
    ("3d", Clock(3 * D), "3d"),
    ("3d 12h", Clock(3 * D + 12 * H), "3d12h"),
    ("3д 12г", Clock(3 * D + 12 * H), "3d12h"),
    ("3д 12ч", Clock(3 * D + 12 * H), "3d12h"),
    ("3 дні 12 годин", Clock(3 * D + 12 * H), "3d12h"),
    ("1 день 5 часов 30 мин.", Clock(D + 5 * H + 30 * M), "1d5h30m"),
    ("2 тиж", Clock(14 * D), "14d"),
    ("  3D12H  ", Clock(3 * D + 12 * H), "3d12h"),
    ("5m", Clock(5 * M), "5m"),
    ("240h+36h", BANK, "10d+1d12h"),
    ("240h+36h/240h", BANK, "10d+1d12h"),
    ("240h + 36h / 480h", Clock(10 * D, 36 * H, 20 * D), "10d+1d12h/20d"),
    ("1d+0m", Clock(D, timedelta(), D), "1d+0m"),
    ("240г+36г м'який відпустка", Clock(10 * D, 36 * H, 10 * D, True, True), "10d+1d12h soft vacation"),
    ("3d vacation soft", Clock(3 * D, soft=True, vacation=True), "3d soft vacation"),
    ("3д отпуск", Clock(3 * D, vacation=True), "3d vacation"),
    ("bank", DEFAULT_CLOCK, "10d+1d12h"),
    ("банк soft", Clock(10 * D, 36 * H, 10 * D, soft=True), "10d+1d12h soft"),
]


@pytest.mark.parametrize(("text", "clock", "canonical"), TEXTS, ids=[text for text, _, _ in TEXTS])
def test_a_clock_is_read_and_spelled(text: str, clock: Clock, canonical: str) -> None:
    assert read(text) == clock
    assert str(clock) == canonical
    assert read(canonical) == clock


@pytest.mark.parametrize("text", ["none", "немає", "нет", "-", "OFF"])
def test_no_clock(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "soft", "3", "3x", "12h 3d", "3d 3d", "3d,12h", "-3d", "3.5d", "3d+", "+3d", "3d/4d"),
        *("3d+1h+1h", "3d+1h/4d/5d", "d3", "3d none", "none soft", "3d soft soft soft", "٣d", "3" * 200),
        *("3d\x00", "999999d", "bank 3d", "3d+1h soft vacation soft"),
    ],
)
def test_what_is_no_clock(text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read(text)
    assert caught.value.reason is Refused.BAD_CLOCK


@pytest.mark.parametrize("text", ["4m", "61d", "0m", "10d+31d", "10d+1h/61d", "99999d"])
def test_a_clock_out_of_bounds(text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read(text)
    assert caught.value.reason is Refused.CLOCK_BOUNDS
    assert set(caught.value.fields) == {"text", "low", "high"}


def test_a_cap_below_the_bank() -> None:
    with pytest.raises(BadRequest) as caught:
        read("10d+1h/9d")
    assert (caught.value.reason, caught.value.fields) == (
        Refused.CLOCK_CAP,
        {"cap": timedelta(days=9), "bank": timedelta(days=10)},
    )


async def test_a_bad_clock_makes_no_match(desk: Desk) -> None:
    for clock in ("3", Clock(M), Clock(D, 40 * D, D)):
        reason = Refused.BAD_CLOCK if clock == "3" else Refused.CLOCK_BOUNDS
        await desk.refuses(desk.open(ANN, Challenge(ROOM, "lgame", opponents=(BOB,), clock=clock)), reason)
        await desk.refuses(desk.open(ANN, Lobby(ROOM, "lgame", clock=clock)), reason)


minutes = st.integers(0, 60 * 24 * 60).map(lambda n: n * M)


@given(
    initial=st.integers(SHORTEST // M, LONGEST // M).map(lambda n: n * M),
    increment=st.none() | st.integers(0, LARGEST_INCREMENT // M).map(lambda n: n * M),
    more=st.integers(0, 1000).map(lambda n: n * H),
    soft=st.booleans(),
    vacation=st.booleans(),
)
def test_every_clock_comes_back(
    initial: timedelta, increment: timedelta | None, more: timedelta, soft: bool, vacation: bool
) -> None:
    cap = None if increment is None else min(initial + more, LONGEST)
    clock = Clock(initial, increment, cap, soft, vacation)
    assert read(str(clock)) == clock


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        clock = read(text)
    except BadRequest:
        return
    assert clock is None or read(str(clock)) == clock


def slowly(since_minute: int, until_minute: int, off: list[tuple[int, int]]) -> int:
    """The minutes that count, one by one."""
    return sum(
        not any(start <= minute < end for start, end in off) for minute in range(since_minute, until_minute)
    )


@given(
    since=st.integers(0, 60),
    length=st.integers(0, 40),
    off=st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70), st.booleans()), max_size=5),
    at=st.integers(0, 90),
)
def test_time_is_counted_minute_by_minute(
    since: int, length: int, off: list[tuple[int, int, bool]], at: int
) -> None:
    outages = [Outage(NOON + a * M, NOON + b * M) for a, b, away in off if not away]
    away = tuple(Away(S1, NOON + a * M, NOON + b * M) for a, b, away in off if away)
    other = Away(S2, NOON, NOON + 90 * M)  # another's vacation changes nothing
    times = Times((length * M, D), S1, NOON + since * M, away=(*away, other))
    plain = [(a, b) for a, b, _ in off]
    assert spent(times, Now(NOON + at * M, outages)) == slowly(since, at, plain) * M
    assert left(times, S1, Now(NOON + at * M, outages)) == (length - slowly(since, at, plain)) * M
    assert left(times, S2, Now(NOON + at * M, outages)) == D
    ends = deadline(times, Now(NOON, outages))
    assert ends is not None
    assert spent(times, Now(ends, outages)) == length * M
    assert spent(times, Now(ends + M, outages)) == (length + 1) * M, "the last moment of all"
    half = moment(times, length * M / 2, Now(NOON, outages))
    assert half is not None
    assert half <= ends
    assert left(times, S1, Now(half, outages)) == length * M / 2


def test_microseconds_are_not_lost() -> None:
    odd = timedelta(microseconds=1)
    times = Times((D, D), S1, NOON)
    assert deadline(times, Now(NOON)) == NOON + D
    assert left(times, S1, Now(NOON + D - odd)) == odd
    assert stopped(times, Now(NOON + D - odd)).left == (odd, D)
    assert stopped(times, Now(NOON + 2 * D)).left == (timedelta(), D)
    assert left(times, S1, Now(NOON - D)) == D, "a moment before the turn counts as its beginning"


# Matches under a clock: what each move costs, and what happens when the time is up.


DAY = timedelta(days=1)
S = timedelta(seconds=1)


def has(match: Match, desk: Desk) -> list[timedelta]:
    return [left(times(match), seat, Now(desk.now)) for seat in (S1, S2, S3)[: len(match.chairs)]]


async def test_per_move_every_turn_has_its_full_time(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    assert (times(match).seat, times(match).since) == (S1, desk.now)
    desk.now += 2 * DAY
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [DAY - S, 3 * DAY]
    desk.now += DAY
    match = await desk.play(match, "a7-a6")
    assert has(match, desk) == [3 * DAY, 2 * DAY - S]


async def test_a_bank_is_paid_for_each_turn_up_to_its_cap(desk: Desk) -> None:
    match = await desk.duel(clock="10d+1d12h")
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [10 * DAY, 10 * DAY]
    desk.now += 5 * DAY - S
    match = await desk.play(match, "a7-a6")
    assert has(match, desk) == [10 * DAY, 6.5 * DAY]
    match = await desk.play(match, "a3-a4", "b7-b6")
    assert has(match, desk) == [10 * DAY, 8 * DAY - S]


async def test_a_turn_of_several_plies_runs_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d+1h/2d")
    begun = desk.now
    desk.now += HOUR
    match = await desk.play(match, "a1")
    assert (times(match).seat, times(match).since) == (S1, begun)
    match = await desk.play(match, "a2")
    assert times(match).seat is S2
    assert times(match).left == (DAY - 2 * S, DAY, DAY)


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
    assert has(match, desk) == [4 * HOUR, DAY - S]
    match = await desk.play(match, "b2-b3")
    assert has(match, desk) == [4 * HOUR - S, DAY]


async def test_the_flag_ends_a_match_of_two(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    assert await fire(desk.table, match.id, FLAG, desk.table.now(desk.now + 3 * DAY - S)) is None
    (_reminded, _again, fact) = await desk.wait(4 * DAY)
    assert isinstance(fact, Flagged)
    assert (fact.seat, fact.player, fact.claimed_by) == (S1, ANN, None)
    assert fact.match.result == Result((S2,), Closing.TIME.value)
    assert fact.match.phase is Phase.OVER
    assert times(fact.match).since is None
    assert times(fact.match).left == (timedelta(), 3 * DAY)
    assert timers(fact.match, Now(desk.now)) == ()
    assert await fire(desk.table, match.id, FLAG, desk.table.now(desk.now)) is None
    back = (await desk.open(EVE, Import(write(fact.match), HALL))).match
    assert (back.result, back.clock, back.log) == (fact.match.result, fact.match.clock, fact.match.log)


async def test_of_three_the_flagged_one_is_out(desk: Desk) -> None:
    await desk.party(ANN, BOB, CEM, board="9x5", clock="1d")
    facts = await desk.wait(DAY)
    fact = facts[-1]
    assert isinstance(fact, Flagged)
    assert (fact.seat, fact.match.phase) == (S1, Phase.PLAYING)
    assert fact.match.log == (Exit(S1, Closing.TIME, desk.now),)
    assert (times(fact.match).seat, times(fact.match).since) == (S2, desk.now)
    await desk.play(fact.match, "a1 a2")
    facts = await desk.wait(DAY)
    assert isinstance(facts[-1], Flagged)
    assert facts[-1].match.result
    assert facts[-1].match.result.winners == (S2,)
    text = write(facts[-1].match)
    assert read_file(text) == record(facts[-1].match)
    assert "* time" in text


async def test_a_soft_clock_waits_for_a_claim(desk: Desk) -> None:
    match = await desk.duel(clock="1d soft")
    await desk.refused(match, BOB, Claim(), Refused.NOTHING_TO_CLAIM)
    facts = await desk.wait(DAY)
    up = facts[-1]
    assert isinstance(up, TimeIsUp)
    assert (up.seat, up.match.phase) == (S1, Phase.PLAYING)
    assert [timer.name for timer in timers(up.match, Now(desk.now))] == ["silence"]
    await desk.refused(match, ANN, Claim(), Refused.NOTHING_TO_CLAIM)
    await desk.refused(match, EVE, Claim(), Refused.NOT_SEATED)
    fact = await desk.act(match, BOB, Claim(), seen=match.revision)
    assert (fact.seat, fact.claimed_by) == (S1, S2)
    assert fact.match.result == Result((S2,), Closing.TIME.value)


async def test_on_a_soft_clock_a_late_move_still_counts(desk: Desk) -> None:
    match = await desk.duel(clock="1d soft")
    await desk.wait(2 * DAY)
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [timedelta(), DAY]
    await desk.refused(match, BOB, Claim(), Refused.NOTHING_TO_CLAIM)
    await desk.refused(match, ANN, Claim(), Refused.NOTHING_TO_CLAIM)


async def test_a_move_after_an_outage_costs_only_what_was_thought(desk: Desk) -> None:
    match = await desk.duel(clock="2d+0m")
    start = desk.now
    desk.now += DAY - S
    desk.table.outages = [Outage(start, start + 20 * HOUR)]
    match = await desk.play(match, "a2-a3")
    assert has(match, desk) == [2 * DAY - 4 * HOUR, 2 * DAY]


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
    assert read_file(text) == record(match)
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


async def test_a_timer_that_did_not_know_of_an_outage_is_set_anew(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    start = desk.now
    desk.now += DAY
    desk.table.outages = [Outage(start + HOUR, start + 4 * HOUR)]
    fact = await fire(desk.table, match.id, FLAG, desk.table.now(desk.now))
    assert isinstance(fact, Postponed), "boards show the new deadline"
    due = await desk.store.timers.due(start + 10 * DAY, start + 10 * DAY, 10)
    assert [one.timer.at for one in due if one.timer.name == FLAG] == [start + DAY + 3 * HOUR]
