"""The image: what the Dockerfile promises, wheels for both architectures, and its root built, measured and run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from bot.chat.i18n.catalogue import ROOT
from tests.bot.process import PATIENCE
from tests.deploy import image, wheels

EVENING = """\
ann: /challenge computer breakthrough board:5x5 level:1 side:first
ann: /move b2-b3
ann: /settings zone:Europe/Kyiv
ann: /replay /tmp/evening.gif
"""


def test_the_container_is_probed_stopped_in_order_and_nobody() -> None:
    _, last = image.stages()
    said = dict(last)
    assert last[0] == ("FROM", "scratch")
    assert "healthcheck" in said["HEALTHCHECK"]
    assert said["STOPSIGNAL"] == "SIGTERM"
    assert said["USER"] == "10001:10001"  # a number: Kubernetes asks whether it is root
    assert said["VOLUME"] == "/data"


_DOCKER = """#!/bin/sh
echo "$*" >> {told}
case $1 in
    create) echo a-container ;;
    export) truncate --size {size}MB {told}.big && tar --create --sparse {told}.big ;;
    {broken}) exit 1 ;;
esac
"""


@pytest.mark.parametrize(
    ("size", "broken", "status"), [(160, "none", 0), (190, "none", 1), (160, "run", 1), (160, "compose", 1)]
)
def test_the_image_is_measured_and_run(tmp_path: Path, size: int, broken: str, status: int) -> None:
    """With a stub of Docker: of too large an image, or one that does not run, the script complains."""
    told, docker = tmp_path / "told", tmp_path / "docker"
    docker.write_text(_DOCKER.format(told=told, size=size, broken=broken))
    docker.chmod(0o755)
    script = (ROOT / "scripts" / "image").read_text("utf-8")
    assert f"limit={image.LIMIT} " in script
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [ROOT / "scripts" / "image"], env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    calls = told.read_text().splitlines()
    assert "rm --volumes a-container" in calls
    run = [call for call in calls if call.startswith("run")]
    assert all("--read-only" in call for call in run)
    assert (len(run) == 2 and calls[-2].startswith("compose")) is (status == 0 or broken == "compose")


def tags(minor: int) -> set[Tag]:
    """What a Python on Linux on aarch64 can install."""
    version, platforms = (3, minor), list(wheels.PLATFORMS)
    return {*cpython_tags(version, platforms=platforms), *compatible_tags(version, f"cp3{minor}", platforms)}


@pytest.mark.parametrize("minor", wheels.MINORS)
def test_every_locked_package_has_a_wheel_for_aarch64(minor: int) -> None:
    table, fitting = wheels.table(), tags(minor)
    for each in wheels.needed(minor):
        named = [parse_wheel_filename(table[digest]) for digest in each.hashes & set(table)]
        assert any(
            name == canonicalize_name(each.requirement.name)
            and version in each.requirement.specifier
            and not fitting.isdisjoint(of)
            for name, version, _, of in named
        ), f"{each.requirement}: python -m tests.deploy.wheels"


@pytest.mark.slow
@pytest.mark.reliability
def test_the_index_has_the_wheels_of_the_table() -> None:
    found = {pair for minor in wheels.MINORS for pair in wheels.chosen(minor)}
    assert dict(found) == wheels.table()


@pytest.mark.slow
@pytest.mark.reliability
@pytest.mark.skipif(not image.can_build(), reason="it takes root and mmdebstrap")
def test_the_image_is_small_and_plays_with_a_read_only_root(tmp_path: Path) -> None:
    root = image.built(tmp_path)
    sizes = image.sizes(root)
    print({part: round(size, 1) for part, size in sizes.items()})  # noqa: T201
    assert sum(sizes.values()) <= image.LIMIT
    for program in ("bin/sh", "usr/bin/apt-get", "usr/bin/gcc"):
        assert not (root / program).exists()

    def run(*arguments: str, typed: str = "") -> str:
        done = subprocess.run(
            image.command(root, *arguments), input=typed,
            capture_output=True, text=True, timeout=2 * PATIENCE, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert run("--version").endswith("(0000000)\n")
    assert "(native)" in run("doctor")
    seen = run(typed=EVENING)
    assert "Klop, level 1: " in seen
    assert "Time zone: Europe/Kyiv." in seen
    assert "Saved: /tmp/evening.gif" in seen
