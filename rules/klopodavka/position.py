"""A state of Klopodavka as a value; its line of text, how it ends, and which rule an action breaks.

    9b/10/10/10/10/10/10/10/1a8/aA8 1 2 -

Ranks from the top, between slashes; in a rank a small letter is a live bug and a capital one a wall, a for the first
seat, b for the second; numbers are so many empty cells. Then the seat to move, counted from 1, the actions it owes
(`4/5` in a turn that odds have made one of 5), and the seats that are out, or `-`. Where homes are comes from the options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, final

from rules.core import SEATS, BadNotation, IllegalMove, Legality, Outcome, Position, Seat, Spelling, Square
from rules.core.errors import refuse_all
from rules.core.grid import read_layout, write_layout
from rules.core.options import Number, folded
from rules.klopodavka.options import SCHEMA, Finish, Illegal, Misplaced, Options, Variant, values
from rules.klopodavka.reach import (
    Move,
    Occupancy,
    Ruleset,
    State,
    could_ever,
    lengthened,
    open_to,
    owner,
    reach,
    ruleset_of,
    touched,
    union,
)


def _sides_left(ruleset: Ruleset, gone: int) -> list[int]:
    return [
        number
        for number, members in enumerate(ruleset.sides)
        if any(not gone >> member & 1 for member in members)
    ]


def _outcome(ruleset: Ruleset, occupancy: Occupancy, seat: int, gone: int) -> Outcome | None:
    """The end that a position is, or None. It can be read off the board and off who is out (`gone`, a bit a seat).

    The seat that could act last has won, and all others are out. Where bases are counted, the seat to move is out.
    """
    if ruleset.options.variant is Variant.BASES and gone >> seat & 1:
        return _counted(ruleset, occupancy, seat, gone)
    left = _sides_left(ruleset, gone)
    if len(left) == 1:
        members = ruleset.sides[left[0]]
        reason = Finish.LAST_LEFT if _any_can_act(ruleset, occupancy, gone) else Finish.LAST_TO_ACT
        return Outcome(members, reason)
    if ruleset.fenced and (winner := _fencer(ruleset, occupancy, gone)) is not None:
        return Outcome(ruleset.sides[winner], Finish.FENCE)
    return None


def _any_can_act(ruleset: Ruleset, occupancy: Occupancy, gone: int) -> bool:
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
        for number in _sides_left(ruleset, gone & ~(1 << blocked))
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


_STANDING: Final = (
    (Illegal.OWN_WALL, Illegal.ALLY_WALL, Illegal.ENEMY_WALL),
    (Illegal.OWN_BUG, Illegal.ALLY_BUG, Illegal.ENEMY_BUG),
)
"""What forbids an action on a wall and on a bug, of one's own, of an ally and of an enemy."""


def _refusal(state: State, move: Move) -> IllegalMove:
    ruleset, occupancy, seat, _, _, _, reached, end, _ = state
    square = move.square
    if end:
        return IllegalMove(Legality.GAME_OVER)
    bit = ruleset.board.bits.get(square)
    if bit is None:
        return IllegalMove(Spelling.OFF_THE_BOARD, square=square, board=ruleset.options.board)
    for sets, (own, ally, enemy) in zip((occupancy.walls, occupancy.bugs), _STANDING, strict=True):
        whose = owner(sets, bit)
        if whose is None:
            continue
        if whose == seat:
            return IllegalMove(own, square=square)
        reason = ally if whose in ruleset.allies[seat] else enemy
        if reason is Illegal.ENEMY_BUG and not bit & ruleset.soft:
            reason = Illegal.HEADQUARTERS if ruleset.options.has_hq else Illegal.IMMUNE_BASE
        if reason is not Illegal.ENEMY_BUG or (bit & reached and not move.crush):
            return IllegalMove(reason, square=square, seat=SEATS[whose])
    if move.crush and not bit & occupancy.live:
        return IllegalMove(Illegal.NOTHING_TO_CRUSH, square=square)
    return _of_reach(state, square)


