"""Stories on the page in a real browser: moves prepared ahead, what a screen reader says, a lesson."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.bot.platforms.page.test_browser import _open, _square
from tests.support.browser import PHONE, browser, page_house
from tests.support.desk import ANN, BOB

pytestmark = pytest.mark.slow


async def _tap(page: Page, *names: str) -> None:
    for name in names:
        await _square(page, name).tap()


async def _turns(page: Page, count: int) -> None:
    await expect(page.locator("body")).to_have_attribute("data-turns", str(count))


async def test_a_move_is_prepared_taken_back_played_and_dropped() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(board="4x5")
        ann = await _open(house, watched, match.id, ANN, **PHONE)
        bob = await _open(house, watched, match.id, BOB, **PHONE)
        waiting, status = ann.locator('.board [data-state="ahead"]'), ann.locator(".status")
        await _tap(ann, "a2", "a3")
        await _turns(ann, 1)
        await expect(ann.locator('.board [data-state="choice"]')).to_have_count(0)
        await _tap(ann, "b2", "b3")
        await expect(waiting).to_have_count(2)
        await expect(_square(ann, "b3")).to_have_attribute("aria-label", re.compile("prepared"))
        await expect(status).to_contain_text("Prepared: b2-b3")
        await _tap(ann, "b3")
        await expect(waiting).to_have_count(0)
        await _tap(ann, "c2", "c3")
        await expect(waiting).to_have_count(2)
        await ann.get_by_role("button", name="Step back").click()
        await expect(waiting).to_have_count(0)
        await _tap(ann, "d1", "d2")
        await expect(status).not_to_contain_text("Prepared")
        await _tap(ann, "c2", "c3")
        await expect(waiting).to_have_count(2)
        await expect(bob.locator('.board [data-state="ahead"]')).to_have_count(0)
        await _tap(bob, "d4", "d3")
        for page in (ann, bob):
            await _turns(page, 3)
        await expect(waiting).to_have_count(0)
        await expect(_square(ann, "c3")).to_have_attribute("aria-label", re.compile("^c3, man, Ann"))
        await _tap(ann, "a3", "b4")
        await expect(status).to_contain_text("Prepared: a3xb4")
        await _tap(bob, "b4", "b3")
        await _turns(ann, 4)
        await expect(status).to_contain_text("Your prepared move a3xb4 could not be played.")
        await _tap(ann, "c3")
        await expect(status).not_to_contain_text("could not be played")
        watched.clean()
