"""Buttons are claims: old ones, other people's and forged ones change nothing, and show how the match stands."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.callback_data import CallbackData, Verb
from bot.i18n import LANGUAGES
from bot.view import Message, Person
from play.match import Phase
from play.people import Player
from rules.core import Fork
from tests.bot.world import ANN, BOB, EVE, HALL, PEOPLE, ROOM, World

PUBLIC = {Verb.JOIN, Verb.ACCEPT, Verb.WATCH, Verb.UNWATCH}
"""What anybody may do somewhere."""

HARMLESS = {Verb.BOARD, Verb.FLIP, Verb.TEXT, Verb.EXPORT, Verb.ORDER, Verb.RULES, Verb.HELP, Verb.FORGET}
LIKELY = (
    "",
    "1",
    "9",
    "draw",
    "takeback",
    "yes",
    "a2-a3",
    "L a1-a3-b3",
    "b2",
    "a1/b2",
    "none",
    "//",
    " ",
    "team:1",
)


async def press(world: World, who: Player, data: CallbackData) -> Message:
    """The only message that follows."""
    said = await world.desk.press(world.visitor(who), data)
    assert len(said) == 1, said
    return said[0]


@pytest.mark.parametrize("verb", [verb for verb in Verb if verb not in PUBLIC])
async def test_a_stranger_changes_nothing(verb: Verb) -> None:
    world = World()
    await world.furnish()
    before = world.snapshot()
    for match in before.matches.values():
        for argument in LIKELY:
            said = await press(world, EVE, CallbackData(verb, match.id, match.revision, argument))
            assert isinstance(said.to, Person)
            assert said.to.account == EVE.account
            if verb not in HARMLESS:
                assert said.view.lines
                assert bool(said.view.diagram) == (match.phase in (Phase.PLAYING, Phase.OVER)), said.view
    assert world.snapshot() == before


@given(
    verb=st.sampled_from([verb for verb in Verb if verb not in PUBLIC]),
    who=st.sampled_from(PEOPLE),
    seen=st.integers(0, 3),
    argument=st.sampled_from(LIKELY)
    | st.text(alphabet=[chr(code) for code in range(0x20, 0x7F)], max_size=40),
    which=st.integers(0, 40),
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
async def test_a_forged_button_is_answered(
    verb: Verb, who: Player, seen: int, argument: str, which: int
) -> None:
    world = World()
    await world.furnish()
    matches = list(world.snapshot().matches.values())
    before = world.snapshot()
    data = CallbackData(verb, matches[which % len(matches)].id, seen, argument)
    said = await world.desk.press(world.visitor(who), data)
    assert said
    if all(isinstance(message.to, Person) for message in said):
        assert world.snapshot() == before


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("verb", [Verb.MOVE, Verb.STEP, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.RESIGN])
async def test_an_old_button_shows_the_board_as_it_is_now(verb: Verb, language: str) -> None:
    world = World(language)
    match = await world.begin("breakthrough", {"board": "4x5"})
    await world.say(ANN, "/move a2-a3")
    await world.say(BOB, "/move b4-b3")
    before = world.snapshot()
    argument = {Verb.MOVE: "c2-c3", Verb.STEP: "c2"}.get(verb, "")
    said = await press(world, ANN, CallbackData(verb, match.id, match.revision, argument))
    assert isinstance(said.to, Person)
    assert said.view.diagram is not None
    now = world.table.position(await world.table.get(match.id))
    assert len(said.view.diagram.pieces) == len(world.table.games["breakthrough"].draw(now).pieces)
    assert len(said.view.lines) == 2
    assert world.snapshot() == before


async def test_a_question_can_be_answered_by_a_forged_button_only_with_what_is_asked() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"})
    before = world.snapshot()
    for argument in ("", "draw", "takeback", "resign", "draw "):
        said = await press(world, BOB, CallbackData(Verb.YES, match.id, match.revision, argument))
        assert isinstance(said.to, Person)
        assert said.view.diagram
    assert world.snapshot() == before


async def test_a_button_of_no_match() -> None:
    world = World()
    for verb in Verb:
        said = await press(world, ANN, CallbackData(verb, "zzzzzz", 1))
        assert isinstance(said.to, Person)
        assert said.view.diagram is None
    assert not world.snapshot().matches


async def test_a_match_is_played_through_its_buttons_alone() -> None:
    """Each fork's steps lead on, and each button can be carried by every platform."""
    world = World()
    for game, chosen in (("lgame", {"variant": "sudden-death"}), ("klopodavka", {"board": "26x30"})):
        match = await world.begin(game, chosen, HALL)
        said = (
            await world.desk.press(
                world.visitor(ANN, HALL), CallbackData(Verb.MOVE, match.id, match.revision)
            )
        )[0]
        while isinstance(said.to, Person):
            assert said.view.buttons
            data = CallbackData.unpack(said.view.buttons[-1].data.pack())
            said = (await world.desk.press(world.visitor(ANN, HALL), data))[0]
        assert (await world.table.get(match.id)).log


@pytest.mark.parametrize("index", range(10))
async def test_every_step_of_every_game_fits_a_button(index: int) -> None:
    world = World()
    await world.furnish()
    match = world.playing()[index]
    position, game = world.table.position(match), world.table.games[match.game]
    for _ in range(6):
        await_paths: list[tuple[str, ...]] = [()]
        while await_paths:
            path = await_paths.pop()
            fork: Fork[object] = game.fork(position, path)
            for step in fork.steps[:: 1 + len(path)]:
                longer = (*path, step.token)
                assert CallbackData(Verb.STEP, match.id, 36**6 - 1, "/".join(longer)).fits, longer
                await_paths.append(longer)
        for move in position.legal_moves():
            assert CallbackData(Verb.MOVE, match.id, 36**6 - 1, game.notation.format(move)).fits
        position = position.play(position.legal_moves()[-1])
        if position.outcome:
            break


async def test_a_press_elsewhere_is_told_there_too() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    data = CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3")
    said = await world.desk.press(world.visitor(ANN, HALL), data)
    assert [message.to for message in said] == [Person(ANN.account, HALL), ROOM]


async def test_a_match_that_cannot_be_shown_is_refused_all_the_same() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    broken = replace(match, options=(("board", "1x1"),), revision=match.revision)
    world.store.matches._matches[match.id] = broken
    said = await press(world, ANN, CallbackData(Verb.RESIGN, match.id, match.revision))
    assert isinstance(said.to, Person)
    assert "cannot be replayed" in said.view.lines[0]
