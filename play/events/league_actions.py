"""What people do in a league, and what decides games whose time is up.

What happens in a league by itself: seasons begin and end, games are drawn, players leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from statistics import mean
from typing import Final

from play.events.actions import EventAction, check_live, playing_entrant
from play.events.entries import (
    Began,
    Ended,
    EventEntry,
    ExitReason,
    GameEnd,
    Left,
    Paired,
    RoundDue,
    Stage,
    Voided,
)
from play.events.event import EntrantInfo, Event, Rules
from play.events.league import (
    ADJUDICATION,
    JUMP,
    LEAST,
    NOTICE,
    SEASON,
    SEASONS,
    Jumped,
    League,
    LeagueArchived,
    Season,
    SeasonBegan,
    Stays,
    absent_in_half,
    firsts,
    league_of,
    next_divisions,
    pairings,
    table,
    undecided,
)
from play.people import Account
from play.request import Request
from play.time.clock import Now


@dataclass(frozen=True, slots=True)
class NextSeason(EventAction):
    """Say whether one plays in the next season; said again, nothing changes. Who has played in none yet leaves instead."""

    stays: bool
    accounts: tuple[Account, ...] = ()

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        entrant = playing_entrant(event, request, self.accounts)
        league = league_of(event)
        if entrant.number in league.newcomers:
            return event if self.stays else event.logged(Left(entrant.number, ExitReason.LEFT, at=request.at))
        if league.stays.get(entrant.number) is self.stays:
            return event
        return event.logged(Stays(entrant.number, self.stays, at=request.at))


@dataclass(frozen=True, slots=True)
class AdjudicateGame(EventAction):
    """Decide a game whose season is over; what has ended otherwise meanwhile stays as it is.

    Attributes:
        places: Of each of its players, 0 for the best: as proved; all 0, a draw, where nothing is.
    """

    game: int
    places: tuple[int, ...]

    def decide(self, event: Event, request: Request) -> Event:
        if not event.live or self.game not in {game.number for game in undecided(event)}:
            return event
        return event.logged(Ended(self.game, self.places, GameEnd.ADJUDICATED, at=request.at))


class LeagueRules(Rules):
    """The `Rules` of leagues."""

    entries: tuple[type[EventEntry], ...] = (SeasonBegan, Stays, Jumped, LeagueArchived)

    def follow(self, event: Event, now: Now, known: EntrantInfo) -> Sequence[EventEntry]:
        if event.state.stage is Stage.OPEN:
            return (Began(tuple(range(len(event.state.entrants))), at=now.at),)
        league = league_of(event)
        if league.season is None:
            return _begin(event, league, now, known)
        return _season(event, league, league.season, now) or _begin(event, league, now, known)

    def due(self, event: Event, _now: Now) -> datetime | None:
        state = event.state
        if state.stage is Stage.OPEN:
            return event.opened
        league = league_of(event)
        season = league.season
        if season is None or (season.number in state.due and not state.open_games):
            return next_start(event, league)
        return season.ends + ADJUDICATION if season.number in state.due else season.ends

    def outdated(self, event: Event, _at: datetime) -> int:
        began = [number for number, entry in enumerate(event.log) if isinstance(entry, SeasonBegan)]
        return began[-SEASONS] if len(began) > SEASONS else 0

    def archived(self, event: Event) -> EventEntry:
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


LEAGUE: Final = LeagueRules()


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
