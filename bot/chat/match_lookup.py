"""Lookup of the match that a command means: the one it names, or the one in this chat that it fits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bot.chat.callback_data import Verb
from bot.chat.errors import BadCommand, CommandError
from bot.chat.presenting.boards import asks_for_hints, want_hints
from bot.chat.visitor import Visitor
from play.actions.agreeing import AskTakeback, Undo
from play.actions.playing import FINISH
from play.errors import PlayError
from play.match import Ask, Match, Phase
from play.people import Account, Address
from play.ports import Store
from play.request import Action, Request
from play.table import Table
from rules.core import AmbiguousMove, AnyGame, BadNotation, Position, RulesError, Seat, readings


def is_move(game: AnyGame, position: Position[Any], text: str) -> bool:
    """Whether a text, in any reading, is a move of the game at all; perhaps an illegal one."""
    if text == FINISH:
        return bool(game.finish(position))
    for reading in (text, *readings(text)):
        try:
            game.notation.parse(reading, position)
        except BadNotation:
            continue
        except RulesError:
            return True  # an illegal or an ambiguous move is one all the same
        return True
    return False


def legal_readings(game: AnyGame, position: Position[Any], text: str) -> list[str]:
    """Return the legal moves that a text may stand for, in canonical notation, the plainest reading first.

    None where it says a move plainly and can mean no other, or where no reading is legal.
    """
    found = every_meaning(game, position, text)
    return [] if set(found) <= set(_moves(game, position, text)) else found


def every_meaning(game: AnyGame, position: Position[Any], text: str) -> list[str]:
    """As `legal_readings`, also what it says plainly: Cyrillic letters may stand for several Latin ones, by look or by sound."""
    read = (text, *readings(text))
    return list(dict.fromkeys(move for reading in read for move in _moves(game, position, reading)))


def _moves(game: AnyGame, position: Position[Any], text: str) -> Iterator[str]:
    write = game.notation.format
    try:
        yield " ".join(map(write, game.notation.parse(text, position)))
    except AmbiguousMove as several:
        yield from map(write, several.candidates)
    except RulesError:
        return


MatchFilter: TypeAlias = Callable[[Match], bool]
"""Tests a match; applied to those that are not over."""


@dataclass(frozen=True, slots=True)
class AmongFinished:
    """A filter for matches that are over; they are loaded only where they are needed."""

    fits: MatchFilter


MatchQuery: TypeAlias = MatchFilter | AmongFinished


@dataclass(frozen=True, slots=True)
class Retry:
    """The request that a button repeats in one of several matches."""

    verb: Verb
    argument: str = ""


class SeveralFit(Exception):
    """Several matches fit: the visitor has to choose."""

    def __init__(self, matches: Sequence[Match], retry: Retry) -> None:
        super().__init__([match.id for match in matches])
        self.matches = tuple(matches)
        self.retry = retry


def sound(table: Table, match: Match) -> bool:
    """Whether a match can be replayed; one that cannot must not block the others."""
    try:
        table.course(match)
    except PlayError:
        return False
    return True


LISTED: Final = 50  # live matches of a place that are loaded for a request, beside the visitor's own there


class RoomMatches:
    """The matches shown at a place, loaded once for a request: the last ones, and all of the visitor's.

    So a request costs the same at a place with five matches and with five hundred. They may be out of date, which does no
    harm: the table decides on the match as it is stored.
    """

    def __init__(self, store: Store, place: Address, account: Account) -> None:
        self._store = store
        self._place = place
        self.account = account  # of the visitor; the first of those that are linked, once it is known
        self.listed: Sequence[Match] | None = None  # the last that are not over, if loaded already
        self.of_alias = False  # whether a live match is of the visitor's alias
        self._live: Sequence[Match] | None = None
        self._all: Sequence[Match] | None = None
        self._own: Sequence[Match] | None = None

    async def live(self) -> Sequence[Match]:
        """Return the matches that are not over, the last changed first: all that most requests need."""
        if self._live is None:
            listed = self.listed
            if listed is None:
                listed = await self._store.matches.at(self._place, over=False, most=LISTED)
            self._live = await self._with_own(listed)
        return self._live

    async def matches(self) -> Sequence[Match]:
        """Return all matches, the last changed first."""
        if self._all is None:
            self._all = await self._with_own(await self._store.matches.at(self._place, most=LISTED))
        return self._all

    async def own(self) -> Sequence[Match]:
        """Return the visitor's matches at all places."""
        if self._own is None:
            self._own = await self._store.matches.of(self.account)
        return self._own

    async def _with_own(self, listed: Sequence[Match]) -> Sequence[Match]:
        if sum(match.live for match in listed) < LISTED:
            return listed
        known = {match.id for match in listed}
        own = [each for each in await self.own() if each.live and self._place in each.addresses]
        return [*listed, *(each for each in own if each.id not in known)]

    def changed(self) -> None:
        """Load them again next time, since the request itself has changed one."""
        self.listed = self._live = self._all = self._own = None


