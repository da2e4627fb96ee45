"""Which match a request means, and where: in its room, in others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.desk import Desk
from bot.chat.view import Message, Person
from bot.platforms.console.integration import place
from play.actions.agreeing import AskTakeback, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Loaded, Operation
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, NOON, ROOM, World
from tests.support.memory.store import MemoryMatches

# A request reads its room once, and again only after it has changed something there itself.


class Watched(MemoryMatches):
    """Matches that note what is read of them."""

    def __init__(self, world: World) -> None:
        store = world.store
        super().__init__(store.clock, store.timers, store.outbox)
        store.matches = self
        self.asked: list[str] = []

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        self.asked.append("all" if over else "at")
        return await super().at(address, over=over, most=most)

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        self.asked.append("load")
        return await super().load(match_id, operation)

    def taken(self) -> list[str]:
        asked, self.asked = self.asked, []
        return asked


async def test_a_press_loads_its_match_once_and_a_command_reads_the_room_once() -> None:
    world = World()
    matches = Watched(world)
    match = await world.begin("breakthrough", {})
    matches.taken()
    await Desk.press(
        world.desk, world.visitor(ANN), CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3")
    )
    assert matches.taken() == ["load"]
    await Desk.answer(world.desk, world.visitor(BOB), "/move a7-a6")
    assert matches.taken() == ["at"]
    assert len((await world.table.get(match.id)).log) == 2


async def test_matches_that_are_over_are_looked_up_only_where_they_are_asked_for() -> None:
    world = World()
    matches = Watched(world)
    await world.begin("breakthrough", {})
    live = (
        "/move a2-a3",
        "/undo",
        "/move a2-a3",
        "/takeback",
        "/draw",
        "/board",
        "a2-a3",
        "/rules",
        "/resign yes",
    )
    for line in live:
        await Desk.answer(world.desk, world.visitor(ANN), line)
    assert "all" not in matches.taken()
    for line in ("/board", "/export", "/move a2-a3", "/undo", "/rematch"):
        said = await Desk.answer(world.desk, world.visitor(ANN), line)
        assert len(said) == (line != "/rematch")
        assert matches.taken().count("all") == 1


# Which match is meant: the bot asks where several fit, and the answer does what was asked, in that match
# alone.


async def asked(world: World, who: Player, line: str, count: int = 2) -> list[CallbackData]:
    """The buttons of the question that a line is answered with."""
    said = await world.say(who, line)
    assert len(said) == 1
    assert isinstance(said[0].to, Person)
    assert said[0].view.lines == ("Which match do you mean?",)
    assert len(said[0].view.buttons) == count
    return [CallbackData.unpack(button.data.pack()) for button in said[0].view.buttons]


@pytest.mark.parametrize(
    ("line", "verb", "argument"),
    [
        ("/draw no", Verb.NO, "draw"),
        ("/draw так", Verb.YES, "draw"),
        ("/takeback", Verb.TAKEBACK, ""),
        ("/takeback нет", Verb.NO, "takeback"),
        ("/undo", Verb.UNDO, ""),
    ],
)
async def test_only_matches_are_offered_in_which_it_can_be_done(line: str, verb: Verb, argument: str) -> None:
    world = World()
    fit = [await world.all_move(await world.begin("breakthrough", {})) for _ in range(3)]
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", opponents=[BOB], rated=True), Request(ANN, NOON)
    )
    rated = (await world.table.act(made.match.id, Join(), Request(BOB, NOON))).match  # no move to undo
    if verb is Verb.UNDO or argument == "takeback":
        for match in fit:
            await world.table.act(match.id, MakeMove("h2-h3"), Request(ANN, NOON))
    if argument:
        for match in fit:
            ask = OfferDraw() if argument == "draw" else AskTakeback()
            await world.table.act(match.id, ask, Request(BOB, NOON))
    before = world.snapshot()
    actions = await asked(world, ANN, line, 3)
    assert [(data.verb, data.argument) for data in actions] == [(verb, argument)] * 3
    assert {data.match for data in actions} == {match.id for match in fit}
    assert world.snapshot() == before
    for match in fit[:2]:
        await world.table.act(match.id, Resign(), Request(BOB, NOON))
    await world.say(ANN, line)  # there is one left
    assert world.snapshot().matches[fit[2].id] != before.matches[fit[2].id]
    assert world.snapshot().matches[rated.id] == before.matches[rated.id]


async def test_a_refusal_is_about_what_was_meant() -> None:
    world = World()
    await world.say(CEM, "/challenge anyone lgame")
    (lgame,) = await world.store.matches.at(ROOM)
    for line in ("/decline", f"/decline #{lgame.id}"):
        assert (await world.say(DAN, line))[0].view.lines == (
            "No seat is kept for you here, so there is nothing to decline.",
        )
    assert "your own challenge" in (await world.say(CEM, "/decline"))[0].view.lines[0]
    await world.say(ANN, "/new breakthrough")
    assert "nothing to decline" in (await world.say(ANN, "/decline"))[0].view.lines[0]


# Alone with the bot: commands reach the matches of other places; and what is typed where others can read it.


PRIVATE = place("private")


async def no_home(_account: Account) -> Address | None:
    return None


async def privately(world: World, who: Player, line: str) -> Sequence[Message]:
    said = await world.desk.answer(replace(world.visitor(who, PRIVATE), home=no_home), line)
    return [message for message in said if isinstance(message.to, Person)]


async def test_of_several_that_wait_one_is_named_as_the_example_says() -> None:
    world = World()
    codes = {(await world.begin("breakthrough", {}, where)).id for where in (ROOM, HALL)}
    [message] = await privately(world, ANN, "/move a2-a3")
    assert {button.data.match for button in message.view.buttons} == codes
    example = next(line for line in message.view.lines if "/move" in line)
    line = example[example.index("/move") :]
    assert line.endswith("a2-a3")
    await privately(world, ANN, line)
    assert sorted([len((await world.table.get(code)).log) for code in codes]) == [0, 1]


async def test_the_matches_of_others_are_not_reached() -> None:
    world = World()
    await world.begin("breakthrough", {}, ROOM)
    before = world.snapshot()
    for command in (
        "resign",
        "draw",
        "leave",
        "undo",
        "takeback",
        "claim",
        "withdraw",
        "accept",
        "substitute",
    ):
        await privately(world, CEM, f"/{command}")
    assert world.snapshot().matches == before.matches


async def test_a_move_refused_in_a_plan_is_explained_from_where_it_would_be_played() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"}, ROOM)
    await world.say(ANN, "/move a2-a3")
    [said] = await world.say(ANN, "/plan if c4-c3 then d2xc3; if b4-b3 then b2-b3")
    case, _, examples = said.view.lines
    assert "b4-b3 then b2-b3" in case
    position = world.table.position(await world.table.get(match.id))
    notation = world.table.games["breakthrough"].notation
    (when,) = notation.parse("b4-b3", position)
    after = position.play(when)
    offered = examples.partition(": ")[2].split(" · ")
    assert set(offered) <= {notation.format(move) for move in after.legal_moves()}
    assert not (await world.table.get(match.id)).plans
