from __future__ import annotations

from collections.abc import Iterator

import pytest

from render.picture import Painter


@pytest.fixture(scope="session")
def painter() -> Iterator[Painter]:
    with Painter() as one:
        yield one
