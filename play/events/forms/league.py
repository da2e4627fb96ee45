"""Leagues: divisions of about six, and seasons of four weeks whose end is fixed.

* Everybody in a division plays everybody else once in a season; who moved first against an opponent moves second next time.
* Two go up and two down, one where a division has five players or fewer. Gaps are filled from below, newcomers begin in
  the lowest division. Who wins the lowest one with a rating 200 above its mean jumps two, once. Who began the season with a
  young account does not go up.
* A season ends at its date. Games that are open then are decided if an engine proves how they end, which has a day; the
  others are drawn, those that have not begun at once.
* Players stay in the league. Who has said "not next season" leaves at its end, and so does who was absent in half of their
  games and has not said that they stay.

The first season begins on the first Monday, a day or more after the fifth player has entered; others follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import singledispatchmethod
from itertools import accumulate
from statistics import mean
from typing import Final

from play.events import standings
from play.events.actions import EventAction, playing_entrant
from play.events.entries import (
    Began,
    Ended,
    Entered,
    EventEntry,
    EventGame,
    ExitReason,
    Fold,
    GameEnd,
    Left,
    OnProbation,
    Paired,
    Returned,
    RoundDue,
    Stage,
    Voided,
)
from play.events.event import EntrantInfo, Event, Rules
from play.request import Request
from play.time.clock import Now

SEASON: Final = timedelta(weeks=4)  # how long a season lasts; fixed, also where a match is not over

ADJUDICATION: Final = timedelta(days=1)
"""How long an engine has to prove how open games end, before they are drawn."""

SIZE: Final = 6  # players of a division, where the number of players divides
LEAST: Final = 5  # players of a division, and of a league, at least

MOST: Final = 7
"""Players of a division at most; eight and nine players are one division, since there are not five for each of two."""

MOVES: Final = 2  # players of a division who go up, and down
JUMP: Final = 200  # a newcomer who wins the lowest division with a rating so far above its mean jumps two
SEASONS: Final = 2  # seasons that stay in the log; of earlier ones it has what still counts
NOTICE: Final = timedelta(days=1)  # how long before the first season the fifth player must have entered


@dataclass(frozen=True, slots=True)
class SeasonBegan(EventEntry):
    """A season began."""

    season: int  # its number, from 1; its games are paired as that round
    divisions: tuple[tuple[int, ...], ...]  # the players of each, the highest first
    ends: datetime


@dataclass(frozen=True, slots=True)
class Stays(EventEntry):
    """A player said whether they play in the next season."""

    entrant: int
    stays: bool


@dataclass(frozen=True, slots=True)
class Jumped(EventEntry):
    """A player goes up two divisions; once."""

    entrant: int


@dataclass(frozen=True, slots=True)
class LeagueArchived(EventEntry):
    """What a league still needs of seasons that are archived; the fields are those of `League`, with mappings as pairs."""

    played: tuple[int, ...]
    jumped: tuple[int, ...]
    entered: tuple[tuple[int, datetime], ...]
    firsts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Season:
    """A season that is played, or was."""

    number: int  # from 1
    divisions: tuple[tuple[int, ...], ...]  # the players of each, the highest first
    began: datetime
    ends: datetime

    def division_of(self, entrant: int) -> int | None:
        """Return the division of a player, 0 for the highest."""
        return next((at for at, players in enumerate(self.divisions) if entrant in players), None)


@dataclass
class League(Fold):
    """How a league stands."""

    seasons: list[Season] = field(default_factory=list)  # in order, those that are not archived
    newcomers: list[int] = field(default_factory=list)  # who waits for the next season
    stays: dict[int, bool] = field(default_factory=dict)  # as said for the next season
    absences: dict[int, int] = field(default_factory=dict)  # in how many games of this season each was absent
    jumped: set[int] = field(default_factory=set)
    entered: dict[int, datetime] = field(default_factory=dict)  # when each last entered, by number
    played: frozenset[int] = frozenset()  # who has played in a season that is archived
    firsts: tuple[tuple[int, int], ...] = ()  # the players of each pair that met in one, as they last moved
    probation: dict[int, datetime] = field(default_factory=dict)  # until when accounts are young

    def stays_down(self, entrant: int) -> bool:
        """Whether a player does not go up from this season, since their account was young when it began."""
        until = self.probation.get(entrant)
        return until is not None and self.season is not None and self.season.began < until

    @property
    def season(self) -> Season | None:
        return self.seasons[-1] if self.seasons else None

    @singledispatchmethod
    def add(self, entry: EventEntry) -> None:
        """Pass over what changes nothing."""

    @add.register
    def _(self, entry: Entered) -> None:
        self.newcomers.append(len(self.entered))
        self.entered[len(self.entered)] = entry.at

    @add.register
    def _(self, entry: Returned) -> None:
        self.newcomers.append(entry.entrant)
        self.entered[entry.entrant] = entry.at

    @add.register
    def _(self, entry: OnProbation) -> None:
        self.probation[entry.entrant] = entry.until

    @add.register
    def _(self, entry: Left) -> None:
        self.newcomers = [one for one in self.newcomers if one != entry.entrant]
        self.stays.pop(entry.entrant, None)

    @add.register
    def _(self, entry: LeagueArchived) -> None:
        self.played, self.firsts = frozenset(entry.played), entry.firsts
        self.jumped, self.entered = set(entry.jumped), dict(entry.entered)
        self.newcomers = []

    @add.register
    def _(self, entry: SeasonBegan) -> None:
        self.seasons.append(Season(entry.season, entry.divisions, entry.at, entry.ends))
        self.newcomers, self.stays, self.absences = [], {}, {}

    @add.register
    def _(self, entry: Stays) -> None:
        self.stays[entry.entrant] = entry.stays

    @add.register
    def _(self, entry: Jumped) -> None:
        self.jumped.add(entry.entrant)

    @add.register
    def _(self, entry: Ended) -> None:
        for entrant in entry.absent:
            self.absences[entrant] = self.absences.get(entrant, 0) + 1


def league_of(event: Event) -> League:
    """Return how a league stands, from its log."""
    return event.folded(League)


def sizes(players: int) -> tuple[int, ...]:
    """Return the sizes of the divisions: five to seven each and as near six as can be, the larger ones below."""
    counts = range(-(-players // MOST), players // LEAST + 1)
    count = min(counts, key=lambda number: abs(players - SIZE * number), default=1)
    small, larger = divmod(players, count)
    return (small,) * (count - larger) + (small + 1,) * larger


def firsts(event: Event, league: League) -> Mapping[frozenset[int], int]:
    """Return who moved first when two last met."""
    met = {frozenset(pair): pair[0] for pair in league.firsts}
    return met | {frozenset(game.entrants): game.entrants[0] for game in event.state.games if game.counts}


def table(event: Event, season: Season, division: int) -> tuple[standings.StandingsRow[int], ...]:
    """Return the table of a division, best first; level players in the order in which they began the season."""
    players = season.divisions[division]
    games = [game.scored for game in event.state.games if game.round == season.number]
    return standings.table(players, games, system=standings.PairingSystem.ROUND_ROBIN)


def up_and_down(season: Season, division: int) -> tuple[int, int]:
    """Return how many of a division go up, and how many go down."""
    players = len(season.divisions[division])

    def moving(other: int) -> int:
        return min(MOVES if min(players, len(season.divisions[other])) > LEAST else 1, players // 2)

    up = moving(division - 1) if division else 0
    return up, moving(division + 1) if division + 1 < len(season.divisions) else 0


def zones(league: League, season: Season, division: int, ranked: Sequence[int]) -> list[int]:
    """Return for each player of a division, the best first, 1 for who goes up, -1 for who goes down, 0 for who stays."""
    up, down = up_and_down(season, division)
    rising = [player for player in ranked if not league.stays_down(player)][:up]
    falling = ranked[len(ranked) - down :]
    return [1 if player in rising else -1 if player in falling else 0 for player in ranked]


def next_divisions(event: Event, league: League, known: EntrantInfo) -> tuple[tuple[int, ...], ...]:
    """Return the divisions of the next season, of those who still play; of a first season by rating."""
    playing = {one.number for one in event.state.playing}
    ranked = [one for one in _ranked(event, league) if one in playing and one not in league.newcomers]
    newcomers = list(league.newcomers)
    if league.season is None:
        newcomers.sort(key=lambda one: -known.ratings.get(one, 0))
    ranked += newcomers
    room = sizes(len(ranked))
    return tuple(tuple(ranked[end - size : end]) for size, end in zip(room, accumulate(room), strict=True))


def _ranked(event: Event, league: League) -> Sequence[int]:
    season = league.season
    if season is None:
        return ()
    jumps = {entry.entrant for entry in event.log if isinstance(entry, Jumped) and entry.at >= season.ends}
    goals: list[tuple[int, int, int, int]] = []
    for division in range(len(season.divisions)):
        rows = table(event, season, division)
        moves = zones(league, season, division, [row.player for row in rows])
        for rank, (row, up) in enumerate(zip(rows, moves, strict=True)):
            # In their next division come first those from above, then those who stay, who jumped, and who went up.
            if row.player in jumps:
                goals.append((division - 2, division - 2, len(rows), row.player))
                continue
            goals.append((division - up, division, rank, row.player))
    return [player for *_, player in sorted(goals)]


def pairings(event: Event, season: Season) -> tuple[tuple[int, int], ...]:
    """Return the games of a season, the early rounds of all divisions first."""
    last = firsts(event, league_of(event))
    tables = [standings.berger(players) for players in season.divisions]
    games = []
    for number in range(max(map(len, tables))):
        for rounds in tables:
            for game in rounds[number] if number < len(rounds) else ():
                first, second = game.players
                swap = last.get(frozenset(game.players)) == first
                games.append((second, first) if swap else (first, second))
    return tuple(games)


def undecided(event: Event) -> tuple[EventGame, ...]:
    """Return the games that were open when their season's date came, and still are: a proof may decide them."""
    return tuple(game for game in event.state.open_games if game.round in event.state.due)


