"""What each variant adds."""

from __future__ import annotations

import pytest

from rules.core import Outcome, Seat
from rules.lgame import LPosition
from rules.lgame.options import LEnding
from tests.rules.lgame import oracle
from tests.rules.lgame.shared import NOTATION, at, play, position_of, start


class TestScoring:
    @pytest.mark.parametrize(("corner", "gain"), [("a4", 1), ("a1", 3), ("d1", 0), ("d4", 0)])
    def test_a_point_for_each_painted_cell(self, corner: str, gain: int) -> None:
        assert play(start("scoring", corner=corner), "L b3-b1-a1").scores == (gain, 0)

    def test_only_the_mover_scores(self) -> None:
        # Player 2's L covers b4 all the while player 1 moves.
        position = play(start("scoring"), "L c1-a1-a2")
        assert position.scores == (0, 0)
        assert play(position, "L b4-d4-d3").scores == (0, 1)

    def test_a_block_sends_the_pieces_back_and_the_blocked_player_goes_on(self) -> None:
        after = play(at("o222/..12/..1./.o11 1 4-1", "scoring"), "L a3-c3-c2 n a4-d2")
        assert NOTATION.format_position(after) == "o22./.12./.12./.11o 2 11-1"  # two painted cells, and 5
        assert after.outcome is None
        assert len(after.legal_moves()) == 65

    def test_a_block_that_reaches_the_goal_ends_the_game_where_it_is(self) -> None:
        after = play(at("o222/..12/..1./.o11 1 8-1", "scoring"), "L a3-c3-c2 n a4-d2")
        assert NOTATION.format_position(after) == ".222/1112/..1o/.o.. 2 15-1"
        assert after.outcome == Outcome((Seat.S1,), LEnding.POINTS)
        assert not after.legal_moves()

    def test_painted_cells_alone_can_win(self) -> None:
        after = play(at("o22./.12./.12./.11o 1 13-14", "scoring"), "L b1-b3-a3")
        assert after.outcome == Outcome((Seat.S1,), LEnding.POINTS)
        assert after.scores == (15, 14)


class TestSymmetry:
    def test_start_is_an_image_that_no_move_made(self) -> None:
        for preset in ("half-turn", "puzzle"):
            assert start(preset).outcome is None
            # The same cells again, but now made by a move.
            position = play(start(preset), "L c1-a1-a2", "L d4-d2-c2", "L b3-b1-c1")
            won = play(position, "L c2-c4-b4")
            assert won.outcome == Outcome((Seat.S2,), LEnding.MIRRORED)
            assert won != start(preset)
            assert (won.first, won.second, won.neutrals) == (
                start(preset).first,
                start(preset).second,
                start(preset).neutrals,
            )

    def test_no_arrangement_has_both_an_image_and_a_block(self) -> None:
        turnings = (*oracle.AXES, oracle.CENTRE)
        like = start()
        for own, other, neutrals in oracle.arrangements():
            if any(oracle.turned(own, turning) == other for turning in turnings):
                position: LPosition = position_of((own, other, neutrals), like)
                assert position.outcome is None
