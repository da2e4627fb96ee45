"""How a game ends: what is counted, and by which rule it is over."""

from __future__ import annotations

from rules.core import Outcome
from rules.klopodavka.occupancy import Occupancy, union
from rules.klopodavka.options import Variant
from rules.klopodavka.reach import could_ever, reach
from rules.klopodavka.reasons import Finish
from rules.klopodavka.ruleset import Ruleset


def sides_left(ruleset: Ruleset, gone: int) -> list[int]:
    """The numbers of the sides that have a seat which is not out."""
    return [
        number
        for number, members in enumerate(ruleset.sides)
        if any(not gone >> member & 1 for member in members)
    ]


def outcome(ruleset: Ruleset, occupancy: Occupancy, seat: int, gone: int) -> Outcome | None:
    """The end that a position is, or None. It can be read off the board and off who is out (`gone`, a bit a seat).

    The seat that could act last has won, and all others are out. Where bases are counted, the seat to move is out.
    """
    if ruleset.options.variant is Variant.BASES and gone >> seat & 1:
        return _counted(ruleset, occupancy, seat, gone)
    left = sides_left(ruleset, gone)
    if len(left) == 1:
        members = ruleset.sides[left[0]]
        reason = Finish.LAST_LEFT if anybody(ruleset, occupancy, gone) else Finish.LAST_TO_ACT
        return Outcome(members, reason)
    if ruleset.fenced and (winner := _fencer(ruleset, occupancy, gone)) is not None:
        return Outcome(ruleset.sides[winner], Finish.FENCE)
    return None


def anybody(ruleset: Ruleset, occupancy: Occupancy, gone: int) -> bool:
    """Whether any seat that is not out can act."""
    return any(
        not gone >> seat & 1 and reach(ruleset, occupancy, seat) for seat in range(len(occupancy.bugs))
    )


def bases_held(ruleset: Ruleset, occupancy: Occupancy, gone: int) -> tuple[int, ...]:
    """For each seat, its connected groups of live bugs to which no enemy who is not out could ever come."""
    ever = [
        0 if gone >> seat & 1 else could_ever(ruleset, occupancy, seat) for seat in range(len(occupancy.bugs))
    ]
    counts = []
    for seat, own in enumerate(occupancy.bugs):
        threat = union(
            [cells for enemy, cells in enumerate(ever) if ruleset.side[enemy] != ruleset.side[seat]]
        )
        counts.append(sum(not group & threat for group in ruleset.board.groups(own)))
    return tuple(counts)


def _counted(ruleset: Ruleset, occupancy: Occupancy, blocked: int, gone: int) -> Outcome:
    """The end by counting bases, when the seat to move cannot act.

    He can still win: he is out only because this ends the game. Sides that have left it before cannot.
    """
    held = bases_held(ruleset, occupancy, gone)
    totals = {
        number: sum(held[member] for member in ruleset.sides[number])
        for number in sides_left(ruleset, gone & ~(1 << blocked))
    }
    most = max(totals.values())
    ahead = [number for number, total in totals.items() if total == most]
    if len(ahead) > 1:
        return Outcome((), Finish.EQUAL_BASES)
    return Outcome(ruleset.sides[ahead[0]], Finish.MOST_BASES)


def _fencer(ruleset: Ruleset, occupancy: Occupancy, gone: int) -> int | None:
    """The side of two whose headquarters no enemy can ever come to, while it can still come to an enemy's."""
    comes = [False, False]
    for seat, mine in enumerate(ruleset.side):
        if comes[mine] or gone >> seat & 1:
            continue
        near = ruleset.board.spread(could_ever(ruleset, occupancy, seat))
        comes[mine] = any(near & ruleset.homes[enemy] for enemy in ruleset.sides[1 - mine])
    return comes.index(True) if comes[0] != comes[1] else None
