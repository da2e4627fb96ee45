"""Pictures of the page for the gallery and the README. `python -m tests.bot.platforms.page.gallery` takes them anew, with a browser."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.async_api import Page, expect

from play.match import Match, Phase
from rules import GAMES
from tests.render.picture.golden import FOLDER, VIEWS
from tests.support.browser import PHONE, PageHouse, Watched, browser, page_house
from tests.support.desk import SHUTTLE, player

SEED: Final = 9
COLOURS: Final = 96  # of a picture's palette
BETWEEN: Final = 12  # pixels between light and dark
WIDE: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 760}}
README: Final[dict[str, Any]] = {"viewport": {"width": 960, "height": 540}}

OLENKA, ZOE, MAX, ANN, BOB = map(player, ("Оленка", "Zoë", "Max", "Ann", "Bob"))


async def _played(house: PageHouse, match: Match, plies: int) -> Match:
    """Return a match after so many random plies, or at its end."""
    luck = random.Random(SEED)
    for _ in range(plies):
        match = await house.desk.table.get(match.id)
        if match.phase is Phase.OVER:
            break
        move = luck.choice(house.desk.table.position(match).legal_moves())
        match = await house.desk.play(match, GAMES[match.game].notation.format(move))
    return match


async def _tap(page: Page, *names: str) -> None:
    for name in names:
        await page.locator(f'.board [aria-label^="{name},"]').click()


async def _matches(house: PageHouse) -> Mapping[str, str]:
    """Begin the matches that the pictures show; return their codes by picture."""
    desk = house.desk
    for each in (OLENKA, ZOE, ANN):
        await desk.store.settings.change(
            each.account, lambda now: replace(now, language="en", warnings=False)
        )
    people = OLENKA, ZOE
    begun = await _played(house, await desk.party(*people, game="breakthrough", clock="3d"), 20)
    bugs = await _played(house, await desk.party(*people, game="klopodavka", clock="3d"), 18)
    ended = await _played(house, await desk.party(*people, game="breakthrough", board="6x6"), 400)
    ells = await desk.play(await desk.party(*people, game="lgame", clock="3d"), *SHUTTLE[:2])
    await _played(house, await desk.party(*people, game="breakthrough", clock="3d"), 11)
    await desk.invited(MAX, OLENKA, game="lgame", clock="1d")
    shown = await _played(house, await desk.party(ANN, BOB, game="klopodavka", clock="3d"), 60)
    codes = {
        "readme": shown.id,
        "breakthrough": begun.id,
        "replay": begun.id,
        "wide": begun.id,
        "klopodavka": bugs.id,
        "lgame": ells.id,
    }
    return {**codes, "end": ended.id, "lobby": "", "new": ""}


async def _acted(page: Page, view: str) -> None:
    """Do what a picture shows."""
    match view:
        case "new":
            await page.get_by_role("button", name="New game").click()
        case "breakthrough":
            await page.locator(".board [data-state=choice]").nth(3).click()
        case "lgame":
            await _tap(page, "b1", "b3")
        case "klopodavka" | "readme":
            for _ in range(2):
                await page.locator(".board [data-state=choice]").last.click()
        case "replay" | "wide":
            for _ in range(3):
                await page.get_by_role("button", name="Back one move").click()
            await expect(page.locator(".banner")).to_contain_text("Move 17")
        case _:
            pass


async def _taken(house: PageHouse, watched: Watched, code: str, view: str, scheme: str) -> Image.Image:
    size, reader = {"wide": (WIDE, OLENKA), "readme": (README, ANN)}.get(view, (PHONE, OLENKA))
    context = await watched.context(**size, color_scheme=scheme, reduced_motion="reduce", locale="en")
    await context.add_init_script(f"localStorage.setItem('klop.session', '{await house.bearer(reader)}')")
    page = await watched.page(f"{house.url}/{f'm/{code}' if code else ''}", context)
    await expect(page.locator(".chairs:visible, section.turn").first).to_be_visible()
    await _acted(page, view)
    await page.locator(":focus").evaluate_all("all => all.forEach((each) => each.blur())")
    taken = Image.open(BytesIO(await page.screenshot()))
    await context.close()
    return taken.convert("RGB")


async def _all() -> None:
    async with page_house(clock=None, games=GAMES) as house, browser(house.url) as watched:
        codes = await _matches(house)
        for name in VIEWS:
            view = name.removeprefix("page-")
            schemes = ("light",) if view == "wide" else ("light", "dark")
            parts = [await _taken(house, watched, codes[view], view, scheme) for scheme in schemes]
            width = sum(part.width for part in parts) + BETWEEN * (len(parts) - 1)
            sheet = Image.new("RGB", (width, parts[0].height), "white")
            for at, part in enumerate(parts):
                sheet.paste(part, (at * (part.width + BETWEEN), 0))
            _save(sheet, FOLDER / f"{name}.png")
        _save(await _taken(house, watched, codes["readme"], "readme", "light"), FOLDER.parent / "page.png")


def _save(sheet: Image.Image, file: Path) -> None:
    sheet.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    asyncio.run(_all())
