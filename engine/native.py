"""The switch for native search cores; `engine.build` builds them."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import Final

VARIABLE: Final = "KLOP_ENGINE"
"""The environment variable: `python` switches native cores off, `auto` uses those that are built."""


def wanted() -> bool:
    """Return whether specialists may use their native cores."""
    return os.environ.get(VARIABLE, "auto").strip().lower() != "python"


def load(game: str, version: int = 0) -> ModuleType | None:
    """Return the native core of a game.

    Args:
        game: Its folder in `engine`.
        version: The `VERSION` that the module must have, 0 where it has none.

    Returns:
        None where native cores are switched off, or it is not built, cannot be loaded, or has another version.
    """
    if not wanted():
        return None
    try:
        module = importlib.import_module(f"engine.{game}.native")
    except ImportError:
        return None
    return module if getattr(module, "VERSION", 0) == version else None
