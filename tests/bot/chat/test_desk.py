"""Requests at the desk: old and forged buttons, requests that come twice, lines at random."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.chat import taps
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.view import Message, Person
from bot.chat.visitor import Visitor
from play.actions.playing import MakeMove
from play.match import Phase
from play.people import Player
from play.request import Request
from rules.core import Fork
from tests.bot.noise import Move, Noise
from tests.bot.world import ANN, BOB, EVE, HALL, PEOPLE, ROOM, World

# Buttons are claims: old ones, other people's and forged ones change nothing, and show how the match stands.


PUBLIC = {Verb.JOIN, Verb.ACCEPT, Verb.WATCH, Verb.UNWATCH}
"""What anybody may do somewhere."""

OWN = {Verb.MUTE, Verb.BLOCK, Verb.CUP, Verb.LADDER, Verb.LEAGUE}
"""What a player may do for themselves alone, and what is of no match."""

FORGED = [verb for verb in Verb if verb not in PUBLIC]
PRINTABLE = [chr(code) for code in range(0x20, 0x7F)]

HARMLESS = {
    *(Verb.BOARD, Verb.FLIP, Verb.TEXT, Verb.MORE, Verb.EXPORT, Verb.NOTE),
    *(Verb.ORDER, Verb.GAMES, Verb.RULES, Verb.HELP, Verb.FORGET),
    *(
        Verb.CUP,
        Verb.LADDER,
        Verb.LEAGUE,
        Verb.SEEK,
        Verb.SETTINGS,
        Verb.LANGUAGE,
        Verb.VACATION,
        Verb.UNBLOCK,
    ),
}
LIKELY = (
    "",
    " ",
    "L a1-a3-b3",
    *["1", "9", "draw", "takeback", "yes", "a2-a3", "b2", "a1/b2", "none", "//", "team:1"],
)


async def press(world: World, who: Player, data: CallbackData) -> Message:
    """The only message that follows."""
    said = await world.desk.press(world.visitor(who), data)
    assert len(said) == 1, said
    return said[0]


async def test_a_stranger_changes_nothing() -> None:
    world, luck = World(), random.Random(5)
    await world.furnish()
    before = world.snapshot()
    for verb, match in product(FORGED, before.matches.values()):
        for argument in ("", luck.choice(LIKELY)):
            data = CallbackData(verb, match.id, match.revision, argument)
            said = await press(world, EVE, data)
            assert isinstance(said.to, Person)
            assert said.to.account == EVE.account
            if verb not in HARMLESS:
                assert said.view.lines
                assert bool(said.view.diagram) == (match.phase in (Phase.PLAYING, Phase.OVER)), data
        assert world.snapshot() == before, verb


@given(seed=st.integers(0, 2**32), data=st.data())
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
async def test_a_forged_button_is_answered(seed: int, data: st.DataObject) -> None:
    """Only what everybody is told has changed anything."""
    world, luck = World(), random.Random(seed)
    await world.furnish()
    for _ in range(25):
        before = world.snapshot()
        argument = data.draw(st.sampled_from(LIKELY) | st.text(alphabet=PRINTABLE, max_size=40))
        match = luck.choice(list(before.matches))
        button = CallbackData(luck.choice(FORGED), match, luck.randrange(4), argument)
        said = await world.desk.press(world.visitor(luck.choice(PEOPLE)), button)
        assert said or taps.is_touch(button), button  # a touch of an old board leads nowhere
        if all(isinstance(message.to, Person) for message in said) and button.verb not in OWN:
            assert world.snapshot() == before, button


async def test_a_button_of_no_match() -> None:
    world = World()
    for verb in Verb:
        said = await press(world, ANN, CallbackData(verb, "zzzzzz", 1))
        assert isinstance(said.to, Person)
        assert said.view.diagram is None
    assert not world.snapshot().matches


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


# A request that its platform delivers again is done once, and means the match that it meant.


def asking(world: World, who: Player, request: str) -> Visitor:
    return replace(world.visitor(who), request=request)


@pytest.mark.parametrize(
    "line",
    [
        "/challenge bob lgame clock:3d",
        "/resign yes",
        "/draw",
        "/undo",
        "/takeback",
        "/leave",
        "/vacation 1d",
        "/pause",
    ],
)
async def test_any_line_delivered_twice_leads_to_the_same(line: str) -> None:
    once, twice = World(), World()
    for world, times in ((once, 1), (twice, 2)):
        match = await world.begin("breakthrough", {"board": "4x5"})
        await world.table.act(match.id, MakeMove("a2-a3"), Request(ANN, world.now))
        for _ in range(times):
            await world.desk.answer(asking(world, ANN, "u1"), line)
    assert once.snapshot() == twice.snapshot()


async def test_the_same_number_for_another_request_is_refused() -> None:
    world = World()
    await world.begin("breakthrough", {})
    await world.desk.answer(asking(world, ANN, "u1"), "/move a2-a3")
    (refused,) = await world.desk.answer(asking(world, ANN, "u1"), "/resign")
    assert "number of another" in refused.view.lines[0]


async def test_when_a_person_was_last_active_is_remembered() -> None:
    world = World()
    await world.say(ANN, "/help")
    assert (await world.store.settings.get(ANN.account)).active == world.now
    assert (await world.store.settings.get(BOB.account)).active is None


# Random lines: nothing breaks, and a refusal changes nothing and is a short sentence.


AFRESH = 250
"""Lines after which the room is furnished anew: many succeed, and open or end matches."""

OFTEN = 10
"""Lines after which it is looked at anew what could be played."""

PRIVATELY = ("/lang", "/settings", "/vacation", "/plan", "/if", "/block", "/unblock", "/mute")
"""Commands that may change something without anybody else hearing of it."""

LONG = ("/privacy", "/rules", "/help", "/games", "/watch", "/board", "/settings", "/plan", "/if")
"""Commands with an answer of several lines."""

LONGEST = 400
"""Characters in the words of a refusal."""


@pytest.mark.parametrize("language", LANGUAGES)
async def test_thousands_of_lines(language: str) -> None:
    await listen(language, 500, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.reliability)])
async def test_many_thousands_of_lines(language: str, count: int) -> None:
    await listen(language, count, seed=2)


async def listen(language: str, count: int, seed: int) -> None:
    """Say many lines, and check after each."""
    rooms = random.Random(seed)
    world, moves = World(language), list[Move]()
    noise = Noise(language, seed)
    for number in range(count):
        if number % AFRESH == 0:
            world = World(language)
            await world.furnish()
        if number % OFTEN == 0:
            moves = world.moves()
        who, line = noise.said(PEOPLE, moves)
        where = ROOM if rooms.random() < 0.95 else HALL
        before = world.snapshot()
        said = await world.say(who, line, where)
        if all(isinstance(message.to, Person) for message in said) and not line.lower().startswith(PRIVATELY):
            assert world.snapshot() == before, line
        for message in said:
            check(message, line)


def check(message: Message, line: str) -> None:
    """What is said is fit to be seen, and short where it refuses."""
    view = message.view
    words = "".join((*view.lines, *view.after, *(seated.text for seated in view.roster)))
    assert words.isprintable(), line
    if isinstance(message.to, Person) and not (view.diagram or view.files or view.buttons):
        if len(view.lines) <= 2:
            assert all(len(said) <= LONGEST for said in view.lines), line
        else:
            assert line.lower().startswith(LONG), line
