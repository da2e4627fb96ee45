"""All commands and buttons: those of the desk and of each feature. Importing this module also registers their hooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from bot.analysis import commands as analysis
from bot.desk import (
    administration,
    corrections,
    engine_opponents,
    exclusion,
    help_pages,
    invitations,
    match_files,
    match_setup,
    playing,
    rematches,
    rules_pages,
    settings,
    time_control,
    viewing,
    watching,
)
from bot.desk.command_spec import PAGES, HelpTopic
from bot.desk.registry import Registry
from bot.events import commands as events
from bot.events import ladders, leagues
from bot.identity import blocking, linking
from bot.identity import commands as identity
from bot.puzzles import commands as puzzles
from bot.puzzles import generation as _puzzle_generation  # noqa: F401 - registers its hook
from bot.ratings import commands as ratings
from bot.seeking import commands as seeking

_MODULES: Final = (
    match_setup,
    invitations,
    engine_opponents,
    playing,
    time_control,
    rematches,
    events,
    ladders,
    leagues,
    analysis,
    puzzles,
    viewing,
    ratings,
    seeking,
    watching,
    rules_pages,
    settings,
    match_files,
    administration,
    exclusion,
    blocking,
    linking,
    identity,
    help_pages,
    corrections,
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
