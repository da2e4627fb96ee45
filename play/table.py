"""The table: one method for each thing people can do. It loads, has it decided, and commits, or nothing happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeVar

from play import (
    agreeing,
    importing,
    invitations,
    leaving,
    matchfile,
    moving,
    rematching,
    seating,
    undoing,
    watching,
)
from play.chance import derived
from play.checks import check_not_called_off, check_unexpired, expired, game_named
from play.errors import NoSuchMatch, Refused, Stale, Unavailable, WrongPhase
from play.facts import (
    Asked,
    CalledOff,
    Challenged,
    Declined,
    Departed,
    Drawn,
    Fact,
    Imported,
    Joined,
    LeftLobby,
    LobbyOpened,
    Moved,
    Started,
    TakenBack,
    Undone,
    Watching,
)
from play.match import Ask, Match, Phase
from play.people import Address, Player, Who
from play.ports import Chance, Store
from play.replay import Course, Replay
from rules.core import AnyGame, Fork, Position

F = TypeVar("F", bound=Fact)

ATTEMPTS: Final = 5
"""How often a request is decided again when others' commits come first; each of those was somebody's success."""

CODES: Final = 10
"""How many codes are tried for a new match; that even two are taken is not to be expected."""


class Table:
    """Everything people can do with matches.

    Every method is one request and returns one fact, or raises a `PlayError` or `RulesError` and changes nothing.
    Times are aware and given by the caller. `seen` is the revision that the person was looking at: when it is given
    and the match has moved on, the request is `Stale`; when it is not, the request is decided on what is there now.
    """

    def __init__(self, store: Store, games: Mapping[str, AnyGame], chance: Chance) -> None:
        self.games = games
        self._store = store
        self._chance = chance
        self._replay = Replay(games)

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
    ) -> Challenged:
        """Invite the named opponents, or anyone, to a match that begins once every chair is taken.

        Args:
            host: Who invites; sits down at once.
            where: The place where the match is shown.
            game: Its key.
            chosen: Texts of options by key, as typed.
            at: Now.
            opponents: People for whom chairs are kept; the remaining ones are open to anyone.
            side: The host's chair: `first`, `second`, `random`, or its number.
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
        )
        return Challenged(await self._store_new(made))

    async def open_lobby(
        self, host: Player, where: Address, game: str, chosen: Mapping[str, str], *, at: datetime
    ) -> LobbyOpened:
        """Open a lobby: chairs that anyone may take until it is started."""
        return LobbyOpened(
            await self._store_new(invitations.lobby(self.games, host, where, game, chosen, at=at))
        )

    async def accept(
        self, match_id: str, who: Player, *, at: datetime, seen: int | None = None
    ) -> Started | Joined:
        """Take the chair that is kept for oneself, or a free one."""
        return await self.join(match_id, who, at=at, seen=seen)

    async def join(
        self, match_id: str, who: Player, *, at: datetime, team: int | None = None, seen: int | None = None
    ) -> Started | Joined:
        """Take a chair: in a team (counted from 1), or where one is most needed."""
        return await self._change(
            match_id, seen, at, lambda match: seating.join(self._game(match), match, who, team, seen)
        )

    async def decline(self, match_id: str, who: Who, *, at: datetime, seen: int | None = None) -> CalledOff:
        """Turn an invitation down."""
        return await self._change(match_id, seen, at, lambda match: invitations.decline(match, who, seen))

    async def withdraw(self, match_id: str, who: Who, *, at: datetime, seen: int | None = None) -> CalledOff:
        """Take one's own invitation back."""
        return await self._change(match_id, seen, at, lambda match: invitations.withdraw(match, who, seen))

    async def expire(self, match_id: str, *, at: datetime) -> CalledOff:
        """Call an invitation off whose time has run out; `Stale` before that."""
        return await self._change(match_id, None, None, lambda match: invitations.expire(match, at))

    async def start(self, match_id: str, who: Who, *, at: datetime, seen: int | None = None) -> Started:
        """Begin with those present, where the game can be played by so many."""
        return await self._change(
            match_id, seen, at, lambda match: seating.start(self._game(match), match, who, seen)
        )

    async def leave(
        self, match_id: str, who: Who, *, at: datetime, seen: int | None = None
    ) -> LeftLobby | CalledOff | Departed:
        """Give a chair back before the start; afterwards, resign."""

        def decide(match: Match) -> tuple[LeftLobby | CalledOff | Departed, Course | None]:
            if match.phase is Phase.PLAYING:
                return leaving.resign(match, self.course(match), who, at, seen)
            return seating.leave(match, who, seen), None

        return await self._settle(match_id, seen, at, decide)

    # Playing

    async def move(
        self, match_id: str, who: Who, text: str, *, at: datetime, seen: int | None = None
    ) -> Moved:
        """Play what is typed: one ply, or up to the rest of the turn."""
        return await self._play(
            match_id, seen, at, lambda match, course: moving.typed(match, course, who, text, at=at, seen=seen)
        )

    async def complete(
        self, match_id: str, who: Who, path: Sequence[str], *, at: datetime, seen: int
    ) -> Moved:
        """Play a move that was picked step by step."""
        return await self._play(
            match_id,
            seen,
            at,
            lambda match, course: moving.picked(match, course, who, path, at=at, seen=seen),
        )

    async def fork(
        self, match_id: str, who: Who, path: Sequence[str], *, seen: int | None = None
    ) -> Fork[Any]:
        """Where a half-made move can go, for whoever is on turn. Changes nothing."""
        match = await self.get(match_id)
        return moving.ahead(match, self.course(match), who, path, seen=seen)

    async def undo(self, match_id: str, who: Who, *, at: datetime, seen: int | None = None) -> Undone:
        """Take back one's own last ply, freely until another seat has acted."""
        return await self._play(
            match_id, seen, at, lambda match, course: undoing.undo(match, course, who, seen)
        )

    async def ask_takeback(
        self, match_id: str, who: Who, *, at: datetime, seen: int | None = None
    ) -> Asked | TakenBack | Undone:
        """Ask to go back to before one's own last turn."""
        return await self._play(
            match_id, seen, at, lambda match, course: undoing.ask_takeback(match, course, who, seen)
        )

    async def offer_draw(
        self, match_id: str, who: Who, *, at: datetime, seen: int | None = None
    ) -> Asked | Drawn:
        """Offer a draw, or accept the one that is offered."""
        return await self._play(
            match_id, seen, at, lambda match, course: agreeing.offer_draw(match, course, who, seen)
        )

    async def answer(
        self, match_id: str, who: Who, ask: Ask, yes: bool, *, at: datetime, seen: int | None = None
    ) -> Asked | TakenBack | Drawn | Declined:
        """Say yes or no to an open question."""
        return await self._play(
            match_id, seen, at, lambda match, course: agreeing.answer(match, course, who, ask, yes, seen=seen)
        )

    async def resign(self, match_id: str, who: Who, *, at: datetime, seen: int | None = None) -> Departed:
        """Give up: of two, the other wins; of more, the others play on."""
        return await self._play(
            match_id, seen, at, lambda match, course: leaving.resign(match, course, who, at, seen)
        )

    # Around a match

    async def rematch(
        self, match_id: str, who: Player, *, at: datetime, where: Address | None = None
    ) -> Challenged | Started | Joined:
        """Ask for the same game again, seats swapped or one on; where somebody has asked already, accept.

        Its code follows from the old match's, so that two who ask at once ask for the same one.
        """
        old = await self.get(match_id)
        made = rematching.rematch(self._game(old), old, who, where, at)
        for attempt in range(CODES):
            code = derived(old.id, attempt)
            try:
                return Challenged(await self._store.commit(replace(made, id=code), 0))
            except Stale as taken:
                there = taken.match
            if there.rematch_of == old.id and there.live and not expired(there, at):
                return await self.accept(code, who, at=at)
        return Challenged(await self._store_new(made))

    async def watch(self, match_id: str, where: Address, *, on: bool = True) -> Watching:
        """Show a match at one more place, or no longer."""
        return await self._change(match_id, None, None, lambda match: watching.watch(match, where, on))

    async def export(self, match_id: str) -> str:
        """The match file of a match that has begun."""
        match = await self.get(match_id)
        if match.phase is Phase.OPEN:
            raise WrongPhase(Refused.NOT_STARTED)
        check_not_called_off(match)
        return matchfile.write(match)

    async def import_file(self, text: str, who: Player, where: Address, *, at: datetime) -> Imported:
        """Bring in a match from its file: to look at if it is over, to go on with if it is not."""
        made = importing.unpack(self.games, matchfile.read(text), who, where, at)
        return Imported(await self._store_new(made))

    async def get(self, match_id: str) -> Match:
        """A match as it is now.

        Raises:
            NoSuchMatch: there is none with that id.
        """
        if not (match_id.isascii() and match_id.isalnum() and len(match_id) <= 12):
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id[:12])
        return await self._store.load(match_id)

    def course(self, match: Match) -> Course:
        """A match's log played through: every position, and the last turn."""
        return self._replay.positions(match)

    def position(self, match: Match) -> Position[Any]:
        """Where a match stands."""
        return self.course(match).position

    # Loading, deciding, committing

    def _game(self, match: Match) -> AnyGame:
        return game_named(self.games, match.game)

    async def _play(
        self,
        match_id: str,
        seen: int | None,
        at: datetime,
        decide: Callable[[Match, Course], tuple[F, Course]],
    ) -> F:
        """Settle what concerns the log."""
        return await self._settle(match_id, seen, at, lambda match: decide(match, self.course(match)))

    async def _change(
        self, match_id: str, seen: int | None, at: datetime | None, decide: Callable[[Match], F]
    ) -> F:
        """Settle what does not."""
        return await self._settle(match_id, seen, at, lambda match: (decide(match), None))

    async def _settle(
        self,
        match_id: str,
        seen: int | None,
        at: datetime | None,
        decide: Callable[[Match], tuple[F, Course | None]],
    ) -> F:
        """Decide on the match as it is and commit that; where another commit comes first, decide again on what it made.

        Somebody who said what they were looking at is not decided for again.
        """
        match = await self.get(match_id)
        for _ in range(ATTEMPTS):
            if at is not None:
                check_unexpired(match, at)
            fact, course = decide(match)
            try:
                committed = await self._store.commit(fact.match, match.revision)
            except Stale as overtaken:
                if seen is not None:
                    raise
                match = overtaken.match
                continue
            if course is not None:
                self._replay.keep(committed, course)
            return replace(fact, match=committed)
        raise Stale(match)

    async def _store_new(self, made: Match) -> Match:
        for _ in range(CODES):
            try:
                return await self._store.commit(replace(made, id=self._chance.code()), 0)
            except Stale:
                continue  # that code is taken
        raise Unavailable