class Finder:
    """Finds matches for one visitor, by code or by what fits."""

    def __init__(self, table: Table, store: Store, visitor: Visitor, here: RoomMatches) -> None:
        self._table = table
        self._store = store
        self._visitor = visitor
        self._here = here

    async def named(self, code: str) -> Match:
        """The match of a code, or of the beginning of one among the matches here and the visitor's own."""
        if len(code) == 6:
            return await self._table.get(code)
        here = [*await self._here.matches(), *await self._here.own()]
        found = {match.id: match for match in here if match.id.startswith(code)}
        if len(found) != 1:
            raise CommandError(BadCommand.NOT_HERE, code=code)
        return found.popitem()[1]

    async def fitting(self, *kinds: MatchQuery) -> Sequence[Match]:
        """The matches here that fit the first kind that any fits, the latest change first; none where no kind has any.

        Where the visitor is alone with the bot, their own matches of other places count too; see `away`.
        """
        away: Sequence[Match] | None = None
        for kind in kinds:
            if isinstance(kind, AmongFinished):
                here = [match for match in await self._here.matches() if not match.live]
                fits = kind.fits
            else:
                here, fits = list(await self._here.live()), kind
            if found := [match for match in here if sound(self._table, match) and fits(match)]:
                return found
            if not isinstance(kind, AmongFinished):
                away = await self.away() if away is None else away
                if found := [match for match in away if fits(match)]:
                    return found
        return ()

    async def within_reach(self) -> Sequence[Match]:
        """Return the live matches that fit a command without a code."""
        return [*await self._here.live(), *await self.away()]

    async def away(self) -> Sequence[Match]:
        """The visitor's live matches of other places that they can mean where they are alone with the bot.

        As long as they play one here, only invitations: a command is never to reach farther than it seems to.
        """
        if not self._visitor.alone:
            return ()
        here = {match.id: match for match in await self._here.live()}
        plays = any(self.mine(match) for match in here.values() if sound(self._table, match))
        return [match for match in await self._elsewhere(here) if match.phase is Phase.OPEN or not plays]

    async def played_elsewhere(self) -> Sequence[Match]:
        """The matches under way that the visitor plays at other places."""
        here = {match.id for match in await self._here.live()}
        return [match for match in await self._elsewhere(here) if self.mine(match)]

    async def _elsewhere(self, here: Collection[str]) -> Sequence[Match]:
        own = await self._here.own()
        return [match for match in own if match.live and match.id not in here and sound(self._table, match)]

    async def with_hints(self, matches: Iterable[Match]) -> Sequence[Match]:
        """Return the matches in which the visitor may have a hint now: it is their turn, and no settings forbid hints."""
        account = self._visitor.account
        whole = (match for match in matches if sound(self._table, match))
        mine = [match for match in whole if asks_for_hints(match, self._table.course(match)) == account]
        places = list(dict.fromkeys(place for match in mine for place in match.addresses))
        own, *chosen = await self._store.settings.get_many(account, *places)
        at = dict(zip(places, chosen, strict=True))
        return [match for match in mine if want_hints([own, *(at[place] for place in match.addresses)])]

    def mine(self, match: Match) -> bool:
        """A match that is being played with the visitor in it."""
        return match.phase is Phase.PLAYING and self._seat(match) is not None

    def was_mine(self, match: Match) -> bool:
        """A finished match that the visitor played in; for `AmongFinished`."""
        return match.phase is Phase.OVER and self._seat(match) is not None

    def my_turn(self, match: Match) -> bool:
        """A match that waits for the visitor's move."""
        return self.mine(match) and self._table.position(match).to_move in match.seats_of(
            self._visitor.account
        )

    def reads(self, text: str) -> MatchFilter:
        """A match that waits for the visitor's move, and in whose game the text is a move at all."""
        table = self._table
        return lambda match: (
            self.my_turn(match) and is_move(table.games[match.game], table.position(match), text)
        )

    def can_undo(self, match: Match) -> bool:
        """A match in which the visitor can undo their last ply."""
        return self.mine(match) and self.granted(match, Undo())

    def can_take_back(self, turn: int | None) -> MatchFilter:
        """A match in which the visitor can ask for a turn back; None: their last one."""
        return lambda match: self.mine(match) and self.granted(match, AskTakeback(turn))

    def granted(self, match: Match, action: Action[Any]) -> bool:
        """Whether an action of the visitor would not be refused that does not depend on when it is done."""
        try:
            action.decide(match, self._table.course, Request(self._visitor.player, match.changed_at))
        except (PlayError, RulesError):
            return False
        return True

    def for_me(self, match: Match) -> bool:
        """An invitation that keeps a chair for the visitor."""
        kept = [chair.reserved for chair in match.chairs if chair.reserved and not chair.player]
        return match.phase is Phase.OPEN and self._visitor.account in [one.account for one in kept]

    def joinable(self, match: Match) -> bool:
        """An invitation with a free chair, and the visitor on none."""
        free = any(not chair.player and not chair.reserved for chair in match.chairs)
        return match.phase is Phase.OPEN and self._seat(match) is None and free

    def finished(self, match: Match) -> bool:
        """A finished match; for `AmongFinished`."""
        return match.phase is Phase.OVER

    def hosted(self, match: Match) -> bool:
        """An invitation of the visitor's own."""
        return match.phase is Phase.OPEN and match.host.account == self._visitor.account

    def begun(self, match: Match) -> bool:
        """A match under way to which the visitor invited."""
        return match.phase is Phase.PLAYING and match.host.account == self._visitor.account

    def open(self, match: Match) -> bool:
        """An invitation."""
        return match.phase is Phase.OPEN

    def entered(self, match: Match) -> bool:
        """An invitation where the visitor has a chair."""
        return match.phase is Phase.OPEN and self._seat(match) is not None

    def asked(self, ask: Ask, *, own: bool = False) -> MatchFilter:
        """A match in which the visitor can answer an open question of that kind; or their `own`, which they can take back."""

        def fits(match: Match) -> bool:
            seat = self._seat(match)
            open_ = match.phase is Phase.PLAYING and match.offer is not None and match.offer.ask is ask
            return open_ and match.offer is not None and seat is not None and (seat == match.offer.by) is own

        return fits

    def _seat(self, match: Match) -> Seat | None:
        return next(match.seats_of(self._visitor.account), None)
