"""Clocks that rest in a player's own hours, beside a counter that asks each minute whether a person is awake in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from play.facts import Flagged, Postponed, Reminded
from play.match import Chair, Match
from play.match import Phase as MatchPhase
from play.people import Account, Player
from play.settings import Settings, Vacation
from play.time.calendar import asks, calendared, week_of
from play.time.clock import (
    Away,
    Clock,
    Now,
    Outage,
    Pause,
    Times,
    completed,
    counted,
    cut_short,
    deadline,
    excused,
    left,
    moment,
    rests_until,
    resumed,
    stopped,
)
from play.time.firing import fire
from play.time.timers import FLAG, share_at
from play.time.week import A_DAY, Week, fitted, resting_until, rests
from rules.core import SEATS
from tests.support.desk import ANN, BOB, NOON, S1, Desk, player, times
from tests.support.matches import running
from tests.support.stores import set_settings

H, M = timedelta(hours=1), timedelta(minutes=1)

FIXED = {"UTC+5:30": 330, "UTC-9:30": -570, "UTC+14": 840, "UTC-12": -720}
ZONES = (
    *("UTC", *FIXED, "Pacific/Kiritimati", "Asia/Kathmandu", "Asia/Kolkata"),
    *("Europe/Kyiv", "America/New_York", "America/St_Johns", "Europe/Lisbon"),  # summer time, north
    *("America/Santiago", "Australia/Lord_Howe", "Pacific/Auckland"),  # and south, once by half an hour
    *("Africa/Cairo", "America/Havana", "Asia/Beirut"),  # at midnight
    *("Africa/Casablanca", "Asia/Almaty", "Europe/Volgograd", "Asia/Pyongyang", "Pacific/Apia"),
)
CHANGES = (
    *(date(2026, 3, 8), date(2026, 3, 29), date(2026, 4, 4), date(2026, 4, 24), date(2026, 10, 25)),
    *(date(2026, 11, 1), date(2026, 9, 6), date(2028, 2, 29), date(2026, 12, 31)),
    *(date(2024, 3, 1), date(2020, 12, 27), date(2018, 5, 4), date(2011, 12, 30)),  # offsets changed for good
)
"""Days with a change of the clocks somewhere, a leap day, and the last of a year."""


def zone_by(name: str) -> tzinfo:
    return timezone(FIXED[name] * M) if name in FIXED else ZoneInfo(name)


def minute_by_minute(week: Week, since: datetime) -> Iterator[bool]:
    """Yield for each minute from a whole one on whether a person is awake in it, by the clock on their wall.

    In an hour that comes twice, it does not count that the clock on the wall goes back.
    """
    zone, at, wall = zone_by(week.zone), since - 26 * H, datetime(1, 1, 1)  # noqa: DTZ001 - a clock on a wall
    while True:
        wall = max(wall, at.astimezone(zone).replace(tzinfo=None))
        if at >= since:
            yield _awake(week, wall, wall.date()) or _awake(week, wall, wall.date() - A_DAY)
        at += M


def _awake(week: Week, wall: datetime, day: date) -> bool:
    midnight = datetime.combine(day, time())
    start = timedelta(hours=week.start.hour, minutes=week.start.minute)
    end = timedelta(hours=week.end.hour, minutes=week.end.minute)
    if end <= start:
        end += A_DAY
    return day.weekday() not in week.off and midnight + start <= wall < midnight + end


_by_minutes = st.integers(0, 24 * 60 - 1).map(lambda n: time(*divmod(n, 60)))
_by_hours = st.integers(0, 24 * 4 - 1).map(lambda n: time(n // 4, n % 4 * 15))
_off = st.sets(st.integers(0, 6), max_size=3).map(lambda days: tuple(sorted(days)))
weeks = st.builds(Week, _by_minutes | _by_hours, _by_minutes | _by_hours, _off, st.sampled_from(ZONES))
_starts = st.builds(
    lambda day, minutes: datetime.combine(day, time(), UTC) + minutes * M,
    st.sampled_from(CHANGES) | st.dates(date(2026, 1, 1), date(2030, 12, 31)),
    st.integers(-3 * 24 * 60, 24 * 60),
)
BERLIN = Week(time(2, 30), time(1, 15), (), "Europe/Berlin")


def check_minutes(week: Week, since: datetime, days: int) -> None:
    """Compare rests, deadlines and moments with the slow counter."""
    slow = list(islice(minute_by_minute(week, since), days * 24 * 60))
    awake = [number for number, is_awake in enumerate(slow) if is_awake]
    end = since + len(slow) * M
    assert counted(since, end, rests(week, since)) == len(awake) * M
    for number in range(0, len(slow), 97):
        at = since + number * M
        passed = bisect_left(awake, number)
        assert counted(since, at, rests(week, since)) == passed * M
        assert counted(at, end, rests(week, at)) == (len(awake) - passed) * M, "the parts make the whole"
        until = resting_until(week, at)
        assert (until is None) == slow[number]
        if passed < len(awake):
            assert until in (None, since + awake[passed] * M)
            turn = Times((len(awake) * M, H), SEATS[0], since, week=week)
            assert moment(turn, (len(awake) - passed) * M, Now(at)) == since + awake[passed] * M
            assert deadline(turn.having(SEATS[0], passed * M), Now(at)) == since + awake[passed] * M
            assert rests_until(turn, at) == until
    spans = list(islice(rests(week, since), 20))
    assert all(start < end for start, end in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans)), "sorted, apart"


@given(weeks, _starts)
@example(BERLIN, datetime(2026, 3, 28, 20, tzinfo=UTC))
@example(replace(BERLIN, start=time(9), end=time(2, 30)), datetime(2026, 3, 28, 20, tzinfo=UTC))
@example(BERLIN, datetime(2026, 10, 24, 20, tzinfo=UTC))
@example(Week(off=(4,), zone="Pacific/Apia"), datetime(2011, 12, 29, 12, tzinfo=UTC))
@settings(max_examples=25)
def test_awake_time_is_counted_minute_by_minute(week: Week, since: datetime) -> None:
    check_minutes(week, since, 5)


@pytest.mark.slow
@given(weeks, _starts)
@settings(max_examples=200)
def test_awake_time_of_many_weeks_is_counted_minute_by_minute(week: Week, since: datetime) -> None:
    check_minutes(week, since, 12)


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["UTC+5:30", *ZONES[ZONES.index("Europe/Kyiv") :]])
def test_a_year_is_counted_minute_by_minute(zone: str) -> None:
    since = datetime(2028, 1, 1, tzinfo=UTC)
    week = Week(time(18), time(2, 30), (5, 6), zone)
    slow = sum(islice(minute_by_minute(week, since), 366 * 24 * 60))
    assert counted(since, since + 366 * A_DAY, rests(week, since)) == slow * M


@given(weeks, _starts, st.lists(st.integers(0, 366 * 24 * 60), max_size=12))
@settings(max_examples=25)
def test_a_year_is_the_sum_of_its_parts(week: Week, since: datetime, cuts: list[int]) -> None:
    whole = counted(since, since + 366 * A_DAY, rests(week, since))
    moments = [since, *(since + cut * M for cut in sorted(cuts)), since + 366 * A_DAY]
    parts = [counted(start, end, rests(week, start)) for start, end in pairwise(moments)]
    assert sum(parts, timedelta()) == whole


_choosable = weeks.map(lambda week: week if week.day >= 8 * H else replace(week, end=week.start))


@given(_choosable, _choosable)
@example(Week(time(), time()), Week(time(9), time(17), (0, 5, 6)))
@example(Week(time(9), time(17), (0, 5, 6)), Week(time(), time()))
def test_weeks_of_rated_matches_are_fitted_within_a_tenth(week: Week, other: Week) -> None:
    fit = fitted(week, other.awake)
    assert 0.9 * other.awake <= fit.awake <= 1.1 * other.awake
    assert (fit.start, fit.zone) == (week.start, week.zone)
    if week.awake >= other.awake:
        assert fit.awake <= week.awake, "the longer day is cut"
        assert fit.off == week.off
    if 0.9 * other.awake <= week.awake <= 1.1 * other.awake:
        assert fit == week


# Stories of one match.


async def has_week(desk: Desk, who: Player, week: Week) -> None:
    await set_settings(desk.store, who.account, Settings(week=week))


async def due(desk: Desk, match: Match) -> datetime | None:
    stored = await desk.table.get(match.id)
    assert stored.phase is MatchPhase.PLAYING
    return deadline(times(stored), desk.table.now(desk.now))


@pytest.mark.parametrize(
    ("pause", "off", "ends"),
    [
        (Pause.NONE, (5,), datetime(2026, 11, 21, 8, tzinfo=UTC)),
        (Pause.AWAKE, (5,), datetime(2026, 11, 22, 17, tzinfo=UTC)),
        (Pause.AWAKE, (), datetime(2026, 11, 21, 17, tzinfo=UTC)),
        (Pause.NIGHT, (5,), datetime(2026, 11, 21, 17, tzinfo=UTC)),
        (Pause.WEEKEND, (5,), datetime(2026, 11, 22, 8, tzinfo=UTC)),
        (Pause.WEEKEND, (), datetime(2026, 11, 23, 8, tzinfo=UTC)),
        (Pause.BOTH, (), datetime(2026, 11, 23, 17, tzinfo=UTC)),
    ],
)
async def test_what_each_pause_leaves_out(
    desk: Desk, pause: Pause, off: tuple[int, ...], ends: datetime
) -> None:
    await has_week(desk, ANN, Week(off=off))
    invited = await desk.invited(ANN, BOB, clock=Clock(12 * H, pause=pause))
    desk.now = datetime(2026, 11, 20, 20, tzinfo=UTC) - timedelta(seconds=1)
    assert await due(desk, await desk.begun(invited)) == ends


@pytest.mark.parametrize(
    ("evening", "awake"),
    [(date(2026, 3, 27), 14), (date(2026, 3, 28), 13), (date(2026, 10, 23), 14), (date(2026, 10, 24), 15)],
)
def test_a_night_in_which_the_clocks_change(evening: date, awake: int) -> None:
    week, since = (
        Week(time(20), time(10), zone="Europe/Kyiv"),
        datetime.combine(evening, time(12), UTC),
    )
    assert counted(since, since + A_DAY, rests(week, since)) == awake * H


async def test_a_turn_over_the_29th_of_february(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, clock="19h awake")
    desk.now = datetime(2028, 2, 28, 20, tzinfo=UTC)
    match = replace(match, expires=desk.now + A_DAY)
    desk.store.matches.stored[match.id] = match
    match = await desk.begun(match)
    assert await due(desk, match) == datetime(2028, 3, 1, 9, 0, 1, tzinfo=UTC)


async def test_another_zone_counts_from_the_next_turn_on(desk: Desk) -> None:
    await has_week(desk, ANN, Week(zone="Europe/Kyiv"))  # awake until 21:00 in UTC
    match = await desk.duel(clock="12h vacation awake")
    ends = datetime(2026, 11, 22, 9, 0, tzinfo=UTC) + (desk.now - NOON)
    assert await due(desk, match) == ends
    await has_week(desk, ANN, Week(zone="Pacific/Auckland"))  # awake from 19:00 in UTC
    await desk.wait(20 * H)
    assert times(await desk.table.get(match.id)).share < 100, "there was a reminder meanwhile"
    assert await due(desk, match) == ends
    match = await desk.play(match, "a2-a3", "a7-a6")  # at 8:00 in UTC: 21:00 there
    turn = times(match).since
    assert turn is not None
    assert await due(desk, match) == turn + 21 * H


async def test_the_clock_of_the_host_is_set_back_by_a_day(desk: Desk) -> None:
    await has_week(desk, ANN, Week(zone="Europe/Kyiv"))
    match = await desk.duel(clock="12h awake")
    desk.now -= A_DAY
    fact = await fire(desk.table, match.id, FLAG, desk.table.now(desk.now), hastened=True)
    assert isinstance(fact, Postponed), "the turn begins now"
    assert left(times(fact.match), S1, Now(desk.now)) == 12 * H
    ends = await due(desk, match)
    assert ends == desk.now + 21 * H
    facts = await desk.wait(21 * H - M)
    assert [type(one) for one in facts] == [Reminded, Reminded]


@pytest.mark.parametrize("days", [1, 40])
async def test_a_clock_set_forward_and_downtime_cost_no_one_anything(desk: Desk, days: int) -> None:
    await has_week(desk, ANN, Week(off=(5, 6), zone="Europe/Kyiv"))
    desk.now = datetime(2026, 11, 25, 12, tzinfo=UTC)
    match = await desk.duel(clock="12h awake")
    await desk.wait(2 * H)
    before = left(times(match), S1, Now(desk.now))
    desk.table.outages = [Outage(desk.now, desk.now + days * A_DAY)]
    desk.now += days * A_DAY
    facts = await desk.wait(timedelta())
    assert not any(isinstance(fact, Flagged) for fact in facts)
    match = await desk.table.get(match.id)
    assert left(times(match), S1, desk.table.now(desk.now)) == before
    ends = await due(desk, match)
    assert ends is not None
    assert counted(desk.now, ends, rests(Week(off=(5, 6), zone="Europe/Kyiv"), desk.now)) == before
    assert [type(fact) for fact in await desk.wait(ends - desk.now - M)] == [Reminded, Reminded]
    assert isinstance((await desk.wait(M))[-1], Flagged)


# Lives: what two to ten people do around one match, and what each minute of it costs whom.

STEP = 15  # minutes: what happens in a life happens at quarters of an hour
START = datetime(2026, 3, 27, 12, tzinfo=UTC)


@dataclass
class Life:
    """A match of several people, and a ledger of it that is kept minute by minute.

    Attributes:
        holidays: By seat, the vacations there have been.
        segments: When the time of the seat on turn ran in this turn; the last one has no end while it runs.
        had: What each seat had when this turn began.
    """

    match: Match
    chosen: dict[Account, Settings]
    now: datetime = START
    outages: list[Outage] = field(default_factory=list)
    holidays: list[list[tuple[datetime, datetime]]] = field(default_factory=list)
    segments: list[tuple[datetime, datetime | None]] = field(default_factory=list)
    had: list[timedelta] = field(default_factory=list)
    turns: int = 0
    _slow: Iterator[bool] = field(default_factory=lambda: iter(()))
    _minutes: list[bool] = field(default_factory=list)
    _since: datetime = START

    @property
    def times(self) -> Times:
        assert self.match.times
        return self.match.times

    @property
    def clock(self) -> Clock:
        assert self.match.clock
        return self.match.clock

    def whose(self, who: int) -> Account:
        return self.match.player(SEATS[who]).account

    def becomes(self, times: Times) -> None:
        """Take new times, as the table does."""
        self.match = replace(self.match, times=times)
        if asked := asks(self.match, times):
            self.match = calendared(self.match, times, {one: self.chosen[one] for one in asked})

    def begins(self) -> None:
        """Begin the ledger of a turn: with the week of its player as it is now, unless it is fitted to the others'."""
        week = week_of(self.chosen[self.whose(self.times.seat)])
        if self.match.rated:
            assert self.times.awake is not None
            assert self.times.week is not None
            assert 0.9 * self.times.awake <= self.times.week.awake <= 1.1 * self.times.awake
            week = self.times.week
        self._minutes, self._slow, self._since = [], minute_by_minute(week, self.now), self.now
        self.segments = [(self.now, None)]

    def awake(self, at: datetime) -> bool:
        number = (at - self._since) // M
        while len(self._minutes) <= number:
            self._minutes.append(next(self._slow))
        return self._minutes[number]

    def counts(self, at: datetime) -> bool:
        spans = [*self.outages, *self.holidays[self.times.seat]]
        return self.awake(at) and not any(start <= at < end for start, end in spans)

    def used(self) -> timedelta:
        """Return what this turn has used up to now, minute by minute."""
        return (
            sum(
                self.counts(start + number * M)
                for start, end in self.segments
                for number in range(((end or self.now) - start) // M)
            )
            * M
        )

    def ends(self, used: timedelta) -> datetime | None:
        """Return when the time of the seat on turn is up, as far as is known now."""
        if self.segments[-1][1] is not None:
            return None
        rest, at = self.had[self.times.seat] - used, self.now
        if rest < timedelta():
            return None
        while rest or not self.counts(at):
            rest -= self.counts(at) * M
            at += M
        return at

    def check(self) -> None:
        """Compare the clock with the ledger."""
        known, times = Now(self.now, self.outages), self.times
        rest = self.had[times.seat] - (used := self.used())
        assert left(times, times.seat, known) == (rest if times.since else max(rest, timedelta()))
        if (ends := self.ends(used)) is not None:
            assert deadline(times, known) == ends
            due = share_at(times, 50, known)
            assert due is not None
            assert left(times, times.seat, Now(due, self.outages)) == times.left[times.seat] // 2
            assert due <= ends
            assert rests_until(times, due) is None, "no reminder comes in rest"
        for seat, had in enumerate(self.had):
            assert seat == times.seat or times.left[seat] == had, "only the time of the seat on turn runs"

    def does(self, kind: str, who: int, quarters: int, week: Week) -> None:
        """Do one thing; what another does, and what befalls the bot, makes no deadline earlier."""
        who, length = who % len(self.match.chairs), quarters * STEP * M
        own, before = who == self.times.seat, deadline(self.times, Now(self.now, self.outages))
        match kind:
            case "move":
                self.moves(len(self.match.chairs))
                return
            case "pause":
                self.pauses()
                return
            case "outage":
                self.outages.append(Outage(self.now, self.now + 4 * length))
                self.now += 4 * length
            case "week":
                self.chosen[self.whose(who)] = replace(self.chosen[self.whose(who)], week=week)
            case "vacation":
                self.leaves(who, self.now, self.now + 8 * length)
            case "back":
                self.returns(who)
            case _:
                self.now += length
        after = deadline(self.times, Now(self.now, self.outages))
        assert (after is None) == (before is None)
        if before and after and not (own and kind == "back"):
            assert after >= before
        if kind == "week" or (kind in ("vacation", "back") and not own):
            assert after == before, "a calendar counts from the next turn on, and only for its own player"

    def pauses(self) -> None:
        if self.times.since:
            self.becomes(stopped(self.times, Now(self.now, self.outages)))
            self.segments[-1] = self.segments[-1][0], self.now
        else:
            self.becomes(resumed(self.times, self.now))
            self.had[self.times.seat] = max(timedelta(), self.had[self.times.seat] - self.used())
            self.segments = [(self.now, None)]

    def moves(self, people: int) -> None:
        if self.times.since is None:
            return
        seat, clock = self.times.seat, self.clock
        rest = max(timedelta(), self.had[seat] - self.used())
        if clock.increment is not None:
            rest = max(rest, min(rest + clock.increment, clock.cap or clock.initial))
        self.had[seat] = rest
        self.turns += 1
        to = SEATS[(seat + 1) % people]
        self.becomes(completed(clock, self.times, to, self.turns, Now(self.now, self.outages)))
        if clock.increment is None:
            self.had[to] = clock.initial
        self.begins()

    def leaves(self, who: int, since: datetime, until: datetime) -> None:
        account = self.whose(who)
        if self.holidays[who] and self.holidays[who][-1][1] > since:
            return  # one at a time
        self.holidays[who].append((since, until))
        days = Vacation(since.year, until - since, since, until)
        self.chosen[account] = replace(self.chosen[account], vacation=days)
        self.becomes(excused(self.times, Away(SEATS[who], since, until)))

    def returns(self, who: int) -> None:
        account = self.whose(who)
        days = self.chosen[account].vacation
        if days is None or days.until is None or days.until <= self.now:
            return
        self.holidays[who][-1] = self.holidays[who][-1][0], self.now
        self.chosen[account] = replace(self.chosen[account], vacation=replace(days, until=self.now))
        self.becomes(cut_short(self.times, SEATS[who], self.now))


def begun(own: Sequence[Week], clock: Clock, *, rated: bool) -> Life:
    people = [player(f"P{number}") for number in range(len(own))]
    chairs = tuple(Chair(one) for one in people)
    since = Times((clock.initial,) * len(own), SEATS[0], START)
    match = replace(running(), host=people[0], chairs=chairs, clock=clock, rated=rated, offer=None)
    chosen = {one.account: Settings(week=week) for one, week in zip(people, own, strict=True)}
    life = Life(match, chosen, holidays=[[] for _ in own], had=[clock.initial] * len(own))
    life.becomes(since)
    life.begins()
    return life


_clocks = st.sampled_from(
    (
        Clock(6 * H, vacation=True, pause=Pause.AWAKE),
        Clock(20 * H, vacation=True, pause=Pause.AWAKE),
        Clock(12 * H, 3 * H, 15 * H, vacation=True, pause=Pause.AWAKE),
    )
)
_deeds = st.lists(
    st.tuples(
        st.sampled_from(("wait", "wait", "move", "move", "outage", "week", "vacation", "back", "pause")),
        st.integers(0, 9),
        st.integers(1, 40),
        _choosable,
    ),
    min_size=8,
    max_size=20,
)


_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # making a life shorter takes minutes


def live(
    own: Sequence[Week], clock: Clock, deeds: Sequence[tuple[str, int, int, Week]], *, rated: bool
) -> None:
    life = begun(own, clock, rated=rated)
    life.check()
    for kind, who, quarters, week in deeds:
        life.does(kind, who, quarters, week)
        life.check()


@given(st.lists(_choosable, min_size=2, max_size=10), _clocks, _deeds, st.booleans())
@settings(max_examples=10, phases=_PHASES)
def test_random_lives(
    own: list[Week], clock: Clock, deeds: list[tuple[str, int, int, Week]], rated: bool
) -> None:
    live(own, clock, deeds, rated=rated)


@pytest.mark.slow
@given(st.lists(_choosable, min_size=2, max_size=10), _clocks, _deeds, st.booleans())
@settings(max_examples=200, phases=_PHASES)
def test_many_random_lives(
    own: list[Week], clock: Clock, deeds: list[tuple[str, int, int, Week]], rated: bool
) -> None:
    live(own, clock, deeds, rated=rated)
