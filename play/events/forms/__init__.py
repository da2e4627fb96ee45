"""The forms of events, a module each; one is found by its `RULES`, and called as its module is."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Final

from play.events.event import Rules

_NAMES: Final = sorted(module.name for module in pkgutil.iter_modules(__path__))
FORMS: Final[Mapping[str, Rules]] = {
    name: importlib.import_module(f"{__name__}.{name}").RULES for name in _NAMES
}
"""Every form there is, by name: what it decides."""
