"""The page's script: its modules of pure functions without a browser, and the one script that is served."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from bot.platforms.page import new_game
from bot.platforms.page.sessions import _WORDS, FILLED
from bot.platforms.page.shell import SCRIPTS, modules, static_files
from scripts import page_types
from tests.support.browser import browser, page_house

NODE = compute_driver_executable()[0]  # Playwright's own
FOLDER = page_types.PATH.parent
SOURCES = [FOLDER / name for held in modules().values() for name in held]
CLIENT = Path(__file__).parent / "client"
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", re.MULTILINE)


def _node(*arguments: str | Path) -> str:
    done = subprocess.run(
        [NODE, "--no-warnings", *arguments], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_selection_replay_frames_and_connection() -> None:
    tests = sorted(CLIENT.glob("*.test.mjs"))
    said = _node("--test", "--test-reporter=tap", *tests)
    assert int(re.findall(r"^# pass (\d+)$", said, re.MULTILINE)[0]) > len(tests)


def test_the_modules_are_joined_into_two_scripts_each_after_what_it_imports(tmp_path: Path) -> None:
    _, files = static_files()
    for name in SCRIPTS:
        script = tmp_path / name.replace(".js", ".mjs")
        script.write_bytes(files[name][1])
        _node(
            "--check", script
        )  # it parses: no name is declared twice, and no import or comment is cut short
        assert not re.search(r"^\s|^//|/\*| // ", files[name][1].decode(), re.MULTILINE)
    first, second = (files[name][1].decode() for name in SCRIPTS)
    [(passed, rest)] = re.findall(r'\Aimport(\{[\w,]+\})from"\./page\.js";\n(?s:(.*))', second)
    assert first.endswith(f"\nexport{passed};\n")
    assert "import " not in first.replace("await import(", "")
    assert set(re.findall(r"^export (?:class|function) (\w+)", rest, re.MULTILINE)) == {"Panels", "styled"}
    assert sorted(SOURCES) == sorted(FOLDER.glob("*.js"))
    for path in SOURCES:
        for line in path.read_text("utf-8").splitlines():
            assert line.count("`") % 2 == 0, "a string of several lines would lose its indentation"


def test_no_module_but_the_entry_does_anything_by_itself() -> None:
    addresses = [path.as_uri() for path in SOURCES if path.name != SCRIPTS[0]]
    _node("--input-type=module", "-e", "".join(f"await import({address!r});" for address in addresses))


def test_the_words_of_the_client_are_those_that_it_is_given() -> None:
    given = {*_WORDS, *new_game._WORDS, *FILLED}
    source = "\n".join(path.read_text("utf-8") for path in SOURCES)
    used = {
        dotted or quoted for dotted, quoted in re.findall(r"\bwords(?:\.([a-z]+)|\[\"([a-z-]+)\"\])", source)
    }
    assert used <= given
    assert [word for word in given - used if f'"{word}"' not in source] == []


@pytest.mark.slow
async def test_no_name_hides_one_of_the_browser() -> None:
    sources = [path.read_text("utf-8") for path in SOURCES]
    names = [name for source in sources for name in DECLARED.findall(source)]
    assert "Wire" in names
    async with page_house() as house, browser(house.url) as watched:
        page = await watched.page(house.url)
        hidden = await page.evaluate("(names) => names.filter((name) => name in window)", names)
    assert hidden == []


def test_the_types_of_frames_are_those_of_the_structs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert page_types.main(["--check"]) == 0
    monkeypatch.setattr(page_types, "PATH", tmp_path / "protocol.d.ts")
    assert page_types.main(["--check"]) == 1
    assert page_types.main([]) == 0
    assert page_types.main(["--check"]) == 0
