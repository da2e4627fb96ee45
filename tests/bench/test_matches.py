from __future__ import annotations

from pathlib import Path

import pytest

from bench.matches import MATCHES, Kept, Match, build, main, run
from bench.tally import Tally, summed


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
