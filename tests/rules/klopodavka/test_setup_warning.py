"""What is said before a game on a board that is too small for those who play on it."""

from __future__ import annotations

import pytest

from rules.klopodavka import GAME
from rules.klopodavka.options import SCHEMA
from tests.rules.klopodavka.making import chosen
from tests.rules.klopodavka.test_layout import nearest_enemies


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("preset", SCHEMA.presets)
def test_a_player_who_starts_within_two_turns_of_an_enemy_is_told(preset: str, players: int) -> None:
    text = f"preset:{preset} players:{players}"
    if "teams" in preset or (preset == "quick" and players > 8):
        text = f"preset:{preset}"
    options = chosen(text)
    near = nearest_enemies(options) <= 2 * options.actions
    said = GAME.warning(options)
    assert (said is not None) == (near and options.players > 2 and not options.has_hq)


@pytest.mark.parametrize(
    ("text", "key", "board"),
    [
        ("preset:quick players:5", "tournament", "15x15"),
        ("preset:classic players:10", "tournament", "22x22"),
        ("preset:duel players:6 teams:3v3", "tournament", "20x30"),
        ("preset:torus board:10x10 players:4", "tournament", "14x14"),
        ("players:10 board:10x10 topology:torus", "board", "24x24"),
        ("players:10 board:22x22 actions:10", "actions", None),
    ],
)
def test_what_leaves_more_room_is_named_and_does(text: str, key: str, board: str | None) -> None:
    said = GAME.warning(chosen(text))
    assert said is not None
    assert said.key == f"klopodavka.warning.{key}"
    assert said.fields.get("board") == board
    if board is not None:
        words = [word for word in text.split() if not word.startswith(("board:", "preset:"))]
        actions = chosen(text).actions
        wider = chosen(" ".join([*words, f"board:{board}", f"actions:{actions}"]))
        assert GAME.warning(wider) is None


@pytest.mark.parametrize(
    "text", ["preset:quick players:8 base:immune", "board:6x6", "players:3 board:6x6 bases:a1,b3,f6"]
)
def test_of_what_is_meant_or_does_no_harm_nothing_is_said(text: str) -> None:
    assert GAME.warning(chosen(text)) is None
