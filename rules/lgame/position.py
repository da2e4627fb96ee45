"""The L-game's rules: what may be played, what follows, and which rule an illegal turn breaks; a quick evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rules.core import BadOption, IllegalMove, Legality, Number, Outcome, Position, Seat, sq, squashed
from rules.core.options import folded
from rules.lgame.board import FULL, LYING, Move, fitting, mask_of, squares, turns
from rules.lgame.options import BLOCK_POINTS, LEnding, Options, Refusal


def lying(cells: int, own: int, other: int, neutrals: int) -> IllegalMove | None:
    """Why the L may not be put on these cells, or None if it may."""
    if cells not in LYING:
        return IllegalMove(Refusal.NOT_AN_L, squares=squares(cells & FULL))
    if cells == own:
        return IllegalMove(Refusal.SAME_CELLS, squares=squares(cells))
    if taken := cells & other:
        return IllegalMove(Refusal.ON_OPPONENT, squares=squares(taken))
    if taken := cells & neutrals:
        return IllegalMove(Refusal.ON_NEUTRAL, squares=squares(taken))
    return None


def _settling(move: Move, other: int, neutrals: int, lifts: int) -> IllegalMove:
    lifted, put = squares(move.lifted & FULL), squares(move.put & FULL)
    if absent := squares(move.lifted & FULL & ~neutrals):
        return IllegalMove(Refusal.NO_NEUTRAL, square=absent[0], neutrals=squares(neutrals))
    if max(len(lifted), len(put)) > lifts:
        return IllegalMove(Refusal.TOO_MANY_NEUTRALS, count=lifts)
    if taken := squares(move.put & (move.cells | other | neutrals)):
        return IllegalMove(Refusal.TARGET_TAKEN, square=taken[0])
    if len(put) < len(lifted):
        return IllegalMove(Refusal.WHERE_TO, square=lifted[len(put)])
    # More cells entered than left, or bits beyond the board: no text says so, only code can.
    return IllegalMove(Refusal.TOO_MANY_NEUTRALS, count=len(lifted))


_START_FIRST: Final = mask_of(map(sq, ("b1", "b2", "b3", "c1")))
_START_SECOND: Final = mask_of(map(sq, ("b4", "c2", "c3", "c4")))
_START_NEUTRALS: Final = mask_of(map(sq, ("a4", "d1")))
_OTHER: Final = (Seat.S2, Seat.S1)


@dataclass(frozen=True, slots=True)
class LPosition(Position[Move]):
    """Two L's, two neutrals that are alike, and whose turn it is."""

    options: Options  # the rules it is played by
    # field() keeps the dataclass from taking the inherited property for a default.
    to_move: Seat = field()  # whose turn is next
    first: int = field()  # the cells of player 1's L
    second: int = field()  # the cells of player 2's L
    neutrals: int = field()
    scores: tuple[int, ...] = ()  # points by seat; empty unless the options score
    # Whether the last move won by making an image of the other L. The L's alone do not tell: at the start
    # they are each other's image through the centre, and the game goes on.
    mirrored: bool = False

    def cells(self, seat: Seat) -> int:
        """The cells of a seat's L."""
        return self.second if seat else self.first

    @property
    def both(self) -> tuple[int, int]:
        """The cells of the L of the seat to move, and of the other one."""
        return (self.second, self.first) if self.to_move else (self.first, self.second)

    @property
    def outcome(self) -> Outcome | None:
        """The seat that has just moved wins: by an image, by points, or by leaving no move.

        No arrangement with an image leaves no move, so these two never meet; if they did, the mover would win anyway.
        """
        winners = (_OTHER[self.to_move],)
        if self.mirrored:
            return Outcome(winners, LEnding.MIRRORED)
        if self._pointed_out:
            return Outcome(winners, LEnding.POINTS)
        if _stuck(self.cells(winners[0]) | self.neutrals):
            return Outcome(winners, LEnding.BLOCKED)
        return None

    @property
    def _pointed_out(self) -> bool:
        # Only the mover scores, so only the seat that has just moved can have reached the goal.
        return bool(self.scores) and self.scores[_OTHER[self.to_move]] >= self.options.goal

    def legal_moves(self) -> Sequence[Move]:
        """Every legal turn: by placement in the order of their texts, then by neutrals."""
        if self.mirrored or self._pointed_out:
            return ()
        own, other = (self.second, self.first) if self.to_move else (self.first, self.second)
        neutrals, lifts = self.neutrals, self.options.lifts
        blocked = other | neutrals
        open_cells = FULL ^ blocked
        moves: list[Move] = []
        for cells in fitting(blocked):
            if cells != own:
                moves += turns(cells, neutrals, open_cells ^ cells, lifts)
        return moves

    def play(self, move: Move) -> LPosition:
        """The position after a turn.

        In the scoring variant all that a move earns is counted together: its painted cells, and 5 if it leaves the
        opponent no move. If that reaches the goal, the game ends with the pieces where they are. If not, and the
        opponent has no move, the pieces go back to the start and the opponent moves next.
        """
        seat, options = self.to_move, self.options
        own, other = (self.second, self.first) if seat else (self.first, self.second)
        cells, lifted, put = move.cells, move.lifted, move.put
        blocked = other | self.neutrals
        if (
            cells == own
            or cells & blocked
            or cells not in LYING
            or lifted & ~self.neutrals
            or put & ~(FULL ^ blocked ^ cells)
            or (moved := lifted.bit_count()) != put.bit_count()
            or moved > options.lifts
            or self.mirrored
            or self._pointed_out
        ):
            raise self._refusal(move)
        neutrals = self.neutrals ^ lifted | put
        first, second = (other, cells) if seat else (cells, other)
        scores = self.scores
        if options.goal:
            stuck = _stuck(cells | neutrals)
            gain = (cells & options.painted).bit_count() + stuck * BLOCK_POINTS
            scores = (scores[0], scores[1] + gain) if seat else (scores[0] + gain, scores[1])
            if stuck and scores[seat] < options.goal:
                first, second, neutrals = _START_FIRST, _START_SECOND, _START_NEUTRALS
        mirrored = bool(options.images) and other in options.images[cells]
        return LPosition(options, _OTHER[seat], first, second, neutrals, scores, mirrored)

    def _refusal(self, move: Move) -> IllegalMove:
        if self.outcome:
            return IllegalMove(Legality.GAME_OVER)
        own, other = self.both
        return lying(move.cells, own, other, self.neutrals) or _settling(
            move, other, self.neutrals, self.options.lifts
        )

    def ahead(self, seat: Seat) -> LPosition | None:
        """The position with the other seat to move; None once the game is over, or where that L would be stuck."""
        here = replace(self, to_move=seat)
        return None if self.outcome or here.outcome else here

    def before_reset(self, move: Move) -> LPosition | None:
        """The position that a legal move makes before the pieces go back to the start; None where they do not."""
        after = self.play(move)
        if not after.scores or after.outcome or not self.blocks(move):
            return None
        _, other = self.both
        first, second = (other, move.cells) if self.to_move else (move.cells, other)
        neutrals = self.neutrals ^ move.lifted | move.put
        return replace(after, first=first, second=second, neutrals=neutrals)

    def blocks(self, move: Move) -> bool:
        """Whether a legal move leaves the opponent none."""
        return _stuck(move.cells | self.neutrals ^ move.lifted | move.put)


