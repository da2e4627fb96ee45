"""What is true of every game, tried on games that hypothesis makes up."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core import BadOption, IllegalMove
from rules.klopodavka import GAME, Move
from rules.klopodavka.notation import MOST
from rules.klopodavka.options import SIDES, Options
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import could_ever, reach, touched


@st.composite
def options(draw: st.DrawFn) -> Options:
    """Any kind of game on a board that is soon full."""
    chosen = {
        "variant": draw(st.sampled_from(["standard", "bases", "hq"])),
        "topology": draw(st.sampled_from(["plane", "cylinder", "torus"])),
        "base": draw(st.sampled_from(["crushable", "immune"])),
        "reach": draw(st.sampled_from(["live", "base"])),
        "first": draw(st.sampled_from(["0", "1"])),
        "teams": draw(st.sampled_from(["off", "off", *SIDES])),
        "board": f"{draw(st.integers(5, 9))}x{draw(st.integers(5, 9))}",
    }
    if chosen["variant"] == "hq":
        chosen |= {
            "base": "crushable",
            "reach": "live",
            "board": draw(st.sampled_from(["12x12", "9x14", "16x12"])),
        }
    else:
        chosen["actions"] = str(draw(st.integers(1, 5)))
    if chosen["teams"] == "off":
        chosen["players"] = str(draw(st.integers(2, 6)))
    try:
        return GAME.choose(chosen)
    except BadOption:
        return GAME.choose({})


def playout(chosen: Options, seed: int) -> list[KlopodavkaPosition]:
    chance = random.Random(seed)
    line = [GAME.start(chosen)]
    while not line[-1].outcome:
        line.append(line[-1].play(chance.choice(line[-1].legal_moves())))
    return line


@settings(max_examples=40, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_out_is_for_ever(chosen: Options, seed: int) -> None:
    """Who is out can never act again, even if allowed: being blocked is permanent."""
    line = playout(chosen, seed)
    for before, after in pairwise(line):
        assert before.out <= after.out
        if not after.outcome:
            assert not any(reach(after.ruleset, after.occupancy, seat) for seat in after.out)


@settings(max_examples=40, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_what_is_kept_while_playing_is_what_is_worked_out_anew(chosen: Options, seed: int) -> None:
    for here in playout(chosen, seed):
        fresh = KlopodavkaPosition.of(here.ruleset, here.fields)
        assert fresh == here
        if not here.outcome:
            ruleset, occupancy = here.ruleset, here.occupancy
            assert here.reached == reach(ruleset, occupancy, here.seat)
            assert here.reached & ~touched(ruleset, occupancy, here.seat) == 0
            assert here.reached & ~could_ever(ruleset, occupancy, here.seat) == 0


@settings(max_examples=40, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_an_own_action_takes_nothing_away(chosen: Options, seed: int) -> None:
    """Reach grows inside a turn, which is why the order of actions leaves no trace."""
    line = playout(chosen, seed)
    for before, after in pairwise(line):
        if not after.outcome and after.seat == before.seat and before.plies_left > 1:
            assert (before.reached & ~after.reached).bit_count() == 1


@settings(max_examples=40, deadline=None)
@given(options(), st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_a_turn_in_another_order(chosen: Options, seed: int, chance: random.Random) -> None:
    here = GAME.start(chosen)
    for _ in range(6):
        if here.outcome:
            return
        after = here
        plies: list[Move] = []
        while not after.outcome and after.seat == here.seat and len(plies) < here.plies_left:
            plies.append(chance.choice(after.legal_moves()))
            after = after.play(plies[-1])
        shuffled = plies[:]
        chance.shuffle(shuffled)
        other = here
        try:
            for ply in shuffled:
                other = other.play(ply)
        except IllegalMove:
            pass
        else:
            if len(plies) == here.plies_left:
                assert other == after
                assert hash(other) == hash(after)
        here = after


@settings(max_examples=30, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_cells_belong_to_one_and_are_never_freed(chosen: Options, seed: int) -> None:
    line = playout(chosen, seed)
    for here in line:
        occupancy = here.occupancy
        sets = (*occupancy.bugs, *occupancy.walls)
        assert sum(cells.bit_count() for cells in sets) == (occupancy.live | occupancy.stones).bit_count()
        assert occupancy.live == sum(occupancy.bugs)
        assert occupancy.stones == sum(occupancy.walls)
    for before, after in pairwise(line):
        occupied = before.occupancy.live | before.occupancy.stones
        assert occupied & ~(after.occupancy.live | after.occupancy.stones) == 0
        assert before.occupancy.stones & ~after.occupancy.stones == 0
        for old, new in zip(before.occupancy.walls, after.occupancy.walls, strict=True):
            assert old & ~new == 0
    # Each action fills a cell or makes a wall, and every cell does each once at most: no game is longer.
    assert len(line) <= 2 * len(chosen.board)


def turn_ends(here: KlopodavkaPosition, most: int) -> tuple[set[KlopodavkaPosition], int] | None:
    """Return every position that can end the turn, and how many can arise in it; None where there are too many."""
    level, ends, known = {here}, set(), 0
    while level:
        level = {each.play(move) for each in level for move in each.legal_moves()}
        known += len(level)
        if known > most:
            return None
        ends |= {each for each in level if each.outcome or each.seat != here.seat}
        level -= ends
    return ends, known


def check_finish(here: KlopodavkaPosition) -> bool:
    """Check what finishes a turn against all ways to finish it, if these are few; return whether there is something."""
    if not (found := turn_ends(here, 2 * MOST)):
        return False
    ends, known = found
    wins = all(end.outcome and here.to_move in end.outcome.winners for end in ends)
    moves = GAME.finish(here)
    assert wins or not moves
    assert moves or not wins or known > MOST
    last = here
    for move in moves:
        last = last.play(move)
    assert not moves or last in ends
    return bool(moves)


@settings(max_examples=40, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_a_turn_is_finished_where_all_ways_to_finish_it_win(chosen: Options, seed: int) -> None:
    for here in playout(chosen, seed)[-8:-1]:
        check_finish(here)


@pytest.mark.parametrize("players", range(2, 11))
def test_turns_are_decided_before_their_end_among_any_number_of_players(players: int) -> None:
    chosen = GAME.choose({"players": str(players), "board": "10x10", "actions": "2"})
    found = [check_finish(here) for seed in range(3) for here in playout(chosen, seed)[-4:-1]]
    assert any(found)
