"""Stories on the page in a real browser: moves prepared ahead, what a screen reader says, a lesson."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.chat.i18n import words
from bot.features.lessons import progress
from rules.core import AnyGame, Position
from tests.bot.features.learning import TASKS, turn
from tests.bot.platforms.page.test_browser import _none_wrong, _open, _square, _state
from tests.support.browser import PHONE, browser, page_house, steps_to
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
        await _none_wrong(ann)
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


async def test_what_is_picked_stays_picked_when_the_chat_plays_a_part_of_the_turn() -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game="klopodavka")
        page = await _open(house, watched, match.id, ANN, **PHONE)
        prompt, picked = page.locator(".prompt"), page.locator('.board [data-state="picked"]')
        await _tap(page, "b2")
        await _tap(page, "c3")
        for name in ("b2", "c3"):
            await expect(_square(page, name)).to_have_attribute("aria-label", re.compile("bug, Ann"))
        match = await house.desk.play(match, "b2")
        await _turns(page, 1)
        await expect(_square(page, "c3")).to_have_attribute("aria-label", re.compile("bug, Ann"))
        await expect(prompt).to_have_text("Place or crush a bug: where?")
        await expect(page.locator(".sheet .card")).to_have_count(0)
        match = await house.desk.play(match, "a2")
        await _turns(page, 2)
        await expect(prompt).to_contain_text("Picked: c3")
        await _tap(page, "c3")
        match = await house.desk.play(match, "b3")
        await _turns(page, 3)
        await expect(picked).to_have_count(0)
        await expect(prompt).to_have_count(0)
        watched.clean()


HEAR = """(() => {
  heard = [];
  new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) {
      if (target.closest("[aria-live], [role=alert], [role=status]")) heard.push(...[...addedNodes].map((each) => each.textContent));
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
})()"""
"""Has what a screen reader says noted from now on."""


@pytest.mark.parametrize(
    ("game", "chosen", "acts", "answer", "said"),
    [
        (
            "breakthrough",
            {"board": "4x5"},
            ["b2", "b3"],
            "d4-d3",
            [
                "b2 picked. Where does it go?",
                "Ann: b2-b3 Turn: Bob",
                "Bob: d4-d3 Your turn",
            ],
        ),
        (
            "lgame",
            {},
            ["a1", "b3", "b3-b1-a1", "Leave the neutrals"],
            "L b4-d4-d3",
            [
                "a1 picked.",
                "a1 b3 picked.",
                "b3-b1-a1 picked. Does a neutral move, too? Which one?",
                "Ann: L b3-b1-a1 Turn: Bob",
                "Bob: L b4-d4-d3 Your turn",
            ],
        ),
        (
            "klopodavka",
            {"board": "6x6"},
            ["b2", "c3", "d4", "Play"],
            "e5 xd4 c4",
            [
                "Picked: b2 — 2 actions left Place or crush a bug: where?",
                "Picked: b2 c3 — 1 action left Place or crush a bug: where?",
                "Picked: b2 c3 d4",
                "Ann: b2 c3 d4 Turn: Bob — 3 actions left",
                "Bob: e5 xd4 c4 Your turn: 3 actions left",
            ],
        ),
    ],
)
async def test_what_a_screen_reader_says_in_a_turn(
    game: str, chosen: Any, acts: list[str], answer: str, said: list[str]
) -> None:
    async with page_house(clock=None) as house, browser(house.url) as watched:
        match = await house.desk.duel(game=game, **chosen)
        page = await _open(house, watched, match.id, ANN)
        await page.evaluate(HEAR)
        for count, act in enumerate(acts, 1):
            square = re.fullmatch("[a-z][0-9]", act)
            await (_square(page, act) if square else page.get_by_role("button", name=act, exact=True)).click()
            if count < len(acts):
                await page.wait_for_function("(count) => heard.length >= count", arg=count)
        plies = len(answer.removeprefix("L ").split())
        await _turns(page, plies)
        await house.desk.play(match, answer)
        await _turns(page, 2 * plies)
        assert await page.evaluate("heard") == said
        watched.clean()


async def _tap_turn(page: Page, game: AnyGame, position: Position[Any], wanted: str) -> None:
    for step in steps_to(game, position, wanted, flipped=position.to_move == 1):
        if step.picks == "nothing":
            await page.get_by_role("button", name=step.label or step.path, exact=True).tap()
        for at in step.squares:
            # The first squares of a shape may tell already which one is meant.
            if len(step.squares) == 1 or await _state(page, at) != "picked":
                await page.locator(f'.board [data-at="{at}"]').tap()


async def test_a_lesson_is_done_by_taps() -> None:
    en, tasks = words("en"), [each for each in TASKS if each.game.key == "lgame" and not each.task.further]
    async with page_house(clock=None) as house, browser(house.url) as watched:
        await house.desk.store.notes.write(progress._note(ANN.account), '["lgame", "", "", {}]')
        context, bearer = await watched.context(**PHONE), await house.bearer(ANN)
        await context.add_init_script(f"localStorage.setItem('klop.session', '{bearer}')")
        page = await watched.page(house.url, context)
        await page.get_by_role("button", name=en("bot.lesson.offered")).tap()
        await expect(page.locator(".board")).to_be_visible()
        await _none_wrong(page)
        for number, task in enumerate(tasks, 1):
            said = f"lgame.lesson.{task.task.key}"
            await expect(page.locator("h1")).to_contain_text(f"{number}/{len(tasks)}")
            await expect(page.locator("main")).to_contain_text(en(said))
            wrong, right = turn(task, right=False), turn(task, right=True)
            assert right
            if wrong and number == 2:
                await _tap_turn(page, task.game, task.position, wrong)
                await expect(page.locator("main")).to_contain_text(en(f"{said}.wrong"))
                await page.get_by_role("button", name=en("bot.button.lesson-retry")).tap()
                await expect(page.locator("main")).not_to_contain_text(en(f"{said}.wrong"))
            await _tap_turn(page, task.game, task.position, right)
            await expect(page.locator("main")).to_contain_text(en(f"{said}.right"))
            if number < len(tasks):
                await page.get_by_role("button", name=en("bot.button.lesson-next")).tap()
        await expect(page.locator("main")).to_contain_text(en("bot.lesson.over"))
        watched.clean()
