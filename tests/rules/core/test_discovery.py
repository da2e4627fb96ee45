"""GAMES: every folder of the rules that defines a game, found by being there."""

from __future__ import annotations

from pathlib import Path

import rules
from rules import GAMES


def test_every_folder_but_the_core_is_a_game() -> None:
    home = Path(rules.__file__).parent
    folders = {path.parent.name for path in home.glob("*/__init__.py")}
    assert set(GAMES) == folders - {"core"}


def test_games_are_known_by_their_keys() -> None:
    for key, game in GAMES.items():
        assert game.key == key
        assert key.isascii()
        assert key.islower()
        assert game.rules_version >= 1
