"""What can be done, who is out, who is next."""

from __future__ import annotations

from rules.core import SEATS
from rules.klopodavka.options import Finish
from tests.rules.klopodavka.making import cells, played, position, start, winners

S1, S2, S3, S4 = SEATS[:4]


def test_no_side_can_act() -> None:
    """S1 fills the last cell. Neither S2 nor S3 can act, nor S1 himself, who acted last and wins."""
    here = position("bCC/CCC/CCC/CCC/CCC/CCC/CCC/a1C 1 3 -", players="3", board="3x8")
    after = played(here, "b1")
    assert after.outcome
    assert after.outcome.reason is Finish.LAST_TO_ACT
    assert winners(after) == (S1,)
    assert after.out == {S2, S3}


def test_actions_are_counted_where_turns_have_several_even_in_a_first_turn_of_one() -> None:
    here = start("first:1")
    assert here.counts_plies
    assert played(here, "b2").counts_plies
    assert not start("actions:1").counts_plies
    assert not start("actions:1 first:1").counts_plies


def test_turns_count_in_full_even_if_only_homes_hold_bugs_again() -> None:
    """Walls tell that it is no longer the first turn."""
    here = played(start("board:3x3 actions:1 first:1"), "b2", "xb2")
    assert (here.to_move, here.turn_length) == (S1, 1)
    here = position("2b/1B1/a2 1 3 -", board="3x3", first="1")
    assert here.turn_length == 3


class TestLeaving:
    def test_nothing_happens_twice_or_after_the_end(self) -> None:
        here = start("players:4").retire(S3)
        assert here.retire(S3) is here
        over = here.retire(S1).retire(S2)
        assert over.outcome
        assert over.retire(S4) is over

    def test_the_first_turn_is_still_the_first(self) -> None:
        here = start("players:3 first:1").retire(S1)
        assert (here.to_move, here.plies_left, here.turn_length) == (S2, 1, 1)
        assert played(here, cells(here).split()[0]).plies_left == 3

    def test_when_no_side_left_can_act_the_last_in_turn_wins(self) -> None:
        """S1 leaves; S2 must act and cannot, and S3, who acted before S1 did, is left."""
        here = position("bCC/CCC/CCC/CCC/CCC/CCC/CCC/a1C 1 3 -", players="3", board="3x8")
        after = here.retire(S1)
        assert winners(after) == (S3,)
        assert after.outcome
        assert after.outcome.reason is Finish.LAST_TO_ACT
        assert after.out == {S1, S2}
