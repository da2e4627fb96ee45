"""The table: one method for each thing people can do. It loads, has it decided, and commits, or nothing happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from play import (
    agreeing,
    ending,
    importing,
    invitations,
    leaving,
    matchfile,
    moving,
    rematching,
    renaming,
    seating,
    undoing,
    watching,
)
from play.chance import derived
from play.checks import check_not_called_off, expired
from play.clock import Clock
from play.clocktext import clock_of
from play.counting import Counting
from play.errors import BadLog, BadRequest, PlayError, Refused, Stale, WrongPhase
from play.facts import (
    Asked,
    CalledOff,
    Challenged,
    Closed,
    Declined,
    Departed,
    Drawn,
    Imported,
    Joined,
    LeftLobby,
    LobbyOpened,
    Moved,
    Paused,
    Renamed,
    Resumed,
    Started,
    TakenBack,
    Undone,
    Watching,
)
from play.hours import Hours
from play.match import Ask, Match, Phase
from play.people import Account, Address, Player, Who
from play.ports import Operation
from play.replay import Course
from play.requests import CODES
from rules.core import Fork, RulesError


class Table(Hours, Counting):
    """Everything people can do with matches; what has to do with time is in `Hours`, with ratings in `Counting`.

    Every method is one request and returns one fact, or raises a `PlayError` or `RulesError` and changes nothing.
    Times are aware and given by the caller. `seen` is the revision that the person was looking at: when it is given
    and the match has moved on, the request is `Stale`; when it is not, the request is decided on what is there now.
    `operation` is the request as its platform names it: what it did before, it does not do again, and the same fact
    comes back, with the match as it is now.
    """

    # Invitations

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

    async def leave(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> LeftLobby | CalledOff | Departed:
        """Give a chair back before the start; afterwards, resign."""
        return await self._settle(
            match_id, seen, at, operation, lambda match: self._left(match, who, at, seen)
        )

    def _left(
        self, match: Match, who: Who, at: datetime, seen: int | None
    ) -> tuple[LeftLobby | CalledOff | Departed, Course | None]:
        if match.phase is Phase.PLAYING:
            return leaving.resign(match, self.course(match), who, at=at, outages=self.outages, seen=seen)
        return seating.leave(match, who, seen), None

    # Playing

    async def move(
        self,
        match_id: str,
        who: Who,
        text: str,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
        known: Match | None = None,
    ) -> Moved:
        """Play what is typed: one ply, or up to the rest of the turn.

        `known` is the match as it was a moment ago, so that it need not be fetched again where it is so still.
        """
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: moving.typed(
                match, course, who, text, at=at, outages=self.outages, seen=seen
            ),
            known=known,
        )

    async def complete(
        self,
        match_id: str,
        who: Who,
        path: Sequence[str],
        *,
        at: datetime,
        seen: int,
        operation: Operation | None = None,
    ) -> Moved:
        """Play a move that was picked step by step."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: moving.picked(
                match, course, who, path, at=at, outages=self.outages, seen=seen
            ),
        )

    async def fork(
        self, match_id: str, who: Who, path: Sequence[str], *, seen: int | None = None
    ) -> Fork[Any]:
        """Where a half-made move can go, for whoever is on turn. Changes nothing."""
        match = await self.get(match_id)
        return moving.ahead(match, self.course(match), who, path, seen=seen)

    async def undo(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Undone:
        """Take back one's own last ply, freely until another seat has acted."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: undoing.undo(match, course, who, at=at, outages=self.outages, seen=seen),
        )

    async def ask_takeback(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Asked | TakenBack | Undone:
        """Ask to go back to before one's own last turn."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: undoing.ask_takeback(
                match, course, who, at=at, outages=self.outages, seen=seen
            ),
        )

    async def offer_draw(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Asked | Drawn:
        """Offer a draw, or accept the one that is offered."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: agreeing.offer_draw(
                match, course, who, at=at, outages=self.outages, seen=seen
            ),
        )

    async def answer(
        self,
        match_id: str,
        who: Who,
        ask: Ask,
        yes: bool,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Asked | TakenBack | Drawn | Declined | Paused | Resumed:
        """Say yes or no to an open question."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: agreeing.answer(
                match, course, who, ask, yes, at=at, outages=self.outages, seen=seen
            ),
        )

    async def resign(
        self,
        match_id: str,
        who: Who,
        *,
        at: datetime,
        seen: int | None = None,
        operation: Operation | None = None,
    ) -> Departed:
        """Give up: of two, the other wins; of more, the others play on."""
        return await self._play(
            match_id,
            seen,
            at,
            operation,
            lambda match, course: leaving.resign(match, course, who, at=at, outages=self.outages, seen=seen),
        )

    async def end(
        self, match_id: str, by: Player, *, at: datetime, operation: Operation | None = None
    ) -> Closed | CalledOff:
        """End a match without a winner, or call an invitation off, by the word of whoever runs its place."""
        return await self._change(
            match_id, None, None, operation, lambda match: ending.end(match, by, at, self.outages)
        )

    async def rename(self, match_id: str, who: Account, to: Player) -> Renamed:
        """Put another person wherever somebody is named in a match."""
        return await self._change(match_id, None, None, None, lambda match: renaming.rename(match, who, to))

    async def forget(
        self, match_id: str, who: Account, *, at: datetime
    ) -> CalledOff | LeftLobby | Departed | Renamed:
        """Take somebody out of a match: their invitation is withdrawn, their game given up, their name replaced.

        That they go is told without their name. What is to be counted for their rating is counted at once, so that
        nothing of theirs is written later.
        """
        people = await self._people(await self.get(match_id))
        with suppress(BadLog, BadRequest):  # nobody can count what cannot be replayed
            await self.count(match_id)

        def decide(
            match: Match,
        ) -> tuple[CalledOff | LeftLobby | Departed | Renamed, Course | None]:
            with suppress(PlayError, RulesError):  # what cannot be done need not be
                return renaming.unnamed(invitations.withdraw(match, who, None), match, who), None
            with suppress(PlayError, RulesError):
                left, course = self._left(match, who, at, None)
                return renaming.unnamed(left, match, who), course
            with suppress(PlayError, RulesError):
                return renaming.unnamed(invitations.decline(match, who, None), match, who), None
            return renaming.forget(match, who), None

        fact = await self._settle(match_id, None, None, None, decide)
        with suppress(BadLog, BadRequest):
            await self.count(match_id, people)
        return fact

    # Around a match

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

    async def watch(
        self, match_id: str, where: Address, *, on: bool = True, operation: Operation | None = None
    ) -> Watching:
        """Show a match at one more place, or no longer."""
        return await self._change(
            match_id, None, None, operation, lambda match: watching.watch(match, where, on)
        )

    async def export(self, match_id: str) -> str:
        """The match file of a match that has begun."""
        match = await self.get(match_id)
        if match.phase is Phase.OPEN:
            raise WrongPhase(Refused.NOT_STARTED)
        check_not_called_off(match)
        return matchfile.write(match)

    async def import_file(
        self, text: str, who: Player, where: Address, *, at: datetime, operation: Operation | None = None
    ) -> Imported:
        """Bring in a match from its file: to look at if it is over, to go on with if it is not."""
        made = importing.unpack(self.games, matchfile.read(text), who, where, at)
        return await self._store_new(made, Imported, operation)
