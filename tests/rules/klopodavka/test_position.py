"""What can be done, who is out, who is next."""

from __future__ import annotations

import pytest

from rules.core import SEATS, Seat
from rules.klopodavka.reasons import Finish
from tests.rules.klopodavka.making import cells, chosen, played, position, start, winners

S1, S2, S3, S4 = SEATS[:4]


def test_the_first_turn_goes_out_from_the_base() -> None:
    here = start()
    assert (here.to_move, here.plies_left, here.turn_length, here.out) == (S1, 3, 3, frozenset())
    assert cells(here) == "b1 a2 b2"
    here = played(here, "b2")
    assert (here.to_move, here.plies_left) == (S1, 2)
    assert cells(here) == "b1 c1 a2 c2 a3 b3 c3"
    here = played(here, "c3 d4")
    assert (here.to_move, here.plies_left) == (S2, 3)
    assert cells(here) == "i9 j9 i10"


def test_what_is_crushed_becomes_a_wall_of_the_crusher() -> None:
    here = played(start("board:5x5"), "b2 c3 d4", "xd4 xc3 xb2")
    assert str(here) == "position('4b/3B1/2B2/1B3/a4 1 3 -', board='5x5')"
    assert cells(here) == "b1 a2"  # a wall is nothing to put on, nor to crush


def test_walls_carry_while_a_live_bug_touches_them() -> None:
    """b at d4 is all that links the walls d3 d2 d1; with it crushed they are worth nothing."""
    linked = position("4b/3b1/3B1/3B1/a2B1 2 3 -", board="5x5")
    assert cells(linked) == "c1 e1 c2 e2 c3 e3 c4 e4 c5 d5"
    cut = position("4b/3A1/3B1/3B1/a2B1 2 3 -", board="5x5")
    assert cells(cut) == "e4 d5"


def test_a_put_links_walls_inside_the_turn() -> None:
    here = position("8b/2AA5/a8 1 3 -", board="9x3")
    assert cells(here) == "b1 a2 b2"
    assert cells(played(here, "b2")) == "b1 c1 d1 e1 a2 e2 a3 b3 c3 d3 e3"


def test_a_crush_links_walls_inside_the_turn() -> None:
    """The new wall on b2 joins c2 and d2 to the bug that touches it."""
    here = position("8b/1bAA5/a8 1 3 -", board="9x3")
    assert cells(played(here, "b2")) == "b1 c1 d1 e1 a2 e2 a3 b3 c3 d3 e3"


def test_the_base_bug_is_an_ordinary_bug() -> None:
    here = position("5/5/5/1b3/a3b 2 3 -", board="5x5", bases="a1,e1")
    assert "xa1" in cells(here).split()
    after = played(here, "a1 c2 d2")
    assert after.outcome is not None
    assert winners(after) == (S2,)  # the last own bug is gone


def test_a_player_who_cannot_begin_is_out_and_skipped() -> None:
    here = position("3c/4/4/4/CC2/aC1b 3 1 -", players="3", board="4x6", bases="a1,d1,d6")
    after = played(here, "d5")
    assert (after.out, after.to_move, after.plies_left) == (frozenset({S1}), S2, 3)
    after = played(after, "c1 c2 d2")
    assert after.to_move == S3
    assert played(after, "c4 c5 c6").to_move == S2


def test_a_player_who_cannot_go_on_is_out_in_the_middle_of_the_turn() -> None:
    here = position("BB1b/1B2/aB2 1 3 -", board="4x3")
    assert cells(here) == "a2"
    after = played(here, "a2")
    assert after.out == {S1}
    assert winners(after) == (S2,)
    assert after.outcome
    assert after.outcome.reason is Finish.LAST_LEFT
    assert after.legal_moves() == ()


def test_the_next_player_has_a_whole_turn_when_one_drops_out_in_the_middle() -> None:
    here = position("5b/6/6/BB4/1B4/aB3c 1 3 -", players="3", board="6x6")
    after = played(here, "a2")
    assert (after.out, after.to_move, after.plies_left, after.outcome) == (frozenset({S1}), S2, 3, None)


