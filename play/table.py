"""The table: one method for each thing people can do. It loads, has it decided, and commits, or nothing happens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
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
    renaming,
    seating,
    undoing,
    watching,
)
from play.checks import check_not_called_off
from play.counting import Counting
from play.errors import BadLog, BadRequest, PlayError, Refused, WrongPhase
from play.facts import (
    Asked,
    CalledOff,
    Closed,
    Declined,
    Departed,
    Drawn,
    Imported,
    LeftLobby,
    Moved,
    Paused,
    Renamed,
    Resumed,
    TakenBack,
    Undone,
    Watching,
)
from play.hours import Hours
from play.inviting import Inviting
from play.match import Ask, Match, Phase
from play.people import Account, Address, Player, Who
from play.ports import Operation
from play.replay import Course
from rules.core import Fork, RulesError


class Table(Inviting, Hours, Counting):
    """Everything people can do with matches.

    How they come about is in `Inviting`, what has to do with time in `Hours`, with ratings in `Counting`.

    Every method is one request and returns one fact, or raises a `PlayError` or `RulesError` and changes nothing.
    Times are aware and given by the caller. `seen` is the revision that the person was looking at: when it is given
    and the match has moved on, the request is `Stale`; when it is not, the request is decided on what is there now.
    `operation` is the request as its platform names it: what it did before, it does not do again, and the same fact
    comes back, with the match as it is now.
    """

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
            lambda match, course: moving.typed(match, course, who, text, now=self.now(at), seen=seen),
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
            lambda match, course: moving.picked(match, course, who, path, now=self.now(at), seen=seen),
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
            lambda match, course: undoing.undo(match, course, who, now=self.now(at), seen=seen),
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
            lambda match, course: undoing.ask_takeback(match, course, who, now=self.now(at), seen=seen),
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
            lambda match, course: agreeing.offer_draw(match, course, who, now=self.now(at), seen=seen),
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
            lambda match, course: agreeing.answer(match, course, who, ask, yes, now=self.now(at), seen=seen),
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
            lambda match, course: leaving.resign(match, course, who, now=self.now(at), seen=seen),
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
            return leaving.resign(match, self.course(match), who, now=self.now(at), seen=seen)
        return seating.leave(match, who, seen), None

    async def end(
        self, match_id: str, by: Player, *, at: datetime, operation: Operation | None = None
    ) -> Closed | CalledOff:
        """End a match without a winner, or call an invitation off, by the word of whoever runs its place."""
        return await self._change(
            match_id, None, None, operation, lambda match: ending.end(match, by, self.now(at))
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
