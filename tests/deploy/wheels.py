"""The wheels of the run-time lock for Linux on aarch64. `python -m tests.deploy.wheels` writes `locks/aarch64.txt` anew.

A lock has the hashes of all files of a version, not their names. The table has hash and name of each wheel that pip chooses
for a processor that this machine has not: with it a test asks the lock without an index.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.markers import default_environment
from packaging.requirements import Requirement

from bot.chat.i18n.catalogue import ROOT

LOCK: Final = ROOT / "locks" / "run.txt"
TABLE: Final = ROOT / "locks" / "aarch64.txt"
MINORS: Final = (11, 12, 13)  # of Python 3
GLIBC: Final = 36
"""Of 2: Debian 12's; the image's is newer."""

PLATFORMS: Final = (
    *(f"manylinux_2_{minor}_aarch64" for minor in range(GLIBC, 16, -1)),
    "manylinux2014_aarch64",
)


@dataclass(frozen=True, slots=True)
class Locked:
    """One line of the lock: what is required, and the hashes of its files."""

    requirement: Requirement
    hashes: frozenset[str]


def locked() -> Iterator[Locked]:
    """Yield the lines of the run-time lock."""
    for line in LOCK.read_text("utf-8").replace("\\\n", " ").splitlines():
        required, *hashes = line.split(" --hash=sha256:")
        yield Locked(Requirement(required.strip()), frozenset(each.strip() for each in hashes))


def needed(minor: int) -> list[Locked]:
    """Return what a Python on Linux on aarch64 needs."""
    there = {
        **{name: str(value) for name, value in default_environment().items()},
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "aarch64",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
        "python_version": f"3.{minor}",
        "python_full_version": f"3.{minor}.9",
    }
    return [
        each
        for each in locked()
        if each.requirement.marker is None or each.requirement.marker.evaluate(there)
    ]


def table() -> Mapping[str, str]:
    """Return the names of the wheels in the committed table, by hash."""
    lines = (line.split() for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {line[0]: line[1] for line in lines}


def chosen(minor: int) -> Iterator[tuple[str, str]]:
    """Yield hash and name of each wheel that pip would install there; it asks the index.

    Raises:
        CalledProcessError: a package has no wheel, or the index was not reached.
    """
    with tempfile.TemporaryDirectory(prefix="klop-wheels-") as scratch:
        wanted = Path(scratch, "requirements.txt")
        wanted.write_text(
            "".join(f"{each.requirement.name}{each.requirement.specifier}\n" for each in needed(minor))
        )
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += [
            "--no-deps",
            "--ignore-requires-python",
            "--only-binary=:all:",
            "--report=-",
            f"--target={scratch}/none",
            "-r",
            str(wanted),
        ]
        command += [
            f"--python-version=3.{minor}",
            "--implementation=cp",
            *(f"--platform={each}" for each in PLATFORMS),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    for each in json.loads(done.stdout)["install"]:
        found = each["download_info"]
        yield found["archive_info"]["hashes"]["sha256"], found["url"].rpartition("/")[2]


if __name__ == "__main__":
    found = {pair for minor in MINORS for pair in chosen(minor)}
    lines = [f"{digest}  {name}\n" for digest, name in sorted(found, key=lambda pair: pair[::-1])]
    head = "# Wheels of run.txt for Linux on aarch64; written by `python -m tests.deploy.wheels`.\n"
    TABLE.write_text(head + "".join(lines), "utf-8")
