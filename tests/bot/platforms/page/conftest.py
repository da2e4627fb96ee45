"""A table and its page, for one test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.support.browser import PageHouse, page_house


@pytest_asyncio.fixture
async def house() -> AsyncIterator[PageHouse]:
    async with page_house() as house:
        yield house