def test_nobody_at_all_can_act() -> None:
    """S1 fills the last cell. Neither S2 nor S3 can act, nor S1 himself, who acted last and wins."""
    here = position("bCC/CCC/CCC/CCC/CCC/CCC/CCC/a1C 1 3 -", players="3", board="3x8")
    after = played(here, "b1")
    assert after.outcome
    assert after.outcome.reason is Finish.LAST_TO_ACT
    assert winners(after) == (S1,)
    assert after.out == {S2, S3}


def test_the_first_turn_may_have_one_action() -> None:
    here = start("first:1")
    assert (here.plies_left, here.turn_length) == (1, 1)
    here = played(here, "b2")
    assert (here.to_move, here.plies_left, here.turn_length) == (S2, 3, 3)
    here = played(here, "i9")
    assert (here.to_move, here.plies_left, here.turn_length) == (S2, 2, 3)


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


def test_an_order_inside_a_turn_leaves_no_trace() -> None:
    one, other = played(start(), "b2 c3 b1"), played(start(), "b1 b2 c3")
    assert one == other
    assert hash(one) == hash(other)
    assert one.legal_moves() == other.legal_moves()


def test_a_torus_has_no_corners() -> None:
    here = start("topology:torus board:9x9")
    assert cells(here) == "b1 i1 a2 b2 i2 a9 b9 i9"
    near = position("4b/5/5/5/a4 1 3 -", topology="torus", board="5x5", bases="a1,e5")
    assert cells(near) == "b1 e1 a2 b2 e2 a5 b5 xe5"


def test_a_cylinder_goes_round_sideways_only() -> None:
    assert cells(start("topology:cylinder board:9x9")) == "b1 i1 a2 b2 i2"


class TestTeams:
    """Players 1 and 3, a and c, against 2 and 4, b and d."""

    def test_walls_of_the_team_carry_and_its_bugs_do_not(self) -> None:
        here = position("6/6/c5/1C4/a5/4bd 1 1 -", teams="2v2", board="6x6", actions="1", bases="a2,e1,a4,f1")
        # C on b3 touches the bug a on a2; c on a4 is a team-mate's: it carries nobody else and cannot be crushed.
        assert cells(here) == "a1 b1 b2 c2 a3 c3 b4 c4"

    def test_walls_of_the_team_that_are_not_linked_carry_nobody(self) -> None:
        here = position("6/6/2C3/6/a5/4bd 1 1 -", teams="2v2", board="6x6", actions="1", bases="a2,e1,a5,f1")
        assert cells(here) == "a1 b1 b2 a3 b3"

    def test_the_last_team_with_somebody_who_can_act_wins(self) -> None:
        """Player 2 has no bug left and player 3 is shut in, but player 4 can act for players 2 and 4."""
        here = position(
            "cB2/BB2/4/4/1b1d/a3/4/4 1 1 -", teams="2v2", board="4x8", actions="1", bases="a3,b4,a8,d4"
        )
        after = played(here, "xb4")
        assert (after.out, after.to_move, after.outcome) == (frozenset({S2, S3}), S4, None)
        assert played(after, "d3").to_move == S1

    def test_all_of_the_team_win(self) -> None:
        here = played(start("teams:2v2 board:6x6"), "b2 c3 d4")
        after = here.retire(S2).retire(S4)
        assert winners(after) == (S1, S3)
        assert after.out == {S2, S4}


