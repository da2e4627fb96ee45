"""The switch for native search cores; `engine.build` builds them."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Final

ENGINE: Final = Path(__file__).parent

VARIABLE: Final = "KLOP_ENGINE"
"""The environment variable: `python` switches native cores off, `auto` uses those that are built."""


def wanted() -> bool:
    """Return whether specialists may use their native cores."""
    return os.environ.get(VARIABLE, "auto").strip().lower() != "python"


def is_built(game: str) -> bool:
    """Return whether a game has a native core by now."""
    return (ENGINE / game / f"native{EXTENSION_SUFFIXES[0]}").is_file()


def building(engine: Path = ENGINE) -> bool:
    """Return whether a process builds native cores; `engine.build` keeps a file locked meanwhile."""
    lock = engine / ".native-lock"
    if sys.platform == "win32" or not lock.exists():
        return False
    import fcntl  # noqa: PLC0415 - not on Windows

    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


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
