"""All commands and buttons: those of the desk and of each feature. Importing this module also registers their hooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from bot.chat import engine_opponents, error_handling
from bot.chat.arguments import PAGES, HelpTopic
from bot.chat.registry import Registry
from bot.features import help_pages
from bot.features.analysis import commands as analysis
from bot.features.events import commands as events
from bot.features.events import ladders, leagues
from bot.features.matches import invitations, match_files, match_setup, playing, time_control, viewing
from bot.features.people import administration, blocking, linking, settings
from bot.features.people import privacy as identity
from bot.features.puzzles import commands as puzzles
from bot.features.ratings import commands as ratings
from bot.features.seeking import commands as seeking

_MODULES: Final = (
    match_setup,
    invitations,
    engine_opponents,
    playing,
    time_control,
    events,
    ladders,
    leagues,
    analysis,
    puzzles,
    viewing,
    ratings,
    seeking,
    help_pages,
    settings,
    match_files,
    administration,
    blocking,
    linking,
    identity,
    error_handling,
)
"""Modules of handlers, in the order of their commands on the help pages."""

REGISTRY: Final = Registry(module.registry for module in _MODULES)
"""All commands and buttons."""


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
