"""How a game ends: what is counted, and by which rule it is over."""

from __future__ import annotations

from rules.core.outcome import Outcome
from rules.klopodavka.ground import Ground
from rules.klopodavka.options import Variant
from rules.klopodavka.reach import could_ever, reach
from rules.klopodavka.reasons import Finish
from rules.klopodavka.standing import Standing, union


def sides_left(ground: Ground, gone: int) -> list[int]:
    """The numbers of the sides that have a seat which is not out."""
    return [
        number
        for number, members in enumerate(ground.sides)
        if any(not gone >> member & 1 for member in members)
    ]


def outcome(ground: Ground, standing: Standing, seat: int, gone: int) -> Outcome | None:
    """The end that a position is, or None. It can be read off the board and off who is out (`gone`, a bit a seat).

    Whoever could act last has won, and everybody else is out. Where bases are counted, the seat to move is out.
    """
    if ground.options.variant is Variant.BASES and gone >> seat & 1:
        return _counted(ground, standing, seat, gone)
    left = sides_left(ground, gone)
    if len(left) == 1:
        members = ground.sides[left[0]]
        reason = Finish.LAST_LEFT if anybody(ground, standing, gone) else Finish.LAST_TO_ACT
        return Outcome(members, reason)
    if ground.fenced and (winner := _fencer(ground, standing, gone)) is not None:
        return Outcome(ground.sides[winner], Finish.FENCE)
    return None


def anybody(ground: Ground, standing: Standing, gone: int) -> bool:
    """Whether any seat that is not out can act."""
    return any(not gone >> seat & 1 and reach(ground, standing, seat) for seat in range(len(standing.bugs)))


def bases_held(ground: Ground, standing: Standing, gone: int) -> tuple[int, ...]:
    """For each seat, its connected groups of live bugs to which no enemy who is not out could ever come."""
    ever = [
        0 if gone >> seat & 1 else could_ever(ground, standing, seat) for seat in range(len(standing.bugs))
    ]
    counts = []
    for seat, own in enumerate(standing.bugs):
        threat = union([cells for enemy, cells in enumerate(ever) if ground.side[enemy] != ground.side[seat]])
        counts.append(sum(not group & threat for group in ground.board.groups(own)))
    return tuple(counts)


def _counted(ground: Ground, standing: Standing, blocked: int, gone: int) -> Outcome:
    """The end by counting bases, when the seat to move cannot act.

    He can still win: he is out only because this ends the game. Sides that have left it before cannot.
    """
    held = bases_held(ground, standing, gone)
    totals = {
        number: sum(held[member] for member in ground.sides[number])
        for number in sides_left(ground, gone & ~(1 << blocked))
    }
    most = max(totals.values())
    ahead = [number for number, total in totals.items() if total == most]
    if len(ahead) > 1:
        return Outcome((), Finish.EQUAL_BASES)
    return Outcome(ground.sides[ahead[0]], Finish.MOST_BASES)


def _fencer(ground: Ground, standing: Standing, gone: int) -> int | None:
    """The side of two whose headquarters no enemy can ever come to, while it can still come to an enemy's."""
    comes = [False, False]
    for seat, mine in enumerate(ground.side):
        if comes[mine] or gone >> seat & 1:
            continue
        near = ground.board.spread(could_ever(ground, standing, seat))
        comes[mine] = any(near & ground.homes[enemy] for enemy in ground.sides[1 - mine])
    return comes.index(True) if comes[0] != comes[1] else None
