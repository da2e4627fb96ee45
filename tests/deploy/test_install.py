"""The wheel in a bare environment, and `scripts/release` in a clone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bot.chat.i18n.catalogue import ROOT
from bot.version import VERSION, commit
from tests.bot.process import PATIENCE, environment
from tests.deploy.test_deploy import ran
from tests.support.servers import free_port

# The wheel in a bare environment: the project and what it declares, nothing of the checkout, and an evening
# played with it.
#
# What the wheel requires is linked from the packages of this environment, which are the locked ones, so no
# package index is asked. What only the tests need is not there: a dependency that `pyproject.toml` forgets
# is missed.


EVENING = """\
ann: /challenge bob lgame
bob: /accept
ann: /move L a1-a3-b3 n a4-b1
ann: /resign
ann: 1
cem: /challenge dan breakthrough board:5x5
dan: /accept
cem: /move d2-c3
dan: /rules breakthrough
eve: /new klopodavka players:2 board:5x5
fay: /join
eve: /start
eve: /move b1 c2 c3
eve: /replay evening.gif
gus: /challenge computer breakthrough board:5x5 level:1 side:first
gus: /move b2-b3
gus: /puzzle breakthrough
"""


def build(folder: Path, **settings: str) -> Path:
    """Build the wheel of this checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


def read(wheel: Path, name: str) -> bytes:
    with zipfile.ZipFile(wheel) as files:
        (found,) = (each for each in files.namelist() if each.endswith(name))
        return files.read(found)


def required(requirements: list[str]) -> Iterator[str]:
    """Yield the names of what is needed here, directly or not."""
    todo, seen = [(each, "") for each in requirements], set()
    while todo:
        text, extra = todo.pop()
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
            continue
        for also in ("", *wanted.extras):
            key = (canonicalize_name(wanted.name), also)
            if key not in seen:
                seen.add(key)
                todo += [(each, also) for each in distribution(wanted.name).requires or ()]
    yield from sorted({name for name, _ in seen})


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`klop` in an environment that has the wheel and its requirements alone."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    metadata = message_from_bytes(read(wheel, ".dist-info/METADATA"))
    for name in required(metadata.get_all("Requires-Dist", [])):
        found = distribution(name)
        for top in {
            path.parts[0] for path in found.files or () if path.parts[0] not in ("..", "__pycache__")
        }:
            (site / top).symlink_to(Path(str(found.locate_file(top))))
    install = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    return folder / "bin" / "klop"


def surroundings(**settings: str) -> dict[str, str]:
    """Return an environment in which nothing leads to the checkout."""
    found = {**environment(**settings), "PATH": os.defpath}
    del found["PYTHONPATH"]
    return found


