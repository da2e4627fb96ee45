"""All that a game can say has words in every language, and the languages agree about what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import rules.core
from rules import GAMES
from rules.core import AnyGame, Ending, OneOf, Reason
from tests.rules.catalogues import (
    LANGUAGES,
    PLURALS,
    catalogue,
    entries,
    enums,
    forms,
    package,
    placeholders,
)

HOMES = {"core": rules.core, **{key: package(game) for key, game in GAMES.items()}}
STRANGERS = {"en": "а-яіїєґ", "uk": "ыэёъ", "ru": "іїєґ"}
"""Letters that a language does not have: the sign of a text in another one."""

game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
home = pytest.mark.parametrize("home", HOMES)
language = pytest.mark.parametrize("language", LANGUAGES)


def needed(game: AnyGame) -> Iterator[str]:
    """The keys that every game has words for."""
    key = game.key
    yield from (f"{key}.{word}" for word in ("name", "aliases", "summary"))
    yield from (f"{key}.preset.{name}" for name in game.schema.presets)
    for option in game.schema.options:
        yield f"{key}.option.{option.key}"
        if isinstance(option, OneOf):
            for word in option.offered:
                yield f"{key}.value.{option.key}.{word}"
    for enum in enums(package(game), Reason):
        yield from (member.value for member in enum)


@game
@language
def test_a_game_has_words_for_all_it_can_say(game: AnyGame, language: str) -> None:
    worded = set(entries(package(game), language))
    card = [f"{game.key}.rules.{topic}" for topic in game.topics] or [f"{game.key}.rules"]
    assert all(any(key == part or key.startswith(f"{part}.") for key in worded) for part in card)
    missing = set(needed(game)) - worded
    assert not missing, sorted(missing)
    for option in game.schema.options:
        for word in option.offered if isinstance(option, OneOf) else ():
            changed = f"{option.key}.{word}"
            parts = ("", *(f"{topic}." for topic in game.topics))
            assert word == option.default or any(
                f"{game.key}.rules.{part}{changed}" in worded for part in parts
            )


@language
def test_the_core_has_words_for_its_refusals(language: str) -> None:
    keys = {member.value for enum in enums(rules.core, Reason) for member in enum}
    assert keys <= set(entries(rules.core, language)), sorted(keys)


@game
def test_reasons_are_keys_of_their_game(game: AnyGame) -> None:
    values = [member.value for enum in enums(package(game), Reason) for member in enum]
    assert len(set(values)) == len(values)
    assert all(value.startswith(f"{game.key}.") for value in values), values


@game
def test_a_game_names_its_endings(game: AnyGame) -> None:
    endings = [member for enum in enums(package(game), Ending) for member in enum]
    assert endings
    for language in LANGUAGES:
        for ending in endings:
            (text,) = forms(entries(package(game), language)[ending.value])
            assert not placeholders(text), "an ending names no player: who won is said beside it"


@home
def test_languages_have_the_same_keys(home: str) -> None:
    keys = {language: set(entries(HOMES[home], language)) for language in LANGUAGES}
    for language in LANGUAGES:
        assert keys[language] == keys["en"], sorted(keys[language] ^ keys["en"])


@home
@language
def test_no_text_is_empty_or_unsure(home: str, language: str) -> None:
    found = catalogue(HOMES[home], language)
    assert str(found.locale) == language
    assert found.num_plurals == PLURALS[language]
    assert not found.obsolete
    for key, entry in entries(HOMES[home], language).items():
        assert not entry.fuzzy, key
        texts = forms(entry)
        assert len(texts) == (1 if isinstance(entry.id, str) else PLURALS[language]), key
        assert all(text.strip() for text in texts), key


@home
@language
def test_languages_name_the_same_values(home: str, language: str) -> None:
    for key, entry in entries(HOMES[home], language).items():
        english = set().union(*map(placeholders, forms(entries(HOMES[home], "en")[key])))
        # One form of a plural may speak of "the last one" and name no number; all forms together name everything.
        assert set().union(*map(placeholders, forms(entry))) == english, key
        assert all(re.fullmatch("[a-z_]+", name) for name in english), key


@home
@language
def test_texts_are_in_their_language(home: str, language: str) -> None:
    stranger = re.compile(f"[{STRANGERS[language]}]", re.IGNORECASE)
    for key, entry in entries(HOMES[home], language).items():
        if key.endswith(".aliases"):
            continue  # people type a game's name in any language
        for text in forms(entry):
            assert not stranger.search(text), f"{key}: {text}"


@game
def test_aliases_are_lower_case_words_of_one_game(game: AnyGame) -> None:
    for language in LANGUAGES:
        mine = _aliases(game, language)
        assert mine == [word.lower() for word in mine]
        assert all(mine)
        for other in GAMES.values():
            if other is not game:
                assert not set(mine) & set(_aliases(other, language))


def _aliases(game: AnyGame, language: str) -> list[str]:
    (text,) = forms(entries(package(game), language)[f"{game.key}.aliases"])
    return [word.strip() for word in text.split(",")]
