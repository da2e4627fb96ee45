"""The beats of a match that is over: the few turns that its story is told by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from bot.features.analysis.judging import CLOSE, Judged, decided
from play.match import Exit, Match
from play.replay import Course, PlayedTurn, turns_of
from rules.core import Seat

MOST: Final = 5
LEAST: Final = 3
_AHEAD: Final = 0.2  # value from which a side is ahead
_WINNING: Final = 0.8  # value that is as good as a win in the engine's opinion
_GONE: Final = 0.4  # value below which it is not any more
_PIECES: Final = 2  # pieces that make a branch


class Kind(StrEnum):
    """What a beat tells, as a part of the catalogue key."""

    OPENING = "opening"  # it departs from what is commonly played
    LEAD = "lead"  # the lead changes for the first time
    SWING = "swing"  # the turn that cost most
    MISSED = "missed"  # from here on a side had a win, and did not take it
    WON = "won"  # from here on it was won
    FINISH = "finish"
    CUT_OFF = "cut-off"  # pieces of a seat lose their link
    DIED = "died"  # pieces of a seat can never be linked again
    OUT = "out"  # a seat has nothing left to act on
    LEFT = "left"  # a player leaves, and the others go on
    NARROW = "narrow"  # few turns kept the result, this one among them
    PLAYED = "played"  # where there is nothing else to tell


@dataclass(frozen=True, slots=True)
class Beat:
    """A turn of a story, and what is told of it.

    Attributes:
        seats: In the caption, by field name; `name` is the seat of the turn where nothing else is said.
        fields: Counts, worths, and sides as tuples of seats.
        sure: Whether it is proved, or a fact of the game; else it is said as the engine's opinion.
    """

    kind: Kind
    turn: PlayedTurn
    seats: Mapping[str, Seat] = field(default_factory=dict)
    fields: Mapping[str, object] = field(default_factory=dict)
    sure: bool = True


def beats(match: Match, course: Course, turns: Sequence[Judged], common: int) -> tuple[Beat, ...]:
    """Return 3 to 5 beats in the order of play, fewer where a match has fewer turns.

    `common` is the number of turns that it shares with what is commonly played.
    """
    played = turns_of(course)
    if not played:
        return ()
    opening = [Beat(Kind.OPENING, turn, {}, {"count": common}) for turn in played[common:][:1] if common]
    cut, died, out = _branches(course, played)
    told: list[Sequence[Beat]] = [opening]
    if len(course.sides) == 2:
        missed = _largest(_missed(match, course, turns))
        told = [_won(match, course, turns), _swing(course, turns), missed, _lead(course, turns), opening]
    if len(match.chairs) > 2:
        told = [out, died, cut, _left(course, played), out[::-1], *told]
    chosen = {played[-1].number: Beat(Kind.FINISH, played[-1])}
    plain = [Beat(Kind.PLAYED, turn) for turn in played]
    fill = [_narrow(turns), died, cut, plain, plain]
    for ranked, most in [(each, MOST) for each in told] + [(each, LEAST) for each in fill]:
        free = (beat for beat in ranked if beat.turn.number not in chosen)
        if len(chosen) < most and (beat := next(free, None)):
            chosen[beat.turn.number] = beat
    return tuple(beat for _, beat in sorted(chosen.items()))


def _largest(found: Iterable[Beat]) -> Sequence[Beat]:
    return sorted(found, key=lambda beat: (beat.fields["count"], beat.sure), reverse=True)


def _swing(course: Course, turns: Sequence[Judged]) -> Sequence[Beat]:
    """Return the turn by which most was lost for sure; where there is none, that which lost most in the engine's opinion."""
    lost = [turn for turn in turns if not turn.same and turn.lost > CLOSE]
    for turn in sorted(lost, key=lambda turn: (turn.sure, turn.lost), reverse=True)[:1]:
        fields = {
            "before": turn.best,
            "after": turn.after,
            "start": course.positions[turn.played.first],
        }
        return [Beat(Kind.SWING, turn.played, {}, fields, turn.sure)]
    return ()


def _won(match: Match, course: Course, turns: Sequence[Judged]) -> Sequence[Beat]:
    certain = decided(course, turns)
    if certain is None or match.result is None or certain[1] not in match.result.winners:
        return ()
    side, last = course.side_of(certain[1]), turns[-1]
    if last.after.plies is None or last.after.value != (1 if last.played.seat in side else -1):
        return ()  # the last turn gave it away, and the other side did not take that; or nothing is known of it
    count = last.played.number - certain[0].played.number + 1
    return [Beat(Kind.WON, certain[0].played, {}, {"names": side, "count": count})]