def _of_reach(state: State, square: Square) -> IllegalMove:
    """What is missing: anything of one's own beside the cell, or only its link."""
    ruleset, occupancy, seat, *_ = state
    near = ruleset.board.near[square]
    walls = union([occupancy.walls[ally] for ally in ruleset.allies[seat]])
    if ruleset.anchored and near & (walls | occupancy.bugs[seat]):
        reason = Illegal.UNLINKED_HQ if ruleset.options.has_hq else Illegal.UNLINKED_BASE
        return IllegalMove(reason, square=square)
    if near & walls:
        return IllegalMove(Illegal.UNLINKED_WALL, square=square)
    return IllegalMove(Illegal.UNREACHABLE, square=square)


_LINE: Final = re.compile(
    r"(?P<rows>[a-jA-J0-9/]{5,900}) (?P<seat>[1-9]|10) (?P<left>[1-9]|1[0-9])(?:/(?P<length>[1-9]|1[0-9]))? (?P<out>-|[0-9,]{1,20})\Z",
    re.ASCII,
)
_LONGEST: Final = 930


class PositionFields(NamedTuple):
    """What a line says: the fields of a position that the rest follows from."""

    occupancy: Occupancy
    seat: int  # who must act next
    left: int  # how many actions it owes
    gone: int  # who is out, one bit a seat
    length: int = (
        0  # how many actions the turn has, where odds made it longer, or the very first one is shorter
    )


def write(ruleset: Ruleset, fields: PositionFields) -> str:
    """The line of a position with these fields."""
    occupancy, seat, left, gone, length = fields
    held: dict[Square, str] = {}
    for first, sets in (("a", occupancy.bugs), ("A", occupancy.walls)):
        for side, cells in enumerate(sets):
            held |= dict.fromkeys(ruleset.board.listed(cells), chr(ord(first) + side))
    layout = write_layout(ruleset.options.board, held)
    out = ",".join(str(one + 1) for one in range(len(ruleset.homes)) if gone >> one & 1)
    return f"{layout} {seat + 1} {left}{f'/{length}' if length else ''} {out or '-'}"


def read(ruleset: Ruleset, text: str) -> PositionFields:
    """Return the fields that a line says, or raise BadNotation: it is no line of this board and these seats."""
    if len(text) > _LONGEST:
        raise BadNotation(Spelling.TOO_LONG, limit=_LONGEST)
    found = _LINE.match(text)
    if not found:
        raise _no_position(text)
    players = ruleset.options.players
    bugs, walls = [0] * players, [0] * players
    held = read_layout(ruleset.options.board, found["rows"])
    faults = [BadNotation(Misplaced.ROWS, board=ruleset.options.board)] if held is None else []
    seat, left = int(found["seat"]) - 1, int(found["left"])
    out = [] if found["out"] == "-" else found["out"].split(",")
    owners = [str(ord(letter.lower()) - ord("a") + 1) for letter in (held or {}).values()]
    faults += (
        BadNotation(Misplaced.NO_SUCH_SEAT, seat=number, players=players)
        for number in dict.fromkeys((*owners, str(seat + 1), *out))
        if not number.isdigit() or not 1 <= int(number) <= players
    )
    refuse_all(faults)
    for (square, letter), number in zip((held or {}).items(), owners, strict=True):
        (bugs if letter.islower() else walls)[int(number) - 1] |= ruleset.board.bits[square]
    gone = sum(1 << int(number) - 1 for number in set(out))
    occupancy = Occupancy.of(tuple(bugs), tuple(walls))
    length = int(found["length"] or ruleset.length(occupancy))
    fields = PositionFields(occupancy, seat, left, gone, length)
    if write(ruleset, fields) != text:
        raise _no_position(text)
    return fields


def _no_position(text: str) -> BadNotation:
    return BadNotation(Spelling.NOT_A_POSITION, text=text[:40])


