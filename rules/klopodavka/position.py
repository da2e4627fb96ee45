"""A state of Klopodavka as a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self, final

from rules.core import SEATS, Outcome, Position, Seat
from rules.klopodavka.endings import anybody, bases_held, outcome
from rules.klopodavka.legality import refusal
from rules.klopodavka.moves import Move
from rules.klopodavka.occupancy import Occupancy
from rules.klopodavka.options import SCHEMA, Options, Variant, values
from rules.klopodavka.position_text import PositionFields, write
from rules.klopodavka.reach import lengthened, open_to, reach, touched
from rules.klopodavka.ruleset import Ruleset, State, ruleset_of

NOWHERE: Final = (0, 0)


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
        return cls.settled(ruleset, PositionFields(occupancy, 0, ruleset.turn(occupancy), 0))

    @classmethod
    def of(cls, ruleset: Ruleset, fields: PositionFields) -> Self:
        """Return the position with these fields; the caller must know that they are settled."""
        occupancy, seat, left, gone = fields
        end = outcome(ruleset, occupancy, seat, gone)
        near = 0 if end or gone >> seat & 1 else touched(ruleset, occupancy, seat)
        return cls((ruleset, occupancy, seat, left, gone, near, open_to(ruleset, occupancy, seat, near), end))

    @classmethod
    def settled(cls, ruleset: Ruleset, fields: PositionFields, actor: int | None = None) -> Self:
        """Return the position once every seat that must act and cannot is out.

        `actor` is the seat that has just acted. Without one, when no seat can act, all go out in turn and the last of
        them, who acted last, is left.
        """
        occupancy, seat, left, gone = fields
        while True:
            if gone >> seat & 1:
                seat, left = next_seat(seat, gone, len(ruleset.homes)), ruleset.turn(occupancy)
            position = cls.of(ruleset, PositionFields(occupancy, seat, left, gone))
            if position.reached or position.outcome:
                return position
            if ruleset.options.variant is Variant.BASES:
                return cls.of(ruleset, PositionFields(occupancy, seat, left, gone | 1 << seat))
            if actor is not None and not anybody(ruleset, occupancy, gone):
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
        """The kind of game, with what is worked out from it."""
        return self.state[0]

    @property
    def fields(self) -> PositionFields:
        """What the rest follows from, with the ruleset."""
        return PositionFields(*self.state[1:5])

    @property
    def options(self) -> Options:
        return self.state[0].options

    @property
    def occupancy(self) -> Occupancy:
        """Bugs and walls."""
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
        return self.ruleset.turn(self.occupancy)

    @property
    def counts_plies(self) -> bool:
        return self.ruleset.actions > 1

    @property
    def out(self) -> frozenset[Seat]:
        return _seats(self.gone)

    @property
    def scores(self) -> tuple[int, ...]:
        """The bases that each seat holds, where they count."""
        if self.ruleset.options.variant is not Variant.BASES:
            return ()
        return bases_held(self.ruleset, self.occupancy, self.gone)

    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal action, from a1 along the ranks by eights of cells; in each, those that put come first."""
        ruleset, occupancy, _, _, _, _, reached, _ = self.state
        return ruleset.moves.listed(reached, occupancy[2])

    def play(self, move: Move) -> Self:
        """The position after an action, with every seat out that must act next and cannot."""
        ruleset, (own, walls, live, stones), seat, left, gone, touches, reached, _ = self.state
        bit, near = ruleset.places.get(move.square, NOWHERE)
        if not bit & reached or move.crush is not bool(bit & live):
            raise refusal(self.state, move)
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
            following, left = next_seat(seat, gone, len(bugs)), ruleset.actions
            touches = touched(ruleset, occupancy, following)
        reached = open_to(ruleset, occupancy, following, touches)
        if not reached or (ruleset.fenced and (move.crush or ruleset.shared)):
            return self.settled(ruleset, PositionFields(occupancy, following, left, gone), seat)
        position: Self = _new(KlopodavkaPosition)
        _set_state(position, (ruleset, occupancy, following, left, gone, touches, reached, None))
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


def next_seat(seat: int, gone: int, players: int) -> int:
    """Return the next seat in turn that is not out."""
    seat = (seat + 1) % players
    while gone >> seat & 1:
        seat = (seat + 1) % players
    return seat


@lru_cache(maxsize=1024)
def _seats(gone: int) -> frozenset[Seat]:
    return frozenset(seat for seat in SEATS if gone >> seat & 1)


_new: Any = object.__new__
_tuple: Any = tuple.__new__
_set_state: Any = KlopodavkaPosition.__dict__["state"].__set__
