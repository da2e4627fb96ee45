"""All commands and buttons there are."""

from __future__ import annotations

from typing import Final

from bot.analysis import commands as analysis
from bot.desk import (
    governing,
    helping,
    hours,
    invitations,
    opponents,
    ordering,
    playing,
    reading,
    showing,
)
from bot.desk.registry import Registry
from bot.identity import commands as identity
from bot.puzzles import commands as puzzles
from bot.ratings import commands as ratings

_MODULES: Final = (
    ordering,
    invitations,
    opponents,
    playing,
    hours,
    analysis,
    puzzles,
    showing,
    ratings,
    reading,
    governing,
    identity,
    helping,
)
_ORDER: Final = (
    "challenge new accept decline withdraw join leave start seat move undo takeback draw resign claim pause resume plan "
    "substitute rematch hint analyse puzzle board replay games rating watch rules vacation settings language export import "
    "config end link unlink privacy forgetme help"
)

REGISTRY: Final = Registry(module.registry for module in _MODULES)
"""The commands, in the order of the help card."""

REGISTRY.arrange(_ORDER.split())
