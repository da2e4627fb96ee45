from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.i18n import FALLBACK, LANGUAGES, NAMES, pick, read_language


@pytest.mark.parametrize(
    ("wishes", "picked"),
    [
        (("uk",), "uk"),
        ((None, "ru"), "ru"),
        (("", "ru"), "ru"),
        (("de", "uk-UA", "ru"), "uk"),
        (("ru_RU.UTF-8",), "ru"),
        (("EN-gb",), "en"),
        (("zh-Hant-TW", None), "en"),
        (("ukr", "russian"), "en"),
        ((None, None), "en"),
        ((), "en"),
    ],
)
def test_the_first_wish_that_can_be_met(wishes: tuple[str | None, ...], picked: str) -> None:
    assert pick(*wishes) == picked


@given(st.lists(st.none() | st.text()))
def test_something_is_always_picked(wishes: list[str | None]) -> None:
    assert pick(*wishes) in LANGUAGES


@pytest.mark.parametrize(
    ("language", "typed"),
    [
        ("uk", "UK ua укр. ukr ukrainian Українська українською украинская по-украински uk-UA uk_UA 🇺🇦"),
        ("ru", "ru рус. rus russian Русский по-русски русском російська російською ru-RU"),
        ("en", "en eng ENGLISH англ англійська англійською английский по-английски en-US en_GB"),
    ],
)
def test_what_people_call_a_language(language: str, typed: str) -> None:
    for word in typed.split():
        assert read_language(word) == language, word


def test_a_language_with_words_around_it() -> None:
    around = ("українська мова", "Русский язык", "English, please", "  «English» ", "(укр)")
    assert [*map(read_language, around)] == ["uk", "ru", "en", "en", "uk"]
    for text in ("", " ", "...", "deutsch", "de", "француз", "мова", "u", "1", "uk" * 30, "not english"):
        assert read_language(text) is None


@given(st.text())
def test_anything_can_be_read(text: str) -> None:
    assert read_language(text) in (*LANGUAGES, None)


def test_every_language_reads_its_own_name_and_code() -> None:
    assert FALLBACK in LANGUAGES
    assert tuple(NAMES) == LANGUAGES
    for language, name in NAMES.items():
        assert read_language(name) == language
        assert read_language(language) == language
