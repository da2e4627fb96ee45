"""What `bench.balance` counts and when it stops; and short games of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.balance import EDGE, Games, Played, keep, kind_of, kinds, measured, play, table, write
from engine.core import Budget
from rules import GAMES

WEAK = Budget(nodes=40)


def games(*won: int, drawn: int = 0) -> Games:
    """As many games as each side won, of ten plies each, and so many draws of twenty."""
    played = [
        Played(side, 10, back=False, early=True) for side, count in enumerate(won) for _ in range(count)
    ]
    return Games(len(won), played + [Played(None, 20, back=False, early=False)] * drawn)


def test_shares_count_draws_in_parts_and_have_an_interval() -> None:
    figures = games(60, 20, drawn=20).figures()
    (first, low, high), (second, *_) = figures["shares"]
    assert (first, second, figures["games"], figures["draws"]) == (700, 300, 100, 20)
    # Wider than the interval of a number of games that is settled before, 61 to 79 %.
    assert 530 < low < 610
    assert 790 < high < 840
    assert (figures["plies"], figures["early"], figures["comebacks"]) == ([10, 20], 80, 0)
    thirds = games(5, 3, 1, drawn=3).figures()["shares"]
    assert [share for share, *_ in thirds] == [500, 333, 167]


@pytest.mark.parametrize(
    ("played", "stops"),
    [
        (games(210, 90), True),  # the first wins more than 55 of 100
        (games(160, 140), False),  # more games are needed to tell
        (games(2000, 2000), True),  # within 45 to 55
        (games(200, 50, 50), True),
        (games(110, 100, 90), False),
    ],
)
def test_it_stops_once_it_is_certain(played: Games, stops: bool) -> None:
    assert played.certain() is stops
    even = 1 / played.sides
    shares = [played.tally(side).share for side in range(played.sides)]
    assert not stops or all(abs(share - even) != EDGE for share in shares)


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("breakthrough", {"board": "6x5"}),
        ("klopodavka", {"board": "6x6"}),
        ("klopodavka", {"players": "3", "board": "6x6"}),
        ("lgame", {}),
    ],
)
def test_games_are_repeatable_and_begin_differently(key: str, options: dict[str, str]) -> None:
    game = GAMES[key]
    chosen = game.choose(options)
    played = [play(game, chosen, WEAK, number) for number in range(4)]
    assert played == [play(game, chosen, WEAK, number) for number in range(4)]
    assert len({each.plies for each in played}) > 1
    assert {each.winner for each in played} <= {None, *range(len(game.sides(chosen)))}


def test_figures_are_kept_beside_others_and_make_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, page = tmp_path / "balance.json", tmp_path / "page.md"
    game = GAMES["breakthrough"]
    chosen = game.choose({"preset": "mini"})
    figures = measured(game, chosen, 1, most=3, until=float("inf"))
    assert figures["games"] == 3
    keep(file, kind_of(game, chosen), 1, figures)
    keep(file, "", 6, games(66, 34).figures() | {"on": "2026-11-29"})
    kept = json.loads(file.read_text("utf-8"))
    assert kept["board:5x5"]["1"] == figures
    monkeypatch.setattr("bench.balance.measured_balance", lambda key: kept if key == game.key else {})
    assert "| `preset:classic` | 6 | 100 | 66.0 (" in "\n".join(table(game.key))
    page.write_text("# Balance\n\n<!-- python -m bench.balance --write -->\nold\n", "utf-8")
    write(page)
    written = page.read_text("utf-8")
    assert written.startswith("# Balance\n\n<!--")
    assert "old" not in written
    assert "preset:mini" in written


def test_no_kind_comes_twice() -> None:
    for game in GAMES.values():
        named = [kind_of(game, chosen) for _, chosen in kinds(game)]
        assert len(named) == len(set(named))
        assert "" in named
