"""Counting bases, and fences."""

from __future__ import annotations

import pytest

from rules.core import SEATS
from rules.klopodavka import GAME
from rules.klopodavka.options import Finish
from rules.klopodavka.position import KlopodavkaPosition
from tests.rules.klopodavka.making import chosen, played, position, winners

S1, S2, S3, S4 = SEATS[:4]


class TestBases:
    @pytest.mark.parametrize(
        ("line", "held"),
        [
            ("2A3b/aaA4/a1A4 1 3 -", (1, 0)),
            ("1aA3b/2A4/a1A4 1 3 -", (2, 0)),  # two groups behind one wall
            ("1aA3b/7/a1A4 1 3 -", (0, 0)),  # the wall has a hole
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
