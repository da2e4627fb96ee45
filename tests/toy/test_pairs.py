"""A form of events joins by one module of rules, one of cards, and its texts, with no other file edited: /pairs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.chat.i18n import LANGUAGES
from rules.core import Seat
from tests.bot.world import ANN, BOB, CEM, World
from tests.test_architecture import ROOT
from tests.test_fourth_game import python

FOLDER = Path(__file__).parent / "pairs"
RUN = """
import asyncio, json
from bot.chat.i18n import LANGUAGES
from tests.toy.test_pairs import evening
print(json.dumps({language: asyncio.run(evening(language)) for language in LANGUAGES}))
"""
_SKIPPED = shutil.ignore_patterns("__pycache__")


async def evening(language: str) -> dict[str, Any]:
    """Three people enter, one of them by the key on the card; return what they are told, and who plays whom."""
    world = World(language)
    none = await world.told(ANN, "/pairs join")
    opened = await world.told(ANN, "/pairs new lgame clock:1d")
    for who in (ANN, BOB):
        await world.say(who, "/pairs join")
    shown = await world.told(CEM, "/pairs join")
    (event,) = world.store.events.stored.values()
    again = await world.store.events.load(event.id)
    matches = [[match.player(seat).name for seat in (Seat.S1, Seat.S2)] for match in world.playing()]
    return {
        "none": none,
        "opened": opened,
        "shown": shown,
        "form": again.event.setup.form,
        "matches": matches,
    }


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as it is, and the form among the others."""
    tree = tmp_path_factory.mktemp("joined")
    for name in ("bot", "play"):
        shutil.copytree(ROOT / name, tree / name, ignore=_SKIPPED)
    shutil.copy(FOLDER / "rules.py", tree / "play" / "events" / "forms" / "pairs.py")
    shutil.copy(FOLDER / "cards.py", tree / "bot" / "features" / "events" / "pairs.py")
    shutil.copytree(FOLDER / "texts", tree / "bot" / "features" / "events" / "texts", dirs_exist_ok=True)
    for name in ("rules", "engine", "render", "storage", "scripts", "tests", "pyproject.toml"):
        (tree / name).symlink_to(ROOT / name)
    return tree


def test_it_is_played_in_every_language(joined: Path) -> None:
    said = json.loads(python(joined, "-c", RUN).splitlines()[-1])
    assert [*said] == [*LANGUAGES]
    for told in said.values():
        assert told["matches"] == [["ann", "bob"]]  # the third waits
        assert told["form"] == "pairs"
        assert "/pairs new" in told["none"]
        assert "👥" in told["shown"]
        assert "ann – bob" in told["shown"]


def test_its_words_are_checked(joined: Path) -> None:
    assert python(joined, "-m", "scripts.catalogues") == ""
