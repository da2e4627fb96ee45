from __future__ import annotations

import pytest

from tests.stories.aloud import mute
from tests.stories.script import stories
from tests.stories.telegram import evening

STORIES = {story.name: story for story in stories()}
TOLD = [
    pytest.param(name, language, marks=[pytest.mark.slow] if language != "en" else [])
    for name, story in STORIES.items()
    for language in story.languages
]


@pytest.mark.parametrize(("name", "language"), TOLD)
async def test_the_same_happens_on_telegram(name: str, language: str) -> None:
    async with evening(language) as told:
        await told.tell(STORIES[name])
        assert not mute(told.labels)
