"""Two accounts that are one person, and people who are forgotten."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import Message, Person
from bot.chat.visitor import Visitor
from bot.features.ratings.commands import count_match
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.files import matchfile
from play.match import Phase
from play.opening import Challenge, Lobby
from play.people import Account, Address, Player
from play.request import Request
from play.settings import Settings
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, NOON, ROOM, World

GROUP = Address("telegram", "-100")
ANYA = Player(Account("telegram", "77"), "Anya")


def far(world: World, who: Player = ANYA, request: str | None = None) -> Visitor:
    people = {"anya": ANYA, "bob": BOB, "ann": ANN}
    return Visitor(who, GROUP, find=people.get, request=request)


async def code_for(world: World, who: Player = ANN) -> str:
    """The code that a person of the room gets to link an account with."""
    [said] = await world.desk.answer(world.visitor(who), "/link")
    found = re.search(r"/link (\w{8})", said.view.lines[0])
    assert found, said
    return found[1]


async def ask(world: World, who: Player = ANN) -> Sequence[Message]:
    """Anya of the group types the code of a person of the room, and says that the account is hers."""
    [asked] = await world.desk.answer(far(world), f"/link {(await code_for(world, who)).upper()}")
    return await world.desk.press(far(world), asked.view.buttons[0].data) if asked.view.buttons else [asked]


async def question(world: World, who: Player = ANN) -> Message:
    """What a person of the room is asked about a link."""
    [asked] = await world.desk.answer(world.visitor(who), "/link")
    return asked


async def link(world: World, who: Player = ANN) -> Sequence[Message]:
    """A person of the room is Anya of the group from now on."""
    if (said := await ask(world, who))[0].refused:
        return said
    return await world.desk.press(world.visitor(who), (await question(world, who)).view.buttons[0].data)


async def test_a_code_links_once_and_for_ten_minutes() -> None:
    world = World()
    code = await code_for(world)
    [own] = await world.desk.answer(world.visitor(ANN), f"/link {code}")
    assert "your own" in own.view.lines[0]
    [asked] = await world.desk.answer(far(world), f"/link {code}")
    await world.desk.press(far(world), asked.view.buttons[0].data)
    [spent] = await world.desk.answer(far(world), f"/link {code}")
    assert "links nothing" in spent.view.lines[0]
    await world.desk.press(world.visitor(ANN), (await question(world)).view.buttons[1].data)
    code = await code_for(world)
    world.store.notes._clock = lambda: world.now + timedelta(days=4000)
    [late] = await world.desk.answer(far(world), f"/link {code}")
    assert "links nothing" in late.view.lines[0]
    for typed in ("x", "%$", "a" * 8, "a" * 500):
        [refused] = await world.desk.answer(far(world), f"/link {typed}")
        assert "links nothing" in refused.view.lines[0]
    assert (await world.store.settings.get(ANYA.account)).person is None


async def test_accounts_that_play_each_other_are_not_linked() -> None:
    world = World()
    match = await world.begin("lgame", {}, people=(ANN, ANYA))
    [refused] = await link(world)
    assert match.id in refused.view.lines[0]
    assert (await world.store.settings.get(ANYA.account)).person is None


async def test_nothing_passes_before_both_accounts_agree() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    [first] = await world.desk.answer(far(world), f"/link {await code_for(world)}")
    assert first.to == Person(ANYA.account, GROUP)
    assert "ann on Console" in first.view.lines[0]
    assert "0 here, 1 there" in first.view.lines[1]
    await world.desk.answer(far(world), f"/resign #{match.id} yes")
    assert (await world.table.get(match.id)).live
    [waiting] = await world.desk.press(far(world), first.view.buttons[0].data)
    assert "Nothing has passed over" in waiting.view.lines[0]
    asked = await question(world)
    assert asked.to == Person(ANN.account, ROOM)
    assert "Anya on Telegram" in asked.view.lines[0]
    assert "1 here, 0 there" in asked.view.lines[1]
    yes, no = asked.view.buttons
    for stranger in (far(world), world.visitor(BOB)):
        [refused] = await world.desk.press(stranger, yes.data)
        assert "not open" in refused.view.lines[0]
    assert (await world.store.settings.get(ANYA.account)).person is None
    [refused] = await world.desk.press(world.visitor(ANN), no.data)
    assert "nothing passes" in refused.view.lines[0]
    [refused] = await world.desk.press(world.visitor(ANN), yes.data)
    assert "not open" in refused.view.lines[0]
    assert (await world.table.get(match.id)).live


async def test_a_code_can_be_thrown_away_and_questions_are_few() -> None:
    world = World()
    [first] = await world.desk.answer(far(world), f"/link {await code_for(world)}")
    [dropped] = await world.desk.press(far(world), first.view.buttons[1].data)
    assert "nothing passes" in dropped.view.lines[0]
    [late] = await world.desk.press(far(world), first.view.buttons[0].data)
    assert "links nothing" in late.view.lines[0]
    for _ in range(3):
        await ask(world)
        await world.desk.press(world.visitor(ANN), (await question(world)).view.buttons[1].data)
    [enough] = await ask(world)
    assert "three times" in enough.view.lines[0]


async def test_one_question_is_open_at_a_time_and_lapses() -> None:
    world = World()
    codes = [await code_for(world, who) for who in (ANN, ANN, BOB)]
    cards = [(await world.desk.answer(far(world), f"/link {code}"))[0] for code in codes]
    said = [
        (await world.desk.press(far(world), card.view.buttons[0].data))[0].view.lines[0] for card in cards
    ]
    assert ["Nothing has passed" in line for line in said] == [True, False, False]
    assert all("open question" in line for line in said[1:])
    asked = await question(world)
    world.store.notes._clock = lambda: world.now + timedelta(days=4000)
    [lapsed] = await world.desk.press(world.visitor(ANN), asked.view.buttons[0].data)
    assert "not open" in lapsed.view.lines[0]


async def test_unlinking_gives_each_account_its_matches_back() -> None:
    world = World()
    own = await world.begin("breakthrough", {})
    passed = await world.begin("lgame", {}, GROUP, people=(ANYA, BOB))
    await link(world)
    assert ANN.account in (await world.table.get(passed.id)).people()
    later = await world.table.open(Challenge(GROUP, "lgame", opponents=[BOB]), Request(ANN, world.now))
    await world.desk.answer(far(world), "/unlink")
    assert ANYA in (await world.table.get(passed.id)).players()
    assert ANN.account not in (await world.table.get(passed.id)).people()
    assert ANN.account in (await world.table.get(own.id)).people()
    assert ANN.account in (await world.table.get(later.match.id)).people()
    assert await world.store.settings.get(ANYA.account) == Settings(active=NOON, name="Anya")


async def everything(world: World) -> str:
    """All that the store holds, in words."""
    store = world.store
    parts = (store.matches, store.settings, store.ratings, store.notes, store.timelines, store.timers)
    return repr([vars(part) for part in (*parts, store.uptime)])


@pytest.mark.parametrize("linked", [False, True])
async def test_nothing_names_a_forgotten_person(linked: bool) -> None:
    world = World()
    zoe = Player(Account("console", "zoe-uid"), "Zoe Zest")
    visitor = replace(world.visitor(zoe), find={"bob": BOB, "cem": CEM}.get)

    async def does(line: str) -> None:
        await world.desk.answer(replace(visitor, request=f"r{len(requests)}"), line)
        requests.append(line)

    requests: list[str] = []
    if linked:
        await link(world, zoe)
    await does("/challenge bob breakthrough")
    playing = next(iter(world.snapshot().matches.values()))
    await world.table.act(playing.id, Join(), Request(BOB, world.now))
    await does("/move a2-a3")
    await does("/new klopodavka players:2")
    await does("/challenge cem lgame")
    lobby = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "4"}), Request(DAN, world.now))
    ).match
    await does(f"/join #{lobby.id}")
    asked = (await world.table.open(Challenge(ROOM, "lgame", opponents=[zoe]), Request(CEM, world.now))).match
    three = await world.begin("klopodavka", {"players": "3"})
    over = await world.begin("lgame", {}, people=(zoe, BOB))
    await world.table.act(over.id, Resign(), Request(BOB, world.now))
    await does("/settings reminders:20")
    await world.say(CEM, "/block zoe-uid")
    await world.desk.answer(replace(world.visitor(CEM, HALL), admin=True), "/exclude zoe-uid")
    assert [each.account for each in (await world.store.settings.get(HALL)).excluded] == [zoe.account]
    [sure] = await world.desk.answer(visitor, "/forgetme")
    assert "Zoe" in await everything(world)
    await world.desk.press(visitor, sure.view.buttons[0].data)
    held = await everything(world)
    assert "Zoe" not in held
    assert "zoe-uid" not in held
    assert "Anya" not in held
    assert ANYA.account not in world.snapshot().settings
    gave_up = await world.table.get(playing.id)
    assert gave_up.phase is Phase.OVER
    assert gave_up.result is not None
    assert gave_up.result.winners == (1,)
    assert (await world.table.get(asked.id)).phase is Phase.CALLED_OFF
    assert (await world.table.get(lobby.id)).phase is Phase.OPEN
    assert (await world.table.get(three.id)).phase is Phase.PLAYING
    assert (await world.table.get(over.id)).phase is Phase.OVER
    [board] = await world.desk.answer(world.visitor(BOB), f"/board #{playing.id}")
    assert "a former player" in board.view.roster[0].text


async def test_a_word_alone_forgets_no_one_and_privacy_is_explained() -> None:
    world = World()
    match = await world.begin("lgame", {})
    before = world.snapshot()
    [said] = await world.desk.answer(world.visitor(ANN), "/privacy")
    assert len(said.view.lines) == 4
    assert isinstance(said.to, Person)
    await world.desk.answer(world.visitor(ANN), "/forgetme")
    await world.desk.press(world.visitor(ANN), CallbackData.without_match(Verb.FORGET))
    await world.desk.press(world.visitor(ANN), CallbackData(Verb.FORGET, match.id, 0, "yes"))
    assert world.snapshot() == before


async def test_a_person_gets_all_that_is_stored_as_a_file() -> None:
    """Everything, and nothing of others; compared with what the store has."""
    world = World()
    playing = await world.begin("breakthrough", {})
    await world.begin("lgame", {})
    await world.say(CEM, "/new lgame")
    rated = await world.begin("breakthrough", {}, rated=True)
    for who, move in ((ANN, "a2-a3"), (BOB, "b7-b6")):
        await world.table.act(rated.id, MakeMove(move), Request(who, world.now))
    over = await world.table.act(rated.id, Resign(), Request(BOB, world.now))
    await count_match(world.table, world.store, over)
    for line in ("/settings reminders:33", "/block bob", f"/mute #{playing.id}", "/puzzle"):
        await world.say(ANN, line)
    await world.desk.answer(replace(world.visitor(CEM), admin=True), "/exclude ann")
    [said] = await world.say(ANN, "/privacy export", HALL)
    assert isinstance(said.to, Person)
    assert said.secret
    [(name, data)] = said.view.files
    assert name == "klop-data.zip"
    assert isinstance(data, bytes)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        about = json.loads(archive.read("klop.json"))
        files = {each: archive.read(each).decode() for each in archive.namelist() if each != "klop.json"}
    mine = [match for match in world.snapshot().matches.values() if ANN.account in match.people()]
    assert len(mine) == 3
    assert files == {
        f"matches/{each.game}-{each.id}.txt": matchfile.export(each, [ANN.account]) for each in mine
    }
    assert all('"console" "ann"' in text and '"console" "bob"' not in text for text in files.values())
    assert sorted(held["id"] for held in about["matches"]) == sorted(each.id for each in mine)
    assert about["matches_without_file"] == []
    [(whose, held)] = about["accounts"].items()
    assert whose == "console:ann"
    (rating,) = await world.store.ratings.get("breakthrough", ANN.account)
    assert rating is not None
    assert held["ratings"] == {"breakthrough": json.loads(json.dumps(asdict(rating), default=str))}
    settings = await world.store.settings.get(ANN.account)
    assert settings.blocked == (BOB,)
    assert settings.muted == (playing.id,)
    assert held["settings"] == json.loads(json.dumps(asdict(settings), default=str))
    traces = [[each.name, each.text] for each in await world.store.traces(ANN.account)]
    assert held["stored"] == traces
    assert ["excluded:console:ann", '["console", "room"]'] in traces
    assert any(name.startswith("puzzle") for name, _ in traces)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_answer_names_what_still_holds_the_name(language: str) -> None:
    world = World(language)
    await world.store.notes.write("backup", world.now.isoformat())
    await world.store.notes.write("rewrite:refused", "refused")
    [said] = await world.say(ANN, "/forgetme yes")
    spoken = words(language)
    backup = spoken("bot.forget.backup", date=spoken.date(world.now))
    assert said.view.lines == (spoken("bot.forget.done"), spoken("bot.forget.refused"), backup)


async def test_a_button_of_the_list_lifts_a_block_for_who_made_it_alone() -> None:
    world = World()
    await world.say(ANN, "/block bob")
    await world.say(BOB, "/block ann")
    [listed] = await world.say(ANN, "/block")
    (button,) = listed.view.buttons
    for who, blocks in ((BOB, 1), (ANN, 0)):
        await world.desk.press(world.visitor(who), button.data)
        assert len((await world.store.settings.get(ANN.account)).blocked) == blocks
        assert len((await world.store.settings.get(BOB.account)).blocked) == 1


async def test_a_cup_entered_with_the_second_account_is_played_on_with_the_first() -> None:
    world = World()
    await world.say(BOB, "/cup new lgame clock:1d most:8")
    (cup,) = await world.store.events.at(ROOM)
    await world.desk.answer(far(world), f"/cup #{cup.id} join")
    await link(world)
    (cup,) = await world.store.events.of(ANN.account)
    assert list(cup.players()) == [BOB, Player(ANN.account, ANYA.name)]
    assert ANYA.account not in {player.account for player in cup.players()}
