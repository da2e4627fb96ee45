"""People selected with a press while a match is set up: the challenge is for them, and the rest of the seats are free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.view import Message, View
from bot.chat.visitor import NamedBot
from bot.features.matches.setup_questions import MatchSetup
from play.match import Match
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, World

KLOP = "klop"
MUSIC = "music"


class Setup:
    """Ann's set-up card, on a client that selects people."""

    def __init__(self) -> None:
        self.world = World()
        bots = {KLOP: NamedBot.OWN, MUSIC: NamedBot.OTHER}
        self.visitor = replace(self.world.visitor(ANN), buttons=True, bot=bots.get)

    async def of(self, game: str, setting: str, *, kind: str = "c", rated: bool = False) -> View:
        """The question against whom a match is."""
        order = MatchSetup(kind, game=game, setting=setting, rated=rated)
        [said] = await self.world.desk.press(self.visitor, order.data)
        return said.view

    async def select(self, view: View, *names: str) -> Sequence[Message]:
        assert view.people is not None
        visitor = replace(self.visitor, selected=names)
        return await self.world.desk.press(visitor, view.people.data)

    async def press(self, said: Sequence[Message], *labels: str) -> Sequence[Message]:
        for label in labels:
            button = next(each for each in said[0].view.buttons if each.label.startswith(label))
            said = await self.world.desk.press(self.visitor, button.data)
        return said

    def match(self) -> Match:
        [match] = self.world.snapshot().matches.values()
        return match


def chairs(match: Match) -> list[str]:
    """Who sits in each chair, or for whom it is kept."""
    found = [chair.player or chair.reserved for chair in match.chairs]
    return [player.account.uid if player else "" for player in found]


@pytest.mark.parametrize("kind", ["c", "n"])
async def test_a_selected_person_is_challenged(kind: str) -> None:
    setup = Setup()
    view = await setup.of("lgame", "scoring", kind=kind)
    said = await setup.select(view, "bob")
    assert said[0].view.lines[-2:] == ("With: bob", "Time to think?")
    await setup.press(said, "3 days")
    match = setup.match()
    assert (match.lobby, match.chairs[1].reserved, str(match.clock)) == (False, BOB, "3d")


async def test_in_a_game_of_more_players_the_seats_that_are_left_are_free() -> None:
    setup = Setup()
    view = await setup.of("klopodavka", "teams", kind="n")
    assert view.people is not None
    assert view.people.most == 3
    await setup.press(await setup.select(view, "bob", "cem"), "No clock")
    match = setup.match()
    assert sorted(chairs(match)) == ["", "ann", "bob", "cem"]
    assert {chair.reserved for chair in match.chairs if chair.reserved} == {BOB, CEM}


async def test_more_people_than_seats_and_people_unknown_by_now_are_refused() -> None:
    setup = Setup()
    view = await setup.of("lgame", "classic")
    [said] = await setup.press(await setup.select(view, "bob", "cem", "dan"), "No clock")
    assert said.refused
    [said] = await setup.select(view, "no such person")
    assert said.refused
    assert not setup.world.snapshot().matches


async def test_this_bot_stands_for_the_computer_alone_or_beside_people() -> None:
    setup = Setup()
    said = await setup.select(await setup.of("lgame", "classic"), KLOP)
    assert said[0].view.lines[-1] == "How strong?"
    await setup.press(said, "2", "No clock")
    assert chairs(setup.match()) == ["ann", "2"]
    setup = Setup()
    said = await setup.select(await setup.of("klopodavka", "teams"), "bob", KLOP)
    said = await setup.press(said, "3")
    assert "With: bob and Klop, level 3" in said[0].view.lines
    await setup.press(said, "No clock")
    assert sorted(chairs(setup.match())) == ["", "3", "ann", "bob"]


@pytest.mark.parametrize(
    ("names", "rated", "refusal"),
    [
        ((MUSIC,), False, "music is another program"),
        (("bob", MUSIC), False, "music is another program"),
        (("ann",), False, "You cannot challenge yourself"),
        ((KLOP,), True, "rated"),
    ],
)
async def test_a_selection_that_is_refused_leaves_the_question(
    names: Sequence[str], rated: bool, refusal: str
) -> None:
    setup = Setup()
    asked = await setup.of("breakthrough", "classic", rated=rated)
    [said] = await setup.select(asked, *names)
    assert said.refused
    assert refusal in said.view.lines[0]
    assert (said.view.lines[1:], said.view.buttons, said.view.people) == (
        asked.lines,
        asked.buttons,
        asked.people,
    )
    await setup.press(await setup.select(said.view, "bob"), "No clock")
    assert chairs(setup.match()) == ["ann", "bob"]


async def test_people_who_are_present_have_buttons() -> None:
    setup = Setup()
    setup.visitor = replace(setup.visitor, present=[CEM, DAN, EVE])
    order = MatchSetup("c", game="lgame", setting="classic")
    said = await setup.world.desk.press(setup.visitor, order.data)
    await setup.press(said, "dan", "No clock")
    assert chairs(setup.match()) == ["ann", "dan"]
