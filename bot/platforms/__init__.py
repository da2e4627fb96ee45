"""The platforms: a folder each. A folder that defines INTEGRATION joins by being there; none is named elsewhere."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from bot.platforms.integration import ChatIntegration, Integration

INTEGRATIONS: Final[tuple[Integration, ...]] = tuple(
    import_module(f"{__name__}.{folder.name}").INTEGRATION
    for folder in sorted(iter_modules(__path__), key=lambda folder: folder.name)
    if folder.ispkg
)

CHATS: Final = tuple(each for each in INTEGRATIONS if isinstance(each, ChatIntegration))
"""Those that people write to each other on."""
