"""`scripts/release` in a clone whose checks are stubs, and the hosted checks, which run the same scripts."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from bot.chat.i18n.catalogue import ROOT

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
        for name in CHECKS:
            self.stub(name, 0)

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

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
        done = subprocess.run(
            ["scripts/release", *arguments], cwd=self.root, env=surroundings,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
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
def test_a_release_is_written_built_and_tagged(clone: Clone) -> None:
    assert clone.release("1.2.3")[0] == 0
    assert 'VERSION = "1.2.3"' in clone.read("bot/version.py")
    changelog = clone.read("CHANGELOG.md")
    assert re.search(r"^## 1\.2\.3 – \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert "unreleased" not in changelog
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
