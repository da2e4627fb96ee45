"""The version, and the commit that it was built from."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Final

VERSION = "0.1.0"  # the build reads it here

ROOT: Final = Path(__file__).resolve().parent.parent
"""The folder of the packages: a checkout, an image's folder or `site-packages`."""

COMMIT_FILE: Final = "bot/commit.txt"
"""Where a build leaves the commit, for installations that are no checkout."""


@cache
def program() -> str:
    """Return what starts this installation: the script of a checkout, or the command of a package."""
    return "scripts/run" if (ROOT / "scripts" / "run").is_file() else "klop"


def version(root: Path = ROOT) -> str:
    """Return `0.1.0 (abc1234)`; without the parentheses where the commit is not known."""
    known = commit(root)
    return f"{VERSION} ({known})" if known else VERSION


def commit(root: Path) -> str:
    """Return the short commit of a checkout or of what a build left there; "" where it is not known."""
    if (root / ".git").exists():
        ask = ("git", "-C", str(root), "rev-parse", "--short=7", "HEAD")
        try:
            done = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=10)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return ""
        return done.stdout.strip()
    try:
        return (root / COMMIT_FILE).read_text("ascii").strip()[:7]
    except (OSError, UnicodeDecodeError):
        return ""