def run(program: Path, folder: Path, *arguments: str, typed: str = "") -> str:
    """Run the installed program in a folder that is no checkout; return what it printed."""
    done = ran(program, *arguments, input=typed, cwd=folder, env=surroundings(), timeout=2 * PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_an_evening_is_played_with_the_wheel(program: Path, tmp_path: Path) -> None:
    seen = run(program, tmp_path, "--data", "data", typed=EVENING)
    assert "bob won" in seen  # the L-game
    assert "cem: d2-c3" in seen  # Breakthrough
    assert "men on its two nearest ranks" in seen  # its rules
    assert "Turn: fay" in seen  # Klopodavka
    assert (tmp_path / "evening.gif").read_bytes()[:6] == b"GIF89a"
    assert re.search(r"^  Klop, level 1: [a-e]\d[-x][a-e]\d$", seen, re.MULTILINE)
    assert "Puzzle · Breakthrough" in seen


@pytest.mark.slow
def test_it_speaks_three_languages_and_knows_its_version(program: Path, tmp_path: Path) -> None:
    for language, word in (("uk", "Локальна кімната"), ("ru", "Локальная комната"), ("en", "The local room")):
        assert run(program, tmp_path, "--language", language).startswith(word)
    assert run(program, tmp_path, "--version") == f"klop {VERSION} ({commit(ROOT)})\n"


@pytest.mark.slow
def test_it_prints_its_units(program: Path, tmp_path: Path) -> None:
    for name, wanted in (("klop.service", f"ExecStart={program}\n"), ("klop-backup.timer", "OnCalendar=")):
        assert wanted in ran(program, "systemd", name, cwd=tmp_path, env=surroundings()).stdout
    assert run(program, tmp_path, "settings") == (ROOT / ".env.example").read_text("utf-8")


@pytest.mark.slow
def test_the_page_is_served(program: Path, tmp_path: Path) -> None:
    listen = f"127.0.0.1:{free_port()}"
    settings = {"KLOP_PAGE_URL": f"http://{listen}", "KLOP_PAGE_LISTEN": listen}
    with subprocess.Popen(
        [program, "--data", "data"], cwd=tmp_path, env=surroundings(**settings),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as bot:  # fmt: skip
        assert bot.stdout is not None
        while f"http://{listen}".encode() not in bot.stdout.readline():
            assert bot.poll() is None
        with urlopen(f"http://{listen}/", timeout=PATIENCE) as answer:
            html = answer.read().decode()
        for address in {"/s/" + found for found in re.findall(r'"/s/([^"]+)"', html)}:
            with urlopen(f"http://{listen}{address}", timeout=PATIENCE) as answer:
                assert answer.read()
        bot.communicate(b"", timeout=PATIENCE)
        assert bot.returncode == 0


@pytest.mark.slow
def test_a_wheel_for_any_machine_has_no_compiled_core(tmp_path: Path) -> None:
    pure = build(tmp_path, KLOP_PURE_WHEEL="1")
    assert pure.name == f"klop-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pure) as files:
        assert not [name for name in files.namelist() if name.endswith((".so", ".pyd"))]


@pytest.mark.slow
def test_the_wheel_says_that_it_is_private(wheel: Path) -> None:
    metadata = message_from_bytes(read(wheel, ".dist-info/METADATA"))
    assert "Private :: Do Not Upload" in metadata.get_all("Classifier", [])
    assert read(wheel, "bot/commit.txt").decode().strip() == commit(ROOT)


# `scripts/release` in a clone whose checks are stubs, and the hosted checks, which run the same scripts.


DIGEST = f"sha256:{'0123456789abcdef' * 4}"
CHECKS = ("check", "browser", "promtool", "test")
WORKFLOW = ROOT / ".github" / "workflows" / "checks.yml"


def same(locked: Path, installed: Path) -> bool:
    return installed.exists() and installed.read_bytes() == locked.read_bytes()


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class Clone:
    """A clone of the checkout in which the scripts of `.ci/run` do what they are told."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        self.path = folder / "bin"
        self.path.mkdir()
        script(self.path / "docker", f"echo {DIGEST}")
        subprocess.run(["git", "clone", "--quiet", "--no-tags", ROOT, self.root], check=True)
        self.change("1.2.3 – unreleased")
        for name in CHECKS:
            self.stub(name, 0)

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = ran("git", *identity, *arguments, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def change(self, heading: str) -> None:
        """Write a changelog that has one section."""
        (self.root / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n\n* A change.\n", "utf-8")
        self.git("commit", "--quiet", "--all", "--message", "changelog")

    def stub(self, name: str, status: int | str) -> None:
        script(self.root / "scripts" / name, f"exit {status}")
        self.git("commit", "--quiet", "--allow-empty", "--all", "--message", f"stub {name}")

    def release(self, *arguments: str) -> tuple[int, str]:
        """Return the exit status and what was complained about."""
        surroundings = {
            **os.environ,
            "PATH": f"{self.path}:{os.environ['PATH']}",
            "KLOP_VENV": sys.prefix,
            "CXX": "none",  # to compile the search cores takes a minute
            **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        done = ran("scripts/release", *arguments, cwd=self.root, env=surroundings)
        return done.returncode, done.stderr

    def read(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(
    not same(ROOT / "locks" / "dev.txt", Path(sys.prefix, ".installed-dev")),
    reason="scripts/test has not installed these packages",
)
@pytest.mark.parametrize("heading", ["next – unreleased", "1.2.3 – 2026-01-01"])
def test_a_release_is_written_built_and_tagged(clone: Clone, heading: str) -> None:
    clone.change(heading)
    assert clone.release("1.2.3")[0] == 0
    assert 'VERSION = "1.2.3"' in clone.read("bot/version.py")
    changelog = clone.read("CHANGELOG.md")
    assert f"\n## 1.2.3 – {datetime.now(UTC):%Y-%m-%d}\n" in changelog
    assert re.search(rf"^FROM python:\S+-slim-\w+@{DIGEST} AS build$", clone.read("Dockerfile"), re.MULTILINE)
    assert {
        *re.findall(r"image: klop:(.*)", clone.read("deploy/compose.yaml")),
        *re.findall(r"newTag: (.*)", clone.read("deploy/kubernetes/kustomization.yaml")),
        *re.findall(r"klop-([\d.]+)-", clone.read("docs/operations.md")),
    } == {"1.2.3"}
    assert clone.git("status", "--porcelain") == ""
    assert clone.git("rev-parse", "v1.2.3^{commit}") == clone.git("rev-parse", "HEAD")
    assert clone.git("log", "-1", "--format=%s") == "release: 1.2.3"

    dist = clone.root / "dist"
    named = {"klop-1.2.3-py3-none-any.whl", "klop-1.2.3.tar.gz", "klop-1.2.3.cdx.json"}
    assert {path.name for path in dist.iterdir()} == named | {"SHA256SUMS"}
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest
        named.remove(name)
    assert not named
    bill = json.loads((dist / "klop-1.2.3.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    described = bill["metadata"]["component"]
    assert (described["name"], described["version"]) == ("klop", "1.2.3")
    locked = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "locks" / "run.txt").read_text(), re.MULTILINE)
    assert {(each["name"], each["version"]) for each in bill["components"]} == set(locked)

    assert "exists already" in clone.release("1.2.3")[1]
    assert "unreleased" in clone.release("1.2.4")[1]


def test_a_release_is_refused(clone: Clone) -> None:
    before = clone.git("rev-parse", "HEAD")
    for arguments in ((), ("1.2",), ("v1.2.3",), ("01.2.3",)):
        assert clone.release(*arguments) == (1, "Usage: scripts/release X.Y.Z\n")
    (clone.root / "new").touch()
    assert "not clean" in clone.release("1.2.3")[1]
    (clone.root / "new").unlink()
    script(clone.path / "docker", "echo no registry >&2; exit 1")
    assert "digest of python:" in clone.release("1.2.3")[1]
    script(clone.path / "docker", f"echo {DIGEST}")
    assert clone.git("rev-parse", "HEAD") == before
    for name in CHECKS:
        clone.stub(name, 1)
        status, complaint = clone.release("1.2.3")
        assert (status, "Not released" in complaint) == (1, True), name
        clone.stub(name, 0)
    clone.stub("test", "$((KLOP_TESTS_NEED_BROWSER))")  # it fails without a browser
    assert clone.release("1.2.3")[0] == 1
    assert clone.git("tag") == ""
    assert clone.git("status", "--porcelain") == ""


def test_hosted_checks_run_scripts_that_exist_with_every_python() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert jobs["check"]["strategy"]["matrix"]["python"] == pythons
    run = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert {".ci/run", "scripts/build", "scripts/image"} <= set(run)
    for line in run:
        name = line.split()[0]
        assert name == "docker" or os.access(ROOT / name, os.X_OK), line


def test_the_base_image_is_exact() -> None:
    (base,) = re.findall(r"^FROM (python:\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+(@sha256:[0-9a-f]{64})?", base)