def _missed(match: Match, course: Course, turns: Sequence[Judged]) -> Iterator[Beat]:
    for side in course.sides:
        won = match.result is not None and set(side) <= set(match.result.winners)
        run: list[Judged] = []
        for turn in (*(turn for turn in turns if turn.played.seat in side), None):
            if turn is not None and (_proved_win(turn) or turn.best.value >= (_GONE if run else _WINNING)):
                run.append(turn)
                continue
            sure = all(map(_proved_win, run)) and bool(run) and (turn is None or run[-1].sure)
            while run and run[-1].best.value < _WINNING:
                run.pop()
            if len(run) > 1 and not (turn is None and won):
                yield Beat(Kind.MISSED, run[0].played, {}, {"names": side, "count": len(run)}, sure)
            run = []


def _proved_win(turn: Judged) -> bool:
    return turn.best.plies is not None and round(turn.best.value) == 1


def _lead(course: Course, turns: Sequence[Judged]) -> Sequence[Beat]:
    for at, ahead in _leads(course, turns)[:1]:
        turn, (leaders, former) = turns[at], course.sides[::ahead]
        sure = turn.sure and turn.lost == 2
        return [Beat(Kind.LEAD, turn.played, {}, {"leaders": leaders, "former": former}, sure)]
    return ()


def _leads(course: Course, turns: Sequence[Judged]) -> list[tuple[int, int]]:
    """Return the indices of the turns by which the lead changed, each with the side that has it then: 1 or -1."""
    found, leader = [], 0
    for at, turn in enumerate(turns):
        value = turn.best.value if turn.played.seat in course.sides[0] else -turn.best.value
        ahead = (value > _AHEAD) - (value < -_AHEAD)
        if ahead == -leader != 0:
            found.append((at - 1, ahead))
        leader = ahead or leader
    return found


def _branches(
    course: Course, played: Sequence[PlayedTurn]
) -> tuple[Sequence[Beat], Sequence[Beat], Sequence[Beat]]:
    """Return who cut whom off, and whose pieces died, the most pieces first; and who went out, in order.

    All is read from the positions before and after each turn.
    """
    cut: list[Beat] = []
    died: list[Beat] = []
    stuck: dict[Seat, PlayedTurn] = {}
    for turn in played:
        before, after = course.positions[turn.first], course.positions[turn.end]
        for loss in course.game.losses(before, after):
            if loss.stuck:
                stuck[loss.seat] = turn
            if turn.seat in course.side_of(loss.seat) or loss.seat in after.out:
                continue
            for kind, count, found in ((Kind.CUT_OFF, loss.cut, cut), (Kind.DIED, loss.dead, died)):
                if count >= _PIECES:
                    found.append(Beat(kind, turn, {"other": loss.seat}, {"count": count}))
    out: dict[int, list[Seat]] = {}
    winners = course.position.outcome.winners if course.position.outcome else ()
    for seat, turn in stuck.items():  # where bases are counted, the seat that cannot act may win
        if seat in course.position.out - course.departed and seat not in winners:
            out.setdefault(turn.number, []).append(seat)
    gone = [
        Beat(Kind.OUT, played[number - 1], {}, {"others": tuple(sorted(seats)), "count": len(seats)})
        for number, seats in sorted(out.items())
    ]
    return _largest(cut), _largest(died), gone


def _left(course: Course, played: Sequence[PlayedTurn]) -> Sequence[Beat]:
    return [
        Beat(Kind.LEFT, before[-1], {"other": entry.seat})
        for at, entry in enumerate(course.log)
        if isinstance(entry, Exit) and entry.seat in course.departed
        if (before := [turn for turn in played if turn.end <= at])
    ]


def _narrow(turns: Sequence[Judged]) -> Sequence[Beat]:
    """Return the turns that kept a result for sure, those first where fewest did; a lost position has none."""
    kept = (turn for turn in turns if turn.keep and turn.best.value >= 0)
    held = (turn for turn in kept if None not in (turn.best.plies, turn.after.plies) and not turn.lost)
    return _largest(Beat(Kind.NARROW, turn.played, {}, {"count": turn.keep}) for turn in held)[::-1]
