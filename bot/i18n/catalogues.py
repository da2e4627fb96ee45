"""The message catalogues: found in the folders beside the code, merged into one for each language.

The `.po` files are read at run time, so that the repository holds no compiled copies that could differ from them.
Reading one language costs some 20 ms, once, when it is first spoken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from gettext import c2py
from pathlib import Path
from typing import Final

from babel.messages.catalog import Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po

import engine
import rules

ROOT: Final = Path(__file__).parents[2]
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
    return (*(texts for path in paths for texts in sorted(path.glob("*/texts"))), ROOT / "bot" / "texts")


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
