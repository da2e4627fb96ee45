"""The languages the bot speaks: choosing one, and reading what people call them.

The message catalogues: found in the folders beside the code, merged into one for each language.

The `.po` files are read at run time, so that the repository holds no compiled copies that could differ from them.
Reading one language costs some 20 ms, once, when it is first spoken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from gettext import c2py
from pathlib import Path
from typing import Final

from babel.messages.catalog import Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po

import engine
import rules

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


ROOT: Final = Path(__file__).parents[3]
"""The folder that holds the packages."""


class Catalogue:
    """The words of one language, by key."""

    def __init__(self, language: str, files: Iterable[Path]) -> None:
        """Read and merge files; where two hold the same key (a fault), the first counts.

        Raises:
            OSError: a file cannot be read.
            babel.messages.pofile.PoFileError: a file is not in the format.
        """
        self.language = language
        self._words: dict[str, str] = {}
        self._forms: dict[str, tuple[str, ...]] = {}
        self._form_of = c2py(get_plural(language).plural_expr)
        for path in files:
            for message in messages(path, language):
                key = key_of(message)
                if key in self:
                    continue
                if message.pluralizable:
                    self._forms[key] = tuple(message.string or ())
                else:
                    self._words[key] = str(message.string)

    def __contains__(self, key: object) -> bool:
        return key in self._words or key in self._forms

    def __iter__(self) -> Iterator[str]:
        yield from self._words
        yield from self._forms

    def counts(self, key: str) -> bool:
        """Whether the words of a key depend on a number."""
        return key in self._forms

    def text(self, key: str) -> str:
        """The template of a key that counts nothing."""
        return self._words.get(key) or key

    def form(self, key: str, n: int) -> str:
        """The template of a counting key, in the form that a number takes."""
        return self._forms[key][self._form_of(abs(n))] or key


def messages(path: Path, language: str) -> Iterator[Message]:
    """The entries of a file, without its header."""
    with path.open("rb") as file:
        for message in read_po(file, locale=language, abort_invalid=True):
            if message.id:
                yield message


def key_of(message: Message) -> str:
    """The key of an entry; a plural entry repeats it."""
    return message.id if isinstance(message.id, str) else message.id[0]


def folders() -> tuple[Path, ...]:
    """Return the folders of catalogues: of the core and each game, of their engines, of the bot and its features."""
    paths = (*map(Path, rules.__path__), *map(Path, engine.__path__), ROOT / "bot")
    return tuple(texts for path in paths for texts in sorted(path.rglob("texts")))


def files(language: str, among: Sequence[Path]) -> tuple[Path, ...]:
    """The files of a language in some folders: `uk.po`, and `match.uk.po` where a folder has several areas."""
    return tuple(
        path
        for folder in among
        for path in sorted((*folder.glob(f"{language}.po"), *folder.glob(f"*.{language}.po")))
    )


@lru_cache
def load(language: str) -> Catalogue:
    """The catalogue of a language, read when it is first wanted."""
    return Catalogue(language, files(language, folders()))
