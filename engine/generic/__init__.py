"""The engine that plays any game by its rules and its `evaluate`."""

from engine.generic.engine import GenericEngine
