"""Positions: what can be done, who is next, ends of games, and text."""

from __future__ import annotations

import pytest

from rules.core import SEATS, BadNotation, BadOption, Reason, Spelling
from rules.klopodavka import GAME
from rules.klopodavka.options import Finish, Misplaced
from rules.klopodavka.position import KlopodavkaPosition
from tests.rules.klopodavka.reference import cells, chosen, played, position, start, winners

# What can be done, who is out, who is next.


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


def test_a_first_turn_of_two_actions_is_as_long_until_it_is_over() -> None:
    here = start("first:2")
    assert (here.plies_left, here.turn_length) == (2, 2)
    here = played(here, "b1")
    assert (here.to_move, here.plies_left, here.turn_length) == (S1, 1, 2)
    here = played(here, "a2")
    assert (here.to_move, here.plies_left, here.turn_length) == (S2, 3, 3)


def test_turns_count_in_full_even_if_only_homes_hold_bugs_again() -> None:
    """Walls tell that it is no longer the first turn."""
    here = played(start("board:3x3 actions:1 first:1"), "b2", "xb2")
    assert (here.to_move, here.turn_length) == (S1, 1)
    here = position("2b/1B1/a2 1 3 -", board="3x3", first="1")
    assert here.turn_length == 3


@pytest.mark.parametrize("options", ["", "first:1", "actions:1", "variant:hq", "players:3"])
def test_extra_actions_are_a_turn_of_their_own_length(options: str) -> None:
    before = start(options)
    here = first = GAME.odds["extra"](before, S2, "4")
    for owed in range(before.turn_length + 4, 0, -1):
        assert (here.to_move, here.plies_left, here.turn_length) == (S1, owed, first.plies_left)
        assert here.counts_plies
        assert read(write(here), here.options) == here
        here = here.play(here.legal_moves()[0])
    assert (here.to_move, here.plies_left, here.turn_length) == (S2, *[chosen(options).actions] * 2)
    assert write(here).split()[2] == str(chosen(options).actions)


def test_a_fence_is_looked_for_in_a_longer_turn() -> None:
    """The length stays where the rules settle a position in the middle of a turn."""
    here = position("1bbb1/1bbb1/4b/AAAAb/3a1/1aaa1/1aaa1 1 8/12 -", variant="hq", board="5x7")
    after = here.play(next(move for move in here.legal_moves() if move.crush and not here.play(move).outcome))
    assert (after.plies_left, after.turn_length) == (7, 12)


@pytest.mark.parametrize("options", ["", "variant:hq actions:10"])
def test_no_turn_is_longer_than_a_line_can_say(options: str) -> None:
    give = GAME.odds["extra"]
    longest = give(start(options), S2, "9")
    assert read(write(longest), longest.options) == longest
    for here, typed in ((start(options), "10"), (start(options), "0"), (longest, "9")):
        with pytest.raises(BadOption):
            give(here, S2, typed)


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


# Positions as lines of text: exact both ways, and checked.


