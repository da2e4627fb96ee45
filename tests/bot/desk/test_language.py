"""Whose language is changed, and what is said of the place's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.i18n import LANGUAGES, words
from tests.bot.world import ANN, BOB, World


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_place_is_mentioned_only_where_it_speaks_another(language: str) -> None:
    other = next(each for each in LANGUAGES if each != language)
    world = World(language)
    assert (await world.say(ANN, f"/language {language}"))[0].view.lines == (
        words(language)("bot.language.yours-too"),
    )
    assert (await world.say(ANN, f"/language {other}"))[0].view.lines == (words(other)("bot.language.yours"),)
    await world.desk.answer(replace(world.visitor(BOB), admin=True), f"/language {other} here")
    assert (await world.say(ANN, f"/language {other}"))[0].view.lines == (
        words(other)("bot.language.yours-too"),
    )
