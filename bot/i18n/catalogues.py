"""The message catalogues: found in the folders beside the code, merged into one for each language.

The `.po` files are read at run time, so that the repository holds no compiled copies that could differ from them.
Reading one language costs some 20 ms, once, when it is first spoken.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
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
        merged = Catalog(locale=language)
        singular: set[str] = set()
        plural: set[str] = set()
        for path in files:
            for message in messages(path, language):
                key = key_of(message)
                if key not in singular and key not in plural:
                    (plural if message.pluralizable else singular).add(key)
                    merged[message.id] = message
        self._singular = frozenset(singular)
        self._plural = frozenset(plural)
        compiled = io.BytesIO()
        write_mo(compiled, merged)
        compiled.seek(0)
        self._translations = gettext.GNUTranslations(compiled)

    def __contains__(self, key: object) -> bool:
        return key in self._singular or key in self._plural

    def __iter__(self) -> Iterator[str]:
        yield from self._singular
        yield from self._plural

    def counts(self, key: str) -> bool:
        """Whether the words of a key depend on a number."""
        return key in self._plural

    def text(self, key: str) -> str:
        """The template of a key that counts nothing."""
        return self._translations.gettext(key)

    def form(self, key: str, n: int) -> str:
        """The template of a counting key, in the form that a number takes."""
        return self._translations.ngettext(key, key, abs(n))


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
