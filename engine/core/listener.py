"""Whoever waits for a search."""

from __future__ import annotations

from typing import Any, Final

from engine.core.thought import Thought


class Listener:
    """Whoever waits for a search: hears how it gets on, and may stop it."""

    __slots__ = ()

    def better(self, thought: Thought[Any]) -> None:
        """A depth is finished, or a better turn is found; the same turn may come again."""

    def stopped(self) -> bool:
        """Whether to answer at once with what there is. Asked often, at least every 50 ms; may be another thread's."""
        return False


SILENT: Final = Listener()
"""Nobody listens."""