def _stuck(blocked: int) -> bool:
    """Whether an L that lies clear of these cells can lie nowhere else: it fits where it is, and that is all."""
    return len(fitting(blocked)) == 1


def start(options: Options) -> LPosition:
    """The start position."""
    return LPosition(
        options, Seat.S1, _START_FIRST, _START_SECOND, _START_NEUTRALS, (0, 0) if options.goal else ()
    )


def points_ahead(start: LPosition, giver: Seat, typed: str) -> LPosition:
    """Return a start at which the other side is so many points ahead, where points are counted."""
    if not start.scores:
        raise BadOption(Refusal.POINTS_UNCOUNTED)
    other = _OTHER[giver]
    most = start.options.goal - 1 - start.scores[other]
    given = Number("points", "1", 1, most).read(folded(typed))
    return replace(
        start, scores=tuple(had + given * (seat == other) for seat, had in enumerate(start.scores))
    )


_LEAD: Final = 6.0  # points that are half a win
_ROOM: Final = 12.0  # ways to lie by which one is half lost
_INSIDE: Final = 0b0110_0110 << 4  # b2 c2 b3 c3: an L that holds them is in no corner


def evaluate(position: LPosition, seat: Seat, /) -> float:
    """The lead in points, and in how many ways each L could lie; holding the middle keeps an L out of the corners."""
    other = Seat.S1 if seat else Seat.S2
    own, foe, neutrals = position.cells(seat), position.cells(other), position.neutrals
    room = len(fitting(foe | neutrals)) - len(fitting(own | neutrals))
    inside = (own & _INSIDE).bit_count() - (foe & _INSIDE).bit_count()
    ahead = (room + inside) / _ROOM
    if position.scores:
        ahead = ahead / 2 + (position.scores[seat] - position.scores[other]) / _LEAD
    return squashed(ahead)
