"""People, a clock and a table for tests; every refusal is checked to have changed nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import PlayError, Refused, Stale
from play.facts import Fact, Later
from play.files.matchfile import export
from play.match import Match
from play.opening import Challenge
from play.people import Account, Address, Player
from play.request import Request
from play.table import Table
from play.time.firing import fire
from rules import breakthrough, klopodavka, lgame
from rules.core import AnyGame, Reason, RulesError, Seat
from storage.memory import MemoryStore
from tests.toy import notches

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
        return dict(self.store.matches._matches)

    async def refuses(
        self, asked: Awaitable[object], reason: Reason, **fields: object
    ) -> PlayError | RulesError:
        """Check that a request is refused, why, with which fields, and that nothing is changed by it."""
        before = self.stored()
        with pytest.raises((PlayError, RulesError)) as caught:
            await asked
        refusal = caught.value
        assert isinstance(refusal, PlayError | RulesError)
        assert self.stored() == before
        assert refusal.reason is reason, refusal
        assert {name: refusal.fields.get(name) for name in fields} == fields
        return refusal

    async def stale(self, asked: Awaitable[object], match: Match) -> None:
        """Check that a request is refused as stale, and shows the match as it is."""
        refusal = await self.refuses(asked, Refused.STALE)
        assert isinstance(refusal, Stale)
        assert refusal.match == match

    async def duel(self, game: str = "breakthrough", *, clock: str | None = None, **chosen: str) -> Match:
        """A match of two under way: Ann moves first, then Bob."""
        made = await self.table.open(
            Challenge(ROOM, game, chosen, opponents=(BOB,), clock=clock), Request(ANN, self.at)
        )
        return (await self.table.act(made.match.id, Join(), Request(BOB, self.at))).match

    async def party(
        self, *people: Player, game: str = "notches", clock: str | None = None, **chosen: str
    ) -> Match:
        """A match of several under way, in the order given."""
        if any(option.key == "players" for option in self.games[game].schema.options):
            chosen = {**chosen, "players": str(len(people))}
        made = await self.table.open(
            Challenge(ROOM, game, chosen, opponents=people[1:], clock=clock), Request(people[0], self.at)
        )
        match = made.match
        for who in people[1:]:
            match = (await self.table.act(match.id, Join(), Request(who, self.at))).match
        return match

    async def export(self, match_id: str) -> str:
        """The file of a match as it is stored."""
        return export(await self.table.get(match_id))

    async def play(self, match: Match, *texts: str) -> Match:
        """Texts played by whoever is on turn."""
        for text in texts:
            match = await self.table.get(match.id)
            chair = match.chairs[self.table.position(match).to_move]
            assert chair.player
            match = (await self.table.act(match.id, MakeMove(text), Request(chair.player, self.at))).match
        return match
