"""People, a clock and a table for tests; every refusal is checked to have changed nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

import pytest

from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import PlayError, Stale
from play.facts import Fact, Later
from play.files.matchfile import export
from play.match import Match
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Operation
from play.request import Action, Opening, Request
from play.table import Table
from play.time.clock import Clock, Times
from play.time.firing import fire
from rules import breakthrough, klopodavka, lgame
from rules.core import AnyGame, Reason, RulesError, Seat
from tests.support.memory import MemoryStore
from tests.toy import notches

F = TypeVar("F", bound=Fact)
G = TypeVar("G")

NOON: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
ROOM: Final = Address("console", "room")
HALL: Final = Address("console", "hall")
S1, S2, S3, S4 = list(Seat)[:4]
SHUTTLE: Final = ("L a1-a3-b3", "L b4-d4-d3", "L b3-b1-c1", "L c2-c4-b4")
"""Four turns of the L-game that lead from its start back to it."""


def player(name: str) -> Player:
    return Player(Account("console", name.lower()), name)


ANN, BOB, CEM, DAN, EVE = map(player, ("Ann", "Bob", "Cem", "Dan", "Eve"))


def _paired(options: Any) -> tuple[tuple[Seat, ...], ...]:
    return ((S1, S3), (S2, S4)) if options.players == 4 else notches.GAME.sides(options)


PAIRS: Final = replace(notches.GAME, key="pairs", sides=_paired)
"""Notches in two teams where four play; the rules know nothing of it, which is enough for the table."""

TOYS: Final[Mapping[str, AnyGame]] = {game.key: game for game in (notches.GAME, PAIRS)}
GAMES: Final[Mapping[str, AnyGame]] = {
    **TOYS,
    **{game.key: game for game in (lgame.GAME, breakthrough.GAME, klopodavka.GAME)},
}


def times(match: Match) -> Times:
    """The clock of a match that has one."""
    assert match.times
    return match.times


class Dealt:
    """Chance that is known beforehand: codes count up, and a shuffle turns the order round."""

    def __init__(self) -> None:
        self.count = 0

    def code(self) -> str:
        self.count += 1
        return f"tab{self.count:03d}"

    def shuffled(self, count: int) -> Sequence[int]:
        return list(reversed(range(count)))


class Desk:
    """A table, its store, and a clock that ticks a second at each look."""

    def __init__(self, games: Mapping[str, AnyGame] = GAMES) -> None:
        self.store = MemoryStore(lambda: self.now)
        self.chance = Dealt()
        self.games = games
        self.table = Table(self.store, games, self.chance)
        self.now = NOON

    @property
    def at(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    async def wait(self, length: timedelta) -> list[Fact]:
        """Time passes, and every timer is fired when it comes; what that led to."""
        facts: list[Fact] = []
        until = self.now + length
        while due := await self.store.timers.due(until, until, 1):
            self.now = max(self.now, due[0].timer.at)
            fact = await fire(self.table, due[0].match_id, due[0].timer.name, self.table.now(self.now))
            await self.store.timers.settle(due[0])
            if fact is not None and not isinstance(fact, Later):
                facts.append(fact)
        self.now = until
        return facts

    def stored(self) -> dict[str, Match]:
        return dict(self.store.matches.stored)

    def act(
        self,
        match: Match | str,
        who: Player,
        action: Action[F],
        *,
        seen: int | None = None,
        at: datetime | None = None,
        operation: Operation | None = None,
    ) -> Coroutine[Any, Any, F]:
        """Ask for an action on a match."""
        request = Request(who, at or self.at, seen, operation)
        return self.table.act(match if isinstance(match, str) else match.id, action, request)

    async def gives(
        self, kind: type[G], match: Match | str, who: Player, action: Action[Fact], *, seen: int | None = None
    ) -> G:
        """Ask for an action, and check which kind of fact it leads to."""
        fact = await self.act(match, who, action, seen=seen)
        assert isinstance(fact, kind)
        return fact

    def open(
        self,
        who: Player,
        opening: Opening[F],
        *,
        at: datetime | None = None,
        operation: Operation | None = None,
    ) -> Coroutine[Any, Any, F]:
        """Ask for a new match."""
        return self.table.open(opening, Request(who, at or self.at, operation=operation))

    async def refuses(
        self, asked: Awaitable[object], reason: Reason, **fields: object
    ) -> PlayError | RulesError:
        """Check why a request is refused, with which fields, that it changes nothing, and that a stale one gets the match."""
        before = self.stored()
        with pytest.raises((PlayError, RulesError)) as caught:
            await asked
        refusal = caught.value
        assert isinstance(refusal, PlayError | RulesError)
        assert self.stored() == before
        assert not isinstance(refusal, Stale) or refusal.match == before[refusal.match.id]
        assert refusal.reason is reason, refusal
        assert {name: refusal.fields.get(name) for name in fields} == fields
        return refusal

    async def refused(
        self,
        match: Match | str,
        who: Player,
        action: Action[Fact],
        reason: Reason,
        *,
        seen: int | None = None,
        at: datetime | None = None,
        operation: Operation | None = None,
        **fields: object,
    ) -> PlayError | RulesError:
        """Check that an action is refused, as `refuses` does."""
        asked = self.act(match, who, action, seen=seen, at=at, operation=operation)
        return await self.refuses(asked, reason, **fields)

    async def invited(
        self,
        *people: Player,
        game: str = "breakthrough",
        clock: Clock | str | None = None,
        rated: bool = False,
        **chosen: str,
    ) -> Match:
        """A challenge by the first to the others, not yet accepted."""
        opening = Challenge(ROOM, game, chosen, opponents=people[1:], clock=clock, rated=rated)
        return (await self.open(people[0], opening)).match

    async def begun(self, match: Match) -> Match:
        """A challenge that all who are invited accept."""
        for chair in match.chairs:
            if chair.reserved:
                match = (await self.act(match, chair.reserved, Join())).match
        return match

    async def duel(
        self,
        game: str = "breakthrough",
        *,
        clock: Clock | str | None = None,
        rated: bool = False,
        **chosen: str,
    ) -> Match:
        """A match of two under way: Ann moves first, then Bob."""
        return await self.begun(await self.invited(ANN, BOB, game=game, clock=clock, rated=rated, **chosen))

    async def party(
        self,
        *people: Player,
        game: str = "notches",
        clock: str | None = None,
        rated: bool = False,
        **chosen: str,
    ) -> Match:
        """A match of several under way, in the order given."""
        if any(option.key == "players" for option in self.games[game].schema.options):
            chosen = {**chosen, "players": str(len(people))}
        return await self.begun(await self.invited(*people, game=game, clock=clock, rated=rated, **chosen))

    async def export(self, match_id: str) -> str:
        """The file of a match as it is stored."""
        return export(await self.table.get(match_id))

    async def play(self, match: Match, *texts: str) -> Match:
        """The match after these texts, each played by the player on turn."""
        for text in texts:
            match = await self.table.get(match.id)
            chair = match.chairs[self.table.position(match).to_move]
            assert chair.player
            match = (await self.act(match, chair.player, MakeMove(text))).match
        return match
