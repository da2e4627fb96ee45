"""Analysis of a match that is over: the value of each turn, a better one and its idea, and where the match was decided.

And of another turn than the one that was played: what it comes to, by a search, and the reply that refutes it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, TypeAlias

from bot.chat.presenting.naming import line_played
from bot.chat.registry import TURNING_POINTS, Hook, TurningPoint
from bot.chat.thinking import SharedProgress, Thinker
from bot.chat.thinking.jobs import Job, Reply, Variation, job_for
from engine import specialist_of
from engine.core import GameValue, Idea, Proof, SearchResult
from play.errors import Unavailable
from play.match import Match, Phase
from play.ports import NoteStore
from play.replay import Course, PlayedTurn, turns_of
from rules.core import AnyGame, IllegalMove, Legality, Outcome, Position, RulesError, Seat, walk
from storage.ports import FullStore

SECONDS: Final = 24.0  # seconds of search for a whole match, some more or less
_LEAST: Final = 0.1
MOST: Final = 1.0  # seconds for one position
TURNS: Final = 240  # turns analysed; of a longer match the last ones
CHUNK: Final = 2.0
"""Seconds of search for a chunk of a match: at most so much is lost where it gives way to a move."""
KEPT: Final = timedelta(days=1)
"""How long the answer to a chunk is kept: an analysis that broke off goes on with the others."""

Search: TypeAlias = Callable[[Job], Awaitable[Reply]]
"""Has a position, or a chunk of a match, searched."""

_ADVICE: Final = 1.0  # seconds for one position after another turn
_ADVICES: Final = 3.0  # seconds for all of them, where many players move in between
_TURNING: Final = 0.3  # loss of value that makes a turn a turning point; 2 is from a sure win to a sure loss
CLOSE: Final = 0.04  # a loss this small is no mistake: searches of two positions differ by as much


@dataclass(frozen=True, slots=True)
class Worth:
    """What a turn comes to for its seat, from -1 to 1; None if unknown.

    Where that is certain, `plies` is how many follow to the end of the game; 0 for a draw. They are at most so many, or `exact`.
    """

    value: float | None = None
    plies: int | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn, judged for its seat: what the engine would have played, and what was played comes to.

    `keep` is how many turns would have kept the result, where that is known for sure; `reply` is the best answer of the next seat,
    None if that was not searched.
    """

    played: PlayedTurn
    best: Variation
    keep: int | None
    after: Worth
    reply: Variation | None

    @property
    def lost(self) -> float:
        """How much of the value the turn gave away."""
        return 0.0 if self.after.value is None else max(0.0, self.best.value - self.after.value)

    @property
    def sure(self) -> bool:
        """Whether it is certain that the turn threw the result away."""
        return None not in (self.after.plies, self.best.plies) and self.lost >= 1

    @property
    def turning(self) -> bool:
        """Whether the match turned here."""
        return not self.same and (self.sure or self.lost >= _TURNING)

    @property
    def same(self) -> bool:
        """Whether it was the engine's own choice, in any order of its plies."""
        return sorted(self.played.plies) == sorted(self.best.turn)


ANALYSED: Final = Hook[[Thinker, FullStore, Match, Course, tuple[Judged, ...]], None]()
"""A match that is over has been analysed."""


async def analysed(
    match: Match, course: Course, ask: Search, progress: SharedProgress | None = None
) -> tuple[Judged, ...]:
    """Return the judged turns of a finished match."""
    chunks = _chunks(match, course)
    progress = progress or SharedProgress()
    progress.done, progress.parts = 0, len(chunks)
    over = False

    async def answers(chunk: _Chunk) -> dict[int, Reply]:
        replies = await _searched(chunk, ask)
        if not over:
            progress.done += 1
        return replies

    try:
        found = await asyncio.gather(*map(answers, chunks))
    finally:
        over = True  # where one fails, the others go on, since answers are kept; by then the next analysis may be counting
    replies = {at: reply for answered in found for at, reply in answered.items()}
    return tuple(judged(course, turn, replies) for turn in turns_of(course)[-TURNS:])


