"""Klopodavka's engines, which search whole turns on bitboards: a native core and plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.core import Clock, Engine, Idea, Level, SearchResult, Specialist
from engine.klopodavka.engine import MORE_SIDES, TWO_SIDES, NativeEngine, PythonEngine, core_module
from engine.klopodavka.evaluation import idea
from rules.klopodavka import KlopodavkaPosition, Move, Options

__all__ = ["SPECIALIST"]


class _Klopodavka(Specialist[KlopodavkaPosition, Move]):
    def build(self, clock: Clock) -> Sequence[Engine[KlopodavkaPosition, Move]]:
        module = core_module()
        plain = PythonEngine(clock)
        return (NativeEngine(module, clock), plain) if module else (plain,)

    def levels_for(self, options: Options) -> Mapping[int, Level]:
        return TWO_SIDES if len(options.sides) == 2 else MORE_SIDES

    def idea(self, position: KlopodavkaPosition, result: SearchResult[Move]) -> Idea | None:
        return idea(position, result)


SPECIALIST = _Klopodavka()
