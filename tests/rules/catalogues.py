"""The words of the rules, read from the catalogue files beside them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from pathlib import Path
from string import Formatter
from types import ModuleType

from babel.messages.catalog import Message
from babel.messages.pofile import read_po

import rules.core
from rules.core import AnyGame, Ending, Reason, RulesError

LANGUAGES = ("en", "uk", "ru")
QUOTED = 60
"""The longest text a refusal carries: an answer stays one short sentence for any input."""


def package(game: AnyGame) -> ModuleType:
    return importlib.import_module(type(game.notation).__module__.rpartition(".")[0])


@cache
def entries(home: ModuleType, language: str) -> dict[str, Message]:
    assert home.__file__
    found = {}
    with (Path(home.__file__).parent / "texts" / f"{language}.po").open("rb") as file:
        read = read_po(file, abort_invalid=True)
    for entry in read:
        key = entry.id if isinstance(entry.id, str) else entry.id[0]
        if key:
            found[key] = entry
    return found


def forms(entry: Message) -> list[str]:
    return [entry.string] if isinstance(entry.string, str) else list(entry.string or ())


def placeholders(text: str) -> set[str]:
    """The names that a text uses; ValueError if it is no format string."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@cache
def words(home: ModuleType, key: str) -> dict[str, set[str]]:
    """The placeholders of a key in each language that has it, in a game's folder or the core's."""
    found = {}
    for language in LANGUAGES:
        entry = entries(home, language).get(key) or entries(rules.core, language).get(key)
        if entry is not None and all(forms(entry)):
            found[language] = set().union(*map(placeholders, forms(entry)))
    return found


def assert_said(game: AnyGame, key: str, fields: set[str]) -> None:
    """A key has words in every language, and they name nothing that is not there."""
    found = words(package(game), key)
    assert set(found) == set(LANGUAGES), f"{key} has words in {sorted(found)} only"
    for language, names in found.items():
        assert names <= fields, f"{key} ({language}) names {sorted(names - fields)}, given {sorted(fields)}"


def assert_refusal(game: AnyGame, error: RulesError) -> None:
    """A refusal names its rule by an enum, and there are words for it that its fields can fill."""
    assert isinstance(error.reason, Reason), f"{error!r} has no reason"
    assert_said(game, error.reason.value, set(error.fields))
    for name, value in error.fields.items():
        assert not isinstance(value, str) or len(value) <= QUOTED, (
            f"{name} repeats too much of what was typed"
        )


def enums(home: ModuleType, base: type[Reason]) -> list[type[Reason]]:
    found = {}
    names = [module.name for module in pkgutil.walk_packages(home.__path__, f"{home.__name__}.")]
    for module in [home, *map(importlib.import_module, names)]:
        for _, item in inspect.getmembers(module, inspect.isclass):
            if issubclass(item, base) and item not in (Reason, Ending) and item.__module__ == module.__name__:
                found[item.__qualname__] = item
    return list(found.values())
