"""What the checks pass between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.i18n.catalogues import ROOT


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a catalogue.

    Attributes:
        where: The file to mend, or the module that asks.
        key: The entry, or nothing where it is about the whole file.
        what: What is wrong.
        fatal: Whether the file could not be read.
    """

    where: Path | str
    key: str
    what: str
    fatal: bool = False

    def __str__(self) -> str:
        where = self.where
        if isinstance(where, Path) and where.is_relative_to(ROOT):
            where = where.relative_to(ROOT)
        return ": ".join(filter(None, (str(where), self.key, self.what)))


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """The words of a key in one language: one template, or one for each plural form."""

    path: Path
    key: str
    forms: tuple[str, ...]
    plural: bool
