"""Breakthrough's own engines: a native core where it was built, and the same search in plain Python."""

from __future__ import annotations

from engine.breakthrough.specialist import SPECIALIST

__all__ = ["SPECIALIST"]
