"""The unit of this installation for systemd: `deploy/klop.service` with the path of its own program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from bot.version import ROOT

_PLACES: Final = (ROOT / "deploy" / "klop.service", ROOT / "bot" / "klop.service")
"""Where the file is: in a checkout, and in a wheel."""

_PROGRAM: Final = "/usr/bin/klop"


def unit() -> str:
    """Return the text of the unit."""
    text = next(path for path in _PLACES if path.exists()).read_text("utf-8")
    return text.replace(_PROGRAM, _program()).rstrip()


def _program() -> str:
    """Return how this installation is started: its script, or the interpreter that runs it."""
    script = Path(sys.argv[0]).absolute()
    return str(script) if script.name == "klop" else f"{sys.executable} -m bot"
