"""One request, from the stored match to the commit: load, have it decided, commit, or nothing happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeVar, cast

from play.chance import derived
from play.checks import check_unexpired, game_named
from play.clock import Now, Outage
from play.errors import NoSuchMatch, PlayError, Refused, Stale, Unavailable
from play.facts import (
    Fact,
    Later,
    Planned,
    Reminded,
    Renamed,
    SilenceNoticed,
    TimeIsUp,
    VacationEnded,
    VacationUsed,
    Watching,
)
from play.machines import is_engine
from play.match import Match, Phase
from play.ports import Chance, Loaded, Operation, Store
from play.replay import Course, Replay
from play.timers import timers
from play.vacation import counts, standing
from rules.core import AnyGame, Position, RulesError

F = TypeVar("F", bound=Fact)

ATTEMPTS: Final = 5
"""How often a request is decided again when others' commits come first; each of those was somebody's success."""

CODES: Final = 10
"""How many codes are tried for a new match; that even two are taken is not to be expected."""

QUIET: Final = (
    Later,
    Planned,
    Reminded,
    Renamed,
    SilenceNoticed,
    TimeIsUp,
    VacationEnded,
    VacationUsed,
    Watching,
)
"""Facts that change nothing of what people decide by: who looked at the match before them has not missed a thing."""

UNTOLD: Final = (Later, Planned, Renamed)
"""Facts that are not announced: nobody is to hear of them, or only whoever asked."""


class Requests:
    """How the table's requests are carried out.

    Attributes:
        games: The games that are known, by key.
        outages: When the bot was down; whoever runs it keeps this current.
    """

    def __init__(self, store: Store, games: Mapping[str, AnyGame], chance: Chance) -> None:
        self.games = games
        self.outages: Sequence[Outage] = ()
        self._store = store
        self._chance = chance
        self._replay = Replay(games)

    async def get(self, match_id: str) -> Match:
        """A match as it is now.

        Raises:
            NoSuchMatch: there is none with that id.
        """
        return (await self._load(match_id)).match

    def course(self, match: Match) -> Course:
        """A match's log played through: every position, and the last turn."""
        return self._replay.positions(match)

    def position(self, match: Match) -> Position[Any]:
        """Where a match stands."""
        return self.course(match).position

    def _game(self, match: Match) -> AnyGame:
        return game_named(self.games, match.game)

    def now(self, at: datetime) -> Now:
        """A moment, with the outages that are known of."""
        return Now(at, self.outages)

    def as_of(self, match: Match) -> Now:
        """The moment when a match last changed."""
        return self.now(match.changed_at)

    async def _play(
        self,
        match_id: str,
        seen: int | None,
        at: datetime,
        operation: Operation | None,
        decide: Callable[[Match, Course], tuple[F, Course]],
        *,
        known: Match | None = None,
    ) -> F:
        """Settle what concerns the log."""
        return await self._settle(
            match_id, seen, at, operation, lambda match: decide(match, self.course(match)), known=known
        )

    async def _change(
        self,
        match_id: str,
        seen: int | None,
        at: datetime | None,
        operation: Operation | None,
        decide: Callable[[Match], F],
    ) -> F:
        """Settle what does not."""
        return await self._settle(match_id, seen, at, operation, lambda match: (decide(match), None))

    async def _settle(
        self,
        match_id: str,
        seen: int | None,
        at: datetime | None,
        operation: Operation | None,
        decide: Callable[[Match], tuple[F, Course | None]],
        *,
        known: Match | None = None,
    ) -> F:
        """Decide on the match as it is and commit that; where another commit comes first, decide again on what it made.

        Somebody who said what they were looking at is not decided for again, once that is no longer so. `at` is None
        for what is no sign of life. What the operation did before is not done again.
        """
        if known is not None and known.id == match_id:
            # The commit knows whether it was the latest, and whether the operation was done; a refusal may not hold then.
            try:
                return await self._decided(known, seen, at, operation, decide)
            except Unavailable:
                raise
            except (PlayError, RulesError):
                pass
        loaded = await self._load(match_id, operation)
        if loaded.done is not None:
            return cast("F", loaded.done)
        return await self._decided(loaded.match, seen, at, operation, decide)

    async def _decided(
        self,
        match: Match,
        seen: int | None,
        at: datetime | None,
        operation: Operation | None,
        decide: Callable[[Match], tuple[F, Course | None]],
    ) -> F:
        """The same from a match on that was the latest a moment ago."""
        for _ in range(ATTEMPTS):
            if at is not None:
                check_unexpired(match, at)
            fact, course = decide(match)
            if at is not None and fact.match.phase is Phase.PLAYING:
                fact = replace(fact, match=replace(fact.match, touched=at, noticed=None))
            try:
                committed = await self._commit(fact, match.revision, operation)
            except Stale as overtaken:
                if seen is not None and not overtaken.match.fresh(seen):
                    raise
                match = overtaken.match
                continue
            if course is not None and committed.match.log == course.log:
                self._replay.keep(committed.match, course)
            return committed
        raise Stale(match)

    async def _load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        if not (match_id.isascii() and match_id.isalnum() and len(match_id) <= 12):
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id[:12])
        return await self._store.matches.load(match_id, operation)

    async def _commit(self, fact: F, expected: int, operation: Operation | None) -> F:
        """Store a fact with its match's timers, and have it announced if it is for anybody to hear."""
        fact = await self._excused(fact)
        quiet = fact.match.quiet + 1 if isinstance(fact, QUIET) and expected else 0
        fact = replace(fact, match=replace(fact.match, quiet=quiet))
        committed = await self._store.matches.commit(
            fact,
            expected,
            operation=operation,
            timers=timers(fact.match, self.as_of(fact.match)),
            announce=not isinstance(fact, UNTOLD),
        )
        return cast("F", committed)

    async def _excused(self, fact: F) -> F:
        """A fact whose match stands still where the turn that it began is of somebody on vacation."""
        match = fact.match
        if not counts(match) or match.times is None or match.times.since is None:
            return fact
        player = match.chairs[match.times.seat].player
        if player is None or is_engine(player.account):
            return fact
        settings = await self._store.settings.get(player.account)
        after = standing(match, settings.vacation)
        return fact if after is match else replace(fact, match=after)

    async def _store_new(self, made: Match, told: Callable[[Match], F], operation: Operation | None) -> F:
        """Store a new match under a code of its own; the same operation always finds the same one."""
        for attempt in range(CODES):
            code = derived(operation.id, attempt) if operation else self._chance.code()
            try:
                return await self._commit(told(replace(made, id=code)), 0, operation)
            except Stale:
                continue  # that code is taken
        raise Unavailable
