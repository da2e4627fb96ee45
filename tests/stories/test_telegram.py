from __future__ import annotations

import pytest

from tests.stories.script import stories
from tests.stories.telegram import evening

STORIES = {story.name: story for story in stories()}


@pytest.mark.parametrize("name", STORIES)
async def test_the_same_happens_on_telegram(name: str) -> None:
    async with evening(STORIES[name].languages[0]) as told:
        await told.tell(STORIES[name])


@pytest.mark.slow
@pytest.mark.parametrize("language", ["uk", "ru"])
@pytest.mark.parametrize("name", STORIES)
async def test_in_every_language(name: str, language: str) -> None:
    if language in STORIES[name].languages:
        async with evening(language) as told:
            await told.tell(STORIES[name])
