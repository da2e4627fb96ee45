"""Every story with all that anybody sees, in files to read. `python -m tests.stories.golden` writes them anew."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final
from unittest.mock import patch

from bot.chat.presenting import forecast
from bot.features.analysis import commands
from tests.stories.console import Evening
from tests.stories.script import Story, stories

SEEN: Final = Path(__file__).parent / "seen"


def compiled(_game: str) -> dict[int, int]:
    """Return that no level is weaker, in the place of `forecast.weaker_levels`: pages are the same without a compiler."""
    return {}


def page(story: Story, language: str) -> Path:
    """Where what is seen of a story is kept."""
    return SEEN / f"{story.name}.{language}.txt"


async def write() -> None:
    """Write all pages, and remove those of stories that are no more."""
    written = set()
    for story in stories():
        for language in story.languages:
            path = page(story, language)
            path.write_text(await Evening(language).tell(story), encoding="utf-8")
            written.add(path)
    for path in SEEN.glob("*.txt"):
        if path not in written:
            path.unlink()


if __name__ == "__main__":
    commands.EVERY = 3600.0  # type: ignore[misc]  # as in tests: a loaded machine shows no bars
    with patch.object(forecast, "weaker_levels", compiled):
        asyncio.run(write())
