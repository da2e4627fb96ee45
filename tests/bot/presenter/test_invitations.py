"""What the card of an invitation says."""

from __future__ import annotations

import pytest

from bot.i18n import LANGUAGES, words
from play.actions.playing import MakeMove
from play.files.matchfile import export
from play.request import Request
from tests.bot.world import ANN, BOB, World


async def test_teams_are_told_and_how_people_are_seated() -> None:
    world = World()
    said = await world.say(ANN, "/challenge bob cem klopodavka teams:2v2")
    assert said[0].view.lines[1:] == (
        "Teams: ann + cem – bob + free seat.",
        "Whoever is named in a challenge is seated in that order.",
    )
    assert [line.text for line in said[0].view.roster] == [
        "ann (team 1)",
        "bob (team 2, invited)",
        "cem (team 1, invited)",
        "free seat (team 2)",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_lobby_has_teams_only_where_there_are_any(language: str) -> None:
    spoken = words(language)
    world = World(language)
    free = spoken("bot.seat.free")
    teams = spoken("bot.invitation.teams", teams=f"ann + {free} – {free} + {free}")
    said = await world.say(ANN, "/new klopodavka teams:2v2")
    assert teams in said[0].view.lines
    assert spoken("bot.invitation.seating") not in said[0].view.lines
    said = await world.say(BOB, "/new klopodavka players:4")
    assert len(said[0].view.lines) == 2


async def test_a_saved_game_counts_its_turns_not_its_actions() -> None:
    world = World()
    match = await world.begin("klopodavka", {"board": "8x8"})
    for who, moves in ((ANN, "b2"), (ANN, "b1 a2"), (BOB, "g7 g8")):
        await world.table.act(match.id, MakeMove(moves), Request(who, world.now))
    said = await world.say(ANN, f"/import {export(await world.table.get(match.id))}")
    assert said[0].view.lines[1] == "The game goes on after 2 moves."
