"""The engine that plays any game by its rules and its `evaluate`."""

from engine.generic.engine import Generic
from engine.generic.search import Search

__all__ = ["Generic", "Search"]