def absent_in_half(event: Event, league: League, entrant: int) -> bool:
    """Whether a player was absent in half of their games of this season."""
    absent = league.absences.get(entrant, 0)
    season = league.season
    own = [game for game in event.state.games_of(entrant) if season and game.round == season.number]
    return absent > 0 and 2 * absent >= sum(game.end is not GameEnd.VOID for game in own)


@dataclass(frozen=True, slots=True)
class NextSeason(EventAction):
    """Say whether one plays in the next season; said again, nothing changes. Who has played in none yet leaves instead."""

    stays: bool

    def decide(self, event: Event, request: Request) -> Event:
        entrant = playing_entrant(event, request)
        league = league_of(event)
        if entrant.number in league.newcomers:
            return event if self.stays else event.logged(Left(entrant.number, ExitReason.LEFT, at=request.at))
        if league.stays.get(entrant.number) is self.stays:
            return event
        return event.logged(Stays(entrant.number, self.stays, at=request.at))


@dataclass(frozen=True, slots=True)
class AdjudicateGame(EventAction):
    """Decide a game whose season is over; what has ended otherwise meanwhile stays as it is."""

    game: int
    places: tuple[int, ...]  # of each, 0 for the best, as proved; all 0, a draw, where nothing is

    def decide(self, event: Event, request: Request) -> Event:
        if not event.live or self.game not in {game.number for game in undecided(event)}:
            return event
        return event.logged(Ended(self.game, self.places, GameEnd.ADJUDICATED, at=request.at))


