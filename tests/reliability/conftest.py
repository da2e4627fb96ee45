"""How much is tried, and where the figures go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

Scale: TypeAlias = Callable[[int, int], int]
"""So many of something in the full run, so many in the short one."""

Seeds: TypeAlias = Callable[[int, int], Sequence[int]]
"""So many seeds in the full run, so many in the short one, or those that `--seeds` asks for."""

Figure: TypeAlias = Callable[[str], None]
"""Has one line of figures printed at the end."""


@pytest.fixture(
    params=[
        pytest.param(False, id="short", marks=pytest.mark.slow),
        pytest.param(True, id="full", marks=[pytest.mark.slow, pytest.mark.reliability]),
    ]
)
def scale(request: pytest.FixtureRequest) -> Scale:
    return lambda full, short: full if request.param else short


@pytest.fixture
def seeds(scale: Scale, request: pytest.FixtureRequest) -> Seeds:
    return lambda full, short: range(int(request.config.getoption("--seeds") or 0) or scale(full, short))


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    return lambda line: record_property("figure", line)