write, read = GAME.notation.format_position, GAME.notation.parse_position


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("", "9b/10/10/10/10/10/10/10/10/a9 1 3 -"),
        ("first:1", "9b/10/10/10/10/10/10/10/10/a9 1 1 -"),
        ("first:2", "9b/10/10/10/10/10/10/10/10/a9 1 2/2 -"),
        ("first:3", "9b/10/10/10/10/10/10/10/10/a9 1 3 -"),  # as long as any other turn
        ("players:4 board:12x12 actions:4", "b10c/12/12/12/12/12/12/12/12/12/12/a10d 1 4 -"),
        ("variant:hq board:6x7", "2bbb1/2bbb1/6/6/6/1aaa2/1aaa2 1 8 -"),
        ("players:10 board:9x9 actions:10", "2d2e3/c7f/9/9/b7g/9/9/a7h/3j2i2 1 10 -"),
    ],
)
def test_starts(options: str, line: str) -> None:
    assert write(start(options)) == line
    assert read(line, chosen(options)) == start(options)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 3", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 3 - -", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 0 3 -", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 03 -", Spelling.NOT_A_POSITION),
        ("4b/5/5/5/a4 1 3 ,", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 3 -\n", Spelling.NOT_A_POSITION),
        ("4b/5/5/14/a4 1 3 -", Misplaced.ROWS),
        ("4b/5/5/5/a04 1 3 -", Spelling.NOT_A_POSITION),
        ("1111b/5/5/5/a4 1 3 -", Misplaced.ROWS),
        ("4b/5/5/a4 1 3 -", Misplaced.ROWS),
        ("4b/5/5/5/a3c 1 3 -", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 3 3 -", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 3 3", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 3 0", Misplaced.NO_SUCH_SEAT),
        ("4b/5/5/5/a4 1 4 -", Misplaced.LEFT),
        ("4b/5/5/5/a4 1 6/5 -", Misplaced.LEFT),
        ("4b/5/5/5/a4 1 20/20 -", Spelling.NOT_A_POSITION),
        ("4b/5/2A2/5/a4 1 3 -", Misplaced.LONE_WALL),
        ("4b/5/5/5/a4 1 3 1", Misplaced.UNSETTLED),  # out, and to move, and the game is decided
        ("4b/5/5/5/5 1 3 -", Misplaced.UNSETTLED),  # cannot act, and is not out
        ("4b/5/5/5/a4 2 3 1,1", Spelling.NOT_A_POSITION),
        ("a" * 2000, Spelling.TOO_LONG),
    ],
)
def test_refused(line: str, reason: Reason) -> None:
    with pytest.raises(BadNotation) as refused:
        read(line, chosen("board:5x5"))
    assert refused.value.reason is reason


@pytest.mark.parametrize(
    ("line", "options", "reasons"),
    [
        ("4d/5/5/5/c3 7 3 9,8", "board:5x5", [Misplaced.ROWS, *[Misplaced.NO_SUCH_SEAT] * 3]),
        ("4d/5/5/5/c4 7 3 9", "board:5x5", [Misplaced.NO_SUCH_SEAT] * 4),
        (
            "5/5/2B2/5/5 1 4 -",
            "board:5x5 base:immune",
            [*[Misplaced.HOME_MISSING] * 2, Misplaced.LEFT, Misplaced.LONE_WALL, Misplaced.UNSETTLED],
        ),
    ],
)
def test_every_fault_is_named(line: str, options: str, reasons: list[Reason]) -> None:
    with pytest.raises(BadNotation) as refused:
        read(line, chosen(options))
    assert sorted(fault.reason for fault in (refused.value, *refused.value.also)) == sorted(reasons)


def test_a_wall_is_beside_something_over_the_edge_too() -> None:
    assert position("4b/3b1/5/5/a3B 1 3 -", board="5x5", topology="torus").outcome is None


def test_out_of_order_seats_are_refused() -> None:
    with pytest.raises(BadNotation):
        position("7d/8/8/8/8/8/8/a5bc 1 3 3,2", players="4", board="8x8", bases="a1,g1,h1,h8")


def test_homes_that_cannot_be_crushed_must_stand() -> None:
    with pytest.raises(BadNotation) as refused:
        position("4b/5/5/1a3/5 1 3 -", base="immune", board="5x5")
    assert refused.value.reason is Misplaced.HOME_MISSING
    assert str(refused.value.fields["square"]) == "a1"
    with pytest.raises(BadNotation) as refused:
        position("2bbb1/2bb2/6/6/6/1aaa2/1aaa2 1 8 -", variant="hq", board="6x7", actions="8")
    assert refused.value.reason is Misplaced.HOME_MISSING


def test_a_count_of_bases_needs_a_side_that_cannot_act() -> None:
    with pytest.raises(BadNotation) as refused:
        position("4b/5/5/5/a4 1 3 1", variant="bases", board="5x5")
    assert refused.value.reason is Misplaced.UNSETTLED
    assert position("bBA1/BBA1/bBAa 2 1 2", variant="bases", board="4x3", actions="1").outcome


def test_a_first_turn_has_one_action_left() -> None:
    with pytest.raises(BadNotation) as refused:
        position("4b/5/5/5/a4 1 3 -", board="5x5", first="1")
    assert refused.value.reason is Misplaced.LEFT
    assert position("4b/5/5/1a3/a4 2 3 -", board="5x5", first="1").plies_left == 3


# Counting bases, and fences.