def _follow(event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    if event.state.stage is Stage.OPEN:
        return (Began(tuple(range(len(event.state.entrants))), at=now.at),)
    league = league_of(event)
    if league.season is None:
        return _begin(event, league, now, known)
    return _season(event, league, league.season, now) or _begin(event, league, now, known)


def _due(event: Event, _now: Now) -> datetime | None:
    state = event.state
    if state.stage is Stage.OPEN:
        return event.opened
    league = league_of(event)
    season = league.season
    if season is None or (season.number in state.due and not state.open_games):
        return next_start(event, league)
    return season.ends + ADJUDICATION if season.number in state.due else season.ends


def _outdated(event: Event, _at: datetime) -> int:
    began = [number for number, entry in enumerate(event.log) if isinstance(entry, SeasonBegan)]
    return began[-SEASONS] if len(began) > SEASONS else 0


def _archived(event: Event) -> EventEntry:
    league = league_of(event)
    known = firsts(event, league)
    return LeagueArchived(
        played=tuple(
            sorted(league.played.union(*(two for past in league.seasons for two in past.divisions)))
        ),
        jumped=tuple(sorted(league.jumped)),
        entered=tuple(league.entered.items()),
        firsts=tuple((first, next(iter(pair - {first}))) for pair, first in known.items()),
        at=event.log[-1].at,
    )


RULES: Final = Rules(_follow, _due, _outdated, _archived)


def _season(event: Event, league: League, season: Season, now: Now) -> Sequence[EventEntry]:
    if event.state.round < season.number:
        return (Paired(season.number, pairings(event, season), at=now.at),)
    if gone := tuple(_gone(event, season, now)):
        return gone
    if now.at < season.ends:
        return ()
    if season.number not in event.state.due:
        return (RoundDue(season.number, at=now.at),)
    left = event.state.open_games
    over = [game for game in left if game.match is None or now.at >= season.ends + ADJUDICATION]
    if left:
        return [game.drawn(now.at) for game in over]
    return tuple(_exits(event, league, season, now))


def _gone(event: Event, season: Season, now: Now) -> Iterator[EventEntry]:
    """Yield what becomes of the games of who has left: void before half of them are decided, else lost."""
    state = event.state
    open_games = [game for game in state.open_games if game.round == season.number]
    open_to = {one for game in open_games for one in game.entrants}
    for one in state.entrants:
        if one.out is None or one.number not in open_to:
            continue
        own = [game for game in state.games_of(one.number) if game.round == season.number]
        own = [game for game in own if game.end is not GameEnd.VOID]
        left = [game for game in open_games if one.number in game.entrants]
        if 2 * (len(own) - len(left)) < len(own):
            yield Voided(tuple(game.number for game in own), at=now.at)
            return
        for game in left:
            yield game.forfeited({one.number}, now.at)
        return


def _exits(event: Event, league: League, season: Season, now: Now) -> Iterator[EventEntry]:
    for players in season.divisions:
        for entrant in players:
            if event.state.entrants[entrant].out is not None or entrant in league.newcomers:
                continue
            stays = league.stays.get(entrant)
            if stays is False:
                yield Left(entrant, ExitReason.LEFT, at=now.at)
            elif stays is None and absent_in_half(event, league, entrant):
                yield Left(entrant, ExitReason.ABSENT, at=now.at)


def _begin(event: Event, league: League, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
    start = next_start(event, league)
    if start is None or now.at < start or event.state.open_games:
        return ()
    if jumps := _jumps(event, league, known):
        return [Jumped(entrant, at=now.at) for entrant in jumps]
    if now.at - start >= timedelta(weeks=1):  # the bot was down for long
        start = _monday(now.at)
    number = league.season.number + 1 if league.season else 1
    return (SeasonBegan(number, next_divisions(event, league, known), start + SEASON, at=now.at),)


def _jumps(event: Event, league: League, known: EntrantInfo) -> Sequence[int]:
    season = league.season
    if season is None or len(season.divisions) < 3:
        return ()
    lowest = season.divisions[-1]
    ratings = [known.ratings[one] for one in lowest if one in known.ratings]
    before = league.played.union(*(players for past in league.seasons[:-1] for players in past.divisions))
    rows = table(event, season, len(season.divisions) - 1)
    return [
        row.player
        for row in rows[:1]
        if row.player not in before | league.jumped
        and row.player in known.ratings
        and known.ratings[row.player] >= mean(ratings) + JUMP
        and event.state.entrants[row.player].out is None
        and not league.stays_down(row.player)
    ]


def next_start(event: Event, league: League) -> datetime | None:
    """Return when the next season can begin: at the end of the last one, or on a Monday; None: too few players."""
    playing = [one.number for one in event.state.playing]
    if len(playing) < LEAST:
        return None
    fifth = sorted(league.entered[one] for one in playing)[LEAST - 1] + NOTICE
    begins = _monday(fifth + timedelta(weeks=1) - timedelta(microseconds=1))
    return max(begins, league.season.ends) if league.season else begins


def _monday(at: datetime) -> datetime:
    return datetime.combine(at.date() - timedelta(days=at.weekday()), time(), at.tzinfo)
