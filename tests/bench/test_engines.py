"""Comparisons of engines: matches, levels, rivals and builds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from bench.breakthrough_engines import RivalPlayer
from bench.klopodavka_engines import game, played
from bench.klopodavka_rivals import Rival, greedy, mcts, one_ply, rollouts
from bench.levels import main as levels_main
from bench.levels import opened
from bench.matches import MATCHES, Kept, Match, build, main, run
from bench.tally import Tally, summed
from engine.build import Unbuilt, compiler
from engine.core import Budget
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.lgame import LPosition
from tests.engine.breakthrough.kinds import forced, games, keeps, positions
from tests.engine.lgame.solving import plies_to_end
from tests.rules.klopodavka.reference import position, start


def _game(seconds: tuple[float, float], number: int) -> Tally:
    """A game that the first player wins when it has an even number."""
    return Tally(1, 1.0 - number % 2, [seconds[0], seconds[1]], [number, 0], [1, 1], seconds[0])


_MATCH = Match(("one", "other"), 0.5, 0.6, _game)


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "some.jsonl", "a")
    first = run(_MATCH, kept, 0.2, 2, until=1e18, processes=1)
    assert (first.games, first.won, first.seconds) == (2, 1.0, [0.2, 0.4])
    kept.add(1, Tally(1, 1.0))  # had it been played anew, it would be lost again
    assert run(_MATCH, kept, 0.2, 4, until=1e18, processes=2).won == 3.0
    assert sorted(kept.read()) == [0, 1, 2, 3]


def test_a_match_stops_in_time_and_goes_on_later(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "some.jsonl", "a")
    assert run(_MATCH, kept, 0.2, 9, until=0.0, processes=1).games == 1
    assert run(_MATCH, kept, 0.2, 9, until=1e18, processes=1).games == 9


def test_games_of_other_engines_and_broken_lines_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    Kept(file, "old").add(0, Tally(1, 1.0))
    file.write_text(file.read_text() + '{"build": "new", "numb')
    Kept(file, "new").add(3, Tally(1, 0.5))
    assert Kept(file, "new").read() == {3: Tally(1, 0.5)}
    assert build() == build()


def test_a_tally_tells_whether_a_goal_is_met() -> None:
    assert "goal 70% met" in Tally(games=10, won=8).line(("some", "rest"), 0.7)
    assert "goal 90% MISSED" in Tally(games=10, won=8).line(("some", "rest"), 0.9)
    assert summed([Tally(1, 0.5), Tally(2, 2.0)]).share == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("name", sorted(MATCHES))
def test_a_match_is_played_from_the_command_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def play(match: Match, _kept: Kept, seconds: float, games: int, *, until: float, processes: int) -> Tally:
        asked.append((match, seconds, games, until > 0, processes))
        return Tally(games, games)

    monkeypatch.setattr("bench.matches.run", play)
    assert main([name, "--games", "6", "--seconds", "0.3", "--keep", str(tmp_path)]) == 0
    assert asked == [(MATCHES[name], 0.3, 6, True, 1)]
    assert f"{name}: {MATCHES[name].names[0]} against" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["breakthrough-native-python", "klopodavka-one_ply-python"])
def test_a_game_is_played_to_its_end(name: str) -> None:
    tally = MATCHES[name].play((0.001, 0.001), 0)
    assert tally.games == 1
    assert tally.turns[0] > 0
    assert tally.turns[1] > 0


# The comparison of levels: from where it starts, and that it can be told where.


GAME = GAMES["lgame"]


def levels_start(number: int, **words: str) -> LPosition:
    position = opened(GAME, GAME.choose(words), number)
    assert isinstance(position, LPosition)
    return position


@pytest.mark.parametrize("variant", ["classic", "sudden-death", "symmetry"])
def test_openings_of_a_solved_game_are_drawn(variant: str) -> None:
    openings = [levels_start(number, variant=variant) for number in range(10)]
    assert [plies_to_end(opening) for opening in openings] == [None] * 10
    assert len(set(openings)) > 5
    assert openings[3] == levels_start(3, variant=variant)


def test_where_no_opening_is_drawn_one_serves_that_does_not_end_at_once() -> None:
    plies = plies_to_end(levels_start(1, variant="symmetry", symmetry="any"))
    assert plies is not None
    assert plies > 1


def test_the_same_openings_are_the_same_games(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["lgame", "--pairs", "2", "--games", "4", "--seconds", "60"]
    told = []
    for first in ("7", "7"):
        assert levels_main([*asked, "--from", first]) == 0
        told.append(capsys.readouterr().out.partition(" (")[0])
    assert all("level 2 against 1: " in line and "of 4," in line for line in told)
    assert told[0] == told[1]


# Breakthrough's rival in the bench plays by the rules, keeps to its nodes, and sees what is near: it is no
# straw man.


def rivals(nodes: int) -> Iterator[RivalPlayer]:
    """One with so many nodes a move; none without a compiler."""
    try:
        compiler()
    except Unbuilt:
        return
    yield RivalPlayer(Budget(nodes=nodes))


def test_moves_are_legal_and_nodes_bounded() -> None:
    for rival in rivals(500):
        for here in islice(games("8x8", "classic", 3), 0, None, 3):
            move, nodes = rival.move([here], [])
            assert move in here.legal_moves()
            assert nodes <= 510  # it looks a few times more on its way out


def test_near_wins_are_found() -> None:
    def won() -> Iterator[BreakthroughPosition]:
        return (here for here in positions(5) if forced(here, 3))

    for rival in rivals(20_000):
        for here in islice(won(), 30):
            move, _ = rival.move([here], [])
            assert keeps(here, move, 3), here


@pytest.mark.parametrize("rival", [greedy, mcts, one_ply, rollouts])
@pytest.mark.parametrize("kind", ["board:5x5", "players:3 board:6x6", "first:1 board:5x5"])
def test_a_rival_makes_whole_legal_turns(rival: Rival, kind: str) -> None:
    here = start(kind)
    for _ in range(6):
        if here.outcome:
            break
        seat, owed = here.seat, here.plies_left
        turn = rival(here, 0.002, random.Random(1))
        for move in turn:
            assert here.seat == seat
            here = here.play(move)
        assert len(turn) == owed or here.outcome


@pytest.mark.parametrize("rival", [greedy, mcts, one_ply, rollouts])
def test_a_rival_takes_what_wins(rival: Rival) -> None:
    here = position("5/3b1/2a2/5/5 1 1 -", board="5x5")
    assert [str(move) for move in rival(here, 0.05, random.Random(1))] == ["xd4"]


def test_an_opening_is_the_same_from_each_seat_and_every_game_ends() -> None:
    chosen = {"board": "5x5"}
    tallies = [game(chosen, lambda _: greedy, lambda _: greedy, (0.0, 0.0), number) for number in range(4)]
    assert [tally.games for tally in tallies] == [1] * 4
    assert 0 <= summed(tallies).won <= 4
    one, other = (played(chosen, [greedy, greedy], [0.0, 0.0], 7, order) for order in (0, 0))
    assert one == other
