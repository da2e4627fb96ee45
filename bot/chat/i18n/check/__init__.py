"""The check of the catalogues: what a reader would stumble over, and what the code asks for in vain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bot.chat.i18n.catalogue import LANGUAGES, files
from bot.chat.i18n.check.needs import Needs, check_keys
from bot.chat.i18n.check.texts import CatalogueEntry, Problem, check_file, check_text, compare, read, repeated

__all__ = ["CatalogueEntry", "Needs", "Problem", "problems"]


def problems(folders: Sequence[Path], needs: Needs) -> Iterator[Problem]:
    """Everything that is wrong with the `.po` files in some folders, which have to hold what the program needs."""
    spoken: dict[str, dict[str, CatalogueEntry]] = {}
    for language in LANGUAGES:
        spoken[language] = {}
        for path in files(language, folders):
            faults = list(check_file(path, language))
            yield from faults
            if any(fault.fatal for fault in faults):
                continue
            for entry in read(path, language):
                other = spoken[language].setdefault(entry.key, entry)
                if other.path != path:
                    yield Problem(path, entry.key, f"also in {other.path.name}")
                yield from check_text(entry, language)
    yield from _strangers(folders)
    yield from compare(spoken)
    yield from repeated(spoken)
    yield from check_keys(spoken, needs)


def _strangers(folders: Iterable[Path]) -> Iterator[Problem]:
    for folder in folders:
        known = {path for language in LANGUAGES for path in files(language, [folder])}
        for path in sorted(folder.iterdir()):
            if path not in known and not path.name.startswith("."):
                yield Problem(path, "", "no catalogue of a language there is")
