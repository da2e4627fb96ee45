"""Whether native search cores are wanted; see `engine.build` for how they come to be."""

from __future__ import annotations

import os
from typing import Final

VARIABLE: Final = "KLOP_ENGINE"
"""The environment variable that chooses: `python` leaves native cores alone, `auto` takes them where they are."""


def wanted() -> bool:
    """Whether specialists may use their native cores."""
    return os.environ.get(VARIABLE, "auto").strip().lower() != "python"
