"""What admins choose for a place holds there, is said in words, and no one else can change it."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Resources
from bot.chat.desk import Desk
from bot.chat.i18n import LANGUAGES
from bot.chat.view import View
from bot.features.commands import REGISTRY
from bot.features.puzzles.daily import DailySchedule
from play.actions.leaving import Resign
from play.files.matchfile import export
from play.match import Phase
from play.opening import Lobby
from play.people import Address, Player
from play.request import Request
from play.settings import DailyPuzzle, QuietHours, Settings
from tests.bot.world import ANN, BOB, CEM, HALL, NOON, ROOM, World
from tests.support.storing import set_settings


async def say(world: World, who: Player, line: str, where: Address = ROOM, *, admin: bool = False) -> View:
    visitor = replace(world.visitor(who, where), admin=admin, buttons=True)
    return (await world.desk.answer(visitor, line))[-1].view


async def chosen(world: World, line: str) -> Settings:
    await say(world, ANN, f"/config {line}", admin=True)
    return await world.store.settings.get(ROOM)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_everything_is_chosen_and_shown(language: str) -> None:
    world = World(language)
    view = await say(world, ANN, "/config", admin=True)
    before = view.lines
    place = await chosen(
        world,
        "games:lgame,прорив most:5 threads:on quiet:23-8 zone:Europe/Kyiv end:admins hints:off puzzle:21:30",
    )
    assert place.games == ("breakthrough", "lgame")
    assert (place.most, place.threads, place.ends, place.hints) == (5, True, True, False)
    assert place.quiet is not None
    assert place.quiet.zone == "Europe/Kyiv"
    assert place.puzzle == DailyPuzzle(time(21, 30), "Europe/Kyiv")
    after = (await say(world, ANN, "/config", admin=True)).lines
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 7
    place = await chosen(world, "games:all most:off threads:off quiet:off end:players hints:on puzzle:off")
    assert replace(place, language=None) == Settings()


@pytest.mark.parametrize(
    "line",
    ["games:chess", "most:0x", "most:1001", "most:-1", "threads:maybe", "end:none", "quiet:x", "language:xx", "puzzle:25", "puzzle:9:61", "puzzle:soon", "nonsense:1", "word",
     "reminders:50", "most:1 most:2"],
)  # fmt: skip
async def test_what_means_nothing_is_refused(line: str) -> None:
    world = World()
    view = await say(world, ANN, f"/config {line}", admin=True)
    assert view.lines
    assert await world.store.settings.get(ROOM) == Settings()


async def test_others_may_not() -> None:
    world = World()
    match = await world.begin("lgame", {})
    await chosen(world, "end:admins")
    before = world.snapshot()
    for line in ("/config", "/config most:1", f"/end #{match.id}", "/end"):
        assert "admins of this chat" in (await say(world, CEM, line)).lines[0]
    for data in (
        CallbackData.without_match(Verb.CONFIG, "most:1"),
        CallbackData.without_match(Verb.CONFIG, ""),
        CallbackData(Verb.END, match.id, 0),
    ):
        [said] = await world.desk.press(world.visitor(CEM), data)
        assert "admins of this chat" in said.view.lines[0]
    assert world.snapshot() == before


async def test_games_that_are_not_played_here() -> None:
    world = World()
    over = await world.begin("lgame", {})
    await world.table.act(over.id, Resign(), Request(ANN, world.now))
    exported = export(await world.table.get(over.id))
    await chosen(world, "games:breakthrough")
    before = world.snapshot()
    for line in (
        "/challenge bob lgame",
        "/new klopodavka players:2",
        f"/rematch #{over.id}",
        f"/import {exported}",
    ):
        view = await say(world, ANN, line)
        assert "not played in this chat" in view.lines[0], line
        assert "Breakthrough" in view.lines[0]
    [said] = await world.desk.press(world.visitor(ANN), CallbackData(Verb.REMATCH, over.id, 0))
    assert "not played" in said.view.lines[0]
    assert world.snapshot() == before
    await say(world, ANN, "/challenge bob lgame", HALL)
    await say(world, ANN, "/challenge bob breakthrough")
    assert len(world.snapshot().matches) == len(before.matches) + 2


async def test_so_many_matches_and_no_more() -> None:
    world = World()
    over = await world.begin("lgame", {})
    await world.table.act(over.id, Resign(), Request(ANN, world.now))
    await chosen(world, "most:2")
    await say(world, ANN, "/challenge bob lgame")
    await say(world, ANN, f"/rematch #{over.id}")
    before = len(world.snapshot().matches)
    view = await say(world, ANN, "/new lgame")
    assert "2" in view.lines[0]
    await say(world, BOB, f"/rematch #{over.id}")  # which only accepts the one that was asked for
    assert len(world.snapshot().matches) == before
    await say(world, ANN, "/withdraw")
    await say(world, ANN, "/new lgame")
    assert len(world.snapshot().matches) == before + 1


async def test_an_admin_ends_a_match_where_that_is_chosen() -> None:
    world = World()
    match = await world.begin("lgame", {})
    view = await say(world, CEM, f"/end #{match.id}", admin=True)
    assert "players alone" in view.lines[0]
    await chosen(world, "end:admins")
    await world.desk.answer(world.visitor(ANN, HALL), f"/watch #{match.id}")
    await set_settings(world.store, HALL, Settings(ends=True))
    view = await say(world, CEM, f"/end #{match.id}", HALL, admin=True)
    assert "another chat" in view.lines[0]
    view = await say(world, CEM, "/end", admin=True)
    ended = await world.table.get(match.id)
    assert ended.phase is Phase.OVER
    assert ended.result is not None
    assert not ended.result.winners
    assert "by an admin of this chat" in " ".join(view.after)
    lobby = (await world.table.open(Lobby(ROOM, "klopodavka"), Request(BOB, world.now))).match
    await say(world, CEM, f"/end #{lobby.id}", admin=True)
    assert (await world.table.get(lobby.id)).phase is Phase.CALLED_OFF


async def test_a_place_that_was_given_up_is_taken_up_again_when_a_person_speaks_there() -> None:
    world = World()
    outgoing = world.store.outgoing()
    await outgoing.set_dead(ROOM, NOON)
    await outgoing.set_dead(HALL, NOON)
    desk = Desk(REGISTRY, Resources(world.table, world.store, "en"), lambda: world.now)
    await desk.answer(world.visitor(ANN), "/help")
    assert await outgoing.dead(ROOM) is None
    assert await outgoing.dead(HALL) == NOON
    await desk.press(world.visitor(ANN, HALL), CallbackData.without_match(Verb.HELP))
    assert await outgoing.dead(HALL) is None


async def test_one_time_zone_is_for_the_puzzle_and_for_the_quiet_hours() -> None:
    world = World()
    place = await chosen(world, "puzzle:9")
    assert place.puzzle == DailyPuzzle(time(9), "UTC")
    place = await chosen(world, "zone:Europe/Kyiv")
    assert place.puzzle == DailyPuzzle(time(9), "Europe/Kyiv")
    assert place.quiet is None
    place = await chosen(world, "quiet:23-8")
    assert place.quiet is not None
    assert place.quiet.zone == "Europe/Kyiv"
    place = await chosen(world, "zone:Europe/Berlin puzzle:7.05")
    assert place.puzzle == DailyPuzzle(time(7, 5), "Europe/Berlin")
    assert place.quiet is not None
    assert place.quiet.zone == "Europe/Berlin"
    place = await chosen(world, "puzzle:off")
    for typed, hour in (("24", time(0)), ("9:59", time(9, 59))):
        place = await chosen(world, f"puzzle:{typed}")
        assert place.puzzle == DailyPuzzle(hour, "Europe/Berlin")
    place = await chosen(world, "puzzle:9 вечора quiet:11pm - 8am (Київ)")
    assert place.puzzle == DailyPuzzle(time(21), "Europe/Kyiv")
    assert place.quiet == QuietHours(time(23), time(8), "Europe/Kyiv")
    view = await say(world, ANN, "/config zone:IST", admin=True)
    assert [button.label.rpartition(":")[2] for button in view.buttons] == [
        *("Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin")
    ]
    assert await world.store.settings.get(ROOM) == place


async def test_the_agenda_follows_what_is_chosen() -> None:
    world = World()
    agenda = DailySchedule(world.store)
    await chosen(world, "puzzle:9 zone:Europe/Kyiv")  # it is 14:00 there
    assert list(await agenda.due(ROOM.platform, NOON + timedelta(hours=18))) == []
    assert list(await agenda.due(ROOM.platform, NOON + timedelta(hours=19))) == [ROOM]
    await chosen(world, "puzzle:15")
    assert list(await agenda.due(ROOM.platform, NOON + timedelta(hours=1))) == [ROOM]
    view = await say(world, BOB, "/config puzzle:off")
    assert len(view.lines) == 1
    assert list(await agenda.due(ROOM.platform, NOON + timedelta(hours=1))) == [ROOM]
    await chosen(world, "puzzle:off")
    assert list(await agenda.due(ROOM.platform, NOON + timedelta(days=9))) == []


@pytest.mark.parametrize(
    "line", ["/language uk here", "/settings here theme:dark", "/settings тут hints:off"]
)
async def test_what_holds_for_everybody_is_chosen_by_those_who_run_the_place(line: str) -> None:
    world = World()
    view = await say(world, BOB, line)
    assert "up to the admins" in view.lines[0]
    assert await world.store.settings.get(ROOM) == Settings()
    await say(world, BOB, line.replace(" here", "").replace("hints", "theme").replace(" тут", ""))
    assert await world.store.settings.get(ROOM) == Settings()
    await say(world, BOB, line, admin=True)
    assert await world.store.settings.get(ROOM) != Settings()