class TestBases:
    @pytest.mark.parametrize(
        ("line", "held"),
        [
            ("2A3b/aaA4/a1A4 1 3 -", (1, 0)),
            ("1aA3b/2A4/a1A4 1 3 -", (2, 0)),  # two groups behind one wall
            ("1aA3b/7/a1AA3 1 3 -", (0, 0)),  # the wall has a hole
            ("1aA3b/2b4/a1A4 1 3 -", (0, 0)),  # a bug of the enemy's own stands in it
            ("1aA1B1b/2A1B2/a1A1B2 1 3 -", (2, 1)),  # no side can reach another
            ("1aA1B1b/2A1B2/a1Aab2 1 3 -", (2, 0)),  # S1 can crush his way through e1
            ("2B3b/2B4/a1B4 1 3 -", (0, 1)),  # an enemy's own walls do not stop him
        ],
    )
    def test_groups_that_no_enemy_could_ever_reach(self, line: str, held: tuple[int, int]) -> None:
        assert position(line, variant="bases", board="7x3").scores == held

    def test_a_player_who_leaves_ends_nothing_and_wins_nothing(self) -> None:
        """The same with S2 gone: his base is there and counts no more, and he threatens S3 no more either."""
        here = position("4Bb/4BB/6/CC4/1C4/aC3c 2 3 -", players="3", board="6x6", variant="bases")
        after = here.retire(S2)
        assert (after.outcome, after.to_move) == (None, S3)
        assert after.scores == (0, 1, 1)
        after = played(after, "e2 d3 d4", "a2")
        assert after.outcome
        assert winners(after) == (S3,)
        assert after.scores == (0, 1, 1)

    def test_a_team_counts_together(self) -> None:
        """One group of player 1 and one of player 3 beat the one of player 2."""
        walls = "/BBAA/BBAA/BBAA/BBAA/BBAA 1 1 -"
        here = position("bBAa/BBA1/BBAc" + walls, teams="2v2", variant="bases", board="4x8", actions="1")
        after = played(here, "d7")
        assert after.scores == (1, 1, 1, 0)
        assert winners(after) == (S1, S3)
        here = position("bBAa/BBA1/dBAc" + walls, teams="2v2", variant="bases", board="4x8", actions="1")
        assert played(here, "d7").outcome
        assert winners(played(here, "d7")) == ()

    def test_an_immune_bug_is_a_base_by_itself_and_no_shelter_for_others(self) -> None:
        """No enemy can crush it, so none can ever reach it; its neighbours can be reached, and so can the group."""
        options = {"variant": "bases", "base": "immune", "board": "5x5"}
        assert position("4b/5/5/5/a4 1 3 -", **options).scores == (1, 1)
        assert position("4b/5/5/1a3/a4 1 3 -", **options).scores == (0, 1)


class TestFence:
    @staticmethod
    def between(text: str, middle: str, rest: str) -> KlopodavkaPosition:
        """The start with other ranks between the headquarters."""
        options = chosen(text)
        rows = GAME.notation.format_position(GAME.start(options)).split(" ")[0].split("/")
        line = "/".join([*rows[:2], *middle.split("/"), *rows[-2:]])
        return GAME.notation.parse_position(f"{line} {rest}", options)

    def test_a_fence_needs_a_way_out_for_its_builder(self) -> None:
        """Walls of both sides right across: neither can come to the other, so nothing is won."""
        assert self.between("variant:hq board:6x7", "BBBBBB/6/AAAAAA", "1 8 -").outcome is None

    def test_a_fence_against_a_team_is_one_against_all_of_it(self) -> None:
        here = self.between("variant:hq teams:2v2 board:8x9", "8/8/8/8/AACCAACC", "2 8 -")
        assert winners(here) == (S1, S3)
        assert self.between("variant:hq teams:2v2 board:8x9", "8/8/8/8/AACCAAC1", "2 8 -").outcome is None

    def test_leaving_may_close_a_fence(self) -> None:
        """Player 4 had come through; a bug of his in the wall lets player 2, his team-mate, pass no more than the wall."""
        here = self.between("variant:hq teams:2v2 board:8x9", "6d1/6d1/6d1/AACCAAdC/6d1", "1 8 -")
        assert here.outcome is None
        after = here.retire(S4)
        assert after.outcome
        assert after.outcome.reason is Finish.FENCE
        assert winners(after) == (S1, S3)
        assert here.retire(S2).outcome is None


# A player takes over a seat that was left.
