"""How a chat leads to the page: a link for one person, and nothing of it without a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.request import Request as Fetched
from urllib.request import urlopen

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.pictures import Pictures
from bot.chat.visitor import Visitor
from bot.platforms.platform import Services
from play.opening import Challenge
from tests.bot.process import Bot
from tests.support.desk import ANN, BOB, HALL, ROOM, Desk
from tests.support.services import services


def _services(desk: Desk, **settings: Any) -> Services:
    return services(desk.table, desk.store, lambda: desk.now, pictures=Pictures(), **settings)


def _visitor() -> Visitor:
    return Visitor(ANN, ROOM, find={"bob": BOB}.get, buttons=True)


async def test_a_link_is_secret_and_in_the_menu_of_a_match() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk, page_url="https://page.test")
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    button = next(each for each in menu.view.buttons if each.data.verb is Verb.PAGE)
    (pressed,) = await served.desk.press(_visitor(), button.data)
    (typed,) = await served.desk.answer(_visitor(), "/board link")
    for message in (pressed, typed):
        assert message.secret
        assert re.search(rf"https://page\.test/m/{match.id}#link=\S{{22}}$", message.view.lines[0])


async def test_without_a_page_nothing_of_it_is_offered() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk)
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    assert not any(each.data.verb is Verb.PAGE for each in menu.view.buttons)
    (typed,) = await served.desk.answer(_visitor(), "/board link")
    assert typed.refused
    (pressed,) = await served.desk.press(_visitor(), CallbackData(Verb.PAGE, match.id, match.revision))
    assert pressed.refused


async def test_admins_turn_the_page_off_for_the_matches_of_their_chat() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk, page_url="https://page.test")
    admin = Visitor(ANN, ROOM, find={"bob": BOB}.get, buttons=True, admin=True)
    (card,) = await served.desk.answer(admin, "/config")
    (button,) = [each for each in card.view.buttons if each.data.argument == "page:off"]
    (card,) = await served.desk.press(admin, button.data)
    assert any(each.data.argument == "page:on" for each in card.view.buttons)
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    assert not any(each.data.verb is Verb.PAGE for each in menu.view.buttons)
    elsewhere = Visitor(ANN, HALL, find={"bob": BOB}.get, buttons=True)
    for said in (
        await served.desk.answer(_visitor(), "/board link"),
        await served.desk.press(_visitor(), CallbackData(Verb.PAGE, match.id, match.revision)),
        await served.desk.answer(elsewhere, f"/board #{match.id} link"),
    ):
        (refusal,) = said
        assert refusal.refused
        assert "admins" in refusal.view.lines[0]
    there = (await desk.open(ANN, Challenge(HALL, "breakthrough", {}, opponents=[BOB]))).match
    (other,) = await served.desk.answer(elsewhere, f"/board #{there.id} link")
    assert other.secret, "the place where a match was made decides"


async def test_without_a_page_the_settings_have_none() -> None:
    desk = Desk()
    served = _services(desk)
    admin = Visitor(ANN, ROOM, find={"bob": BOB}.get, buttons=True, admin=True)
    (card,) = await served.desk.answer(admin, "/config")
    assert "browser" not in str(card.view)
    for line in ("/config page:off", "/config page"):
        (refusal,) = await served.desk.answer(admin, line)
        assert refusal.refused
    assert (await desk.store.settings.get(ROOM)).page


@pytest.mark.slow
def test_the_local_room_opens_in_a_browser(tmp_path: Path) -> None:
    with Bot(tmp_path / "home" / "data", "--page") as bot:
        line = bot.until("#link=")[-1]
        found = re.search(r"(http://127\.0\.0\.1:\d+)/#link=(\S+)", line)
        assert found is not None
        url, token = found.groups()
        proof = json.dumps({"proof": {"kind": "link", "proof": token}}).encode()
        with urlopen(Fetched(f"{url}/w", proof)) as answer:
            assert json.loads(answer.read())["bearer"]
        with urlopen(url) as answer:
            assert b"/page.js" in answer.read()
        bot.say("/quit")
        assert bot.process.wait(60) == 0
