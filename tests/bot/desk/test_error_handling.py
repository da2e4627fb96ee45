"""When the store does not answer, or holds what cannot be read: people are told, and everything else goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Resources
from bot.chat.desk import Desk
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import Person
from bot.features.commands import REGISTRY
from play.errors import Unavailable
from play.match import Match, Phase
from play.opening import Challenge
from play.ports import Loaded, Operation
from play.request import Request
from storage import Damage, Damaged, RedisStore
from tests.bot.world import ANN, BOB, HALL, World
from tests.support.memory import MemoryStore
from tests.support.memory.matches import MemoryMatches
from tests.support.waiting import LIMIT

BREAK: list[Callable[[Match], Match]] = [
    lambda match: replace(match, options=(("board", "1x1"),)),
    lambda match: replace(match, game="chess"),
]


class Away:
    """A store, and each of its parts and methods, that does not answer."""

    def outgoing(self) -> Away:
        return self

    def bucket(self) -> Away:
        return self

    def __getattr__(self, name: str) -> Away:
        return Away()

    async def __call__(self, *_: object, **__: object) -> object:
        raise Unavailable


class Silent(MemoryStore):
    """A store that answers everything but one question."""

    def __init__(self, question: str) -> None:
        self._question = question
        super().__init__()

    def __getattribute__(self, name: str) -> object:
        if not name.startswith("_") and name == self._question:
            return Away()
        return super().__getattribute__(name)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_store_that_does_not_answer(language: str) -> None:
    world = World(language)
    world.table.store = Away()  # type: ignore[assignment]
    desk = Desk(REGISTRY, Resources(world.table, Away(), language), lambda: world.now)  # type: ignore[arg-type]
    for line in ("/board", "/move a2-a3", "/games", "/new lgame", "a2-a3", "/language uk"):
        [said] = await desk.answer(world.visitor(ANN), line)
        assert said.view.lines == (words(language)("match.refused.unavailable"),), line
    [said] = await desk.press(world.visitor(ANN), CallbackData(Verb.RESIGN, "aaaaaa", 1))
    assert said.view.lines == (words(language)("match.refused.unavailable"),)
    assert len((await desk.answer(world.visitor(ANN), "/help"))[0].view.lines) > 5


@pytest.mark.parametrize(("part", "question"), [("matches", "commit"), ("settings", "get_many")])
async def test_a_request_that_is_handled_again_is_not_answered_without_the_store(
    part: str, question: str
) -> None:
    world = World()
    desk = Desk(REGISTRY, Resources(world.table, world.store, "en"), lambda: world.now)
    visitor = replace(world.visitor(ANN), retried=True, request="r1")
    await desk.answer(visitor, "/challenge bob breakthrough")
    await desk.answer(replace(world.visitor(BOB), retried=True, request="r2"), "/accept")
    setattr(getattr(world.store, part), question, Away())
    for number, line in enumerate(("/move a2-a3", "/draw")):
        with pytest.raises(Unavailable):
            await desk.answer(replace(visitor, request=f"a{number}"), line)
    with pytest.raises(Unavailable):
        await desk.answer(
            replace(world.visitor(BOB), retried=True, request="b1"), "/plan if a2-a3 then a7-a6"
        )


async def test_what_only_reads_works_while_the_store_takes_no_writes(redis_client: Redis) -> None:
    world, store = World(), RedisStore(redis_client, patience=LIMIT)
    world.table.store = store
    desk = Desk(REGISTRY, Resources(world.table, store, "en"), lambda: world.now)
    away = (words("en")("match.refused.unavailable"),)
    match = await world.begin("breakthrough", {})
    await redis_client.config_set("maxmemory", 1)
    try:
        for line in ("/board", "/board words", "/games", "/export", "/profile", "/top", "/settings", "/hint"):
            said = await desk.answer(replace(world.visitor(ANN), request=f"r{line}"), line)
            assert said, line
            assert said[0].view.lines != away, line
        said = await desk.press(world.visitor(ANN), CallbackData(Verb.BOARD, match.id, match.revision))
        assert said[0].view.diagram is not None
        [refused] = await desk.answer(replace(world.visitor(ANN), request="m"), "/move a2-a3")
        assert refused.view.lines == away
    finally:
        await redis_client.config_set("maxmemory", 0)
    assert await world.table.get(match.id) == match


async def test_a_move_is_played_even_if_settings_cannot_be_looked_up() -> None:
    world = World("uk")
    match = await world.begin("breakthrough", {})
    store = Silent("settings")
    store.matches.stored = world.store.matches.stored
    desk = Desk(REGISTRY, Resources(world.table, store, "uk"), lambda: world.now)
    assert await desk.answer(world.visitor(ANN), f"/move #{match.id} a2-a3") == []
    assert (await world.table.get(match.id)).log


async def test_a_damaged_match() -> None:
    class Torn(MemoryMatches):
        async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
            raise Damaged(match_id, Damage.CHECKSUM)

    world = World()
    match = await world.begin("lgame", {})
    store = MemoryStore()
    store.matches = Torn(store.clock, store.timers, store.outbox)
    world.table.store = store
    for said in (
        await world.say(ANN, f"/board #{match.id}"),
        await world.desk.press(world.visitor(ANN), CallbackData(Verb.MOVE, match.id, 2, "a1")),
    ):
        assert len(said) == 1
        assert match.id in said[0].view.lines[0]


@pytest.mark.parametrize("spoil", BREAK)
async def test_a_match_that_cannot_be_replayed_is_in_no_ones_way(spoil: Callable[[Match], Match]) -> None:
    world = World()
    broken = await world.begin("breakthrough", {})
    sound = await world.begin("breakthrough", {"board": "5x5"})
    world.store.matches.stored[broken.id] = spoil(broken)
    assert (await world.say(ANN, "/move a2-a3"))[0].view.lines[0] == "ann: a2-a3"
    assert len((await world.say(ANN, "/games"))[0].view.lines) == 2
    assert (await world.say(ANN, "/board"))[0].view.diagram
    for command in ("board", "move", "resign", "rules"):
        [said] = await world.say(ANN, f"/{command} #{broken.id} a2-a3")
        assert isinstance(said.to, Person)
    assert (await world.table.get(sound.id)).log
    assert (await world.table.get(broken.id)).phase is Phase.PLAYING


@pytest.mark.parametrize("spoil", BREAK)
async def test_pressing_in_a_match_that_cannot_be_replayed(spoil: Callable[[Match], Match]) -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    world.store.matches.stored[match.id] = spoil(match)
    before = world.snapshot()
    for verb in set(Verb) - {Verb.EXPORT, Verb.WATCH}:
        data = CallbackData(verb, match.id, match.revision, "draw")
        said = await world.desk.press(world.visitor(BOB, HALL), data)
        assert isinstance(said[0].to, Person)
        assert said[0].view.diagram is None
        assert world.snapshot() == before, verb


async def test_what_is_overdue_is_called_off_by_the_next_command_there() -> None:
    world = World()
    await world.say(ANN, "/challenge bob lgame")
    await world.say(ANN, "/new klopodavka players:2", HALL)
    world.now += timedelta(hours=24)
    said = await world.say(BOB, "/help")
    assert [isinstance(message.to, Person) for message in said] == [True, False]
    assert [match.phase for match in world.snapshot().matches.values()] == [Phase.OPEN, Phase.CALLED_OFF]
    assert len(await world.say(BOB, "/help")) == 1


async def test_what_is_overdue_can_be_neither_accepted_nor_joined() -> None:
    world = World()
    made = await world.table.open(Challenge(world.visitor(ANN).place, "lgame"), Request(ANN, world.now))
    world.now += timedelta(hours=24)
    said = await world.desk.press(world.visitor(BOB), CallbackData(Verb.JOIN, made.match.id, 1))
    assert isinstance(said[0].to, Person)
    assert "run out" in said[0].view.lines[0]


async def test_a_list_of_moves_is_refused_with_its_place_and_the_rule_that_is_broken() -> None:
    world = World()
    [said] = await world.say(ANN, "/import 1. b2b3 b7b6\n2. c2c4")
    place, rule = said.view.lines
    assert place.startswith("Line 2, column 4: “c2c4” cannot be played there.")
    assert rule == "From c2 to c4 is too far. A man goes one cell ahead, straight or diagonally."