async def judged_turn(match: Match, course: Course, turn: PlayedTurn, ask: Search) -> Judged:
    """Return one turn of a finished match as `analysed` judges it, with no more searches than this takes."""
    chunks = _chunks(match, course)
    if turn.first < chunks[0].asked[0]:  # of a match too long to be analysed whole
        chunks.insert(0, _chunk(course, (turn.first,), _LEAST))
    replies: dict[int, Reply] = {}
    for chunk in chunks:
        if chunk.asked[-1] >= turn.first:
            replies |= await _searched(chunk, ask)
            if _worth(course, turn, replies).value is not None:
                break
    return judged(course, turn, replies)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Positions that are searched together, by where in the log they are."""

    asked: Sequence[int]
    job: Job


def _chunk(course: Course, asked: Sequence[int], seconds: float) -> _Chunk:
    first, *rest = [
        job_for(course.game, course.options, course.positions[at], seconds=seconds) for at in asked
    ]
    return _Chunk(asked, replace(first, after=tuple(job.position for job in rest)))


def _chunks(match: Match, course: Course) -> list[_Chunk]:
    asked = [turn.first for turn in turns_of(course)[-TURNS:]]
    if not asked:
        return []
    seconds = min(MOST, max(_LEAST, SECONDS / len(asked)))
    if course.position.outcome is None and match.result is not None:
        asked.append(len(course.log))
    size = max(1, round(CHUNK / seconds))
    return [_chunk(course, asked[first : first + size], seconds) for first in range(0, len(asked), size)]


async def _searched(chunk: _Chunk, ask: Search) -> dict[int, Reply]:
    reply = await ask(chunk.job)
    return dict(zip(chunk.asked, (replace(reply, after=()), *reply.after), strict=True))


async def kept(notes: NoteStore, job: Job, ask: Search) -> Reply:
    """Return the answer to a chunk: the one that is kept, perhaps by a process that has ended, or a new one."""
    name = f"searched:{hashlib.blake2b(job.pack().encode(), digest_size=16).hexdigest()}"
    with suppress(Unavailable, ValueError):
        (text,) = await notes.read(name)
        if text is not None:
            return Reply.unpack(text)
    reply = await ask(job)
    with suppress(Unavailable):
        await notes.write(name, reply.pack(), keep=KEPT)
    return reply


class _NotKept(Exception):
    """The answer to a chunk was never found, or too long ago."""


async def _refuse(_job: Job) -> Reply:
    raise _NotKept


async def kept_turns(store: FullStore, match: Match, course: Course) -> tuple[Judged, ...] | None:
    """Return the judged turns of a match; None where it is not over, has none, or no analysis of it is kept."""
    if match.phase is not Phase.OVER or not course.log:
        return None
    try:
        return await analysed(match, course, lambda job: kept(store.notes, job, _refuse))
    except _NotKept:
        return None


@TURNING_POINTS
async def _turning_points(store: FullStore, match: Match, course: Course) -> Sequence[TurningPoint] | None:
    turns = await kept_turns(store, match, course)
    if turns is None:
        return None
    return [
        TurningPoint(turn.played.number, turn.played.end, turn.sure, turn.best.turn)
        for turn in turns
        if turn.turning
    ]


def judged(course: Course, turn: PlayedTurn, replies: Mapping[int, Reply]) -> Judged:
    """Return a turn, judged by the best turns before it and later on, by where in the log these were searched."""
    reply = replies[turn.first]
    after = _worth(course, turn, replies)
    best = reply.lines[0]
    answered = replies.get(turn.end)
    return Judged(
        turn, best, reply.keep, no_better(after, best), None if answered is None else answered.lines[0]
    )


def no_better(worth: Worth, best: Variation) -> Worth:
    """Return what a turn comes to: no more than the best turn, where searches cannot tell the two apart."""
    guessed = best.plies is None and worth.plies is None
    if guessed and worth.value is not None and abs(best.value - worth.value) < CLOSE:
        return Worth(min(worth.value, best.value))
    return worth


def _worth(course: Course, turn: PlayedTurn, replies: Mapping[int, Reply]) -> Worth:
    """Nothing is certain where others moved in between: they may have gone wrong."""
    side = course.side_of(turn.seat)
    end = course.positions[turn.end]
    if end.outcome is not None:
        return Worth(outcome_value(end.outcome, side), 0, exact=True)
    duel = len(course.sides) == 2
    for at in sorted(at for at in replies if at >= turn.end):
        position: Any = course.positions[at]
        line = replies[at].lines[0]
        plies = line.plies if at == turn.end else None
        if position.to_move in side:
            return Worth(line.value, plies, line.exact)
        if duel:
            return Worth(-line.value, plies, line.exact)
    if course.position.outcome is not None:
        return Worth(outcome_value(course.position.outcome, side))
    return Worth()


def outcome_value(outcome: Outcome, side: Sequence[Seat]) -> float:
    """Return the value of an outcome for a side."""
    if outcome.drawn:
        return 0.0
    return 1.0 if set(side) & set(outcome.winners) else -1.0


@dataclass(frozen=True, slots=True)
class Alternative:
    """A turn instead of the one that was played, beside the best one of the position, and what each comes to for the seat.

    A beginning that was asked about is completed as well as can be; `worth` counts plies from before the turn. `replies` is the best
    one of the only other side; among more sides, the best turn of each, one after the other; none to the best turn itself.
    """

    instead: PlayedTurn
    plies: tuple[str, ...]
    worth: Worth
    best: tuple[str, ...]
    better: Worth
    replies: tuple[Variation, ...]
    line: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether it is the best turn itself, in any order of its plies."""
        return sorted(self.plies) == sorted(self.best)

    @property
    def lost(self) -> float:
        """How much of the value it gives away; negative where it looks better than the best."""
        return (self.better.value or 0.0) - (self.worth.value or 0.0)

    @property
    def equal(self) -> bool:
        """Whether it comes to the same result as the best turn, or to chances that searches cannot tell apart."""
        return self.same or abs(self.lost) < CLOSE


