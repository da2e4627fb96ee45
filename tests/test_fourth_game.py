"""A game joins by adding one folder, with no other file edited."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tests.toy.notches
from rules import GAMES
from tests.test_architecture import ROOT, copied, lint

TOY = Path(tests.toy.notches.__file__).parent
NEW = tests.toy.notches.GAME.key


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with the words of its rules, the suite that games pass, and one folder more."""
    tree = copied(tmp_path_factory.mktemp("joined"))
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "rules", tree / "rules", dirs_exist_ok=True, ignore=skipped)
    (tree / "tests" / "rules").mkdir()
    for path in (ROOT / "tests" / "rules").glob("*.py"):
        shutil.copyfile(path, tree / "tests" / "rules" / path.name)
    shutil.copyfile(ROOT / "pyproject.toml", tree / "pyproject.toml")
    shutil.copytree(TOY, tree / "rules" / NEW, ignore=skipped)
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
    assert NEW not in GAMES


def test_it_is_found(joined: Path) -> None:
    told = python(joined, "-c", "from rules import GAMES; print(*GAMES)")
    assert told.stdout.split() == sorted([*GAMES, NEW]), told.stderr


def test_it_stands_where_the_architecture_wants_it(joined: Path) -> None:
    code, answer = lint(joined)
    assert code == 0, answer


@pytest.mark.slow
def test_it_passes_the_suite_of_every_game(joined: Path) -> None:
    report = joined / "report.xml"
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
            NEW,
            f"--junit-xml={report}",
            "tests",
        ),
    )
    assert told.returncode == 0, told.stdout + told.stderr
    (suite,) = ElementTree.parse(report).getroot()
    assert int(suite.attrib["tests"]) > 100
    assert suite.attrib["failures"] == suite.attrib["errors"] == suite.attrib["skipped"] == "0"
