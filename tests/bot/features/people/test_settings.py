"""What people choose for themselves and admins for a place, and whom they keep out of it, or block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import time, timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import Message, Person, View
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.features.puzzles.daily import schedule_of
from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import NotAllowed, Refused
from play.files.matchfile import export
from play.match import Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Account, Address, Player
from play.request import Request
from play.settings import DailyPuzzle, QuietHours, Settings
from play.time.calendar import week_of
from play.time.week import Week
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, NOON, ROOM, World
from tests.support.stores import set_settings

# What admins choose for a place holds there, is said in words, and no one else can change it.


async def say(world: World, who: Player, line: str, where: Address = ROOM, *, admin: bool = False) -> View:
    visitor = replace(world.visitor(who, where), admin=admin, buttons=True)
    return (await world.desk.answer(visitor, line))[-1].view


async def chosen(world: World, line: str) -> Settings:
    await say(world, ANN, f"/config {line}", admin=True)
    return await world.store.settings.get(ROOM)


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


async def test_a_setting_is_the_same_one_in_every_language() -> None:
    world = World()
    for refused in ("page:off", "сторінка:off"):  # there is no page
        assert await chosen(world, refused) == Settings()
    place = await chosen(world, "задача:9 мова:uk")
    assert (place.puzzle, place.language) == (DailyPuzzle(time(9), "UTC"), "uk")
    assert await schedule_of(world.store).due([ROOM.platform], NOON + timedelta(days=1)) == [ROOM]


# Admins keep a person out of a chat: nothing new there, and what the person plays goes on.


TOPIC = Address("console", "forum/7")
FORUM = Address("console", "forum")


def admin(world: World, where: Address = ROOM) -> Visitor:
    return replace(world.visitor(ANN, where), admin=True)


async def exclude(world: World, name: str = "bob", where: Address = ROOM) -> None:
    await world.desk.answer(admin(world, where), f"/exclude {name}")


async def test_only_an_admin_excludes_and_admits() -> None:
    world = World()
    for line in ("/exclude bob", "/exclude", "/admit bob"):
        assert "admins" in await world.told(CEM, line)
    [pressed] = await world.desk.press(world.visitor(CEM), CallbackData.without_match(Verb.EXCLUDE))
    assert pressed.refused
    assert world.snapshot().settings == {}
    await exclude(world)
    assert (await world.store.settings.get(ROOM)).excluded == (BOB,)
    # Of the excluded, an admin alone has the admins' commands.
    assert "keep you out" in await world.told(BOB, "/admit bob")
    excluded = replace(world.visitor(BOB), admin=True)
    [card] = await world.desk.answer(excluded, "/admit")
    await world.desk.press(excluded, card.view.buttons[0].data)
    assert (await world.store.settings.get(ROOM)).excluded == ()


def test_each_command_and_button_says_whether_it_is_needed_to_finish_a_match() -> None:
    undecided = [spec.name for spec in REGISTRY.specs.values() if spec.finishing is None]
    undecided += [verb.name for verb, spec in REGISTRY.button_specs.items() if spec.finishing is None]
    assert not undecided
    assert REGISTRY.button_specs.keys() == set(Verb)
    for verb, name in REGISTRY.pressed.items():
        assert REGISTRY.button_specs[verb].finishing is REGISTRY.specs[name].finishing


async def test_what_finishing_needs_works_in_matches_of_theirs_and_all_else_is_refused_in_words() -> None:
    world = World()
    mine = await world.begin("breakthrough", {})
    world.store.clock = lambda: world.now
    other = (await world.table.open(Lobby(ROOM, "lgame"), Request(CEM, world.now))).match
    await exclude(world)
    notice = words("en")("bot.exclusion.notice")

    async def refused(said: Sequence[Message]) -> bool:
        told = [(message.view.lines, message.refused) for message in said if isinstance(message.to, Person)]
        return told == [((notice,), True)]

    for verb, spec in REGISTRY.button_specs.items():
        for match in (mine, other):
            now = await world.table.get(match.id)
            world.now += timedelta(hours=1)
            said = await world.desk.press(world.visitor(BOB), CallbackData(verb, now.id, now.revision))
            works = match is mine and spec.finishing
            assert said, "each press is answered"
            assert await refused(said) is not works, (verb, said)
    for name, command in REGISTRY.specs.items():
        for line, works in ((f"/{name} #{mine.id}", command.finishing), (f"/{name} #{other.id}", False)):
            world.now += timedelta(hours=1)
            assert await refused(await world.say(BOB, line)) is not works, line
    for line in ("/xyz", '/new "a', f"/board #{mine.id[:2]}zz"):
        assert await refused(await world.say(BOB, line))
    assert (await world.table.get(mine.id)).phase is Phase.PLAYING
    assert not await world.say(DAN, "a2-a3")


async def test_who_plays_nothing_there_is_refused_each_time_and_talk_is_left_alone() -> None:
    world = World()
    await world.begin("breakthrough", {}, HALL)
    await exclude(world, "cem")
    before = world.snapshot().matches
    for line in ("/join", "/new lgame", "/board", "/games", "/accept", "/lang uk", "/join"):
        assert "keep you out" in await world.told(CEM, line)
    assert not await world.say(CEM, "a2-a3")
    assert not await world.say(CEM, "good game")
    for command, argument in (("board", "match"), ("move", "move")):
        assert await world.desk.autocomplete(world.visitor(CEM), command, argument, "") == ()
    assert world.snapshot().matches == before
    assert "keep you out" not in await world.told(CEM, "/help", HALL)


async def test_the_moves_of_a_match_of_theirs_are_completed() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    await exclude(world)
    await world.say(ANN, f"/move #{match.id} a2-a3")
    assert await world.desk.autocomplete(world.visitor(BOB), "move", "move", "")
    assert not await world.desk.autocomplete(world.visitor(BOB), "help", "page", "")


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
    await world.desk.answer(typing, "/exclude @zoe")
    zoe = replace(world.visitor(Player(Account("console", "9"), "Zoe")), alias=alias)
    assert "keep you out" in (await world.desk.answer(zoe, "/help"))[0].view.lines[0]


async def test_who_is_excluded_joins_no_match_of_a_thread_whose_address_names_no_chat() -> None:
    world = World()
    await exclude(world, where=FORUM)
    thread = replace(world.visitor(CEM, Address("console", "thread")), around=FORUM)
    await world.desk.answer(thread, "/new lgame")
    (made,) = world.snapshot().matches.values()
    assert "keep you out" in await world.told(BOB, f"/join #{made.id}", HALL)
    assert BOB.account not in (await world.table.get(made.id)).people()
    await world.say(DAN, f"/join #{made.id}", HALL)
    assert DAN.account in (await world.table.get(made.id)).people()


# Settings by buttons: each value that is offered can be chosen, a press checks rights, and a card shows what
# is chosen.


CARDS = ("/settings", "/settings here", "/language", "/language here", "/vacation", "/config")


async def press(world: World, who: Player, data: CallbackData, *, admin: bool = True) -> list[Message]:
    return list(await world.desk.press(replace(world.visitor(who), admin=admin), data))


async def card(world: World, line: str, *, admin: bool = True) -> View:
    return (await world.desk.answer(replace(world.visitor(ANN), admin=admin), line))[-1].view


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("line", CARDS)
async def test_every_button_leads_on(line: str, language: str) -> None:
    world = World(language)
    waiting, pressed = list((await card(world, line)).buttons), set()
    while waiting:
        button = waiting.pop()
        data = CallbackData.unpack(button.data.pack())
        if data in pressed or data.verb is Verb.VACATION:
            continue
        pressed.add(data)
        said = await press(world, ANN, data)
        assert not any(message.refused for message in said), data
        shown = said[-1].view
        assert shown.lines
        assert shown.buttons
        waiting += shown.buttons
    assert len(pressed) > 3


async def test_games_are_allowed_one_by_one_but_never_none() -> None:
    world = World()
    (question,) = await press(world, ANN, CallbackData.without_match(Verb.CONFIG, "games"))
    assert [each.label[0] for each in question.view.buttons[:-1]] == ["✓"] * 3
    for left in (2, 1):
        (question,) = await press(world, ANN, question.view.buttons[0].data)
        assert len((await world.store.settings.get(ROOM)).games) == left
        question = replace(question, view=replace(question.view, buttons=question.view.buttons[::-1][1:]))
    assert len(question.view.buttons) == 2


@pytest.mark.parametrize(
    "data",
    [
        *(CallbackData.without_match(Verb.CONFIG, typed) for typed in ("", "most", "most:1", "language:uk")),
        CallbackData.without_match(Verb.SETTINGS, "here theme:dark"),
        CallbackData.without_match(Verb.LANGUAGE, "uk here"),
    ],
)
async def test_a_press_for_the_place_is_for_its_admins(data: CallbackData) -> None:
    world = World()
    (said,) = await press(world, BOB, data, admin=False)
    assert said.refused
    assert "admins" in said.view.lines[0]
    assert replace(await world.store.settings.get(ROOM), language=None) == Settings()
    for line in ("/settings here", "/language here"):
        offered = (await card(world, line, admin=False)).buttons
        assert not any(each.data.argument.partition(" ")[2] for each in offered), line


@pytest.mark.parametrize("typed", ["theme:pink", "nonsense", "here flip:on", "quiet:25-99", "zone:Atlantis"])
async def test_a_forged_press_is_refused(typed: str) -> None:
    world = World()
    (said,) = await press(world, ANN, CallbackData.without_match(Verb.SETTINGS, typed))
    assert said.refused
    assert replace(await world.store.settings.get(ANN.account), active=None, name=None) == Settings()


# Blocks are kept to in every way in which people meet, in both directions.


BOBBY = Player(Account("telegram", "7"), "Bobby")


async def blocks(world: World, who: Player, whom: Player) -> None:
    await world.store.settings.change(who.account, lambda now: replace(now, blocked=(whom,)))


@pytest.mark.parametrize(("who", "whom"), [(ANN, BOB), (BOB, ANN)])
async def test_neither_meets_or_asks_the_other(who: Player, whom: Player) -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"})
    over = await world.begin("lgame", {})
    await world.table.act(over.id, Resign(), Request(BOB, world.now))
    lobby = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "3"}), Request(CEM, world.now))
    ).match
    await world.table.act(lobby.id, Join(), Request(BOB, world.now))
    await blocks(world, who, whom)
    refusal = Refused.YOU_BLOCKED if who is ANN else Refused.BLOCKED
    request = Request(ANN, world.now)
    for asked in (
        world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), request),
        world.table.act(match.id, OfferDraw(), request),
        world.table.act(lobby.id, Join(), request),
        rematch(world.table, over.id, request),
    ):
        with pytest.raises(NotAllowed) as refused:
            await asked
        assert refused.value.reason is refusal
    await world.table.act(match.id, MakeMove("a2-a3"), request)
    await world.table.act(match.id, Resign(), Request(BOB, world.now))
    assert (await world.table.get(match.id)).phase is Phase.OVER


async def test_an_account_that_is_linked_later_stays_blocked() -> None:
    world = World()
    await blocks(world, ANN, BOBBY)
    await world.store.settings.change(BOB.account, lambda now: replace(now, others=(BOBBY.account,)))
    for asker, other in ((ANN, BOB), (BOB, ANN)):
        with pytest.raises(NotAllowed):
            await world.table.open(Challenge(ROOM, "lgame", opponents=[other]), Request(asker, world.now))


@pytest.mark.parametrize("who", [ANN, BOB])
async def test_who_is_excluded_while_they_play_may_still_ask_the_other(who: Player) -> None:
    world = World()
    match = await world.begin("lgame", {})
    await world.store.settings.change(ROOM, lambda now: replace(now, excluded=(who,)))
    await world.table.act(match.id, OfferDraw(), Request(who, world.now))
    assert (await world.table.get(match.id)).offer is not None


# Awake hours and days off: what is typed is what the clock keeps to, once a week.


async def week(world: World, line: str) -> tuple[str, Week]:
    view = await say(world, ANN, f"/settings {line}")
    return view.lines[0], week_of(await world.store.settings.get(ANN.account), world.now)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("awake:9-22", Week(time(9), time(22))),
        ("awake: 10pm - 6am Kyiv", Week(time(22), time(6), zone="Europe/Kyiv")),
        ("день:7:30-23 вихідні:пт, сб", Week(time(7, 30), time(23), (4, 5))),
        ("awake:0-24 weekend:off", Week(time(), time(), (5, 6))),
        ("awake:all weekend:пт-нд", Week(time(), time(), (4, 5, 6))),
        ("выходные:среду", Week(off=(2,))),
        ('weekend:"sat and sun" zone:Berlin', Week(off=(5, 6), zone="Europe/Berlin")),
    ],
)
async def test_hours_and_days_are_read_in_every_language(line: str, wanted: Week) -> None:
    world = World()
    said, chosen_week = await week(world, line)
    assert chosen_week == wanted
    assert f"{wanted.start:%H:%M}" in said
    assert said.endswith("from your next turn on.")


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ("awake:8-15", "/settings awake:9-22"),
        ("awake:8-8", "awake:8-23"),
        ("awake:dawn", "awake:8-23"),
        ("weekend:mon-thu", "weekend:fri,sat,sun"),
        ("weekend:caturday", "weekend:sat,sun"),
        ("weekend:31", "weekend:sat,sun"),
    ],
)
async def test_a_week_with_too_little_in_it_is_refused_with_what_to_type(line: str, example: str) -> None:
    world = World()
    said, chosen_week = await week(world, line)
    assert example in said
    assert chosen_week == Week()


async def test_a_week_changes_once_a_week() -> None:
    world = World()
    await week(world, "awake:9-22 zone:Kyiv")
    world.now += timedelta(minutes=50)
    first = Week(time(9), time(22), (5, 6), "Europe/Kyiv")
    assert (await week(world, "weekend:off"))[1] == first  # pressed after the hours, it belongs to them
    world.now += timedelta(minutes=20)
    for line in ("awake:9-21", "weekend:none", "awake:0-24 weekend:sun"):
        said, kept = await week(world, line)
        assert "once a week" in said, line
        assert "28 Nov 2026, 14:00 (Europe/Kyiv)" in said
        assert kept == first
    assert (await week(world, "awake:9-22 weekend:sat,sun"))[1] == first  # as it is
    said, kept = await week(world, "zone:Berlin")
    assert (kept, "keeps to Europe/Kyiv until 28 Nov 2026, 14:00" in said) == (first, True)
    world.now += timedelta(days=7)
    assert (await week(world, ""))[1] == replace(first, zone="Europe/Berlin")
    assert (await week(world, "awake:9-21"))[1] == replace(first, end=time(21), zone="Europe/Berlin")


async def test_the_zone_of_someone_who_never_chose_hours_moves_the_clock_once_a_week() -> None:
    world = World()
    for zone, follows in (("Kyiv", "Europe/Kyiv"), ("Berlin", "Europe/Berlin"), ("Tokyo", "Europe/Berlin")):
        world.now += timedelta(hours=2)
        assert (await week(world, f"zone:{zone}"))[1] == Week(zone=follows)
    world.now += timedelta(days=7)
    assert (await week(world, ""))[1] == Week(zone="Asia/Tokyo")


async def test_hours_and_days_are_pressed() -> None:
    world = World()
    for data in ("awake:9-22", "weekend:fri,sat"):
        name = data.partition(":")[0]
        (asked,) = await press(world, ANN, CallbackData.without_match(Verb.SETTINGS, name))
        assert data in [each.data.argument.strip() for each in asked.view.buttons]
        await press(world, ANN, CallbackData.without_match(Verb.SETTINGS, data))
    assert (await week(world, ""))[1] == Week(time(9), time(22), (4, 5))
