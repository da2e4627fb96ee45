"""Klopodavka's engines, which search whole turns on bitboards: a native core and plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine.core import Budget, Clock, Engine, Idea, Level, SearchResult, Specialist
from engine.klopodavka.ideas import idea
from engine.klopodavka.native_engine import NativeEngine, core_module
from engine.klopodavka.python_engine import PythonEngine
from rules.klopodavka import KlopodavkaPosition, Move

__all__ = ["SPECIALIST"]


def _looks_twice(nodes: int, glance: int, attention: float, temperature: float, most: int) -> Level:
    care, first = Budget(nodes=nodes, seconds=0.6), Budget(nodes=glance, depth=1, seconds=0.15)
    return Level(care, first, attention=attention, temperature=temperature, most=most)


# A node is a state that the search makes, of which a turn has hundreds.
_LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: _looks_twice(400, 150, attention=0.10, temperature=0.30, most=24),
        2: _looks_twice(800, 150, attention=0.30, temperature=0.12, most=20),
        3: _looks_twice(1_200, 150, attention=0.50, temperature=0.07, most=16),
        4: _looks_twice(2_000, 300, attention=0.90, temperature=0.015, most=10),
        5: Level(Budget(nodes=3_000, seconds=0.75)),
        6: Level(Budget(nodes=12_000, seconds=0.75)),
        # A quarter of the time of 8, so that plain Python, which makes some 50 000 nodes in a second, tells them apart.
        7: Level(Budget(nodes=50_000, seconds=0.75)),
        8: Level(Budget(seconds=3.0)),
    }
)


class _Klopodavka(Specialist[KlopodavkaPosition, Move]):
    levels: Mapping[int, Level] = _LEVELS

    def build(self, clock: Clock) -> Sequence[Engine[KlopodavkaPosition, Move]]:
        module = core_module()
        plain = PythonEngine(clock)
        return (NativeEngine(module, clock), plain) if module else (plain,)

    def idea(self, position: KlopodavkaPosition, result: SearchResult[Move]) -> Idea | None:
        return idea(position, result)


SPECIALIST = _Klopodavka()
