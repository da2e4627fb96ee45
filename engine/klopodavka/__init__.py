"""Klopodavka's engines, which search whole turns on bitboards: a native core and plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.core import Clock, Engine, Specialist
from engine.klopodavka.engine import LEVELS, NativeEngine, PythonEngine, core_module
from engine.klopodavka.evaluation import idea
from rules.klopodavka import KlopodavkaPosition, Move


def _engines(clock: Clock) -> Sequence[Engine[KlopodavkaPosition, Move]]:
    module, plain = core_module(), PythonEngine(clock)
    return (NativeEngine(module, clock), plain) if module else (plain,)


SPECIALIST: Final = Specialist(_engines, lambda _: LEVELS, idea=idea, without_core={8: 7})
