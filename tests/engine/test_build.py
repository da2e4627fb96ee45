"""Native cores are built where that is possible, once, and their lack is one line."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import build as builder
from engine import native

SOURCE = """
#include <nanobind/nanobind.h>
NB_MODULE(native, module) { module.def("answer", [] { return 42; }); }
"""

# Does what a compiler does to files, and counts how often it was asked.
COMPILER = """#!{python}
import pathlib, sys
here = pathlib.Path(__file__).parent
with (here / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
source = next((word for word in sys.argv if word.endswith("native.cpp")), None)
if source and "nonsense" in pathlib.Path(source).read_text():
    sys.exit("native.cpp:1:1: error: nonsense")
target = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
target.write_bytes(b"" if target.suffix == ".o" else b"no module")
"""


def can_build() -> bool:
    """Whether this machine has what a native core is made with."""
    try:
        return bool(builder.compiler() and builder.libraries())
    except builder.Unbuilt:
        return False


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An engine folder with one game, and a compiler that only pretends."""
    (tmp_path / "engine" / "toy").mkdir(parents=True)
    (tmp_path / "engine" / "toy" / "native.cpp").write_text(SOURCE)
    compiler = tmp_path / "c++"
    compiler.write_text(COMPILER.format(python=sys.executable))
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(builder, "_LOAD", "")  # what the pretender links cannot be loaded
    return tmp_path


def build(tree: Path, *, force: bool = False) -> tuple[list[str], int]:
    """What a build says, and how often it called the compiler."""
    calls = tree / "calls"
    calls.unlink(missing_ok=True)
    said = builder.build(tree / "engine", say=lambda _: None, force=force)
    return said, len(calls.read_text().splitlines()) if calls.is_file() else 0


def test_builds_what_is_new_or_changed_and_no_more(tree: Path) -> None:
    source = tree / "engine" / "toy" / "native.cpp"
    assert build(tree) == ([], 3)  # nanobind, the source, the link
    assert builder.built(source).read_bytes() == b"no module"
    assert build(tree) == ([], 0)
    assert build(tree, force=True) == ([], 3)
    for change in (
        lambda: source.write_text(SOURCE + "// other\n"),
        lambda: source.with_name("more.hpp").write_text(""),
        lambda: builder.built(source).unlink(),
    ):
        change()
        assert build(tree) == ([], 3)


def test_nanobind_is_compiled_once_for_all(tree: Path) -> None:
    (tree / "engine" / "other").mkdir()
    (tree / "engine" / "other" / "native.cpp").write_text(SOURCE)
    assert build(tree) == ([], 5)


def test_what_cannot_be_compiled_is_said_and_not_tried_again(tree: Path) -> None:
    source = tree / "engine" / "toy" / "native.cpp"
    build(tree)
    source.write_text("nonsense")
    said, calls = build(tree)
    assert calls == 2
    (line,) = said
    assert "toy searches in plain Python" in line
    assert line.endswith(": native.cpp:1:1: error: nonsense")
    assert not builder.built(source).exists()
    assert build(tree) == (said, 0)
    source.write_text(SOURCE)
    assert build(tree) == ([], 3)


def test_what_does_not_load_is_no_core(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("CXX", str(tree / "c++"))
    said, _ = build(tree)
    assert len(said) == 1
    assert not builder.built(tree / "engine" / "toy" / "native.cpp").exists()


def test_no_compiler_is_one_line(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/no/such/compiler")
    assert builder.build(tree / "engine", say=pytest.fail) == [
        "Engines search in plain Python: CXX names no program: /no/such/compiler"
    ]
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tree / "engine"))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (line,) = builder.build(tree / "engine", say=pytest.fail)
    assert "there is no C++ compiler" in line


WAITING = COMPILER.replace(
    'if source and "nonsense"',
    """if source:
    with (here / "began").open("w") as began:
        began.write(str(os.getppid()))
    end = os.open(here / "end", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(end, True)
    os.read(end, 1)  # until the test closes it
if source and "nonsense\"""",
).replace("import pathlib", "import os, pathlib")


@pytest.mark.parametrize("killed", [False, True])
def test_beside_it_is_built_once_and_leaves_nothing_half_written(tree: Path, *, killed: bool) -> None:
    package, toy = tree / "engine", tree / "engine" / "toy"
    program = package / "build.py"
    program.write_text(Path(builder.__file__).read_text())
    (tree / "c++").write_text(WAITING.format(python=sys.executable))
    for name in ("began", "end"):
        os.mkfifo(tree / name)
    builder.built(toy / "native.cpp").write_bytes(b"of another version")

    def start() -> str:
        beside = [sys.executable, "-P", str(program), "--once", "--beside"]
        return subprocess.run(beside, capture_output=True, text=True, check=True, timeout=60).stderr

    end = os.open(tree / "end", os.O_RDWR)
    assert not native.building(package)
    assert start() == ""
    pid = int((tree / "began").read_text())
    assert native.building(package)
    assert not builder.built(toy / "native.cpp").exists()
    assert start() == ""
    if killed:
        os.kill(pid, signal.SIGKILL)
    os.close(end)
    if killed:
        (tree / "c++").write_text(COMPILER.format(python=sys.executable))
        assert builder.build(package, say=lambda _: None) == []  # waits for the lock of the killed one
        assert builder.built(toy / "native.cpp").read_bytes() == b"no module"
    else:
        (wrong,) = builder.build(package, say=pytest.fail)  # waits for the other one, and has nothing to do
        assert len((tree / "calls").read_text().splitlines()) == 3
        assert start().strip() == wrong
        assert start() == ""
    assert not native.building(package)
    left = {path.name for path in toy.iterdir()} - {builder.built(toy / "native.cpp").name}
    assert left == {"native.cpp", ".native-stamp"}
    assert not (package / ".native-build").exists()


WORKER = """
import asyncio, shutil, sys
from bot.chat.thinking.jobs import job_for
from bot.chat.thinking.pool import Pool
from rules import GAMES

async def main():
    pool, game = Pool(1), GAMES["breakthrough"]
    options = game.choose({})
    job = job_for(game, options, game.start(options), seconds=0.1)
    print((await pool.solve(job, 30)).engine)
    shutil.copy(*sys.argv[1:])
    print((await pool.solve(job, 30)).engine)
    await pool.close()

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_a_worker_uses_a_core_from_the_next_search_on(tmp_path: Path) -> None:
    core = builder.built(builder.ENGINE / "breakthrough" / "native.cpp")
    if not core.is_file():
        pytest.skip("there is no native core here")
    shutil.copytree(builder.ENGINE, tmp_path / "engine", ignore=shutil.ignore_patterns("*.so"))
    for package in ("bot", "play", "render", "rules", "storage"):
        (tmp_path / package).symlink_to(builder.ENGINE.parent / package)
    (tmp_path / "worker.py").write_text(WORKER)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), native.VARIABLE: "auto"}
    arguments = [str(core), str(tmp_path / "engine" / "breakthrough" / core.name)]
    done = subprocess.run(
        [sys.executable, "worker.py", *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.split() == ["breakthrough-python", "breakthrough-native"]


def test_the_program_never_fails_and_does_not_repeat_itself(tmp_path: Path) -> None:
    package = tmp_path / "engine"
    (package / "toy").mkdir(parents=True)
    (package / "toy" / "native.cpp").write_text(SOURCE)
    program = package / "build.py"
    program.write_text(Path(builder.__file__).read_text())

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-P", str(program), *arguments],
            env={**os.environ, "CXX": "/no/such/compiler"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr.strip()

    line = "Engines search in plain Python: CXX names no program: /no/such/compiler"
    assert run("--once") == (0, line)
    assert run("--once") == (0, "")
    assert run() == (0, line)
    assert run("--strict") == (1, line)


@pytest.mark.slow
def test_a_real_module_wherever_there_is_a_compiler(tmp_path: Path) -> None:
    source = tmp_path / "toy" / "native.cpp"
    source.parent.mkdir()
    source.write_text(SOURCE)
    said = builder.build(tmp_path, say=lambda _: None)
    if not can_build():
        assert len(said) == 1
        return
    assert said == []
    loader = importlib.machinery.ExtensionFileLoader("native", str(builder.built(source)))
    spec = importlib.util.spec_from_loader("native", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    assert module.answer() == 42


@pytest.mark.parametrize(
    ("value", "wanted"), [(None, True), ("auto", True), ("python", False), ("Python ", False)]
)
def test_plain_python_can_be_forced(monkeypatch: pytest.MonkeyPatch, value: str | None, wanted: bool) -> None:
    monkeypatch.delenv(native.VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(native.VARIABLE, value)
    assert native.wanted() is wanted
