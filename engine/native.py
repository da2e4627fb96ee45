"""The switch for native search cores; `engine.build` builds them."""

from __future__ import annotations

import os
from typing import Final

VARIABLE: Final = "KLOP_ENGINE"
"""The environment variable: `python` switches native cores off, `auto` uses those that are built."""


def wanted() -> bool:
    """Return whether specialists may use their native cores."""
    return os.environ.get(VARIABLE, "auto").strip().lower() != "python"
