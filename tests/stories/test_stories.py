"""The evenings in every room and language, on each platform, and by text alone."""

from __future__ import annotations

from typing import Any

import pytest

from bot.chat.presenting import forecast
from play.match import Match
from rules import GAMES
from tests.stories.aloud import Reading, mute, told_all
from tests.stories.console import Evening
from tests.stories.discord import DiscordEvening, Recorded
from tests.stories.golden import SEEN, compiled, page
from tests.stories.script import EVENINGS, Story, read, stories
from tests.stories.telegram import evening

STORIES = {story.name: story for story in stories()}
TOLD = [(name, language) for name, story in STORIES.items() for language in story.languages]


@pytest.fixture(autouse=True)
def with_all_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages say nothing of what a machine lacks."""
    monkeypatch.setattr(forecast, "weaker_levels", compiled)


@pytest.mark.parametrize(("name", "language"), TOLD)
async def test_everybody_sees_what_the_page_shows(name: str, language: str) -> None:
    story = STORIES[name]
    assert await Evening(language).tell(story) == page(story, language).read_text("utf-8")


def test_there_are_no_other_pages() -> None:
    assert {path.name for path in SEEN.iterdir()} == {
        page(STORIES[name], language).name for name, language in TOLD
    }


@pytest.mark.parametrize(("name", "language"), TOLD)
def test_no_key_is_left_without_words(name: str, language: str) -> None:
    shown = page(STORIES[name], language).read_text("utf-8")
    starts = ("bot.", "match.", "core.", *(f"{key}." for key in GAMES))
    shown = shown.replace("match.closing.resigned", "")  # how a match file spells it
    assert not [word for word in shown.split() if word.strip('".,:;').startswith(starts)]
    assert "{" not in shown.replace("{file}", "").replace("{2026-", "")


def test_a_line_that_says_nothing_is_no_story() -> None:
    with pytest.raises(ValueError, match="who says"):
        read("bad", "who says this")


def test_a_story_says_in_which_languages_it_is_told() -> None:
    assert read("one", "ann: /help\n").languages == ("en",)
    assert read("two", "languages: uk ru\nann: /help\n").languages == ("uk", "ru")


# The evenings of the console, word for word, on Discord and on Telegram: they lead to the same matches, and
# everybody is told the same.


OVER_HTTP = [("late-presses", "en"), ("files", "en"), ("refusals", "en")]


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


TELEGRAM_TOLD = [
    pytest.param(name, language, marks=[pytest.mark.slow] if language != "en" else [])
    for name, language in TOLD
]


@pytest.mark.parametrize(("name", "language"), TELEGRAM_TOLD)
async def test_the_same_happens_on_telegram(name: str, language: str) -> None:
    async with evening(language) as told:
        await told.tell(STORIES[name])
        assert not mute(told.labels)


# One evening a game on each platform by text alone: what the picture shows is told, and each button says
# what it does.


ALOUD_GAMES = {
    "lgame": "/challenge bob lgame",
    "breakthrough": "/challenge bob breakthrough",
    "klopodavka-two": "/new klopodavka",
}
"""By the name of its evening: how a match is proposed. It gets a clock here, so that the time left has to be told."""


def timed(name: str) -> Story:
    text = (EVENINGS / f"{name}.story").read_text("utf-8")
    assert ALOUD_GAMES[name] in text
    return read(name, text.replace(ALOUD_GAMES[name], f"{ALOUD_GAMES[name]} clock:3d", 1))


@pytest.mark.parametrize("name", ALOUD_GAMES)
async def test_on_telegram(name: str) -> None:
    plies: list[int] = []
    async with evening("en", pictures=True) as told:
        await told.tell(timed(name), lambda: heard(told, plies))
        assert any("photo" in message for message in told.shown("parlour"))
    assert max(plies) >= 3


@pytest.mark.parametrize("name", ALOUD_GAMES)
async def test_on_discord(name: str) -> None:
    plies: list[int] = []
    told = DiscordEvening("en")
    await told.tell(await Recorded("en").play(timed(name)), lambda: heard(told, plies))
    assert max(plies) >= 3


async def heard(told: Reading, plies: list[int]) -> None:
    plies.append(await told_all(told))
