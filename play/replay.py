"""From a match's log to its positions, and a bounded memory of those already made."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from play.errors import BadLog, BadRequest, Refused, WrongPhase
from play.match import Closing, Entry, Exit, Match, Ply, Result, Return, Start
from rules.core import AnyGame, Position, RulesError, Seat, Sides

MAX_POSITIONS: Final = 20_000
"""Positions kept in memory over all matches: some 200 matches of 100 plies, or a dozen of the longest."""


@dataclass(frozen=True, slots=True)
class Course:
    """A log played through, from the start position to where the match stands now.

    Attributes:
        positions: The start, then the position after each entry of the log.
        moves: The game's move for each ply of the log, None for an exit or a return.
    """

    game: AnyGame
    options: Any
    log: tuple[Entry, ...]
    positions: tuple[Position[Any], ...]
    moves: tuple[Any, ...]

    @property
    def start(self) -> Position[Any]:
        return self.positions[0]

    @property
    def position(self) -> Position[Any]:
        return self.positions[-1]

    @property
    def sides(self) -> Sides:
        return self.game.sides(self.options)

    @property
    def departed(self) -> frozenset[Seat]:
        """The seats that have left while the others played on, and that have not been taken since."""
        return departed(self.log)

    @property
    def live(self) -> tuple[Seat, ...]:
        """The seats that still play, in order."""
        return tuple(sorted(seat for side in self.sides for seat in side if seat not in self.position.out))

    def opponents(self, seat: Seat) -> tuple[Seat, ...]:
        """The live seats of all sides but this one's: those that have to agree to what it asks."""
        own = self.side_of(seat)
        return tuple(other for other in self.live if other not in own)

    def side_of(self, seat: Seat) -> Sequence[Seat]:
        """All seats that play together with one, itself among them."""
        return next(side for side in self.sides if seat in side)

    @property
    def last_turn(self) -> tuple[Any, ...]:
        """The moves of the turn under way; if it has none yet, of the turn before it."""
        return tuple(self.moves[index] for index in self._last_plies())

    @property
    def before_turn(self) -> Position[Any]:
        """The position before `last_turn`; the start where there was no turn."""
        plies = self._last_plies()
        return self.positions[plies[0]] if plies else self.start

    @property
    def repeated(self) -> int:
        """How many times the position has stood here with the same seat to move, counting now."""
        return self.positions.count(self.position)  # equal positions have the same seat to move

    @property
    def result(self) -> Result | None:
        """The end that the rules, or a repetition, put to the match here."""
        if outcome := self.position.outcome:
            return Result(outcome.winners, outcome.reason.value)
        limit = self.game.repetitions(self.options)
        if limit and self.repeated >= limit:
            return Result((), Closing.REPETITION.value)
        return None

    def turn_start(self, index: int) -> int:
        """Where in the log the turn began that the ply at `index` belongs to."""
        seat = self.log[index].seat
        first = index
        for earlier in range(index, -1, -1):
            entry, before = self.log[earlier], self.positions[earlier]
            if isinstance(entry, Ply):
                if entry.seat != seat:
                    break
                first = earlier
                if before.plies_left == before.turn_length:
                    break
        return first

    def turn_completed(self, side: Collection[Seat], since: int) -> bool:
        """Whether a seat of a side has completed a turn after so many entries of the log."""
        for entry, after in zip(self.log[since:], self.positions[since + 1 :], strict=True):
            ended = after.to_move != entry.seat or after.plies_left == after.turn_length
            if isinstance(entry, Ply) and entry.seat in side and ended:
                return True
        return False

    def played(self, move: Any, at: datetime) -> Course:
        after = self.position.play(move)
        return self._with(Ply(self.position.to_move, self.game.notation.format(move), at), after, move)

    def left(self, seat: Seat, reason: Closing, at: datetime) -> Course:
        """The course once a seat has left and the others play on."""
        return self._with(Exit(seat, reason, at), self.position.retire(seat), None)

    def returned(self, seat: Seat, at: datetime) -> Course:
        """Return the course once a player has taken a seat that was left."""
        if seat not in self.departed:
            raise ValueError(f"{seat!r} was not left")
        return self._with(Return(seat, at), self.position.restore(seat), None)

    @property
    def vacant(self) -> tuple[Seat, ...]:
        """The seats that can be taken over: left by a player, and not blocked by the rules since."""
        free = []
        for seat in sorted(self.departed):
            with suppress(ValueError):
                self.position.restore(seat)
                free.append(seat)
        return tuple(free)

    def cut(self, keep: int) -> Course:
        if keep == len(self.log):
            return self
        return Course(self.game, self.options, self.log[:keep], self.positions[: keep + 1], self.moves[:keep])

    def without_plies(self, keep: int) -> Course:
        """The course of the first `keep` entries, and of the exits and returns after them.

        Raises:
            BadLog: without the plies since, a seat could not have been left or taken.
        """
        stay = [entry for entry in self.log[keep:] if not isinstance(entry, Ply)]
        return extended(self.cut(keep), stay)

    def _with(self, entry: Entry, position: Position[Any], move: Any) -> Course:
        log, positions = (*self.log, entry), (*self.positions, position)
        return replace(self, log=log, positions=positions, moves=(*self.moves, move))

    def _last_plies(self) -> list[int]:
        """Where the last turn's plies are in the log; an exit may stand between them."""
        plies = [index for index, entry in enumerate(self.log) if isinstance(entry, Ply)]
        if not plies:
            return []
        first = self.turn_start(plies[-1])
        return [index for index in plies if index >= first]


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn of a match, counted from 1; it begins in the log at `first` and ends before `end`."""

    number: int
    seat: Seat
    first: int
    end: int
    plies: tuple[str, ...]


def turn_numbered(turns: Sequence[PlayedTurn], number: int) -> PlayedTurn:
    """Return a turn by its number; refused where there is none."""
    if not 0 < number <= len(turns):
        raise WrongPhase(Refused.NO_SUCH_TURN, number=number, last=len(turns))
    return turns[number - 1]


def turns_of(course: Course) -> list[PlayedTurn]:
    """The turns of a match, in order."""
    found: list[PlayedTurn] = []
    first = 0
    while first < len(course.log):
        entry = course.log[first]
        end = first + 1
        if isinstance(entry, Ply):
            before = course.positions[first]
            while end < len(course.log):
                more = course.log[end]
                here = course.positions[end]
                if (
                    not isinstance(more, Ply)
                    or more.seat != entry.seat
                    or here.plies_left >= before.plies_left
                ):
                    break
                before = here
                end += 1
            plies = tuple(ply.text for ply in course.log[first:end] if isinstance(ply, Ply))
            found.append(PlayedTurn(len(found) + 1, entry.seat, first, end, plies))
        first = end
    return found


def turn_after(course: Course, entries: int) -> PlayedTurn | None:
    """Return the turn that begins, or goes on, after so many entries of the log; None where none has been played since."""
    return next((turn for turn in turns_of(course) if turn.end > entries), None)


def departed(log: Sequence[Entry]) -> frozenset[Seat]:
    """The seats that were left in a log and not taken again."""
    gone = set()
    for entry in log:
        if isinstance(entry, Exit):
            gone.add(entry.seat)
        elif isinstance(entry, Return):
            gone.discard(entry.seat)
    return frozenset(gone)


def begun(game: AnyGame, options: Any, start: Start | None = None) -> Course:
    """The course of a match in which nothing has been played yet.

    Raises:
        BadNotation: its start is no position from which the rules go on.
    """
    first = game.notation.parse_position(start.position, options) if start else game.start(options)
    return Course(game, options, (), (first,), ())


def extended(course: Course, entries: Sequence[Entry], code: str = "") -> Course:
    """A course with more of its log played through, each entry checked.

    Raises:
        BadLog: an entry that the rules do not allow there; `entry` counts from the start of the log.
    """
    log, positions, moves = list(course.log), list(course.positions), list(course.moves)
    for entry in entries:
        try:
            move, position = _replayed(course, log, positions[-1], entry)
        except (RulesError, ValueError) as broken:
            raise BadLog(code, len(log)) from broken
        log.append(entry)
        positions.append(position)
        moves.append(move)
    return replace(course, log=tuple(log), positions=tuple(positions), moves=tuple(moves))


def _replayed(
    course: Course, log: Sequence[Entry], position: Position[Any], entry: Entry
) -> tuple[Any, Position[Any]]:
    if isinstance(entry, Exit):
        if position.outcome or entry.seat in position.out or entry.seat >= course.game.seats(course.options):
            raise ValueError(f"{entry.seat!r} cannot leave here")
        return None, position.retire(entry.seat)
    if isinstance(entry, Return):
        if position.outcome or entry.seat not in departed(log):
            raise ValueError(f"{entry.seat!r} cannot be taken here")
        return None, position.restore(entry.seat)
    if entry.seat != position.to_move:
        raise ValueError(f"a ply by {entry.seat!r} when {position.to_move!r} is to move")
    moves = course.game.notation.parse(entry.text, position)
    if len(moves) != 1:
        raise ValueError(f"{len(moves)} plies in one entry")
    return moves[0], position.play(moves[0])


class Replay:
    """Courses of matches, remembered by (id, revision) and made anew only from where the log has changed."""

    def __init__(self, games: Mapping[str, AnyGame], limit: int = MAX_POSITIONS) -> None:
        self._games = games
        self._limit = limit
        self._kept: OrderedDict[str, tuple[Match, Course]] = OrderedDict()
        self._size = 0

    def positions(self, match: Match) -> Course:
        """The course of a match as it was committed.

        Raises:
            BadLog: what is stored does not replay.
            BadRequest: its game is not among the known ones.
        """
        known, course = self._kept.get(match.id, (None, None))
        if course is None or known is None or (known.game, known.options) != (match.game, match.options):
            course = self._begun(match)  # a lobby that starts short has other options than before
        elif known.revision == match.revision and len(known.log) == len(match.log):
            self._kept.move_to_end(match.id)
            return course
        common = _common(course.log, match.log)
        course = extended(course.cut(common), match.log[common:], match.id)
        self.keep(match, course)
        return course

    def keep(self, match: Match, course: Course) -> None:
        """Remember the course of a match that was just committed."""
        if old := self._kept.pop(match.id, None):
            self._size -= len(old[1].positions)
        self._kept[match.id] = (match, course)
        self._size += len(course.positions)
        while self._size > self._limit and len(self._kept) > 1:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._size -= len(dropped.positions)

    def _begun(self, match: Match) -> Course:
        game = self._games.get(match.game)
        if game is None:
            raise BadRequest(Refused.NO_SUCH_GAME, game=match.game, known=tuple(self._games))
        try:
            return begun(game, game.choose(dict(match.options)), match.start)
        except RulesError as broken:
            raise BadLog(match.id, -1) from broken


def _common(one: Sequence[Entry], other: Sequence[Entry]) -> int:
    both = zip(one, other, strict=False)
    parted = (at for at, (mine, yours) in enumerate(both) if mine is not yours and mine != yours)
    return next(parted, min(len(one), len(other)))
