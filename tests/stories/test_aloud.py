"""One evening a game on each platform by text alone: what the picture shows is told, and each button says what it does."""

from __future__ import annotations

import pytest

from tests.stories.aloud import Reading, told_all
from tests.stories.discord import DiscordEvening, Recorded
from tests.stories.script import EVENINGS, Story, read
from tests.stories.telegram import evening

GAMES = {
    "lgame": "/challenge bob lgame",
    "breakthrough": "/challenge bob breakthrough",
    "klopodavka-two": "/new klopodavka",
}
"""By the name of its evening: how a match is proposed. It gets a clock here, so that the time left has to be told."""


def timed(name: str) -> Story:
    text = (EVENINGS / f"{name}.story").read_text("utf-8")
    assert GAMES[name] in text
    return read(name, text.replace(GAMES[name], f"{GAMES[name]} clock:3d", 1))


@pytest.mark.parametrize("name", GAMES)
async def test_on_telegram(name: str) -> None:
    plies: list[int] = []
    async with evening("en", pictures=True) as told:
        await told.tell(timed(name), lambda: heard(told, plies))
        assert any("photo" in message for message in told.shown("parlour"))
    assert max(plies) >= 3


@pytest.mark.parametrize("name", GAMES)
async def test_on_discord(name: str) -> None:
    plies: list[int] = []
    told = DiscordEvening("en")
    await told.tell(await Recorded("en").play(timed(name)), lambda: heard(told, plies))
    assert max(plies) >= 3


async def heard(told: Reading, plies: list[int]) -> None:
    plies.append(await told_all(told))
