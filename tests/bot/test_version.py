"""`klop --version`: the version with the commit, from a checkout, from a build's file, or without either."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot import __main__ as main
from bot.version import COMMIT_FILE, ROOT, VERSION, version

REPOSITORY = Path(__file__).parent.parent.parent


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(
        ["git", "-C", root, *identity, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def leave(root: Path, commit: str) -> None:
    (root / COMMIT_FILE).parent.mkdir()
    (root / COMMIT_FILE).write_text(commit, "ascii")


def test_a_checkout_says_its_commit(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "x")
    leave(tmp_path, "0000000")
    assert version(tmp_path) == f"{VERSION} ({git(tmp_path, 'rev-parse', 'HEAD')[:7]})"


@pytest.mark.parametrize("written", ["abc1234\n", "abc1234def5678abc1234def5678abc1234def567\n"])
def test_a_build_says_the_commit_that_it_was_made_from(tmp_path: Path, written: str) -> None:
    leave(tmp_path, written)
    assert version(tmp_path) == f"{VERSION} (abc1234)"


@pytest.mark.parametrize("written", ["", "\n"])
def test_without_a_commit_it_is_the_version_alone(tmp_path: Path, written: str) -> None:
    assert version(tmp_path) == VERSION
    leave(tmp_path, written)
    assert version(tmp_path) == VERSION


def test_a_checkout_without_any_commit(tmp_path: Path) -> None:
    git(tmp_path, "init")
    assert version(tmp_path) == VERSION


def test_the_option_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == f"klop {version(ROOT)}\n"


def test_the_image_has_the_file() -> None:
    assert f"> {COMMIT_FILE}" in (REPOSITORY / "Dockerfile").read_text("utf-8")
