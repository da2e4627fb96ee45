"""The evenings of the console, word for word, on Discord: they lead to the same matches, and everybody is told the same."""

from __future__ import annotations

from typing import Any

import pytest

from play.match import Match
from tests.stories.aloud import mute
from tests.stories.discord import DiscordEvening, Recorded
from tests.stories.script import stories

STORIES = {story.name: story for story in stories()}
TOLD = [(name, language) for name, story in STORIES.items() for language in story.languages]
OVER_HTTP = [("late-presses", "en"), ("lobby", "en"), ("files", "en"), ("rated", "uk"), ("refusals", "ru")]


@pytest.mark.parametrize(("name", "language"), TOLD)
async def test_the_same_evening(name: str, language: str) -> None:
    console = Recorded(language)
    steps = await console.play(STORIES[name])
    discord = DiscordEvening(language)
    await discord.tell(steps)
    assert not discord.missing
    assert not mute(discord.labels)
    here, there = discord.home.matches, console.store.matches.stored
    assert len(here) == len(there)
    for code, match in there.items():
        assert _told(here[discord.codes[code]]) == _told(match)


@pytest.mark.parametrize(("name", "language"), OVER_HTTP)
async def test_the_same_transcript_over_http(name: str, language: str) -> None:
    console = Recorded(language)
    steps = await console.play(STORIES[name])
    transcripts = []
    for over_http in (False, True):
        discord = DiscordEvening(language, over_http=over_http)
        await discord.tell(steps)
        transcripts.append(discord.transcript())
        assert bool(discord.discord.gateway.opened) is not over_http
    by_gateway, by_http = transcripts
    assert by_http == by_gateway
    assert len(by_gateway) > 10


def _told(match: Match) -> Any:
    """A match without what is a platform's own."""
    chairs = [chair.player.name if chair.player else None for chair in match.chairs]
    log = [
        (type(entry).__name__, getattr(entry, "text", None), getattr(entry, "seat", None))
        for entry in match.log
    ]
    return match.game, dict(match.options), match.phase, chairs, log, match.result
