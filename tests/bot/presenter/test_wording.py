"""How matches are worded where games differ: notation or phrases, what points are called, how much of a turn is left."""

from __future__ import annotations

import pytest

from bot.i18n import LANGUAGES, Words, words
from bot.presenter.boards import show
from bot.presenter.naming import game_title
from play.match import Match
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


async def test_points_are_called_as_the_game_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    world, spoken = World(), words("en")
    match = await world.begin("klopodavka", {"variant": "bases"})
    own = "klopodavka.points"
    said: list[str] = []

    def count(self: Words, key: str, n: int, /, **fields: object) -> str:
        said.append(key)
        return self.language

    for has in (True, False):
        monkeypatch.setattr(Words, "has", lambda _, key, has=has: key == own and has)
        monkeypatch.setattr(Words, "count", count)
        said.clear()
        show(world.present(match, spoken))
        assert (own in said) is has
        assert ("bot.roster.points" in said) is not has


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_on_or_off_has_no_number(language: str) -> None:
    spoken = words(language)
    named = game_title(GAMES["klopodavka"], {"first": "1"}, spoken)
    assert spoken("klopodavka.option.first") in named
    assert "1" not in named


async def test_moves_of_two_people_that_are_taken_back_stand_apart() -> None:
    world = World()
    await world.begin("breakthrough", {})
    for who, line in (
        (ANN, "/move a2-a3"),
        (BOB, "/move a7-a6"),
        (ANN, "/takeback"),
    ):
        await world.say(who, line)
    said = await world.say(BOB, "/takeback yes")
    assert "a2-a3 / a7-a6" in said[-1].view.lines[0]
