"""Notes about matches: who sees them and where, how many there are, and the one that the chat and the page share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat import match_notes
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from play.actions.leaving import Resign
from play.match import Match
from play.people import Player
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, World
from tests.platforms.telegram.harness import telegram_bot, words

TEXT = "Watch *b5* <b>soon</b>"


async def board(world: World, who: Player, match: Match, line: str = "/board") -> str:
    return await world.told(who, f"{line} #{match.id}")


async def test_a_note_stands_under_its_writers_board_until_it_is_deleted() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    [kept] = await world.say(ANN, f"/note {TEXT}")
    assert kept.secret
    assert "Only you see it" in kept.view.lines[-1]
    assert TEXT in await world.told(ANN, "/note")
    assert f"📝 {TEXT}" in await board(world, ANN, match)
    [shown] = await world.desk.press(world.visitor(ANN), kept.view.buttons[0].data)
    assert f"📝 {TEXT}" in shown.view.after
    back = CallbackData(Verb.BACK, match.id, match.revision)
    [shown] = await world.desk.press(world.visitor(ANN), back)
    assert f"📝 {TEXT}" in shown.view.after, "and once a menu is left"
    for other in (BOB, CEM):
        assert TEXT not in await board(world, other, match)
        assert TEXT not in await board(world, other, match, "/note")
    said = await world.say(ANN, "/move a2-a3")
    assert not any(TEXT in str(each.view) for each in said), "all see that board"
    await world.table.act(match.id, Resign(), Request(BOB, world.now))
    assert TEXT in await world.told(ANN, "/note"), "it stays with a match that is over"
    assert "is deleted" in await world.told(ANN, "/note вимк")
    assert f"/note #{match.id}" in await world.told(ANN, "/note")
    assert TEXT not in await board(world, ANN, match)


async def test_of_several_matches_it_is_asked_which() -> None:
    world = World()
    matches = [await world.begin("breakthrough", {}) for _ in range(2)]
    [asked] = await world.say(ANN, "/note push a")
    first = next(each for each in asked.view.buttons if each.data.match == matches[0].id)
    await world.desk.press(world.visitor(ANN), first.data)
    assert "push a" in await board(world, ANN, matches[0], "/note")
    assert "push a" not in await board(world, ANN, matches[1], "/note")
    [asked] = await world.say(ANN, "/note додай")
    assert matches[1].id in asked.view.lines[-1], "no key can carry it: the code is typed"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_refused(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(language)
    monkeypatch.setattr(match_notes, "MOST", 2)
    [refused] = await world.say(ANN, "/note nothing is played here")
    assert refused.refused
    matches = [await world.begin("breakthrough", {}) for _ in range(3)]
    for match in matches[:2]:
        await world.say(ANN, f"/note #{match.id} x")
    full = await board(world, ANN, matches[2], "/note x")
    assert "off" in full or "вимк" in full or "выкл" in full
    await board(world, ANN, matches[1], "/note another")
    assert "another" in await board(world, ANN, matches[1], "/note"), "one that is there can be changed"
    await world.say(ANN, f"/note #{matches[0].id} off")
    await world.say(ANN, f"/note #{matches[2].id} there is room again")
    assert "room again" in await board(world, ANN, matches[2])
    assert "501" in await world.told(ANN, f"/note #{matches[2].id} {'x' * 501}")
    read = replace(world.visitor(ANN), overheard=True)
    [refused] = await world.desk.answer(read, f"/note #{matches[2].id} secret")
    assert refused.refused
    assert f"/note #{matches[2].id}" in refused.view.lines[0]
    assert "secret" not in await board(world, ANN, matches[2])


async def test_on_telegram_a_note_of_full_length_is_under_the_board_as_it_was_typed() -> None:
    async with telegram_bot(pictures=True) as f:
        ann, bob, room = await f.begun()
        (match,) = f.matches
        text = f"{TEXT} _x_ ".ljust(match_notes.LONGEST - 1, "w") + "!"
        await f.say(ann, None, f"/note #{match.id} {text}")
        assert "Only you see it" in words(f.api.last(ann))
        assert await f.press(ann, f.api.last(ann), "Show the board") is None
        assert text in words(f.api.last(ann))
        assert text not in words(f.board(room))
        await f.say(bob, None, f"/board #{match.id}")
        assert text not in words(f.api.last(bob))
