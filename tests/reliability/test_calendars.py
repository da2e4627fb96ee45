"""A year of a ladder, a league and games beside them: people in many zones, who obey their own calendars, and whom no clock outruns.

What a person's calendar says is counted here by quarters of an hour, apart from the rules of time. Each plays only in their own awake
hours and not on vacation, at random before the moment that their board shows; some travel, and the bot is down now and then.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from functools import cache
from heapq import heappop, heappush
from itertools import count
from statistics import median
from typing import Final
from zoneinfo import ZoneInfo

from bot.features.events.following import follow
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import PlayError
from play.events.actions import Enter
from play.events.event import EventSetup
from play.events.events import TIMER, Events
from play.events.forms.ladder import ChallengeAbove, ladder_of
from play.facts import Fact, Flagged, VacationUsed
from play.match import Match, Phase
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Timer
from play.request import Request
from play.settings import on_vacation
from play.table import Table
from play.time.clock import Outage, deadline
from play.time.clock_text import read as read_clock
from play.time.firing import fire
from play.time.vacation import take_vacation
from play.time.week import Week
from rules import GAMES
from storage.ports import DueTimer
from tests.bot.world import Counted
from tests.reliability.conftest import Figure, Scale
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryTimers

HALL: Final = Address("console", "hall")
START: Final = datetime(2026, 12, 28, tzinfo=UTC)  # a Monday
DAY, HOUR, QUARTER = timedelta(days=1), timedelta(hours=1), timedelta(minutes=15)
QUARTERS: Final = 400 * 96
OPTIONS: Final = (("board", "6x6"),)
ZONES: Final = (
    *("Europe/Kyiv", "Europe/Lisbon", "America/New_York", "America/Los_Angeles", "America/Santiago"),
    *("Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Auckland"),
    *("Pacific/Kiritimati", "Africa/Cairo"),
)
TODAY: Final = ("3d", "3d vacation")
AWAKE: Final = ("3d awake", "3d awake vacation", "10d+1d12h awake", "10d+1d12h awake vacation")
LADDER: Final = "3d awake vacation"
LEAGUE: Final = "1d awake vacation"


@cache
def walls(zone: str) -> Sequence[int]:
    """Return which quarter of an hour of a week the clocks of a zone show, in each quarter of an hour from `START` on."""
    clocks, start = ZoneInfo(zone), START.timestamp()
    shown = (datetime.fromtimestamp(start + number * 900, clocks) for number in range(QUARTERS))
    return [wall.weekday() * 96 + wall.hour * 4 + wall.minute // 15 for wall in shown]


@dataclass
class Person:
    """A person, and in which quarters of an hour of the year they play.

    Attributes:
        weeks: When each of their weeks begins.
        holidays: When each begins and ends; they play in none of it.
        awake: The quarters of an hour in which they are awake.
    """

    player: Player
    weeks: Sequence[tuple[datetime, Week]]
    holidays: list[tuple[datetime, datetime]]
    awake: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        begins = [(since - START) // QUARTER for since, _ in self.weeks]
        for (_, week), first, last in zip(self.weeks, begins, [*begins[1:], QUARTERS], strict=True):
            start, end = (at.hour * 4 + at.minute // 15 for at in (week.start, week.end))
            hours = [start + number for number in range((end - start) % 96 or 96)]
            of_week = {(day * 96 + hour) % 672 for day in range(7) if day not in week.off for hour in hours}
            shown = walls(week.zone)
            self.awake += [number for number in range(first, last) if shown[number] in of_week]

    def answers(self, at: datetime, ends: datetime, luck: random.Random) -> datetime | None:
        """Return when they play of whom a board shows that their time ends at a moment; None: they cannot."""
        first = bisect_left(self.awake, (at - START) // QUARTER)
        last = bisect_right(self.awake, (ends - START - timedelta(microseconds=1)) // QUARTER)
        quarters = [number for number in self.awake[first:last] if not self.away(START + number * QUARTER)]
        if not quarters:
            return None
        # Mostly soon; one in ten at the very last.
        place = -1 if luck.random() < 0.1 else int(len(quarters) * luck.random() ** 2)
        begins = START + quarters[place] * QUARTER
        low, high = max(at, begins), min(ends, begins + QUARTER)
        return low + (high - low) * luck.random()

    def away(self, at: datetime) -> bool:
        return any(since <= at < until for since, until in self.holidays)

    def plays(self, at: datetime) -> bool:
        number = (at - START) // QUARTER
        place = bisect_left(self.awake, number)
        return place < len(self.awake) and self.awake[place] == number and not self.away(at)


def someone(number: int, luck: random.Random, days: int) -> Person:
    """Return a person with a week, perhaps another from some day on, and two vacations."""

    def week(zone: str) -> Week:
        start, hours = luck.randrange(5 * 4, 12 * 4), luck.randrange(10 * 4, 16 * 4 + 1)
        off = luck.choice([(), (), (5, 6), (4, 5), (6,)])
        end = (start + hours) % 96
        return Week(time(start // 4, start % 4 * 15), time(end // 4, end % 4 * 15), off, zone)

    weeks = [(START, week(ZONES[number % len(ZONES)]))]
    if luck.random() < 0.3:
        weeks.append((START + luck.randrange(30, days) * DAY, week(luck.choice(ZONES))))
    halves = luck.randrange(days // 2 - 20), days // 2 + luck.randrange(days // 2 - 20)
    begins = [START + day * DAY + 9 * HOUR for day in halves]
    holidays = [(since, since + luck.randrange(3, 14) * DAY) for since in begins]
    return Person(Player(Account("console", f"p{number}"), f"p{number}"), weeks, holidays)


class LiveTimers(MemoryTimers):
    """Timers that forget matches that are over."""

    def set(self, match_id: str, timers: Sequence[Timer]) -> None:
        super().set(match_id, timers)
        if not timers:
            del self._timers[match_id]

    async def settle(self, due: DueTimer) -> None:
        if due.match_id in self._timers:
            await super().settle(due)


class Year:
    """A year of so many people, on virtual time.

    Attributes:
        flagged: By clock, how often someone lost on time.
        saved: By clock, how often a day of vacation was taken because the time was up.
        wronged: By clock, how often someone lost before a moment at which, by their board, they could still play.
        planned: By match, when the player on turn is going to play; None: they cannot before their time is up.
    """

    def __init__(self, seed: int, people: int, days: int) -> None:
        self.luck = random.Random(seed)
        self.days, self.now = days, START
        self.store = MemoryStore(lambda: self.now)
        self.store.timers = LiveTimers(self.store.aside)
        self.store.matches._timers = self.store.events._timers = self.store.timers
        self.table = Table(self.store, GAMES, Counted())
        self.events = Events(self.table, self.store)
        self.outgoing = self.store.outgoing()
        people_of = [someone(number, self.luck, days) for number in range(people)]
        self.people = {person.player.account: person for person in people_of}
        self.flagged: Counter[str] = Counter()
        self.saved: Counter[str] = Counter()
        self.wronged: Counter[str] = Counter()
        self.planned: dict[str, datetime | None] = {}
        self.moves = 0
        self._order = count()
        self._ahead: list[tuple[datetime, int, str, object]] = []

    def later(self, at: datetime, kind: str, what: object) -> None:
        heappush(self._ahead, (at, next(self._order), kind, what))

    async def live(self) -> None:
        """Play it."""
        until = START + self.days * DAY
        while self._ahead and self._ahead[0][0] < until:
            at, _, kind, what = heappop(self._ahead)
            await self.fires(at)
            self.now = max(self.now, at)
            await getattr(self, kind)(what)
            await self.follows()

    async def fires(self, until: datetime) -> None:
        """Fire what is due before a moment, each at its time."""
        while due := await self.store.timers.due(until, until, 1):
            self.now = max(self.now, due[0].timer.at)
            if due[0].timer.name == TIMER:
                await self.events.fire(due[0].match_id, self.table.now(self.now))
            else:
                self.counted(
                    await fire(self.table, due[0].match_id, due[0].timer.name, self.table.now(self.now))
                )
            await self.store.timers.settle(due[0])
            await self.follows()

    def counted(self, fact: Fact | None) -> None:
        if isinstance(fact, Flagged):
            self.flagged[str(fact.match.clock)] += 1
            self.wronged[str(fact.match.clock)] += self.planned[fact.match.id] is not None
        elif isinstance(fact, VacationUsed) and fact.automatic:
            self.saved[str(fact.match.clock)] += 1

    async def follows(self) -> None:
        """Have games of events begin and be reported, and players see whose turn it is."""
        while facts := await self.outgoing.read(100):
            for sent in facts:
                await follow(self.table, self.store, sent.fact)
                if isinstance(sent.fact, Fact):
                    self.sees(await self.table.get(sent.fact.match.id))
            await self.outgoing.done(facts)

    def sees(self, match: Match) -> None:
        """Have the player on turn decide when to play."""
        if match.phase is not Phase.PLAYING or match.times is None:
            return
        person = self.people[match.player(match.times.seat).account]
        ends = deadline(match.times, self.table.now(self.now))
        at = ends and person.answers(self.now, ends, self.luck)
        self.planned[match.id] = at
        if at is not None:
            self.later(at, "play", (match.id, len(match.log)))

    async def play(self, what: tuple[str, int]) -> None:
        match = await self.table.get(what[0])
        if match.phase is not Phase.PLAYING or len(match.log) != what[1] or match.times is None:
            return
        person = self.people[match.player(match.times.seat).account]
        if not person.plays(self.now):
            self.sees(match)  # a vacation has begun meanwhile, or the bot was down
            return
        ends = deadline(
            match.times, self.table.now(self.now)
        )  # in rest there may be nothing left, until it is over
        assert ends is not None
        assert self.now < ends
        request = Request(person.player, self.now)
        if len(match.log) >= 12 and self.luck.random() < 0.1:
            await self.table.act(match.id, Resign(), request)
            return
        moves = self.table.position(match).legal_moves()
        text = GAMES[match.game].notation.format(self.luck.choice(list(moves)))
        await self.table.act(match.id, MakeMove(text), request)
        self.moves += 1

    async def leave(self, what: tuple[Person, tuple[datetime, datetime]]) -> None:
        """Go on vacation, unless no clock knows it: then stay."""
        person, days = what
        try:
            await take_vacation(self.table, Request(person.player, self.now), days[1] - self.now)
        except PlayError:
            person.holidays.remove(days)
        await self.plans(person)

    async def travel(self, person: Person) -> None:
        """Live by another week from now on."""
        week = next(week for since, week in reversed(person.weeks) if since <= self.now)
        await self.store.settings.change(person.player.account, lambda chosen: replace(chosen, week=week))
        await self.plans(person)

    async def plans(self, person: Person) -> None:
        """Plan anew when to play where one is on turn."""
        account = person.player.account
        for match in await self.store.matches.of(account):
            if match.times and match.times.seat in match.seats_of(account):
                self.sees(match)

    async def stop(self, length: timedelta) -> None:
        """Be down."""
        start = self.now
        self.now += length
        self.table.outages = [*self.table.outages, Outage(start, self.now)]

    async def challenge(self, what: tuple[Person, str]) -> None:
        """Challenge someone above on the ladder now and then."""
        person, event_id = what
        self.later(self.now + self.luck.randrange(5, 20) * DAY, "challenge", what)
        event = await self.events.get(event_id)
        entrant = event.state.entrant_of(person.player.account)
        if entrant is None or entrant.out is not None or not person.plays(self.now):
            return
        for target, barred in ladder_of(event).targets(entrant.number, self.now):
            other = event.state.entrants[target].player.account
            days = on_vacation((await self.store.settings.get(other)).vacation, self.now)
            if barred is None and days is None:
                await self.events.act(event_id, ChallengeAbove(target), Request(person.player, self.now))
                return

    async def opens(self, form: str, clock: str, entrants: Sequence[Person]) -> str:
        """Open an event, which these enter."""
        read = read_clock(clock)
        assert read is not None
        setup = EventSetup(form, "breakthrough", OPTIONS, read, rated=True)
        opened = await self.events.open(setup, [HALL], Request(entrants[0].player, self.now))
        for person in entrants:
            await self.events.act(opened.event.id, Enter(), Request(person.player, self.now))
        return opened.event.id

    async def duel(self, what: tuple[str, Person, Person]) -> None:
        """Begin a match of two beside the events."""
        clock, one, other = what
        opening = Challenge(HALL, "breakthrough", dict(OPTIONS), opponents=(other.player,), clock=clock)
        match = (await self.table.open(opening, Request(one.player, self.now))).match
        await self.table.act(match.id, Join(), Request(other.player, self.now))

    def lengths(self) -> Mapping[str, list[float]]:
        """Return how many days the games took that are over and were not drawn by a date, by clock."""
        found: dict[str, list[float]] = defaultdict(list)
        for match in self.store.matches.stored.values():
            if match.phase is Phase.OVER and match.result and match.result.winners and match.log:
                name = str(match.clock) + (" (event)" if match.event else "")
                found[name].append((match.log[-1].at - match.opened) / DAY)
        return found


async def a_year(seed: int, people: int, leaguers: int, duels: int, length: int) -> Year:
    year = Year(seed, people, length)
    everyone = list(year.people.values())
    for person in everyone:
        await year.travel(person)
        for since, _ in person.weeks[1:]:
            year.later(since, "travel", person)
        for days in person.holidays:
            year.later(days[0], "leave", (person, days))
    for day in year.luck.sample(range(length), 6):
        year.later(
            START + (day + year.luck.random()) * DAY, "stop", year.luck.choice([HOUR, 9 * HOUR, 3 * DAY])
        )
    ladder = await year.opens("ladder", LADDER, everyone)
    await year.opens("league", LEAGUE, everyone[:leaguers])
    for person in everyone:
        year.later(START + year.luck.random() * 20 * DAY, "challenge", (person, ladder))
    for clock in (*TODAY, *AWAKE):
        for _ in range(duels):
            pair = year.luck.sample(everyone, 2)
            year.later(START + year.luck.random() * length / 3 * DAY, "duel", (clock, *pair))
    await year.live()
    return year


async def test_no_clock_outruns_a_person_who_obeys_their_calendar(scale: Scale, figure: Figure) -> None:
    year = await a_year(1, 60, scale(60, 10), scale(100, 8), 365)
    for name, days in sorted(year.lengths().items()):
        clock = name.partition(" (")[0]
        figure(
            f"{name}: {len(days)} games, {median(days):.0f} days (median), {max(days):.0f} at most;"
            f" {year.flagged[clock]} lost on time, {year.saved[clock]} days of vacation taken since the time was up"
        )
    figure(f"{year.moves} moves in a year of {len(year.people)} people in {len(ZONES)} zones")
    assert not year.wronged.total(), "what a board shows holds"
    for clock in (*TODAY, *AWAKE, LEAGUE):
        if "vacation" in clock:
            assert year.flagged[str(read_clock(clock))] == year.saved[str(read_clock(clock))] == 0
