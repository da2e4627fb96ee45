"""All commands and buttons: those of the desk and of each feature. Importing this module also registers their hooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from bot.analysis import commands as analysis
from bot.desk import (
    administration,
    engine_opponents,
    help_pages,
    invitations,
    match_setup,
    playing,
    reading,
    time_control,
    viewing,
)
from bot.desk.registry import Registry
from bot.identity import commands as identity
from bot.puzzles import commands as puzzles
from bot.puzzles import hooks as _puzzle_hooks  # noqa: F401 - registers them
from bot.ratings import commands as ratings

_MODULES: Final = (
    match_setup,
    invitations,
    engine_opponents,
    playing,
    time_control,
    analysis,
    puzzles,
    viewing,
    ratings,
    reading,
    administration,
    identity,
    help_pages,
)
_ORDER: Final = (
    "challenge new accept decline withdraw join leave start seat move undo takeback draw resign claim pause resume plan "
    "substitute rematch hint analyse puzzle board replay games rating watch rules vacation settings language export import "
    "config end link unlink privacy forgetme help"
)

REGISTRY: Final = Registry(module.registry for module in _MODULES)
"""The commands, in the order of the help card."""

REGISTRY.arrange(_ORDER.split())


def catalogue_keys() -> Mapping[str, Iterable[str]]:
    """Return the catalogue keys that commands and help pages need, by what they begin with, for the catalogue check."""
    specs = REGISTRY.specs.values()
    pages = (*(spec.name for spec in specs), *(f"page.{topic}" for topic in help_pages.TOPICS))
    return {
        "bot.slash.": [key for spec in specs for key in spec.keys],
        "bot.help.": [f"bot.help.{page}" for page in pages],
    }
