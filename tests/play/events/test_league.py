"""Leagues: seasons on virtual time, each rule in a small one, and what holds in a thousand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random

import pytest

from play.errors import NotAllowed
from play.events.actions import Advance, Enter, EventAction, LeaveEvent, Report
from play.events.entries import ExitReason, GameEnd
from play.events.event import TOGETHER, EntrantInfo, Event, EventSetup, settle
from play.events.events import shortened
from play.events.forms.league import (
    ADJUDICATION,
    LEAST,
    MOST,
    NOTICE,
    RULES,
    SEASON,
    AdjudicateGame,
    League,
    NextSeason,
    Season,
    league_of,
    sizes,
    table,
    undecided,
    up_and_down,
    zones,
)
from play.people import Account, Address, Player
from play.request import Request
from play.time.clock import Clock, Now
from storage.records import codec

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)  # a Wednesday
MONDAY = datetime(2026, 3, 9, tzinfo=UTC)
SETUP = EventSetup("league", "lgame", (), Clock(timedelta(hours=12), timedelta(hours=12)), rated=True)
DAY = timedelta(days=1)
Score = Callable[[int, int], int | None]


def by_number(first: int, second: int) -> int:
    """The lower number wins."""
    return min(first, second)


def newcomer(first: int, second: int) -> int:
    """Number 18 wins, else the lower number."""
    return 18 if 18 in (first, second) else min(first, second)


@dataclass
class World:
    """A league on virtual time."""

    now: datetime = AT
    short: bool = False
    ending: Random | None = (
        None  # by which a process ends between deciding and storing, and another one begins again
    )
    known: EntrantInfo = field(default_factory=EntrantInfo)
    event: Event = field(
        default_factory=lambda: Event(
            "e234567", SETUP, Player(Account("room", "host"), "host"), (Address("room", "hall"),), AT
        )
    )

    def account(self, number: int) -> Account:
        return Account("room", f"p{number}")

    def does(self, number: int, action: EventAction) -> None:
        who = Player(self.account(number), f"p{number}")
        if self.short:
            self.event = shortened(self.event, self.now)
        event = action.decide(self.event, Request(who, self.now))
        settled = settle(RULES, event, Now(self.now), self.known)
        if self.ending is not None and self.ending.random() < 0.05:
            self.event = codec.decode_event(self.event.id, codec.encode(self.event))
            event = action.decide(self.event, Request(who, self.now))
            assert settle(RULES, event, Now(self.now), self.known) == settled
        self.event = settled

    def enter(self, *numbers: int) -> None:
        for number in numbers:
            young = self.ending is not None and self.ending.random() < 0.1
            until = self.now + 7 * DAY if young else None
            self.does(number, Enter(young_until=until))

    def later(self, until: datetime) -> None:
        """Let time pass, and each timer come when it is due."""
        while (due := RULES.due(self.event, Now(self.now))) and due <= until:
            self.now = max(due, self.now)
            before = self.event.length
            self.does(0, Advance())
            assert self.event.length > before, "a timer that is due brings something"
        self.now = max(until, self.now)

    def play(self, score: Score = by_number, absent: frozenset[int] = frozenset(), least: int = 0) -> None:
        """Play the games that are running until all have ended, or `least` are left."""
        while len(self.event.state.open_games) > least:
            running = [game for game in self.event.state.open_games if game.match]
            counts = Counter(one for game in running for one in game.entrants)
            assert max(counts.values()) <= TOGETHER
            game = running[0]
            assert game.match is not None
            winner = score(*game.entrants)
            away = tuple(seat for seat, one in enumerate(game.entrants) if one in absent)
            if away:
                winner = next((one for one in game.entrants if one not in absent), None)
            places = tuple(int(winner not in (None, one)) for one in game.entrants)
            self.does(0, Report(game.number, game.match, places, away))

    @property
    def league(self) -> League:
        return league_of(self.event)

    @property
    def season(self) -> Season:
        season = self.league.season
        assert season is not None
        return season

    def divisions(self) -> str:
        return " / ".join(" ".join(map(str, players)) for players in self.season.divisions)


def begun(players: int) -> World:
    """A league whose first season has just begun; the lower number is the stronger player."""
    world = World()
    world.known = EntrantInfo({number: 2000 - number for number in range(players)})
    world.enter(*range(players))
    world.later(MONDAY)
    return world


def test_divisions_are_of_five_to_seven_and_near_six() -> None:
    assert [sizes(players) for players in (5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 33)] == [
        *((5,), (6,), (7,), (8,), (9,), (5, 5), (5, 6), (6, 6), (6, 7), (5, 6, 6), (6, 6, 6)),
        (6, 6, 7, 7, 7),
    ]
    for players in range(10, 400):
        assert sum(sizes(players)) == players
        assert set(sizes(players)) <= set(range(LEAST, MOST + 1))


def test_the_first_season_begins_on_the_monday_after_the_fifth_player_and_lasts_four_weeks() -> None:
    world = World()
    world.enter(0, 1, 2, 3)
    world.later(AT + timedelta(weeks=10))
    assert world.league.season is None
    world.now = datetime(2026, 5, 17, 1, tzinfo=UTC)  # a Sunday, less than a day before the next Monday
    world.enter(4)
    world.later(world.now + NOTICE + DAY)
    assert world.league.season is None
    world.later(world.now + timedelta(weeks=1))
    assert (world.season.began, world.season.ends) == (
        datetime(2026, 5, 25, tzinfo=UTC),
        datetime(2026, 5, 25, tzinfo=UTC) + SEASON,
    )


def test_two_go_up_and_two_down_and_newcomers_begin_at_the_foot() -> None:
    world = begun(18)
    assert world.divisions() == "0 1 2 3 4 5 / 6 7 8 9 10 11 / 12 13 14 15 16 17"
    world.play(max)
    world.enter(18, 19)
    world.later(world.season.ends)
    assert world.divisions() == "5 4 3 2 11 10 / 1 0 9 8 17 16 7 / 6 15 14 13 12 18 19"


def test_one_goes_up_and_one_down_between_divisions_of_five() -> None:
    world = begun(10)
    world.play(max)
    assert [up_and_down(world.season, division) for division in (0, 1)] == [(0, 1), (1, 0)]
    world.later(world.season.ends)
    assert world.divisions() == "4 3 2 1 9 / 0 8 7 6 5"


def test_first_moves_change_sides_when_two_meet_again() -> None:
    world = begun(6)
    world.play()
    world.later(world.season.ends)
    world.play()
    first, second = (
        {game.entrants for game in world.event.state.games if game.round == number} for number in (1, 2)
    )
    assert {(two, one) for one, two in first} == second
    assert {frozenset(pair) for pair in first} == set(map(frozenset, combinations(range(6), 2)))


def test_open_games_are_decided_by_proof_or_drawn_after_a_day() -> None:
    world = begun(6)
    world.play(least=3)
    world.later(world.season.ends - timedelta(seconds=1))
    assert not undecided(world.event)
    one, other, third = world.event.state.open_games
    world.does(0, AdjudicateGame(one.number, (1, 0)))
    assert world.event.state.games[one.number].open  # its time is not up
    world.later(world.season.ends)
    assert undecided(world.event) == (one, other, third)
    assert world.season.number == 1
    world.does(0, AdjudicateGame(one.number, (1, 0)))
    world.does(0, AdjudicateGame(one.number, (0, 0)))
    assert other.match is not None
    world.does(0, Report(other.number, other.match, (0, 1)))  # ended by itself meanwhile
    ends = world.season.ends
    world.later(ends + ADJUDICATION)
    decided = [world.event.state.games[game.number] for game in (one, other, third)]
    assert [(game.end, game.places) for game in decided] == [
        *((GameEnd.ADJUDICATED, (1, 0)), (GameEnd.PLAYED, (0, 1)), (GameEnd.ADJUDICATED, (0, 0))),
    ]
    assert world.season.number == 2
    assert world.season.ends == ends + SEASON  # the date does not move


def test_not_next_season_and_half_of_the_games_absent_are_the_end_of_it() -> None:
    world = begun(9)
    world.does(1, NextSeason(stays=False))
    world.does(2, NextSeason(stays=False))
    world.does(2, NextSeason(stays=True))
    world.does(3, NextSeason(stays=True))
    with pytest.raises(NotAllowed):
        world.does(20, NextSeason(stays=False))
    world.play(absent=frozenset({3, 4}))
    world.later(world.season.ends)
    assert {one.number: one.out for one in world.event.state.entrants if one.out} == {
        1: ExitReason.LEFT,
        4: ExitReason.ABSENT,
    }
    assert sorted(player for players in world.season.divisions for player in players) == [0, 2, 3, 5, 6, 7, 8]
    world.enter(4)
    world.play()
    world.later(world.season.ends)
    assert world.season.divisions[-1][-1] == 4


def test_who_leaves_before_half_of_their_games_counts_for_nobody_and_later_loses_the_rest() -> None:
    world = begun(6)
    world.does(0, LeaveEvent())
    assert {game.end for game in world.event.state.games_of(0)} == {GameEnd.VOID}
    world.play(least=2)
    left = world.event.state.open_games[0]
    world.does(left.entrants[0], LeaveEvent())
    assert world.event.state.games[left.number].end is GameEnd.FORFEIT
    assert world.event.state.games[left.number].places == (1, 0)


def test_a_newcomer_who_wins_the_lowest_division_far_above_it_jumps_two_once() -> None:
    world = begun(18)
    world.play()
    world.enter(18)
    world.known = EntrantInfo(dict.fromkeys(range(18), 1500) | {18: 1800})
    world.later(world.season.ends)
    assert world.season.division_of(18) == 2
    world.play(newcomer)
    world.later(world.season.ends)
    assert world.season.division_of(18) == 0
    assert world.league.jumped == {18}
    ordinary = begun(18)
    ordinary.play()
    ordinary.enter(18)
    ordinary.later(ordinary.season.ends)
    ordinary.play(newcomer)
    ordinary.later(ordinary.season.ends)
    assert ordinary.season.division_of(18) == 1


def test_who_began_the_season_with_a_young_account_does_not_go_up() -> None:
    world = begun(18)
    world.play()
    young = Enter(young_until=world.season.ends + DAY)
    world.known = EntrantInfo(dict.fromkeys(range(18), 1500) | {18: 1800})
    world.does(18, young)
    world.later(world.season.ends)
    (entered,) = (at for at, players in enumerate(world.season.divisions) if 18 in players)
    assert world.league.stays_down(18)
    world.play(newcomer)
    best = [row.player for row in table(world.event, world.season, entered)]
    assert best[0] == 18
    assert zones(world.league, world.season, entered, best)[:4] == [0, 1, 1, 0]
    world.later(world.season.ends)
    assert not world.league.stays_down(18)
    assert world.season.division_of(18) == entered
    assert world.season.division_of(best[1]) == entered - 1
    assert not world.league.jumped
    world.play(newcomer)
    world.later(world.season.ends)
    assert world.season.division_of(18) == entered - 1


def random_league(seed: int, seasons: int, *, short: bool = False) -> World:
    """Play a league at random: people enter and leave, are absent, and leave games open; with `short` its log is kept so."""
    random = Random(seed)
    world = World(short=short, ending=Random(seed))
    world.enter(*range(random.randrange(LEAST, 30)))
    people = len(world.event.state.entrants)
    world.later(MONDAY)
    for _ in range(seasons):
        if world.league.season is None or world.season.ends < world.now:
            break
        season, absent = world.season, frozenset(one for one in range(people) if random.random() < 0.05)
        check(world.event, season)
        for _ in range(random.randrange(3)):
            world.enter(people)
            people += 1
        for one in [entrant.number for entrant in world.event.state.playing if random.random() < 0.08]:
            world.does(one, LeaveEvent() if random.random() < 0.5 else NextSeason(stays=False))
        world.play(lambda first, second: random.choice([first, second, None]), absent, random.randrange(4))
        world.later(season.ends)
        for game in undecided(world.event)[:2]:
            world.does(0, AdjudicateGame(game.number, random.choice([(0, 1), (1, 0), (0, 0)])))
        world.later(season.ends + ADJUDICATION)
        assert not [game for game in world.event.state.open_games if game.round == season.number]
        for division, players in enumerate(season.divisions):
            counted = [
                game
                for game in world.event.state.games
                if game.round == season.number and game.counts and game.entrants[0] in players
            ]
            rows = table(world.event, season, division)
            assert sum(row.points for row in rows) == 2 * len(counted)
    assert codec.decode_event(world.event.id, codec.encode(world.event)) == world.event
    return world


def check(event: Event, season: Season) -> None:
    """What holds when a season begins."""
    assert {one for players in season.divisions for one in players} == {
        one.number for one in event.state.playing
    }
    games = Counter(frozenset(game.entrants) for game in event.state.games if game.round == season.number)
    pairs = [frozenset(pair) for players in season.divisions for pair in combinations(players, 2)]
    assert games == dict.fromkeys(pairs, 1)
    for division in range(1, len(season.divisions)):
        # As many come down as go up, so that only who enters and who leaves changes the sizes.
        assert up_and_down(season, division)[0] == up_and_down(season, division - 1)[1]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_a_season_of_a_thousand_leagues(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        random_league(seed, 1)


@pytest.mark.slow
def test_leagues_over_years() -> None:
    for seed in range(10):
        random_league(seed, 6)
