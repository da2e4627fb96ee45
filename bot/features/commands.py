"""All commands and buttons, found in the features: a feature joins by being a folder here whose modules have a `registry`.

Importing this module imports all of theirs, which also registers their hooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages
from typing import Final

from bot import features
from bot.chat.arguments import PAGES, HelpTopic
from bot.chat.registry import Registry

_CORE: Final = ("bot.chat.error_handling",)


def _registries() -> Iterator[Registry]:
    found = {each.name for each in walk_packages(features.__path__, f"{features.__name__}.")} - {__name__}
    # Hooks are called in the order of import: in a profile puzzles stand above events. Those on facts are not: matches are
    # counted before their players seek again.
    modules = [import_module(name) for name in (*_CORE, *sorted(found, reverse=True))]
    for module in reversed(modules):
        if isinstance(registry := getattr(module, "registry", None), Registry):
            yield registry


REGISTRY: Final = Registry(sorted(_registries(), key=lambda each: each.place))
"""All commands, buttons and hooks."""


def catalogue_keys() -> Mapping[str, Iterable[str]]:
    """Return the catalogue keys that commands and help pages need, by what they begin with, for the catalogue check."""
    specs = REGISTRY.specs.values()
    pages = (f"{part}.{page}" for page in PAGES for part in ("page", "label"))
    panels = [REGISTRY.specs[name] for name in ("settings", "config")]
    topics = (f"topic.{topic}" for topic in HelpTopic)
    return {
        "bot.panel.": [f"bot.panel.{each.name}" for spec in panels for each in spec.arguments if each.named],
        "bot.slash.": [key for spec in specs for key in spec.keys],
        "bot.help.": [f"bot.help.{page}" for page in (*(spec.name for spec in specs), *pages, *topics)],
    }
