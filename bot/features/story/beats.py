"""The beats of a match that is over: the few turns that its story is told by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from bot.features.analysis.judging import CLOSE, Judged, PlayedTurn, decided, turns_of
from play.match import Exit, Match
from play.replay import Course
from rules.core import Seat

MOST: Final = 5
LEAST: Final = 3
_AHEAD: Final = 0.2  # value from which a side is ahead
_WINNING: Final = 0.8  # value that is as good as a win in the engine's opinion
_GONE: Final = 0.4  # value below which it is not any more
_PIECES: Final = 2  # pieces that make a branch
_LIVELY: Final = 4  # changes of the lead that make a match as lively as can be
_WHOLE: Final = 12  # turns from which on a match is no short one


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
    TAKEN = "taken"  # the first piece is taken
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
    duel = [*_duel(match, course, turns)] if len(course.sides) == 2 else []
    cut, died, out = _branches(course, played)
    if len(match.chairs) == 2:
        told = [*duel, opening]
    else:
        told = [out, died, cut, [*_left(course, played)], out[::-1], opening, *duel]
    chosen = {played[-1].number: Beat(Kind.FINISH, played[-1])}
    _choose(chosen, told, MOST)
    plain = [Beat(Kind.PLAYED, turn) for turn in played]
    _choose(chosen, [_narrow(turns), died, cut, _taken(course, played), plain, plain], LEAST)
    return tuple(beat for _, beat in sorted(chosen.items()))


def drama(course: Course, turns: Sequence[Judged]) -> float:
    """Return from 0 to 1 how finely a match was fought: how often the lead changed, and how late it was decided.

    Among more than two sides, no search says who leads: it counts how late the seats went out.
    """
    if not turns:
        return 0.0
    last = turns[-1].played.number
    if len(course.sides) == 2:
        certain = decided(course, turns)
        late = certain[0].played.number / last if certain else 1.0
        lively = min(1.0, len(_leads(course, turns)) / _LIVELY)
    else:
        ends = [beat.turn.number / last for beat in _branches(course, turns_of(course))[2]]
        late = lively = sum(ends) / len(ends) if ends else 0.0
    return min(1.0, last / _WHOLE) * (late + lively) / 2


def _choose(chosen: dict[int, Beat], told: Iterable[Sequence[Beat]], most: int) -> None:
    """Add the best beat of each kind, of a turn that has none, until there are as many as wanted."""
    for ranked in told:
        if len(chosen) < most and (beat := next((b for b in ranked if b.turn.number not in chosen), None)):
            chosen[beat.turn.number] = beat


def _duel(match: Match, course: Course, turns: Sequence[Judged]) -> Iterator[Sequence[Beat]]:
    """Yield what analysis tells of a match of two sides."""
    yield [*_won(match, course, turns)]
    swings = sorted(
        (turn for turn in turns if not turn.same and turn.lost > CLOSE),
        key=lambda turn: (turn.sure, turn.lost),
        reverse=True,
    )
    yield [_swing(course, turn) for turn in swings]
    yield _largest(_missed(match, course, turns))
    yield [*_lead(course, turns)]


def _largest(found: Iterable[Beat]) -> Sequence[Beat]:
    return sorted(found, key=lambda beat: (beat.fields["count"], beat.sure), reverse=True)


def _swing(course: Course, turn: Judged) -> Beat:
    values = {"before": (turn.best.value, turn.best.plies), "after": (turn.after.value, turn.after.plies)}
    start = course.positions[turn.played.first]
    return Beat(Kind.SWING, turn.played, {}, {**values, "start": start}, turn.sure)


def _won(match: Match, course: Course, turns: Sequence[Judged]) -> Iterator[Beat]:
    certain = decided(course, turns)
    if certain is None or match.result is None or certain[1] not in match.result.winners:
        return
    side, last = course.side_of(certain[1]), turns[-1]
    if last.after.plies is None or last.after.value != (1 if last.played.seat in side else -1):
        return  # it was given away after all, and not taken; or nothing is known of it
    count = last.played.number - certain[0].played.number + 1
    yield Beat(Kind.WON, certain[0].played, {}, {"names": side, "count": count})


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


def _lead(course: Course, turns: Sequence[Judged]) -> Iterator[Beat]:
    for at, ahead in _leads(course, turns):
        turn, (leaders, former) = turns[at], course.sides[::ahead]
        sure = turn.sure and turn.lost == 2
        yield Beat(Kind.LEAD, turn.played, {}, {"leaders": leaders, "former": former}, sure)
        return  # only the first is told


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
    for seat, turn in stuck.items():
        if seat in course.position.out - course.departed:
            out.setdefault(turn.number, []).append(seat)
    return (
        _largest(cut),
        _largest(died),
        [
            Beat(Kind.OUT, played[number - 1], {}, {"others": tuple(sorted(seats)), "count": len(seats)})
            for number, seats in sorted(out.items())
        ],
    )


def _left(course: Course, played: Sequence[PlayedTurn]) -> Iterator[Beat]:
    for at, entry in enumerate(course.log):
        if isinstance(entry, Exit) and entry.seat in course.departed:
            before = [turn for turn in played if turn.end <= at]
            if before:
                yield Beat(Kind.LEFT, before[-1], {"other": entry.seat})


def _narrow(turns: Sequence[Judged]) -> Sequence[Beat]:
    kept = [
        (turn.keep, turn)
        for turn in turns
        if turn.keep and None not in (turn.best.plies, turn.after.plies) and not turn.lost
    ]
    ranked = sorted((each for each in kept if each[1].best.value >= 0), key=lambda each: each[0])
    return [Beat(Kind.NARROW, turn.played, {}, {"count": keep}) for keep, turn in ranked]


def _taken(course: Course, played: Sequence[PlayedTurn]) -> Sequence[Beat]:
    for turn in played:
        at = range(turn.first, turn.end)
        if any(course.game.takes(course.positions[i], course.moves[i]) for i in at):
            return [Beat(Kind.TAKEN, turn)]
    return ()
