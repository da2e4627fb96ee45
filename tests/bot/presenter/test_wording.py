"""How matches are worded where games differ: notation or phrases, what points are called, how much of a turn is left."""

from __future__ import annotations

from bot.chat.i18n import words
from bot.chat.presenting.boards import show
from play.actions.playing import MakeMove
from play.files.matchfile import export
from play.match import Match
from play.request import Request
from rules import GAMES
from tests.bot.world import ANN, BOB, World


async def after(world: World, match: Match, text: str) -> str:
    """What is said of a move."""
    said = await world.say(ANN, f"/move #{match.id} {text}")
    return said[0].view.lines[0]


async def test_moves_are_told_as_in_the_log_and_with_points_where_the_game_says_how_many() -> None:
    world = World()
    bases = await world.begin("klopodavka", {"variant": "bases"})
    assert await after(world, bases, "b2 c3 d4") == "ann: b2 c3 d4"
    for chosen, scores in (({"variant": "scoring"}, True), ({}, False)):
        match = await world.begin("lgame", chosen)
        position = world.table.position(match)
        worth = (move for move in position.legal_moves() if sum(position.play(move).scores) or not scores)
        text = GAMES["lgame"].notation.format(next(worth))
        said = await after(world, match, text)
        assert ("point" in said) is scores
        assert (said == f"ann: {text}") is not scores


async def test_points_are_called_as_the_game_calls_them() -> None:
    world, spoken = World(), words("en")
    for game, key in (("klopodavka", "klopodavka.points"), ("lgame", "lgame.points")):
        match = await world.begin(game, {"variant": "bases" if game == "klopodavka" else "scoring"})
        roster = show(world.present(match, spoken)).roster
        assert all(spoken.count(key, 0) in line.text for line in roster)


async def test_a_short_first_turn_says_how_much_is_left() -> None:
    world, spoken = World(), words("en")
    turns = {
        ("klopodavka", "first"): "Turn: ann — 1 action left",
        ("klopodavka", ""): "Turn: ann — 3 actions left",
        ("breakthrough", ""): "Turn: ann",
        ("lgame", ""): "Turn: ann",
    }
    for (game, option), turn in turns.items():
        match = await world.begin(game, {option: "1"} if option else {})
        assert show(world.present(match, spoken)).after == (turn,)


async def test_teams_are_told_and_how_people_are_seated() -> None:
    world = World()
    said = await world.say(ANN, "/challenge bob cem klopodavka teams:2v2")
    assert said[0].view.lines[1:] == (
        "Teams: ann + cem – bob + free seat.",
        "Players are seated in the order they are named.",
    )
    assert [line.text for line in said[0].view.roster] == [
        "ann (team 1)",
        "bob (team 2, invited)",
        "cem (team 1, invited)",
        "free seat (team 2)",
    ]


async def test_a_saved_game_counts_its_turns_not_its_actions() -> None:
    world = World()
    match = await world.begin("klopodavka", {"board": "8x8"})
    for who, moves in ((ANN, "b2"), (ANN, "b1 a2"), (BOB, "g7 g8")):
        await world.table.act(match.id, MakeMove(moves), Request(who, world.now))
    said = await world.say(ANN, f"/import {export(await world.table.get(match.id))}")
    assert said[0].view.lines[1] == "2 moves have been played so far."
