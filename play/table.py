"""The table: the one way in which actions reach a match. It loads, has the action decide, and commits, or nothing happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeVar, cast

from play.errors import PlayError, Refused, Stale, Unavailable, WrongPhase
from play.facts import Fact, Later, Planned, Renamed
from play.match import Match, Phase
from play.ports import Chance, Store, derived
from play.replay import Course, Replay
from play.request import Action, Opening, Request, check_meeting
from play.time.calendar import asks, calendared
from play.time.clock import Now, Outage
from play.time.timers import acted, timers
from rules.core import AnyGame, Position, RulesError

F = TypeVar("F", bound=Fact)

ATTEMPTS: Final = 5
"""How often an action is decided again when other commits come first; each of those was another request's success."""

CODES: Final = 10  # how many codes are tried for a new match; that even two are taken is not to be expected
UNANNOUNCED: Final = (Later, Planned, Renamed)  # facts that are not announced


class Table:
    """Where matches are played: every change of a match is an action or an opening that goes through here.

    What is more than one action on one match (rematches, timers, vacations, ratings, being forgotten) is a function of
    its own module that takes the table.

    Attributes:
        outages: When the bot was down; the clockwork keeps this current.
    """

    def __init__(self, store: Store, games: Mapping[str, AnyGame], chance: Chance) -> None:
        self.games = games
        self.outages: Sequence[Outage] = ()
        self.store = store
        self.chance = chance
        self._replay = Replay(games)

    async def get(self, match_id: str) -> Match:
        """Return a match as it is now.

        Raises:
            NoSuchMatch: there is none with that id.
        """
        return (await self.store.matches.load(match_id)).match

    async def find(self, match_id: str) -> Match | None:
        """Return a match as it is now; None where there is none with that id that can be read.

        Raises:
            Unavailable: the store does not answer.
        """
        try:
            return await self.get(match_id)
        except Unavailable:
            raise
        except PlayError:
            return None

    def course(self, match: Match) -> Course:
        """Return a match's log played through: every position, and the last turn."""
        return self._replay.positions(match)

    def position(self, match: Match) -> Position[Any]:
        return self.course(match).position

    def now(self, at: datetime) -> Now:
        return Now(at, self.outages)

    def as_of(self, match: Match) -> Now:
        return self.now(match.changed_at)

    async def act(
        self, match_id: str, action: Action[F], request: Request, *, known: Match | None = None
    ) -> F:
        """Have an action decide on a match as it is, and commit that; on the match that another commit made first, again.

        What the request's operation did before is not done again: the same fact comes back, with the match as it is now.
        A match that is `known` as it was a moment ago need not be loaded again where it is so still.
        """
        request = replace(request, outages=self.outages)
        match = known if known is not None and known.id == match_id else None
        loaded = False
        for _ in range(ATTEMPTS):
            if match is None:
                found, loaded = await self.store.matches.load(match_id, request.operation), True
                if found.done is not None:
                    return cast("F", found.done)
                match = found.match
            try:
                fact, course = await self.decide(match, action, request)
            except (PlayError, RulesError) as refusal:
                if loaded or isinstance(refusal, Unavailable):
                    raise
                match = None  # what was known may be old, and the operation done already
                continue
            if action.by_player and fact.match.phase is Phase.PLAYING:
                fact = replace(fact, match=acted(match, fact.match, self.course, request))
            try:
                return await self.commit(fact, request, match, course)
            except Stale as overtaken:
                match = overtaken.match
        raise Stale(match or await self.get(match_id))

    async def open(self, opening: Opening[F], request: Request) -> F:
        """Store the new match that an opening makes; the same operation always finds the same one."""
        return await self.add(opening.decide(self.games, self.chance, request), request)

    async def add(self, fact: F, request: Request) -> F:
        """Store a new match, which has no id yet, under a free code."""
        for attempt in range(CODES):
            code = derived(request.operation.id, attempt) if request.operation else self.chance.code()
            try:
                return await self.commit(replace(fact, match=replace(fact.match, id=code)), request)
            except Stale:
                continue  # that code is taken
        raise Unavailable

    async def commit(
        self, fact: F, request: Request, before: Match | None = None, course: Course | None = None
    ) -> F:
        """Store a fact with its match's timers, and have it announced if it is to be.

        It was decided on the match `before`; None: that is new. The course of the match after it is remembered.

        Raises:
            Stale: another commit came first.
        """
        if before is None:
            await check_meeting(self.store.settings, request.account, fact.match, new=True)
        fact = await self._calendared(fact)
        fact = replace(fact, match=_dated(fact.match, before))
        committed = await self.store.matches.commit(
            fact,
            before.revision if before else 0,
            operation=request.operation,
            timers=timers(fact.match, self.now(request.at)),
            announce=not isinstance(fact, UNANNOUNCED),
        )
        if course is not None and committed.match.log == course.log:
            self._replay.keep(committed.match, course)
        return cast("F", committed)

    async def decide(self, match: Match, action: Action[F], request: Request) -> tuple[F, Course | None]:
        """Return what an action would do to a match as it is known; nothing changes."""
        if action.meets:
            await check_meeting(self.store.settings, request.account, match)
        if action.by_player and match.expired(request.at):
            raise WrongPhase(Refused.EXPIRED)
        return action.decide(match, self.course, request)

    async def _calendared(self, fact: F) -> F:
        """Return a fact in whose match a turn that it began is counted by the calendar of its player."""
        match, times, clock = fact.match, fact.match.times, fact.match.clock
        if times is None or clock is None or not (clock.vacation or clock.pause):
            return fact
        asked = asks(match, times)
        if not asked:
            return fact
        known = dict(zip(asked, await self.store.settings.get_many(*asked), strict=True))
        return replace(fact, match=calendared(match, times, known))


def _dated(match: Match, before: Match | None) -> Match:
    """Return a match with the revision that it is about to get, wherever it differs from the one before."""
    revision = before.revision + 1 if before else 1
    if before is None or _standing(match) != _standing(before):
        match = replace(match, position_since=revision)
    if before is None or _question(match) != _question(before):
        match = replace(match, question_since=revision)
    return match


def _standing(match: Match) -> tuple[object, ...]:
    if match.phase is not Phase.OPEN:
        return match.phase, match.log
    # A name that changes leaves the person where they are.
    who = [player and player.account for chair in match.chairs for player in (chair.player, chair.reserved)]
    return match.phase, match.log, tuple(who)


def _question(match: Match) -> tuple[object, ...]:
    return match.paused, match.offer and replace(match.offer, agreed=())
