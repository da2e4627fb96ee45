"""A state of Klopodavka as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from typing import Self, final

from rules.core.outcome import Outcome
from rules.core.position import Position
from rules.core.seat import SEATS, Seat
from rules.klopodavka.bitboard import flags
from rules.klopodavka.endings import anybody, bases_held, outcome
from rules.klopodavka.ground import Ground, ground
from rules.klopodavka.legality import refusal
from rules.klopodavka.moves import Move
from rules.klopodavka.options import SCHEMA, Options, Variant, values
from rules.klopodavka.reach import grown, reach
from rules.klopodavka.record import write
from rules.klopodavka.standing import Standing


@final
@dataclass(frozen=True, slots=True, repr=False)
class KlopodavkaPosition(Position[Move]):
    """Bugs, walls, whose turn it is and how much of it is left, and who is out.

    Nothing in it depends on the order of the actions inside a turn. Whose turn it is has been settled: the seat to
    move can act, or the game is over. Which turn is the first needs no field: before it only homes have bugs.

    Attributes:
        ground: The kind of game.
        standing: Bugs and walls.
        seat: The seat to move.
        left: How many actions it still owes.
        gone: Who is out, one bit a seat.
        reached: The cells that the seat to move can act on; none once there is an outcome.
        outcome: The end, or None.
    """

    ground: Ground
    standing: Standing
    seat: int
    left: int
    gone: int
    reached: int = field(compare=False)
    outcome: Outcome | None = field(compare=False)

    @classmethod
    def start(cls, options: Options) -> Self:
        """Bugs at home, the first seat to move."""
        on = ground(options)
        standing = Standing.of(on.homes, (0,) * options.players)
        return cls.settled(on, standing, 0, on.turn(standing), 0)

    @classmethod
    def of(cls, on: Ground, standing: Standing, seat: int, left: int, gone: int) -> Self:
        """The position with these fields as they are; whoever asks must know that they are settled."""
        end = outcome(on, standing, seat, gone)
        reached = 0 if end or gone >> seat & 1 else reach(on, standing, seat)
        return cls(on, standing, seat, left, gone, reached, end)

    @classmethod
    def settled(
        cls, on: Ground, standing: Standing, seat: int, left: int, gone: int, *, actor: int | None = None
    ) -> Self:
        """The position once everybody who must act and cannot is out.

        Args:
            on: The kind of game.
            standing: Bugs and walls.
            seat: Who must act next, if he is not out.
            left: How many actions he owes.
            gone: Who is out so far.
            actor: Who has just acted, if somebody has. Without him, when nobody at all can act, all go out in turn
                and the last of them, who acted last, is left.
        """
        while True:
            if gone >> seat & 1:
                seat, left = _after(seat, gone, len(on.homes)), on.turn(standing)
            position = cls.of(on, standing, seat, left, gone)
            if position.reached or position.outcome:
                return position
            if on.options.variant is Variant.BASES:
                return cls.of(on, standing, seat, left, gone | 1 << seat)
            if actor is not None and not anybody(on, standing, gone):
                gone |= sum(1 << other for other, side in enumerate(on.side) if side != on.side[actor])
            else:
                gone |= 1 << seat

    def __repr__(self) -> str:
        text = write(self.ground, self.standing, self.seat, self.left, self.gone)
        chosen = (f", {key}={value!r}" for key, value in SCHEMA.write(values(self.options)).items())
        return f"position({text!r}{''.join(chosen)})"

    @property
    def options(self) -> Options:
        """The kind of game."""
        return self.ground.options

    @property
    def to_move(self) -> Seat:
        """Whose action is next; once there is an outcome, whose it would have been."""
        return SEATS[self.seat]

    @property
    def plies_left(self) -> int:
        """How many actions the seat to move still owes, counting the next one."""
        return self.left

    @property
    def turn_length(self) -> int:
        """How many actions this turn has in all."""
        return self.ground.turn(self.standing)

    @property
    def out(self) -> frozenset[Seat]:
        """Who can act no more, or has left."""
        return _seats(self.gone)

    @property
    def scores(self) -> tuple[int, ...]:
        """The bases that each seat holds, where they count."""
        if self.ground.options.variant is not Variant.BASES:
            return ()
        return bases_held(self.ground, self.standing, self.gone)

    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal action: bugs to put, then bugs to crush, each from a1 along the ranks."""
        on, reached = self.ground, self.reached
        crushable = reached & self.standing.live
        if not crushable:
            return tuple(compress(on.puts, flags(reached)))
        return (*compress(on.puts, flags(reached ^ crushable)), *compress(on.crushes, flags(crushable)))

    def play(self, move: Move) -> Self:
        """The position after an action, with everybody out who must act next and cannot.

        Raises:
            IllegalMove: the rules forbid it; the reason names the rule.
        """
        on, seat = self.ground, self.seat
        own, walls, live, stones = self.standing
        place = on.places.get(move.square, (0, 0))
        bit = place[0]
        if not bit & self.reached or move.crush is not bool(bit & live):
            raise refusal(self, move)
        if move.crush:
            bugs = tuple([cells & ~bit for cells in own])
            walls = (*walls[:seat], walls[seat] | bit, *walls[seat + 1 :])
            stones |= bit
        else:
            bugs = (*own[:seat], own[seat] | bit, *own[seat + 1 :])
        standing = Standing(bugs, walls, live ^ bit, stones)
        left = self.left - 1
        if left:
            following = seat
            reached = grown(on, standing, seat, self.reached, place)
        else:
            following, left = _after(seat, self.gone, len(bugs)), on.actions
            reached = reach(on, standing, following)
        if reached and not (on.fenced and (move.crush or on.shared)):
            return type(self)(on, standing, following, left, self.gone, reached, None)
        return self.settled(on, standing, following, left, self.gone, actor=seat)

    def retire(self, seat: Seat) -> Self:
        """The position when a seat has left: it is out, as if blocked, and if it was to move, its turn is over.

        Its bugs and walls stay. The rest play on, where bases are counted too. Nothing changes if it was out before,
        or the game was over.

        Raises:
            ValueError: the game has two seats, and ends when one leaves.
        """
        if len(self.ground.homes) == 2:
            return Position.retire(self, seat)
        if self.outcome or self.gone >> seat & 1:
            return self
        return self.settled(self.ground, self.standing, self.seat, self.left, self.gone | 1 << seat)


def _after(seat: int, gone: int, players: int) -> int:
    """The next seat in turn that is not out."""
    seat = (seat + 1) % players
    while gone >> seat & 1:
        seat = (seat + 1) % players
    return seat


@lru_cache(maxsize=1024)
def _seats(gone: int) -> frozenset[Seat]:
    return frozenset(seat for seat in SEATS if gone >> seat & 1)
