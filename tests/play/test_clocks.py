"""Clocks as they are typed, and the counting."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.errors import BadRequest, Refused
from play.opening import Challenge, Lobby
from play.time.clock import (
    DEFAULT_CLOCK,
    Away,
    Clock,
    Now,
    Outage,
    Times,
    deadline,
    first,
    left,
    moment,
    spell,
    spent,
    stopped,
)
from play.time.clock import read as read_length
from play.time.clock_text import LARGEST_INCREMENT, LONGEST, SHORTEST, read
from tests.support.desk import ANN, BOB, NOON, ROOM, S1, S2, Desk

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


@given(minutes)
def test_lengths_come_back(length: timedelta) -> None:
    assert read_length(spell(length)) == length


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


moments = st.integers(0, 60).map(lambda n: NOON + n * M)
spans = st.lists(st.tuples(moments, moments), max_size=4)


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
    times = first(Clock(D), 2, S1, NOON)
    assert deadline(times, Now(NOON)) == NOON + D
    assert left(times, S1, Now(NOON + D - odd)) == odd
    assert stopped(times, Now(NOON + D - odd)).left == (odd, D)
    assert stopped(times, Now(NOON + 2 * D)).left == (timedelta(), D)
    assert left(times, S1, Now(NOON - D)) == D, "a moment before the turn counts as its beginning"