async def alternative(course: Course, judged: Judged, text: str, ask: Search) -> Alternative:
    """Return what another turn would have come to.

    The best turn, and the one that was played, come to what they were judged to: no turn has two values.
    """
    turn, best, game = judged.played, judged.best, course.game
    start = course.positions[turn.first]
    moves, here = read_turn(game, start, text)
    plies = tuple(map(game.notation.format, moves))
    if here.outcome is None and here.to_move == turn.seat and 0 < here.plies_left < start.plies_left:
        plies += (await _best_of(course, here, ask)).turn
    better = _from_before(Worth(best.value, best.plies, best.exact), 0)
    if sorted(plies) == sorted(best.turn):
        return Alternative(turn, plies, better, best.turn, better, (), best.line[len(best.turn) :])
    was_played = sorted(plies) == sorted(turn.plies)
    worth, line, replies = await _followed(course, turn, plies, judged.reply if was_played else None, ask)
    worth = _from_before(judged.after, len(plies)) if was_played else no_better(worth, best)
    return Alternative(turn, plies, worth, best.turn, better, replies, line)


def _from_before(worth: Worth, plies: int) -> Worth:
    """Return what a turn of so many plies comes to, counted from before it."""
    if worth.plies is None:
        return worth
    return replace(worth, plies=worth.plies + plies if worth.value else 0)


async def _best_of(course: Course, position: Position[Any], ask: Search) -> Variation:
    seats = course.game.seats(course.options)
    seconds = _ADVICE if len(course.sides) == 2 else _ADVICES / (2 * seats)
    return (await ask(job_for(course.game, course.options, position, seconds=seconds))).lines[0]


