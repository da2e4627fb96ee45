"""The switch for native search cores; `engine.build` builds them."""

from __future__ import annotations

import importlib
import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Final

VARIABLE: Final = "KLOP_ENGINE"
"""The environment variable: `python` switches native cores off, `auto` uses those that are built."""


def wanted() -> bool:
    """Return whether specialists may use their native cores."""
    return os.environ.get(VARIABLE, "auto").strip().lower() != "python"


def is_built(game: str) -> bool:
    """Return whether a game has a native core by now."""
    return Path(__file__).with_name(game).joinpath(f"native{EXTENSION_SUFFIXES[0]}").is_file()


def load(game: str, version: int = 0) -> ModuleType | None:
    """Return a game's native core; None if it is switched off, not built, broken, or not of this `VERSION`."""
    if not wanted():
        return None
    importlib.invalidate_caches()  # it may have been built since the last look
    try:
        module = importlib.import_module(f"engine.{game}.native")
    except ImportError:
        return None
    return module if getattr(module, "VERSION", 0) == version else None