@final
@dataclass(frozen=True, slots=True, repr=False)
class KlopodavkaPosition(Position[Move]):
    """Bugs, walls, whose turn it is and how much of it is left, and who is out.

    Nothing in it depends on the order of the actions inside a turn. Whose turn it is has been settled: the seat to
    move can act, or the game is over. Which turn is the first needs no field: before it only homes have bugs.

    `state` is one tuple because playing makes a position for every action: a frozen value costs a call for each field.
    """

    state: State

    @classmethod
    def start(cls, options: Options) -> Self:
        """Bugs at home, the first seat to move."""
        ruleset = ruleset_of(options)
        occupancy = Occupancy.of(ruleset.homes, (0,) * options.players)
        return cls.settled(
            ruleset, PositionFields(occupancy, 0, ruleset.turn(occupancy), 0, ruleset.length(occupancy))
        )

    @classmethod
    def of(cls, ruleset: Ruleset, fields: PositionFields) -> Self:
        """Return the position with these fields; the caller must know that they are settled."""
        occupancy, seat, left, gone, length = fields
        end = _outcome(ruleset, occupancy, seat, gone)
        near = 0 if end or gone >> seat & 1 else touched(ruleset, occupancy, seat)
        reached = open_to(ruleset, occupancy, seat, near)
        return cls((ruleset, occupancy, seat, left, gone, near, reached, end, length))

    @classmethod
    def settled(cls, ruleset: Ruleset, fields: PositionFields, actor: int | None = None) -> Self:
        """Return the position once every seat that must act and cannot is out.

        `actor` is the seat that has just acted. Without one, when no seat can act, all go out in turn and the last of
        them, who acted last, is left.
        """
        occupancy, seat, left, gone, length = fields
        while True:
            if gone >> seat & 1:
                seat = next_seat(seat, gone, len(ruleset.homes))
                left, length = ruleset.turn(occupancy), ruleset.length(occupancy)
            position = cls.of(ruleset, PositionFields(occupancy, seat, left, gone, length))
            if position.reached or position.outcome:
                return position
            if ruleset.options.variant is Variant.BASES:
                return cls.of(ruleset, PositionFields(occupancy, seat, left, gone | 1 << seat, length))
            if actor is not None and not _any_can_act(ruleset, occupancy, gone):
                gone |= sum(
                    1 << other for other, side in enumerate(ruleset.side) if side != ruleset.side[actor]
                )
            else:
                gone |= 1 << seat

    def __repr__(self) -> str:
        text = write(self.ruleset, self.fields)
        chosen = (f", {key}={value!r}" for key, value in SCHEMA.write(values(self.options)).items())
        return f"position({text!r}{''.join(chosen)})"

    @property
    def ruleset(self) -> Ruleset:
        return self.state[0]

    @property
    def fields(self) -> PositionFields:
        return PositionFields(*self.state[1:5], self.state[8])

    @property
    def options(self) -> Options:
        return self.state[0].options

    @property
    def occupancy(self) -> Occupancy:
        return self.state[1]

    @property
    def seat(self) -> int:
        """The seat to move, as a number that indexes tuples."""
        return self.state[2]

    @property
    def gone(self) -> int:
        """Who is out, one bit a seat."""
        return self.state[4]

    @property
    def reached(self) -> int:
        """The cells that the seat to move can act on; none once there is an outcome."""
        return self.state[6]

    @property
    def outcome(self) -> Outcome | None:
        return self.state[7]

    @property
    def to_move(self) -> Seat:
        return SEATS[self.state[2]]

    @property
    def plies_left(self) -> int:
        return self.state[3]

    @property
    def turn_length(self) -> int:
        return self.state[8] or self.ruleset.turn(self.occupancy)

    @property
    def counts_plies(self) -> bool:
        return self.ruleset.actions > 1 or self.state[8] > 1

    @property
    def out(self) -> frozenset[Seat]:
        return frozenset(seat for seat in SEATS if self.gone >> seat & 1)

    @property
    def scores(self) -> tuple[int, ...]:
        """The bases that each seat holds, where they count."""
        if self.ruleset.options.variant is not Variant.BASES:
            return ()
        return bases_held(self.ruleset, self.occupancy, self.gone)

    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal action, from a1 along the ranks by eights of cells; in each, those that put come first."""
        ruleset, occupancy, _, _, _, _, reached, _, _ = self.state
        return ruleset.moves.listed(reached, occupancy[2])

    def check(self, move: Move) -> None:
        """Raise what `play` would."""
        ruleset, occupancy, _, _, _, _, reached, _, _ = self.state
        bit = ruleset.board.bits.get(move.square, 0)
        if not bit & reached or move.crush is not bool(bit & occupancy.live):
            raise _refusal(self.state, move)

    def play(self, move: Move) -> Self:
        """The position after an action, with every seat out that must act next and cannot."""
        ruleset, (own, walls, live, stones), seat, left, gone, touches, reached, _, length = self.state
        bit, near = ruleset.places.get(move.square, (0, 0))
        if not bit & reached or move.crush is not bool(bit & live):
            raise _refusal(self.state, move)
        if move.crush:
            bugs = tuple([cells & ~bit for cells in own])
            walls = (*walls[:seat], walls[seat] | bit, *walls[seat + 1 :])
            stones |= bit
        else:
            bugs = (*own[:seat], own[seat] | bit, *own[seat + 1 :])
        occupancy = _tuple(Occupancy, (bugs, walls, live ^ bit, stones))
        if left > 1:
            following, left = seat, left - 1
            touches = lengthened(ruleset, occupancy, seat, touches, near)
        else:
            following, left, length = next_seat(seat, gone, len(bugs)), ruleset.actions, 0
            touches = touched(ruleset, occupancy, following)
        reached = open_to(ruleset, occupancy, following, touches)
        if not reached or (ruleset.fenced and (move.crush or ruleset.shared)):
            return self.settled(ruleset, PositionFields(occupancy, following, left, gone, length), seat)
        position: Self = _new(KlopodavkaPosition)
        _set_state(position, (ruleset, occupancy, following, left, gone, touches, reached, None, length))
        return position

    def retire(self, seat: Seat) -> Self:
        """The position when a seat has left: it is out, as if blocked, and if it was to move, its turn is over.

        Its bugs and walls stay. The rest play on, where bases are counted too. Nothing changes if it was out before,
        or the game was over.
        """
        if len(self.ruleset.homes) == 2:
            return Position.retire(self, seat)
        if self.outcome or self.gone >> seat & 1:
            return self
        return self.settled(self.ruleset, self.fields._replace(gone=self.gone | 1 << seat))

    def restore(self, seat: Seat) -> Self:
        """The position when a player takes over a seat that has left: its bugs and walls are still there.

        If its turn was cut short by leaving, that turn is lost. A seat that is blocked now stays out.
        """
        if len(self.ruleset.homes) == 2:
            return Position.restore(self, seat)
        if self.outcome or not self.gone >> seat & 1 or not reach(self.ruleset, self.occupancy, seat):
            raise ValueError(f"{seat!r} cannot come back here")
        return self.of(self.ruleset, self.fields._replace(gone=self.gone & ~(1 << seat)))

    def ahead(self, seat: Seat) -> Self | None:
        """The position at the beginning of a whole turn of a seat; None where it cannot act, or before the first action."""
        ruleset, occupancy = self.ruleset, self.occupancy
        if self.outcome or self.gone >> seat & 1 or ruleset.turn(occupancy) != ruleset.actions:
            return None
        here = self.of(ruleset, PositionFields(occupancy, seat, ruleset.actions, self.gone))
        return here if here.reached else None


def extra_actions(start: KlopodavkaPosition, _: Seat, typed: str) -> KlopodavkaPosition:
    """Return a start whose first turn has so many more actions. The seat to move has them, so one that sits later gives."""
    most = min(9, 19 - start.turn_length)  # a line has no longer turn
    more = Number("extra", "1", 1, most).read(folded(typed))
    longer = start.fields._replace(left=start.plies_left + more, length=start.turn_length + more)
    return start.of(start.ruleset, longer)


def next_seat(seat: int, gone: int, players: int) -> int:
    """Return the next seat in turn that is not out."""
    seat = (seat + 1) % players
    while gone >> seat & 1:
        seat = (seat + 1) % players
    return seat


_new: Any = object.__new__
_tuple: Any = tuple.__new__
_set_state: Any = KlopodavkaPosition.__dict__["state"].__set__
