"""The list of legal moves: two presses play a move."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import View
from bot.features.matches.questions import PAGE
from bot.platforms.discord.rendering import IN_ROW, ROWS, arranged
from play.actions.playing import MakeMove
from play.match import Match, Ply
from play.people import Player
from play.request import Request
from play.settings import Settings
from tests.bot.world import ANN, BOB, World
from tests.support.storing import set_settings


async def press(world: World, who: Player, data: CallbackData) -> View:
    """The last thing that is shown."""
    said = await world.desk.press(replace(world.visitor(who), buttons=True), CallbackData.unpack(data.pack()))
    return said[-1].view


def move_button(match: Match) -> CallbackData:
    """What hangs under the shared board."""
    return CallbackData(Verb.MOVE, match.id, match.revision)


async def moved(world: World, match: Match, *moves: str) -> Match:
    """The match after moves of Ann and Bob in turn."""
    for number, text in enumerate(moves):
        who = (ANN, BOB)[number % 2]
        match = (await world.table.act(match.id, MakeMove(text), Request(who, world.now))).match
    return match


async def test_two_presses_play_a_move() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    match = await moved(world, match, "b2-c3", "e4-e3")
    view = await press(world, ANN, move_button(match))
    labels = [each.label for each in view.buttons]
    assert labels[:3] == ["c3xb4", "c3xd4", "d2xe3"]
    assert labels[-1] == "Step by step"
    assert view.diagram
    refused = await press(world, BOB, move_button(match))  # it is not his turn
    assert not any(each.data.verb is Verb.MOVE and each.data.argument for each in refused.buttons)
    await press(world, ANN, view.buttons[0].data)
    last = (await world.table.get(match.id)).log[-1]
    assert isinstance(last, Ply)
    assert last.text == "c3xb4"


async def test_the_man_touched_last_comes_before_the_others() -> None:
    world = World()
    match = await moved(world, await world.begin("breakthrough", {}), "e2-e3", "a7-a6")
    labels = [each.label for each in (await press(world, ANN, move_button(match))).buttons]
    assert labels[:3] == ["e3-d4", "e3-e4", "e3-f4"]


async def test_many_moves_have_pages_that_fit_a_message() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "26x26"})
    seen: list[str] = []
    data = move_button(match)
    for _ in range(4):
        view = await press(world, ANN, data)
        assert len(arranged(view)) <= ROWS
        assert all(len(row) <= IN_ROW for row in arranged(view) if isinstance(row, tuple))
        *texts, further, _ = view.buttons
        assert further.label == "More moves"
        assert len(texts) <= PAGE
        seen += [each.label for each in texts]
        data = further.data
    assert len(seen) == len(set(seen)) == len(world.table.position(match).legal_moves())
    assert (await press(world, ANN, data)).buttons[0].label == seen[0]  # after the last page comes the first


async def test_moves_of_many_steps_are_picked_step_by_step() -> None:
    world = World()
    for game in ("lgame", "klopodavka"):
        match = await world.begin(game, {})
        view = await press(world, ANN, move_button(match))
        assert {each.data.verb for each in view.buttons} == {Verb.STEP}


async def test_a_picked_move_is_played_at_once_if_that_is_wanted() -> None:
    world = World()
    await set_settings(world.store, ANN.account, Settings(confirm=False))
    match = await world.begin("breakthrough", {})
    await press(world, ANN, CallbackData(Verb.STEP, match.id, match.revision, "a2/a3"))
    assert len((await world.table.get(match.id)).log) == 1
    match = await world.begin("klopodavka", {"board": "6x6"})
    view = await press(world, ANN, CallbackData(Verb.STEP, match.id, match.revision, "b2"))
    assert "Play" in [each.label for each in view.buttons]  # the turn has two actions more
    await press(world, ANN, CallbackData(Verb.STEP, match.id, match.revision, "b2;c3;d4"))
    assert len((await world.table.get(match.id)).log) == 3
