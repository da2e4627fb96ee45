"""A feature joins by adding one folder, with no other file edited: /dice, played on three platforms in three languages."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.chat.i18n import LANGUAGES
from bot.features.commands import REGISTRY
from tests.bot.world import ANN, World
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.telegram.harness import HALL, telegram_bot, words
from tests.test_architecture import ROOT, copied, lint
from tests.test_fourth_game import python

FOLDER = Path(__file__).parent / "dice"
PAGE = ROOT / "docs" / "adding-a-feature.md"
LOCALES = {"en": "en-US", "uk": "uk", "ru": "ru"}
ROLLED = {"en": "🎲 {} rolls 6", "uk": "🎲 {}: випало 6", "ru": "🎲 {}: выпало 6"}
RUN = """
import asyncio, json
from bot.chat.i18n import LANGUAGES
from tests.toy.test_dice import REGISTRY, rolled
said = {language: asyncio.run(rolled(language)) for language in LANGUAGES}
print(json.dumps({"found": [*REGISTRY.specs], **said}))
"""
_SKIPPED = shutil.ignore_patterns("__pycache__")


async def rolled(language: str) -> dict[str, str]:
    """Roll a die on every platform; return what all see, and the help. The harness' generator has every die show six."""
    world = World(language)
    (shown,) = await world.say(ANN, "/dice")
    said = {"room": shown.view.lines[0], "help": await world.told(ANN, "/help dice")}
    async with telegram_bot(language=language) as telegram:
        ann = telegram.api.human("Ann", language=None)
        hall = telegram.api.group(HALL, "Hall", ann)
        await telegram.say(ann, hall, "/dice")
        said["telegram"] = words(telegram.api.last(hall))
        said["menu"] = json.dumps(list(telegram.api.commands.values()), default=str)
    async with DiscordHarness(language) as discord:
        await discord.person("ann", LOCALES[language]).types("dice")
        (message,) = discord.games.messages.values()
        said["discord"] = message.words
    return said


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as it is, and the folder among the features."""
    tree = tmp_path_factory.mktemp("joined")
    shutil.copytree(ROOT / "bot", tree / "bot", ignore=_SKIPPED)
    shutil.copytree(FOLDER, tree / "bot" / "features" / "dice", ignore=_SKIPPED)
    for name in ("rules", "play", "engine", "render", "storage", "scripts", "tests", "pyproject.toml"):
        (tree / name).symlink_to(ROOT / name)
    return tree


@pytest.fixture(scope="module")
def told(joined: Path) -> dict[str, Any]:
    """The commands of that tree, and what is said of a roll in each language; of one process, since its start takes longest."""
    return json.loads(python(joined, "-c", RUN).splitlines()[-1])  # type: ignore[no-any-return]


def test_it_is_found_and_is_no_feature_of_ours(told: dict[str, Any]) -> None:
    assert told["found"] == [*REGISTRY.specs, "dice"]


def test_its_words_are_checked(joined: Path) -> None:
    assert python(joined, "-m", "scripts.catalogues") == ""


def test_it_stands_where_the_architecture_wants_it(tmp_path: Path) -> None:
    tree = copied(tmp_path / "house")
    shutil.copytree(FOLDER, tree / "bot" / "features" / "dice", ignore=_SKIPPED)
    code, answer = lint(tree)
    assert code == 0, answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_played_everywhere(told: dict[str, Any], language: str) -> None:
    said = told[language]
    shown = ROLLED[language]
    assert said["room"] == shown.format("ann")
    assert said["telegram"] == said["discord"] == shown.format("Ann")
    assert "/dice" in said["help"]
    assert "dice" in said["menu"]


def test_it_is_small_and_quoted_as_it_is() -> None:
    files = [*FOLDER.rglob("*.py"), *FOLDER.rglob("*.po")]
    assert sum(path.read_text("utf-8").count("\n") for path in files) <= 60
    quotes = re.findall(r"```(?:python|po)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert quotes
    for quote in quotes:
        assert any(quote in path.read_text("utf-8") for path in files), quote
