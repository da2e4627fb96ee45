"""A game joins by adding one folder, with no other file edited."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tests.toy.notches
import tests.toy.tictactoe
from rules import GAMES
from tests.test_architecture import ROOT, copied, lint

TOYS = {toy.GAME.key: Path(toy.__path__[0]) for toy in (tests.toy.notches, tests.toy.tictactoe)}
EXAMPLE = TOYS["tictactoe"]
PAGE = ROOT / "docs" / "adding-a-game.md"


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with the words of its rules, the suite that games pass, and a folder more for each toy."""
    tree = copied(tmp_path_factory.mktemp("joined"))
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "rules", tree / "rules", dirs_exist_ok=True, ignore=skipped)
    (tree / "tests" / "rules").mkdir()
    for path in (ROOT / "tests" / "rules").glob("*.py"):
        shutil.copyfile(path, tree / "tests" / "rules" / path.name)
    shutil.copyfile(ROOT / "pyproject.toml", tree / "pyproject.toml")
    for key, folder in TOYS.items():
        shutil.copytree(folder, tree / "rules" / key, ignore=skipped)
    return tree


def python(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What Python says in that tree, which is all that it can see of the project."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={"PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_it_is_no_game_of_ours() -> None:
    assert not TOYS.keys() & GAMES.keys()


def test_it_is_found(joined: Path) -> None:
    told = python(joined, "-c", "from rules import GAMES; print(*GAMES)")
    assert told.stdout.split() == sorted([*GAMES, *TOYS]), told.stderr


def test_it_stands_where_the_architecture_wants_it(joined: Path) -> None:
    code, answer = lint(joined)
    assert code == 0, answer


@pytest.mark.slow
@pytest.mark.parametrize("key", TOYS)
def test_it_passes_the_suite_of_every_game(joined: Path, key: str) -> None:
    report = joined / f"{key}.xml"
    told = python(
        joined,
        *(
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow",
            "-k",
            key,
            f"--junit-xml={report}",
            "tests",
        ),
    )
    assert told.returncode == 0, told.stdout + told.stderr
    (suite,) = ElementTree.parse(report).getroot()
    assert int(suite.attrib["tests"]) > 100
    assert suite.attrib["failures"] == suite.attrib["errors"] == suite.attrib["skipped"] == "0"


def lines(text: str) -> str:
    """The lines of a text without blank ones and indentation: the formatter lays quotes out as modules."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def test_the_example_is_small_and_quoted_as_it_is() -> None:
    sources = [path.read_text("utf-8") for path in EXAMPLE.glob("*.py")]
    assert sum(source.count("\n") for source in sources) <= 150
    quotes = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert quotes
    for quote in quotes:
        assert any(lines(quote) in lines(source) for source in sources), quote
