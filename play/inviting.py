"""What the table does about matches that have not begun: challenges, lobbies, who sits down, and asking for a rematch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from play import invitations, rematching, seating
from play.chance import derived
from play.checks import expired
from play.clock import Clock
from play.clocktext import clock_of
from play.errors import Refused, Stale, WrongPhase
from play.facts import CalledOff, Challenged, Joined, LobbyOpened, Started
from play.match import Match
from play.people import Address, Player, Who
from play.ports import Operation
from play.requests import CODES, Requests


class Inviting(Requests):
    """The requests by which a match comes about."""

    async def challenge(
        self,
        host: Player,
        where: Address,
        game: str,
        chosen: Mapping[str, str],
        *,
        at: datetime,
        opponents: Sequence[Player] = (),
        side: str = "first",
        clock: Clock | str | None = None,
        rated: bool = False,
        also: Sequence[Address] = (),
        operation: Operation | None = None,
    ) -> Challenged | Started:
        """Invite the named opponents, or anyone, to a match that begins once every chair is taken: by engines, at once.

        Args:
            host: Who invites; sits down at once.
            where: The place where the match is shown.
            game: Its key.
            chosen: Texts of options by key, as typed.
            at: Now.
            opponents: People for whom chairs are kept; the remaining ones are open to anyone.
            side: The host's chair: `first`, `second`, `random`, or its number.
            clock: What it is timed by, as typed or as it is; None: nothing.
            rated: Whether its result is to count for ratings.
            also: Where else it is shown: to those who do not see that place.
            operation: The request, as its platform names it.
        """
        made = invitations.challenge(
            self.games,
            host,
            where,
            game,
            chosen,
            at=at,
            opponents=opponents,
            side=side,
            chance=self._chance,
            clock=clock_of(clock),
            rated=rated,
            also=also,
        )
        return await self._store_invitation(made, at, operation)

    async def open_lobby(
        self,
        host: Player,
        where: Address,
        game: str,
        chosen: Mapping[str, str],
        *,
        at: datetime,
        engines: Sequence[Player] = (),
        clock: Clock | str | None = None,
        rated: bool = False,
        operation: Operation | None = None,
    ) -> LobbyOpened:
        """Open a lobby: chairs that anyone may take until it is started. The clock runs from the start."""
        made = invitations.lobby(
            self.games,
            host,
            where,
            game,
            chosen,
            at=at,
            engines=engines,
            clock=clock_of(clock),
            rated=rated,
        )
        return await self._store_new(made, LobbyOpened, operation)

    async def accept(
        self,
        match_id: str,
        who: Player,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Started | Joined:
        """Take the chair that is kept for oneself, or a free one."""
        return await self.join(match_id, who, at=at, seen=seen, operation=operation)

    async def join(
        self,
        match_id: str,
        who: Player,
        *,
        at: datetime,
        team: int | None = None,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Started | Joined:
        """Take a chair: in a team (counted from 1), or where one is most needed."""
        return await self._change(
            match_id,
            seen,
            at,
            operation,
            lambda match: seating.join(self._game(match), match, who, team, at=at, seen=seen),
        )

    async def seat_engine(
        self,
        match_id: str,
        who: Who,
        engine: Player,
        *,
        at: datetime,
        team: int | None = None,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Started | Joined:
        """Have an engine take a chair."""
        return await self._change(
            match_id,
            seen,
            at,
            operation,
            lambda match: seating.seat_engine(self._game(match), match, who, engine, team, at=at, seen=seen),
        )

    async def decline(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> CalledOff:
        """Turn an invitation down."""
        return await self._change(
            match_id, seen, at, operation, lambda match: invitations.decline(match, who, seen)
        )

    async def withdraw(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> CalledOff:
        """Take one's own invitation back."""
        return await self._change(
            match_id, seen, at, operation, lambda match: invitations.withdraw(match, who, seen)
        )

    async def expire(self, match_id: str, *, at: datetime, operation: Operation | None = None) -> CalledOff:
        """Call an invitation off whose time has run out; `Stale` before that."""
        return await self._change(
            match_id, None, None, operation, lambda match: invitations.expire(match, at)
        )

    async def start(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Started:
        """Begin with those present, where the game can be played by so many."""
        return await self._change(
            match_id,
            seen,
            at,
            operation,
            lambda match: seating.start(self._game(match), match, who, at=at, seen=seen),
        )

    async def rematch(
        self,
        match_id: str,
        who: Player,
        *,
        at: datetime,
        where: Address | None = None,
        also: Sequence[Address] = (),
        operation: Operation | None = None,
    ) -> Challenged | Started | Joined:
        """Ask for the same game again, seats swapped or one on; where somebody has asked already, accept.

        Its code follows from the old match's, so that two who ask at once ask for the same one.
        """
        old = await self.get(match_id)
        made = rematching.rematch(self._game(old), old, who, where, at, also=also)
        for attempt in range(CODES):
            code = derived(old.id, attempt)
            try:
                return await self._commit(self._invited(replace(made, id=code), at), 0, operation)
            except Stale as taken:
                there = taken.match
            if there.rematch_of == old.id and there.live and not expired(there, at):
                try:
                    return await self.accept(code, who, at=at, operation=operation)
                except WrongPhase as refusal:
                    if refusal.reason is Refused.ALREADY_STARTED:
                        raise WrongPhase(Refused.REMATCH_BEGUN, code=f"#{code}") from refusal
                    raise
        return await self._store_invitation(made, at, operation)

    def _invited(self, made: Match, at: datetime) -> Challenged | Started:
        """An invitation; where engines have taken all the other chairs, the match."""
        if all(chair.player for chair in made.chairs):
            return seating.begin(self._game(made), made, at)
        return Challenged(made)

    async def _store_invitation(
        self, made: Match, at: datetime, operation: Operation | None
    ) -> Challenged | Started:
        return await self._store_new(made, lambda match: self._invited(match, at), operation)
