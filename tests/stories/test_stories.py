from __future__ import annotations

import pytest

from rules import GAMES
from tests.stories.console import Evening
from tests.stories.golden import SEEN, page
from tests.stories.script import read, stories

STORIES = {story.name: story for story in stories()}
TOLD = [(name, language) for name, story in STORIES.items() for language in story.languages]


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
