"""The units of this installation for systemd: those in `deploy/` with the path of its own program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from bot.version import ROOT

UNITS: Final = ("klop.service", "klop-backup.service", "klop-backup.timer")
"""The bot, and its nightly backup."""

_PLACES: Final = (ROOT / "deploy", ROOT / "bot", ROOT)
"""Where the files are: in a checkout, and in a wheel."""

_PROGRAM: Final = "/usr/bin/klop"
_DATA: Final = "Environment=KLOP_DATA=%S/klop"
_HIDDEN: Final = tuple(map(Path, ("/home", "/root", "/run/user")))
"""What `ProtectHome` hides from a unit."""


def packaged(name: str) -> str:
    """Return the text of a file that comes with the program."""
    return next(path for folder in _PLACES if (path := folder / name).exists()).read_text("utf-8").rstrip()


def unit(name: str = UNITS[0]) -> str:
    """Return the text of a unit."""
    text = packaged(name)
    script = Path(sys.argv[0]).absolute()
    if script.name == "klop":
        return text.replace(_PROGRAM, _quoted(script))
    # The modules of a checkout are found where it is, not in the unit's working directory.
    modules = _quoted(f"PYTHONPATH={ROOT}")
    return text.replace(_PROGRAM, f"{_quoted(sys.executable)} -m bot").replace(_DATA, f"{_DATA} {modules}")


def _quoted(word: object) -> str:
    """Return one word of a unit's line: `%` is a specifier there, and a space ends a word (systemd.syntax(7))."""
    escaped = str(word).replace("%", "%%")
    return f'"{escaped}"' if " " in escaped else escaped


def hidden() -> Path | None:
    """Return what a unit cannot see of this installation, for it is in a home directory; None if it sees all."""
    parts = (Path(sys.argv[0]).absolute(), ROOT, Path(sys.executable), Path(sys.executable).resolve())
    return next((part for part in parts if any(map(part.is_relative_to, _HIDDEN))), None)
