from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.i18n.catalogue import LANGUAGES, Catalogue, MissingWords, Words, pick, read_language, words
from rules.core import Seat, sq
from tests.bot.chat.i18n.test_check import plural, po, singular

MOVES = {
    "en": ("{count} move", "{count} moves"),
    "uk": ("{count} хід", "{count} ходи", "{count} ходів"),
    "ru": ("{count} ход", "{count} хода", "{count} ходов"),
}


def speaking(tmp_path: Path, language: str, *entries: str, strict: bool = True) -> Words:
    path = tmp_path / f"{language}.po"
    path.write_text(po(language, *entries), "utf-8")
    return Words(Catalogue(language, [path]), strict=strict)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "0 moves|1 move|2 moves|5 moves|11 moves|21 moves|22 moves|25 moves|101 moves|111 moves|1001 moves"),
        ("uk", "0 ходів|1 хід|2 ходи|5 ходів|11 ходів|21 хід|22 ходи|25 ходів|101 хід|111 ходів|1001 хід"),
        ("ru", "0 ходов|1 ход|2 хода|5 ходов|11 ходов|21 ход|22 хода|25 ходов|101 ход|111 ходов|1001 ход"),
    ],
)  # fmt: skip
def test_plurals(tmp_path: Path, language: str, said: str) -> None:
    speak = speaking(tmp_path, language, plural("bot.moves", *MOVES[language]))
    numbers = (0, 1, 2, 5, 11, 21, 22, 25, 101, 111, 1001)
    assert "|".join(speak.count("bot.moves", n) for n in numbers) == said


def test_what_counts_takes_its_form_from_count_or_the_only_number(tmp_path: Path) -> None:
    forms = ("{name}: {limit} хід", "{name}: {limit} ходи", "{name}: {limit} ходів")
    speak = speaking(tmp_path, "uk", plural("bot.limit", *forms), plural("bot.moves", *MOVES["uk"]))
    assert speak("bot.limit", name="Аня", limit=22) == "Аня: 22 ходи"
    assert speak("bot.moves", other=1, count=5) == "5 ходів"
    with pytest.raises(MissingWords, match=r"nothing to count for bot\.limit"):
        speak("bot.limit", name=1, limit=22)
    with pytest.raises(MissingWords):
        speak("bot.limit", name=Seat.S1, limit="22")


def test_values_are_shown_as_people_write_them(tmp_path: Path) -> None:
    speak = speaking(
        tmp_path, "uk", singular("bot.say", "<{value}>"), singular("core.seat", "гравець {number}")
    )
    assert speak("bot.say", value=sq("c3")) == "<c3>"
    assert speak("bot.say", value=(sq("c3"), sq("a10"))) == "<c3, a10>"
    assert speak("bot.say", value=("one", "two")) == "<one, two>"
    assert speak("bot.say", value=()) == "<—>"
    assert speak("bot.say", value=Seat.S2) == "<гравець 2>"
    assert speak("bot.say", value=(Seat.S1, Seat.S10)) == "<гравець 1, гравець 10>"
    assert speak("bot.say", value="Аня") == "<Аня>"
    assert speak("bot.say", value=1000000) == "<1000000>"


@given(st.text())
def test_a_value_is_never_a_template(value: str) -> None:
    said = words("en", strict=True)("core.spelling.not-a-move", text=value)
    assert said == words("en")("core.spelling.not-a-move", text="@@").replace("@@", value)


def test_a_reader_gets_english_then_the_key_and_the_log_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    speak = speaking(tmp_path, "uk", singular("bot.hello", "Привіт, {name}"), strict=False)
    with caplog.at_level(logging.WARNING):
        assert speak("core.seat", number=3) == "player 3"
        assert speak("core.seat", number=4) == "player 4"
        assert speak("core.illegal.several-fit", text="c3", count=2).startswith("“c3” fits 2 moves.")
        assert speak("bot.no.such", x=1) == "bot.no.such"
        assert speak("bot.hello") == "Привіт, {name}"
    assert [record.getMessage() for record in caplog.records] == [
        "no words in uk for core.seat",
        "no words in uk for core.illegal.several-fit",
        "no words in uk for bot.no.such",
        "in uk, a value is missing for bot.hello",
    ]


@pytest.mark.parametrize(
    ("language", "both"), [("en", "a, b, and c"), ("uk", "a, b і c"), ("ru", "a, b и c")]
)
def test_lists(language: str, both: str) -> None:
    speak = words(language)
    assert speak.list(["a", "b", "c"]) == both
    assert speak.list(iter("abc")) == both
    assert speak.list(["{0}"]) == "{0}"
    assert speak.list([]) == ""


@pytest.mark.parametrize(
    ("left", "en", "uk", "ru", "short"),
    [
        (timedelta(days=2, hours=5, minutes=59), "2 days 5 hours", "2 дні 5 годин", "2 дня 5 часов", "2 дн. 5 год"),
        (timedelta(days=1, minutes=59), "1 day", "1 день", "1 день", "1 дн."),
        (timedelta(hours=21, minutes=1), "21 hours 1 minute", "21 година 1 хвилина", "21 час 1 минута", "21 год 1 хв"),
        (timedelta(minutes=5, seconds=59), "5 minutes", "5 хвилин", "5 минут", "5 хв"),
        (timedelta(seconds=22), "22 seconds", "22 секунди", "22 секунды", "22 с"),
        (timedelta(seconds=-1), "0 seconds", "0 секунд", "0 секунд", "0 с"),
    ],
)  # fmt: skip
def test_time_left(left: timedelta, en: str, uk: str, ru: str, short: str) -> None:
    assert [words(language).time_left(left) for language in ("en", "uk", "ru")] == [en, uk, ru]
    assert words("uk").time_left(left, short=True).replace("\N{NO-BREAK SPACE}", " ") == short


def test_only_languages_there_are() -> None:
    with pytest.raises(ValueError, match="'de'"):
        words("de")
    assert words("uk") is words("uk")
    assert words("uk") is not words("uk", strict=True)
    assert repr(words("uk")) == "Words('uk')"


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
