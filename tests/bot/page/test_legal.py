"""`/privacy` and `/terms` of the page, and the operator whom they and the chat's `/privacy` name."""

from __future__ import annotations

import html
import re

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.presenting.cards import LEGAL, Operator
from bot.chat.visitor import Visitor
from bot.platforms.console.rendering import player_named
from tests.support.desk import ANN, ROOM
from tests.support.pages import page_house

NAME, MAIL = "Ann & <b>Bob</b>", "ann@example.org"


@pytest.mark.parametrize("name", LEGAL)
async def test_the_page_serves_the_text_in_three_languages(name: str) -> None:
    async with page_house(operator=NAME, contact=MAIL) as house:
        for language in LANGUAGES:
            headers = {"Accept-Language": f"{language},de;q=0.5"}
            async with house.client.get(f"{house.url}/{name}", headers=headers) as answer:
                assert (answer.status, answer.content_type) == (200, "text/html")
                assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
                said = await answer.text()
            async with house.client.get(f"{house.url}/{name}?lang={language}") as answer:
                assert await answer.text() == said
            assert f'<html lang="{language}">' in said
            assert "<b>" not in said
            assert f'<a href="mailto:{MAIL}">{MAIL}</a>' in said
            plain = [html.unescape(re.sub("<[^>]+>", "", each)) for each in re.findall("<p>(.*?)</p>", said)]
            told = LEGAL[name](words_for(language), Operator(NAME, MAIL))
            assert plain[:-1] == list(told.paragraphs)
            for other in {*LANGUAGES} - {language}:
                assert f'href="?lang={other}"' in said


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("https://example.org/?a=1&b", "https://example.org/?a=1&amp;b"),
        ("ask ann@x or bob", None),
        (None, None),
    ],
)
async def test_a_contact_that_is_an_address_can_be_followed(contact: str | None, link: str | None) -> None:
    async with page_house(contact=contact) as house, house.client.get(f"{house.url}/terms") as answer:
        said = await answer.text()
        assert re.findall('<a href="([^?"][^"]*)"', said) == ([link] if link else [])
        assert ("the admins of the chat" in said) == (contact is None)


async def test_the_chat_names_the_operator_and_the_whole_text() -> None:
    async with page_house(operator=NAME, contact=MAIL) as house:
        [said] = await house.server._services.desk.answer(Visitor(ANN, ROOM, player_named), "/privacy")
        assert f"This bot is run by {NAME}." in said.view.lines
        assert f"Contact: {MAIL}" in said.view.lines
        assert said.view.urls == (f"{house.url}/privacy?lang=en",)
        assert said.view.urls[0] in said.view.lines[-1]
