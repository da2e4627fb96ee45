"""`/help`: topics in one message of the private chat."""

from __future__ import annotations

import re

import pytest

from bot.chat.arguments import HelpTopic
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.features.commands import REGISTRY
from tests.platforms.telegram.harness import TelegramHarness, keys, telegram_bot, words


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_press_turns_the_page_in_the_same_message(language: str) -> None:
    async with telegram_bot(language=language) as f:
        ann = f.api.human("Ann", language=None)
        await f.say(ann, None, "/help")
        (message,) = f.api.shown(ann)
        for topic in HelpTopic:
            title = words_for(language)(f"bot.help.topic.{topic}")
            if topic is not HelpTopic.BASICS:
                assert await f.press(ann, message, title) is None
            (message,) = f.api.shown(ann)
            assert words(message).splitlines()[0] == title
            assert f"• {title}" in [key["text"] for key in keys(message)]
            # A client makes these names taps; no other spelling is one.
            listed = set(re.findall(r"(?:^|· )(/[a-z]+) —", words(message), re.MULTILINE))
            assert listed == {f"/{spec.name}" for spec in REGISTRY.specs.values() if spec.topic is topic}
        clocks = words_for(language)("bot.help.label.clock")
        await f.press(ann, message, words_for(language)(f"bot.help.topic.{HelpTopic.MATCH}"))
        await f.press(ann, f.api.last(ann), clocks)
        (message,) = f.api.shown(ann)
        assert "clock:" in words(message)


async def test_the_help_of_a_group_s_member_is_theirs_alone(f: TelegramHarness) -> None:
    ann, _bob, hall = f.three()
    await f.say(ann, None, "/games")
    shown, private = len(f.api.shown(hall)), len(f.api.shown(ann))
    await f.say(ann, hall, "/help")
    assert await f.press(ann, f.api.last(ann), "Settings & privacy") is None
    assert "/privacy" in words(f.api.last(ann))
    assert len(f.api.shown(hall)) == shown
    assert len(f.api.shown(ann)) == private + 1
