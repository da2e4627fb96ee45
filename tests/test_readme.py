"""The README and docs/evening.md: the evening plays as written, and every file and command that they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.chat.i18n.catalogue import ROOT
from tests.bot.process import run

README = (ROOT / "README.md").read_text("utf-8")
EVENING = (ROOT / "docs" / "evening.md").read_text("utf-8")
CODE = re.compile(r"#[a-z0-9]{6}\b")
WELCOME = 2
"""Lines that the room prints before the first answer."""


def transcript(page: str = EVENING) -> str:
    """The played example of a page."""
    [block] = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return str(block)


def test_the_evening_goes_as_it_is_told(tmp_path: Path) -> None:
    told = transcript()
    said = [line for line in told.splitlines() if re.match(r"\w+: ", line)]
    assert len(said) >= 4
    done = run(tmp_path / "data", "\n".join(said) + "\n")
    assert done.stderr == ""
    assert done.returncode == 0
    seen = "".join(line + "\n" for line in done.stdout.splitlines()[WELCOME:])
    assert CODE.sub("#xxxxxx", seen) == CODE.sub("#xxxxxx", told)


def test_the_evening_comes_to_an_end_and_shows_a_refusal() -> None:
    assert "Victory:" in transcript()
    assert "nobody else sees this" in transcript()


def test_the_readme_shows_a_part_of_the_evening() -> None:
    assert len(transcript(README).splitlines()) <= 10
    assert transcript(README) in transcript()


def test_it_names_only_commands_that_there_are() -> None:
    named = set(re.findall(r"\bscripts/(\w+)", README))
    assert named
    assert {"run", "test"} <= named
    for name in named:
        assert (ROOT / "scripts" / name).stat().st_mode & 0o111, name


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "bench/README.md",
        *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
        *(f"docs/decisions/{page.name}" for page in sorted((ROOT / "docs" / "decisions").glob("*.md"))),
    ],
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
        if "://" not in link:
            assert (path.parent / link).exists(), link


def test_the_setup_is_two_commands() -> None:
    block, *_ = re.findall(r"^```console\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert [line.split()[1] for line in block.splitlines()] == ["scripts/run", "scripts/test"]
