"""What can be chosen, what it comes to, and what cannot be played."""

from __future__ import annotations

import pytest

from rules.core import BadOption, Reason
from rules.klopodavka import GAME
from rules.klopodavka.options import Setup
from tests.rules.klopodavka.making import chosen


@pytest.mark.parametrize(
    ("text", "players", "board", "actions"),
    [
        ("", 2, "10x10", 3),
        ("preset:tournament players:4", 4, "20x30", 4),
        ("preset:quick", 2, "8x8", 3),
        ("preset:duel", 2, "12x12", 4),
        ("preset:duel actions:5", 2, "12x12", 5),
        ("players:4", 4, "10x10", 3),
        ("players:6", 6, "15x15", 3),
        ("teams:2v2", 4, "10x10", 3),
        ("teams:2v2v2", 6, "15x15", 3),
        ("teams:5v5 players:10", 10, "22x22", 3),
        ("variant:hq actions:10", 2, "20x20", 10),
        ("preset:hq-teams", 4, "20x20", 8),
        ("board:3x3", 2, "3x3", 3),
        ("players:10 board:8x10", 10, "8x10", 3),
    ],
)
def test_numbers(text: str, players: int, board: str, actions: int) -> None:
    options = chosen(text)
    assert (options.players, str(options.board), options.actions) == (players, board, actions)
    assert GAME.seats(options) == players == sum(map(len, GAME.sides(options)))


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("", {}),
        ("preset:quick", {"board": "8x8"}),
        ("players:6", {"players": "6", "board": "15x15"}),
        ("players:6 board:10x10", {"players": "6", "board": "10x10"}),
        ("preset:torus", {"board": "14x14", "topology": "torus"}),
        ("topology:torus board:10x10", {"board": "10x10", "topology": "torus"}),
        ("variant:hq", {"board": "20x20", "actions": "8", "variant": "hq"}),
        ("teams:2v2", {"players": "4", "teams": "2v2"}),
        ("bases:B2,d9 first:1", {"first": "1", "bases": "b2,d9"}),
        ("variant:hq fence:off", {"board": "20x20", "actions": "8", "variant": "hq", "fence": "off"}),
    ],
)
def test_a_game_is_described_with_its_numbers(text: str, described: dict[str, str]) -> None:
    options = chosen(text)
    assert GAME.describe(options) == described
    assert GAME.choose(described) == options


@pytest.mark.parametrize(
    ("text", "reason", "fields"),
    [
        (
            "players:3 board:4x5",
            Setup.BOARD_TOO_SMALL,
            {"board": "4x5", "players": 3, "cells": 8, "least": 24},
        ),
        ("teams:2v2 players:5", Setup.TEAMS_FIX_PLAYERS, {"teams": "2v2", "players": 5, "needed": 4}),
        ("variant:hq actions:3", Setup.HQ_ACTIONS, {"actions": 3, "low": 8, "high": 10}),
        ("variant:hq board:3x4", Setup.HQ_NO_ROOM, {"board": "3x4", "players": 2}),
        ("variant:hq board:8x8 teams:3v3", Setup.HQ_NO_ROOM, {"board": "8x8", "players": 6}),
        ("variant:hq bases:a1,j10", Setup.HQ_NAMES_NO_BASES, {}),
        ("variant:hq base:immune", Setup.HQ_IS_IMMUNE, {}),
        ("variant:hq reach:base", Setup.HQ_IS_LINKED, {}),
        ("fence:off", Setup.FENCE_NEEDS_HQ, {}),
        ("variant:hq players:3 fence:off", Setup.FENCE_NEEDS_TWO_SIDES, {}),
        # Defaults that were named.
        ("fence:win", Setup.FENCE_NEEDS_HQ, {}),
        ("variant:hq base:crushable", Setup.HQ_IS_IMMUNE, {}),
        ("preset:hq reach:live", Setup.HQ_IS_LINKED, {}),
        ("bases:a1,j10 inset:0", Setup.BASES_OR_INSET, {}),
        ("topology:torus inset:0", Setup.INSET_ON_TORUS, {}),
        ("bases:a1", Setup.BASES_COUNT, {"count": 1, "players": 2}),
        ("bases:a1,b5,c9", Setup.BASES_COUNT, {"count": 3, "players": 2}),
        ("bases:a1,k10", Setup.BASE_OFF_THE_BOARD, {"square": "k10", "board": "10x10"}),
        ("bases:c3,c3", Setup.BASE_TWICE, {"square": "c3"}),
        ("players:4 bases:a1,a2,b1,b2", Setup.BASE_SHUT_IN, {"square": "a1"}),
        ("bases:a1,j10 inset:2", Setup.BASES_OR_INSET, {}),
        ("inset:6 board:26x7", Setup.INSET_TOO_LARGE, {"inset": 6, "board": "26x7"}),
        ("variant:hq board:10x10 inset:3", Setup.HQ_NO_ROOM, {"board": "10x10", "players": 2}),
        ("topology:torus inset:1", Setup.INSET_ON_TORUS, {}),
    ],
)
def test_what_cannot_be_played(text: str, reason: Reason, fields: dict[str, object]) -> None:
    with pytest.raises(BadOption) as refused:
        chosen(text)
    assert refused.value.reason is reason
    shown = {
        name: str(value) if not isinstance(value, int) else value
        for name, value in refused.value.fields.items()
    }
    assert shown == fields
