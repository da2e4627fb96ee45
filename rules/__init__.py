"""The games as pure values: no input or output, no time, no chance, no language."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from rules.core.game import AnyGame


def _discover() -> Mapping[str, AnyGame]:
    games = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        game = getattr(importlib.import_module(f"{__name__}.{module.name}"), "GAME", None)
        if game is not None:
            games[game.key] = game
    return MappingProxyType(games)


GAMES: Mapping[str, AnyGame] = _discover()  # every game there is, by key
