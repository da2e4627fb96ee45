"""How a chat leads to the page: a link for one person, and nothing of it without a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.request import Request as Fetched
from urllib.request import urlopen

import pytest

from bot.callback_data import CallbackData, Verb
from bot.desk.visitor import Visitor
from bot.pictures import Pictures
from bot.platform import Services
from tests.bot.process import Bot
from tests.support.desk import ANN, BOB, ROOM, Desk
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
    (typed,) = await served.desk.hear(_visitor(), "/board link")
    for message in (pressed, typed):
        assert message.secret
        assert re.search(rf"https://page\.test/m/{match.id}#link=\S{{22}}$", message.view.lines[0])


async def test_without_a_page_nothing_of_it_is_offered() -> None:
    desk = Desk()
    match = await desk.duel()
    served = _services(desk)
    (menu,) = await served.desk.press(_visitor(), CallbackData(Verb.MORE, match.id, match.revision))
    assert not any(each.data.verb is Verb.PAGE for each in menu.view.buttons)
    (typed,) = await served.desk.hear(_visitor(), "/board link")
    assert typed.refused
    (pressed,) = await served.desk.press(_visitor(), CallbackData(Verb.PAGE, match.id, match.revision))
    assert pressed.refused


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
