"""Admins keep a person out of a chat: nothing new there, and what the person plays goes on."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.callback_data import CallbackData, Verb
from bot.desk.visitor import Visitor
from play.actions.seating import Join
from play.errors import NotAllowed, Refused
from play.match import Phase
from play.opening import Challenge, Lobby
from play.people import Account, Address, Player
from play.rematching import rematch
from play.request import Request
from play.settings import Settings
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, ROOM, World

TOPIC = Address("console", "forum/7")
FORUM = Address("console", "forum")


def admin(world: World, where: Address = ROOM) -> Visitor:
    return replace(world.visitor(ANN, where), admin=True)


async def exclude(world: World, name: str = "bob", where: Address = ROOM) -> None:
    await world.desk.hear(admin(world, where), f"/exclude {name}")


async def test_only_an_admin_excludes_and_admits() -> None:
    world = World()
    for line in ("/exclude bob", "/exclude", "/admit bob"):
        assert "admins" in await world.told(CEM, line)
    [pressed] = await world.desk.press(world.visitor(CEM), CallbackData.without_match(Verb.EXCLUDE))
    assert pressed.refused
    assert world.snapshot().settings == {}
    await exclude(world)
    assert (await world.store.settings.get(ROOM)).excluded == (BOB,)
    # Of the excluded, an admin alone has the admins' commands: the others stay out, silently.
    assert "keep you out" in await world.told(BOB, "/admit bob")
    assert await world.told(BOB, "/admit bob") == ""
    await world.desk.hear(replace(world.visitor(BOB), admin=True), "/admit bob")
    assert (await world.store.settings.get(ROOM)).excluded == ()


async def test_one_notice_a_day_then_silence_for_all_that_begins_something() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    lobby = (await world.table.open(Lobby(ROOM, "lgame"), Request(CEM, world.now))).match
    await exclude(world)
    before = world.snapshot().matches
    pressed = [
        CallbackData(Verb.JOIN, lobby.id, lobby.revision),
        CallbackData(Verb.ACCEPT, lobby.id, lobby.revision),
        CallbackData(Verb.HINT, match.id, match.revision),
        CallbackData(Verb.MOVE, lobby.id, lobby.revision, "a2-a3"),
        CallbackData(Verb.MOVE, "zzzzzz", 0, "a2-a3"),
        CallbackData.without_match(Verb.HELP),
        CallbackData.without_match(Verb.ORDER),
    ]
    for day in range(2):
        world.now += timedelta(days=day)
        told = [await world.told(BOB, "/join")]
        told += [
            await world.told(BOB, line)
            for line in ("/new lgame", "/help", "/accept", "/xyz", '/new "a', "/lang uk")
        ]
        said = [await world.desk.press(world.visitor(BOB), button) for button in pressed]
        assert ["keep you out" in words for words in told] == [True] + [False] * 6
        assert not any(told[1:])
        assert not any(said)
    assert await world.desk.autocomplete(world.visitor(BOB), "help", "topic", "") == ()
    assert world.snapshot().matches == before
    assert await world.told(BOB, "/help", HALL)


async def test_moves_answers_and_resignations_still_count() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    await world.say(ANN, "/move a2-a3")
    await exclude(world)
    asked = await world.say(BOB, "b7-b6")
    assert "/move b7-b6" in str(asked) or any(each.view.buttons for each in asked)
    await world.say(BOB, "/move b7-b6")
    await world.say(ANN, "/draw")
    await world.say(BOB, "/draw no")
    now = await world.table.get(match.id)
    assert (len(now.log), now.offer) == (2, None)
    [menu] = await world.desk.press(world.visitor(BOB), CallbackData(Verb.MORE, match.id, now.revision))
    assert any(each.data.verb is Verb.RESIGN for each in menu.view.buttons)
    await world.desk.press(world.visitor(BOB), CallbackData(Verb.RESIGN, match.id, now.revision, "sure"))
    assert (await world.table.get(match.id)).phase is Phase.OVER


async def test_no_way_leads_to_a_seat_in_a_match_that_was_made_there() -> None:
    world = World()
    over = await world.begin("lgame", {})
    await world.say(BOB, f"/resign #{over.id} yes")
    waiting = (
        await world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), Request(CEM, world.now))
    ).match
    elsewhere = (await world.table.open(Lobby(HALL, "lgame"), Request(DAN, world.now))).match
    await exclude(world)
    for asked, reason in (
        (world.table.act(waiting.id, Join(), Request(BOB, world.now)), Refused.YOU_EXCLUDED),
        (
            world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), Request(CEM, world.now)),
            Refused.EXCLUDED,
        ),
        (rematch(world.table, over.id, Request(ANN, world.now)), Refused.EXCLUDED),
    ):
        with pytest.raises(NotAllowed) as refused:
            await asked
        assert refused.value.reason is reason
    assert "keep you out" in await world.told(BOB, f"/join #{waiting.id}", HALL)
    assert (await world.table.get(waiting.id)).addresses == (ROOM,)
    assert await world.told(BOB, f"/join #{elsewhere.id}", HALL) == ""
    assert BOB.account in (await world.table.get(elsewhere.id)).people()


async def test_who_is_excluded_stays_so_in_every_topic_and_under_every_account() -> None:
    world = World()
    await exclude(world, where=TOPIC)
    assert (await world.store.settings.get(FORUM)).excluded == (BOB,)
    assert "keep you out" in await world.told(BOB, "/help", Address("console", "forum/8"))
    made = (await world.table.open(Lobby(TOPIC, "lgame"), Request(CEM, world.now))).match
    with pytest.raises(NotAllowed):
        await world.table.act(made.id, Join(), Request(BOB, world.now))
    bobby = Player(Account("telegram", "7"), "Bobby")
    await world.store.settings.change(BOB.account, lambda now: replace(now, person=bobby.account))
    await world.store.settings.change(bobby.account, lambda now: replace(now, others=(BOB.account,)))
    with pytest.raises(NotAllowed):
        await world.table.act(made.id, Join(), Request(bobby, world.now))
    alias = Account("console", "@zoe")
    unmet = Player(alias, "@zoe")
    typing = replace(admin(world), find=lambda _: None, unmet=lambda _: unmet)
    await world.desk.hear(typing, "/exclude @zoe")
    zoe = replace(world.visitor(Player(Account("console", "9"), "Zoe")), alias=alias)
    assert "keep you out" in (await world.desk.hear(zoe, "/help"))[0].view.lines[0]


async def test_who_is_excluded_joins_no_match_of_a_thread_whose_address_names_no_chat() -> None:
    world = World()
    await exclude(world, where=FORUM)
    thread = replace(world.visitor(CEM, Address("console", "thread")), around=FORUM)
    await world.desk.hear(thread, "/new lgame")
    (made,) = world.snapshot().matches.values()
    assert "keep you out" in await world.told(BOB, f"/join #{made.id}", HALL)
    assert BOB.account not in (await world.table.get(made.id)).people()
    await world.say(DAN, f"/join #{made.id}", HALL)
    assert DAN.account in (await world.table.get(made.id)).people()


async def test_a_reply_a_selection_and_the_buttons_name_a_person() -> None:
    world = World()
    here = replace(admin(world), present=(BOB, CEM))
    [card] = await world.desk.hear(replace(here, replied=DAN), "/exclude")
    assert (await world.store.settings.get(ROOM)).excluded == (DAN,)
    assert card.secret
    assert card.view.people is not None
    await world.desk.press(replace(here, selected=("bob",)), card.view.people.data)
    assert (await world.store.settings.get(ROOM)).excluded == (DAN, BOB)
    [card] = await world.desk.hear(here, "/exclude")
    admitted, other, third = card.view.buttons
    for button in (admitted, other, third):
        await world.desk.press(here, button.data)
    assert (await world.store.settings.get(ROOM)).excluded == (CEM,)


async def test_it_is_exported_and_forgotten_with_the_person() -> None:
    world = World()
    await exclude(world, "Zoe")
    await exclude(world, "bob")
    zoe = Player(Account("console", "zoe"), "Zoe")
    [said] = await world.say(zoe, "/privacy export", HALL)
    [(_, data)] = said.view.files
    assert isinstance(data, bytes)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        about = json.loads(archive.read("klop.json"))
    assert ["excluded:console:zoe", '["console", "room"]'] in about["accounts"]["console:zoe"]["stored"]
    await world.say(zoe, "/forgetme yes", HALL)
    assert world.snapshot().settings == {ROOM: Settings(excluded=(BOB,))}
    assert "zoe" not in repr(vars(world.store.timelines)).casefold()
