"""The languages the bot speaks: choosing one, and reading what people call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("uk", "ru", "en")
"""Every language with catalogues, by its ISO 639 code."""

FALLBACK: Final = "en"
"""Used where no available language is wished for."""

NAMES: Final[Mapping[str, str]] = {"uk": "українська", "ru": "русский", "en": "English"}
"""What each language calls itself."""

_SPELLINGS: Final[Mapping[str, str]] = {
    # Codes: "ua" is the country, but it is what most people type.
    "uk": "uk ua ukr укр уа ук"
    # The name, in the three languages and the case that "speak ..." wants.
    " українська українською українську"
    " украинский украинская украинском по-украински украинська"
    " ukrainian ukrainska ukrayinska",
    "ru": "ru rus рус ру"
    " російська російською російську рос"
    " русский русская русском по-русски русски русс"
    " russian russkij russkiy russki",
    "en": "en eng gb us англ анг ен"
    " англійська англійською англійську"
    " английский английская английском по-английски"
    " english engl british american inglish",
}
_SPELT: Final = {
    spelling: language for language, spellings in _SPELLINGS.items() for spelling in spellings.split()
} | {"🇺🇦": "uk", "🇬🇧": "en", "🇺🇸": "en"}
_NOISE: Final = re.compile(r"[\s.,!«»\"'’`()]+")
_SUBTAGS: Final = re.compile(r"[-_.@]")


def pick(*wishes: str | None) -> str:
    """Return the first wish that names an available language, else the fallback.

    Args:
        wishes: In the order in which they count (the person's choice, the client's locale, the chat's choice), each a
            code or a locale such as `uk-UA` or `ru_RU.UTF-8`; None for no wish.
    """
    return available(*wishes) or FALLBACK


def available(*wishes: str | None) -> str | None:
    """Return the first wish that names an available language; None if none does."""
    for wish in wishes:
        primary = _SUBTAGS.split(wish, 1)[0].strip().lower() if wish else ""
        if primary in LANGUAGES:
            return primary
    return None


def read_language(text: str) -> str | None:
    """The language that typed text names in any of the three languages, or None if it names none of them."""
    if len(text) > 40:
        return None
    bare = _NOISE.sub("", text.casefold())
    if bare in _SPELT:
        return _SPELT[bare]
    primary = _SUBTAGS.split(bare, 1)[0]
    if primary in LANGUAGES:
        return primary
    # "українська мова", "русский язык", "english language"
    first = _NOISE.split(text.casefold().strip(), 1)[0]
    return _SPELT.get(first)
