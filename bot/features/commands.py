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

_ORDER: Final = [
    "challenge", "new", "accept", "decline", "withdraw", "join", "leave", "start", "seat", "move", "undo",
    "takeback", "draw", "resign", "claim", "pause", "resume", "plan", "substitute", "tell", "rematch",
    "cup", "ladder", "league", "hint", "coach", "analyse", "story", "daily", "puzzle", "board", "replay", "games", "watch",
    "profile", "top", "seek", "vote", "learn", "rules", "help", "vacation", "settings", "language", "export",
    "import", "config", "end", "exclude", "admit", "block", "unblock", "mute", "link", "unlink", "privacy",
    "forgetme",
]  # fmt: skip
"""The commands as menus and help pages list them; those of other features stand last.

Hooks on facts are called in this order, too, those of modules without commands last: matches are counted before events and seeks
go on with them.
"""


def _registries() -> Iterator[Registry]:
    found = {each.name for each in walk_packages(features.__path__, f"{features.__name__}.")} - {__name__}
    # A `Hook` calls its functions in the order of import: in a profile puzzles stand above events.
    for name in (*_CORE, *sorted(found, reverse=True)):
        if isinstance(registry := getattr(import_module(name), "registry", None), Registry):
            yield registry


REGISTRY: Final = Registry([*_registries()], _ORDER)
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