class TestLinkedToTheBase:
    def test_a_chain_of_bugs_and_walls_gives_reach(self) -> None:
        here = position("5b/6/aaA3 1 1 -", reach="base", board="6x3", actions="1")
        assert cells(here) == "d1 a2 b2 c2 d2"

    def test_what_is_cut_off_gives_none(self) -> None:
        here = position("5b/6/aBa3 1 1 -", reach="base", board="6x3", actions="1")
        assert cells(here) == "a2 b2"

    def test_it_counts_again_when_it_is_linked_again(self) -> None:
        here = position("5b/6/aBa3 1 2 -", reach="base", board="6x3", actions="2")
        assert cells(played(here, "b2")) == "d1 a2 c2 d2 a3 b3 c3"

    def test_without_the_base_bug_nothing_is_linked(self) -> None:
        """The base cell is an enemy's wall then: no chain can lead to it, and its owner is out on his turn."""
        here = position("5b/6/abaaa1 2 1 -", reach="base", board="6x3", actions="1", bases="a1,b1")
        after = played(here, "xa1")
        assert after.out == {S1}
        assert winners(after) == (S2,)


class TestImmune:
    def test_a_base_cannot_be_crushed(self) -> None:
        here = position("2b/1a1/a2 1 1 -", base="immune", board="3x3", actions="1")
        assert "xc3" not in cells(here)

    def test_other_bugs_can(self) -> None:
        here = position("1bb/1a1/a2 1 1 -", base="immune", board="3x3", actions="1")
        assert "xb3" in cells(here).split()

    def test_headquarters_cannot_be_crushed(self) -> None:
        here = start("variant:hq board:5x6")
        here = played(here, "c3 c4 a3 b3 d3 a4 b4")
        assert "x" not in cells(here)
        assert here.plies_left == 1


class TestLeaving:
    def test_a_game_of_two_ends_instead(self) -> None:
        with pytest.raises(ValueError, match="two"):
            start().retire(S1)

    def test_whoever_is_to_move_passes_the_turn_on(self) -> None:
        here = played(
            start("players:3 board:8x8"), "b2" if "b2" in cells(start("players:3 board:8x8")) else "a5"
        )
        after = here.retire(S1)
        assert (after.to_move, after.plies_left, after.out) == (S2, 3, frozenset({S1}))
        assert after.occupancy == here.occupancy

    def test_anybody_else_is_skipped(self) -> None:
        here = start("players:4")
        after = here.retire(S2)
        assert (after.to_move, after.plies_left, after.out) == (S1, 3, frozenset({S2}))
        assert played(after, "b2 c3 d4").to_move == S3

    def test_bugs_stay_and_can_be_crushed(self) -> None:
        here = played(start("players:4 board:6x6 actions:4"), "b2 c3 d4").retire(S3)
        assert "xf6" not in cells(here).split()
        assert "xf6" in cells(played(here, "e5", "b5 a5 c5 b4").retire(S4)).split()

    def test_the_last_one_left_wins(self) -> None:
        after = start("players:3").retire(S2).retire(S1)
        assert winners(after) == (S3,)
        assert after.outcome
        assert after.outcome.reason is Finish.LAST_LEFT

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

    def test_when_nobody_left_can_act_the_last_in_turn_wins(self) -> None:
        """S1 leaves; S2 must act and cannot, and S3, who acted before S1 did, is left."""
        here = position("bCC/CCC/CCC/CCC/CCC/CCC/CCC/a1C 1 3 -", players="3", board="3x8")
        after = here.retire(S1)
        assert winners(after) == (S3,)
        assert after.outcome
        assert after.outcome.reason is Finish.LAST_TO_ACT
        assert after.out == {S1, S2}

    def test_a_team_plays_on_with_who_is_left(self) -> None:
        here = start("teams:2v2").retire(S1)
        assert (here.to_move, here.outcome) == (S2, None)
        assert here.retire(S3).outcome
        assert winners(here.retire(S3)) == (S2, S4)


def test_positions_of_other_games_differ() -> None:
    assert start() == start("preset:classic")
    assert start() != start("base:immune")
    assert start("variant:bases") != start()
    assert start().ruleset == start("preset:classic").ruleset
    assert start().ruleset != chosen("")


def test_seats_are_those_of_the_contract() -> None:
    here = start("players:10")
    assert isinstance(here.to_move, Seat)
    assert here.retire(Seat.S10).out == {Seat.S10}