async def _followed(
    course: Course, turn: PlayedTurn, plies: Sequence[str], reply: Variation | None, ask: Search
) -> tuple[Worth, tuple[str, ...], tuple[Variation, ...]]:
    """Among more sides the others play their best turns until the seat's side is to move again: then nothing is certain."""
    game, side = course.game, course.side_of(turn.seat)
    _, here = line_played(game, course.positions[turn.first], plies)
    line: tuple[str, ...] = ()
    replies: tuple[Variation, ...] = ()
    for others in range(game.seats(course.options)):
        if here.outcome is not None:
            ended = Worth(outcome_value(here.outcome, side), None if others else len(plies), exact=not others)
            return ended, line, replies
        found = (None if others else reply) or await _best_of(course, here, ask)
        own = here.to_move in side
        if own or len(course.sides) == 2:
            value, left = found.value if own else -found.value, None if others else found.plies
            worth = Worth(value, left, found.exact)
            return _from_before(worth, len(plies)), (*line, *found.line), replies if own else (found,)
        line += found.turn
        replies += (found,)
        _, here = line_played(game, here, found.turn)
    return Worth(), line, replies


def decided(course: Course, turns: Sequence[Judged]) -> tuple[Judged, Seat] | None:
    """Return the turn from which on one side's win was certain to the end, and the first seat of that side.

    None where no turn was, or only the last one; and among more than two sides, where no search tells who wins.
    """
    found = None
    if len(course.sides) == 2:
        for turn in reversed(turns):
            winner = _winner(course, turn)
            if winner is None or (found is not None and winner != found[1]):
                break
            found = turn, winner
    return found if found is not None and found[0] is not turns[-1] else None


def _winner(course: Course, turn: Judged) -> Seat | None:
    if turn.best.plies is None or not round(turn.best.value):
        return None
    own = course.side_of(turn.played.seat)
    return (own if turn.best.value > 0 else next(side for side in course.sides if side != own))[0]


def proof_of(line: Variation) -> Proof | None:
    """Return what is proved of a variation, if anything."""
    return None if line.plies is None else Proof(GameValue(round(line.value)), line.plies)


def read_turn(game: AnyGame, start: Position[Any], text: str) -> tuple[tuple[Any, ...], Position[Any]]:
    """Return the moves of a typed turn, or of the beginning of one, and the position after them.

    Raises:
        RulesError: it is neither.
    """
    here = start
    moves = game.notation.parse(text, start)
    for move in moves:
        if here.outcome is not None:
            raise IllegalMove(Legality.GAME_OVER)
        if here.to_move != start.to_move or (here is not start and here.plies_left == start.turn_length):
            raise IllegalMove(Legality.NO_SUCH_STEP, step=game.notation.format(move))
        here = here.play(move)
    return tuple(moves), here


def first_step(game: AnyGame, position: Position[Any], ply: str) -> Sequence[str]:
    """Return the path to the first step in which a ply is picked; none where it cannot be picked."""
    with suppress(RulesError, ValueError):
        (move,) = game.notation.parse(ply, position)
        path, _ = walk(lambda chosen: game.fork(position, chosen), game.notation.steps(move)[:1])
        return path
    return ()


def idea_of(game: AnyGame, position: Position[Any], line: Variation) -> Idea | None:
    """Return the idea of a turn, if it has a name; a lost turn has none, since names of ideas praise."""
    specialist = specialist_of(game.key)
    proof = proof_of(line)
    if specialist is None or (proof is not None and proof.result is GameValue.LOSS):
        return None
    try:
        moves, _ = line_played(game, position, line.line)
        turn = tuple(moves[: len(line.turn)])
        result = SearchResult(turn, line.value, proof, tuple(moves), line.depth, 0, 0, "")
        return specialist.idea(position, result)
    except (RulesError, ValueError):
        return None
