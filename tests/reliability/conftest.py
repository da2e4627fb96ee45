"""How much is tried, and where the figures go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

Scale: TypeAlias = Callable[[int, int], int]
"""So many of something in the full run, so many in the short one."""

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
def figure(record_property: Callable[[str, object], None]) -> Figure:
    return lambda line: record_property("figure", line)
